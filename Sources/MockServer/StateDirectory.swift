// The directory where a mock keeps what must outlive it. Files appear whole or not at all (written beside, then
// renamed), secrets are readable by their owner only, and one mock at a time may use it.

import Basics
import CLinux
import EventLoop
import Glibc

/// An open state directory, locked for this process until the value dies.
struct StateDirectory: ~Copyable, Sendable {
    /// Absolute.
    let path: String
    private let lock: Int32

    /// Creates the directory (0700) and its parents where they are absent; keeps the mode of one that exists.
    init(path given: String) throws(Failure) {
        guard !given.isEmpty else { throw Failure(.usage, "the state directory has no name", hint: "give --state DIR") }
        let path = try Self.absolute(given)
        try Self.makeDirectories(path)
        // Never through a link, nor into anything but a plain file.
        let number = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard number >= 0 else {
            if [ELOOP, ENXIO, EISDIR].contains(errno) { throw Self.noPlainFile(path + "/lock") }
            throw Failure(
                .run, "cannot write in \(path): \(SystemCall.describe(errno))", hint: "choose another --state")
        }
        guard Self.isPlainFile(number) else {
            close(number)
            throw Self.noPlainFile(path + "/lock")
        }
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            close(number)
            throw Failure(
                .run, "another mock uses \(path)", hint: "stop it, or give this one a state directory of its own")
        }
        self.path = path
        lock = number
    }

    deinit { close(lock) }

    /// Lets another mock use the directory while this value still lives.
    borrowing func unlock() { flock(lock, LOCK_UN) }

    borrowing func path(of name: String) -> String { path + "/" + name }

    /// The content of a file, or nil when there is none. At most 1 MiB.
    borrowing func read(_ name: String) throws(Failure) -> String? { try Self.readWhole(path(of: name)) }

    static func readWhole(_ path: String, limit: Int = 1 << 20) throws(Failure) -> String? {
        // A pipe would be waited for.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if number < 0 {
            if errno == ENOENT { return nil }
            throw Failure(.run, "cannot read \(path): \(SystemCall.describe(errno))")
        }
        let file = Descriptor(owning: number)
        guard isPlainFile(file.number) else { throw noPlainFile(path) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(file.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(.run, "cannot read \(path): \(SystemCall.describe(errno))") }
            if count == 0 { break }
            content.append(contentsOf: chunk[..<count])
            guard content.count <= limit else { throw Failure(.usage, "\(path) is too large to be ours") }
        }
        return String(decoding: content, as: UTF8.self)
    }

    private static func isPlainFile(_ number: Int32) -> Bool {
        var about = stat()
        return fstat(number, &about) == 0 && about.st_mode & S_IFMT == S_IFREG
    }

    private static func noPlainFile(_ path: String) -> Failure {
        Failure(.usage, "\(path) is no plain file", hint: "remove it, or choose another --state")
    }

    /// Writes a file as a whole. A secret is 0600, anything else 0644 inside a directory of 0700.
    borrowing func write(_ name: String, _ text: String, secret: Bool) throws(Failure) {
        try Self.writeWhole(path(of: name), Array(text.utf8), mode: secret ? 0o600 : 0o644)
    }

    static func writeWhole(_ path: String, _ bytes: [UInt8], mode: mode_t) throws(Failure) {
        let fresh = path + ".new"
        unlink(fresh)
        let number = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard number >= 0 else { throw Failure(.run, "cannot write \(path): \(SystemCall.describe(errno))") }
        let file = Descriptor(owning: number)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(.run, "cannot write \(path): \(SystemCall.describe(errno))") }
            written += count
        }
        guard fchmod(file.number, mode) == 0, rename(fresh, path) == 0 else {
            throw Failure(.run, "cannot write \(path): \(SystemCall.describe(errno))")
        }
    }

    borrowing func remove(_ name: String) { unlink(path(of: name)) }

    static func absolute(_ path: String) throws(Failure) -> String {
        var whole = path
        if !path.hasPrefix("/") {
            var room = [CChar](repeating: 0, count: 4096)
            guard getcwd(&room, room.count) != nil else { throw Failure(.run, "the current directory is gone") }
            let here = String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            whole = here + "/" + path
        }
        var parts: [Substring] = []
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private static func makeDirectories(_ path: String) throws(Failure) {
        var whole = ""
        for part in path.split(separator: "/") {
            whole += "/" + part
            if mkdir(whole, 0o700) == 0 { continue }
            let error = errno
            var about = stat()
            if stat(whole, &about) == 0 {
                if about.st_mode & S_IFMT == S_IFDIR { continue }
                throw Failure(.usage, "\(whole) is a file, not a directory", hint: "choose another --state")
            }
            throw Failure(
                .run, "cannot make the directory \(whole): \(SystemCall.describe(error))",
                hint: "choose another --state")
        }
    }
}
