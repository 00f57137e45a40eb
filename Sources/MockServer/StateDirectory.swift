// The directory where a mock keeps what must outlive it. Files appear whole or not at all (written beside, then
// renamed), secrets are readable by their owner only, and one mock at a time may use it.

import Basics
import Glibc
import OperatingSystem

/// An open state directory, locked for this process until the value dies.
struct StateDirectory: ~Copyable, Sendable {
    /// Absolute.
    let path: String
    private let lock: FileLock

    /// Creates the directory (0700) and its parents where they are absent; keeps the mode of one that exists.
    init(path given: String) throws(Failure) {
        guard !given.isEmpty else { throw Failure(.usage, "the state directory has no name", hint: "give --state DIR") }
        let path = try Self.absolute(given)
        try Self.makeDirectories(path)
        do {
            lock = try FileLock(path + "/lock", waits: false)
        } catch {
            switch error.cause {
            case .notPlain: throw Self.noPlainFile(path + "/lock")
            case .locked:
                throw Failure(
                    .run, "another mock uses \(path)",
                    hint: "stop it, let run, check or exec use it by --mock \(given), or give this one a directory of its own")
            default: throw Failure(.run, "cannot write in \(path): \(error.words)", hint: "choose another --state")
            }
        }
        self.path = path
    }

    /// Lets another mock use the directory while this value still lives.
    borrowing func unlock() { lock.release() }

    /// Takes it again; false while another mock uses it.
    borrowing func relock() -> Bool { lock.retake() }

    borrowing func path(of name: String) -> String { path + "/" + name }

    /// The content of a file, or nil when there is none. At most 1 MiB.
    borrowing func read(_ name: String) throws(Failure) -> String? { try Self.readWhole(path(of: name)) }

    static func readWhole(_ path: String, limit: Int = 1 << 20) throws(Failure) -> String? {
        do {
            return String(decoding: try FileSystem.read(path, limit: limit), as: UTF8.self)
        } catch {
            if error.isAbsent { return nil }
            switch error.cause {
            case .notPlain: throw noPlainFile(path)
            case .larger: throw Failure(.usage, "\(path) is too large to be ours")
            default: throw Failure(.run, "cannot read \(path): \(error.words)")
            }
        }
    }

    private static func noPlainFile(_ path: String) -> Failure {
        Failure(.usage, "\(path) is no plain file", hint: "remove it, or choose another --state")
    }

    /// Writes a file as a whole. A secret is 0600, anything else 0644 inside a directory of 0700.
    borrowing func write(_ name: String, _ text: String, secret: Bool) throws(Failure) {
        try Self.writeWhole(path(of: name), Array(text.utf8), mode: secret ? 0o600 : 0o644)
    }

    static func writeWhole(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(Failure) {
        do { try FileSystem.replace(path, with: bytes.span, mode: mode) } catch {
            throw Failure(.run, "cannot write \(path): \(error.words)")
        }
    }

    borrowing func remove(_ name: String) { FileSystem.remove(path(of: name)) }

    /// Without `.` and `..`.
    static func absolute(_ path: String) throws(Failure) -> String {
        guard let whole = FileSystem.absolute(path) else { throw Failure(.run, "the current directory is gone") }
        var parts: [Substring] = []
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static func makeDirectories(_ path: String) throws(Failure) {
        do { try FileSystem.makeFolder(path, mode: 0o700) } catch {
            if error.number == ENOTDIR {
                throw Failure(.usage, "\(error.path) is a file, not a directory", hint: "choose another --state")
            }
            throw Failure(
                .run, "cannot make the directory \(error.path): \(error.words)", hint: "choose another --state")
        }
    }
}
