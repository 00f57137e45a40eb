// The one way to write a file: whole or not at all, first under a name of its own beside it, then renamed.

import Glibc

extension FileSystem {
    /// Replaces `path`; a device, pipe or socket is written to instead. On failure the old file, if any, is untouched.
    /// `mode`: exactly these permissions; nil: 0644 less what the user's umask takes away. With `isSynced` it also outlives
    /// the machine's end.
    package static func replace(
        _ path: String, with bytes: Span<UInt8>, mode: UInt32? = nil, isSynced: Bool = false
    ) throws(FileError) {
        if let reason = writeToDevice(bytes, path) {
            guard reason == 0 else { throw FileError(reason, path) }
            return
        }
        let fresh = "\(path).\(getpid()).new"
        unlink(fresh)
        let reason = write(bytes, to: fresh, mode: mode, isSynced: isSynced)
        if reason == 0, rename(fresh, path) == 0 { return }
        let error = FileError(reason == 0 ? errno : reason, path)
        unlink(fresh)
        throw error
    }

    /// Replaces `path` by this text.
    package static func replace(
        _ path: String, with text: String, mode: UInt32? = nil, isSynced: Bool = false
    ) throws(FileError) {
        try replace(path, with: text.utf8.span, mode: mode, isSynced: isSynced)
    }

    /// Nil when there is nothing at `path` but a file; else 0, or the errno of what failed.
    private static func writeToDevice(_ bytes: Span<UInt8>, _ path: String) -> Int32? {
        guard let status = FileStatus(path), !status.isPlainFile, !status.isFolder else { return nil }
        do {
            let device = try Descriptor(opening: path, O_WRONLY | O_NONBLOCK)
            if case .failed(let reason) = device.write(bytes) { return reason }
            return 0
        } catch {
            return error.number
        }
    }

    /// 0, or the errno of what failed.
    private static func write(_ bytes: Span<UInt8>, to path: String, mode: UInt32?, isSynced: Bool) -> Int32 {
        do {
            let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: mode ?? 0o644)
            if case .failed(let reason) = file.write(bytes) { return reason }
            if let mode, fchmod(file.number, mode) != 0 { return errno }
            // Some file systems cannot.
            if isSynced, fsync(file.number) != 0, errno != EINVAL, errno != ENOTSUP { return errno }
            return 0
        } catch {
            return error.number
        }
    }

    /// Sets the permissions of what is there.
    package static func allow(_ path: String, mode: UInt32) { chmod(path, mode) }

    /// A file, or a link itself. What is not there, or may not be removed, stays so.
    package static func remove(_ path: String) { unlink(path) }

    /// Makes a symbolic link in place of whatever file has its name. One that cannot be made is none.
    package static func link(_ path: String, to target: String) {
        unlink(path)
        symlink(target, path)
    }
}
