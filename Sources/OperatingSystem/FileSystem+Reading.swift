// The one way to read a file: bounded, and never waiting for a pipe unless the user may have named one.

import Glibc

package enum FileSystem {}

extension FileSystem {
    /// What a file may be.
    package enum Kind: Sendable {
        /// Anything else is refused, before it is waited for.
        case plain
        /// Also a pipe, such as a shell's `<(command)`: for files that a user names.
        case any
    }

    /// The first `count` bytes of a file, or all of it where it has no more.
    package static func start(of path: String, count: Int, kind: Kind = .plain) throws(FileError) -> [UInt8] {
        let file = try Descriptor(opening: path, kind == .plain ? O_RDONLY | O_NONBLOCK : O_RDONLY)
        if kind == .plain, !FileStatus(file).isPlainFile { throw FileError(.notPlain, path) }
        return try rest(of: file, count: count, path)
    }

    /// All of a file that has at most `limit` bytes.
    package static func read(_ path: String, limit: Int, kind: Kind = .plain) throws(FileError) -> [UInt8] {
        let bytes = try start(of: path, count: limit + 1, kind: kind)
        guard bytes.count <= limit else { throw FileError(.larger(than: limit), path) }
        return bytes
    }

    /// A file of at most 64 MiB as text; nil when there is none that can be read.
    package static func text(of path: String, kind: Kind = .plain) -> String? {
        guard let bytes = try? read(path, limit: 64 << 20, kind: kind) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The last `count` bytes of a file, from the beginning of a line unless it is shorter; nil when it cannot be read.
    package static func lastLines(of path: String, count: Int) -> String? {
        do {
            let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            let before = FileStatus(file).size - count
            if before > 0 { lseek(file.number, off_t(before), SEEK_SET) }
            let text = String(decoding: try rest(of: file, count: count, path), as: UTF8.self)
            return before > 0 ? String(text.drop { $0 != "\n" }.dropFirst()) : text
        } catch {
            return nil
        }
    }

    private static func rest(of file: borrowing Descriptor, count: Int, _ path: String) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        let number = file.number
        while bytes.count < count {
            let wanted = min(count - bytes.count, 65_536)
            var result = SystemResult.done(0)
            bytes += [UInt8](unsafeUninitializedCapacity: wanted) { room, filled in
                result = SystemCall.run { Glibc.read(number, room.baseAddress, wanted) }
                if case .done(let got) = result { filled = got }
            }
            switch result {
            case .done(0): return bytes
            case .done: continue
            case .wouldBlock: throw FileError(EAGAIN, path)
            case .failed(let reason): throw FileError(reason, path)
            }
        }
        return bytes
    }
}
