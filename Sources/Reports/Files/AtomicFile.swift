// Writes a file whole or not at all: first under a temporary name beside it, then renamed.

import Basics
import Glibc

enum AtomicFile {
    /// Replaces `path`. On failure the old file, if any, is untouched and the temporary one is gone.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path, errno) }
        var trouble = writeAll(bytes, descriptor)
        if trouble == 0, fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP { trouble = errno }
        if close(descriptor) != 0, trouble == 0 { trouble = errno }
        if trouble == 0, rename(temporary, path) != 0 { trouble = errno }
        guard trouble == 0 else {
            unlink(temporary)
            throw failure(path, trouble)
        }
    }

    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.usage, "cannot read \(path): \(reason(errno))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &room, room.count)
            if count > 0 {
                bytes += room[..<count]
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw Failure(.usage, "cannot read \(path): \(reason(errno))")
            }
        }
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// 0, or the errno of what went wrong.
    private static func writeAll(_ bytes: [UInt8], _ descriptor: Int32) -> Int32 {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                offset += count
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        let hint: String? =
            switch code {
            case ENOSPC, EDQUOT: "free some space, or write elsewhere with --out DIR"
            case EACCES, EPERM, EROFS: "choose a directory you may write to with --out DIR"
            case ENOENT, ENOTDIR: "the run directory is gone; choose another with --out DIR"
            default: nil
            }
        return Failure(.run, "cannot write \(path): \(reason(code))", hint: hint)
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
