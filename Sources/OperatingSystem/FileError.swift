// What went wrong with a file, for callers to put into a line of their own.

import Glibc

package struct FileError: Error, Equatable, Sendable {
    package enum Cause: Equatable, Sendable {
        /// An errno.
        case system(Int32)
        /// A folder, a pipe, a device, or a link where none is followed.
        case notPlain
        case larger(than: Int)
        /// Another process has the lock.
        case locked
    }

    package let cause: Cause
    package let path: String

    init(_ cause: Cause, _ path: String) {
        self.cause = cause
        self.path = path
    }

    package init(_ number: Int32, _ path: String) { self.init(.system(number), path) }

    /// The errno, or 0 where none tells the cause.
    package var number: Int32 { if case .system(let number) = cause { number } else { 0 } }

    /// There is no such file.
    package var isAbsent: Bool { number == ENOENT || number == ENOTDIR }

    /// It is a folder, which cannot be read.
    package var isFolder: Bool { number == EISDIR }

    /// The cause in words, without the path.
    package var words: String {
        switch cause {
        case .system(let number): SystemCall.describe(number)
        case .notPlain: "it is no plain file, but a pipe, a device or a socket"
        case .larger(let limit): "it has more than \(limit) bytes"
        case .locked: "another process uses it"
        }
    }
}
