// A file descriptor with one owner, and how files are opened.

import Glibc

/// Owns one file descriptor and closes it.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    package init(owning number: Int32) { self.number = number }

    /// Opens a file; no program that is started later inherits it. `flags` as of open(2), `mode` for a file that is made.
    package init(opening path: String, _ flags: Int32, mode: UInt32 = 0) throws(FileError) {
        switch SystemCall.run({ Int(open(path, flags | O_CLOEXEC, mode)) }) {
        case .done(let number): self.number = Int32(number)
        case .wouldBlock: throw FileError(EAGAIN, path)
        case .failed(let reason): throw FileError(reason, path)
        }
    }

    deinit { close(number) }

    /// Gives it to a new owner.
    package consuming func take() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Writes all of `bytes`, in as many calls as the kernel asks for.
    package borrowing func write(_ bytes: Span<UInt8>) -> WriteResult { Self.write(bytes, to: number) }

    /// As `write`, to a descriptor that somebody else owns, such as standard output.
    @discardableResult
    package static func write(_ bytes: Span<UInt8>, to number: Int32) -> WriteResult {
        bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                switch SystemCall.run({ Glibc.write(number, bytes.baseAddress! + written, bytes.count - written) }) {
                case .done(let step) where step > 0: written += step
                case .done: return .failed(ENOSPC)
                case .wouldBlock: return .failed(EAGAIN)
                case .failed(let reason): return .failed(reason)
                }
            }
            return .written
        }
    }

    package enum WriteResult: Equatable, Sendable {
        case written
        /// With its errno; how much was written before is not told.
        case failed(Int32)
    }
}
