// What the file system knows about a file without opening it.

import Glibc

/// Two that are equal are of the same version of the same file.
package struct FileStatus: Equatable, Sendable {
    package let size: Int
    /// Permissions and kind, as of stat(2).
    private let mode: mode_t
    private let inode: UInt
    private let seconds: Int
    private let nanoseconds: Int

    /// Follows links. Nil when there is no such file, or it may not be looked at.
    package init?(_ path: String) {
        var about = stat()
        guard stat(path, &about) == 0 else { return nil }
        self.init(about)
    }

    package init(_ file: borrowing Descriptor) {
        var about = stat()
        let number = file.number
        _ = SystemCall.must("fstat") { fstat(number, &about) }
        self.init(about)
    }

    private init(_ about: stat) {
        size = Int(about.st_size)
        mode = about.st_mode
        inode = UInt(about.st_ino)
        seconds = about.st_mtim.tv_sec
        nanoseconds = about.st_mtim.tv_nsec
    }

    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    package var isPlainFile: Bool { mode & S_IFMT == S_IFREG }
    /// As for chmod(2).
    package var permissions: UInt32 { mode & 0o777 }
}
