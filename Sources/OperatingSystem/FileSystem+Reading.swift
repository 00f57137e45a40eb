// The one way to read a file: bounded, and never waiting for what is none, whoever has named it.

import Glibc

package enum FileSystem {}

extension FileSystem {
    /// The first `count` bytes of a file, or all of it where it has no more. What is no plain file, such as a pipe, is refused
    /// before it is waited for.
    package static func start(of path: String, count: Int) throws(FileError) -> [UInt8] {
        let file = try plain(path)
        return try rest(of: file, count: count, path)
    }

    /// Throws where there is no plain file that can be read: for those who have a library open it, which waits for a pipe.
    package static func mustBePlain(_ path: String) throws(FileError) { _ = try plain(path) }

    private static func plain(_ path: String) throws(FileError) -> Descriptor {
        // To open a socket fails with a word that says nothing of it.
        if let status = FileStatus(path), !status.isPlainFile, !status.isFolder { throw FileError(.notPlain, path) }
        // What it is now counts: it may be another than a moment ago.
        let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = FileStatus(file)
        if status.isFolder { throw FileError(EISDIR, path) }
        guard status.isPlainFile else { throw FileError(.notPlain, path) }
        return file
    }

    /// All of a file that has at most `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let bytes = try start(of: path, count: limit + 1)
        guard bytes.count <= limit else { throw FileError(.larger(than: limit), path) }
        return bytes
    }

    /// A file of at most 64 MiB as text; nil when there is none that can be read.
    package static func text(of path: String) -> String? {
        guard let bytes = try? read(path, limit: 64 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The last `count` bytes of a file, from the beginning of a line unless it is shorter or they are one; nil when it cannot
    /// be read.
    package static func lastLines(of path: String, count: Int) -> String? {
        do {
            let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            let before = FileStatus(file).size - count
            if before > 0 { lseek(file.number, off_t(before), SEEK_SET) }
            let text = String(decoding: try rest(of: file, count: count, path), as: UTF8.self)
            let lines = before > 0 ? text.drop { $0 != "\n" }.dropFirst() : text[...]
            return String(lines.isEmpty ? text[...] : lines)
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
