// The file under a writer: whole batches or nothing. When the disk fails, the file is cut back to the last batch that
// was wholly written, and stays closed to further ones.

import Basics
import Glibc
import OperatingSystem

final class JournalFile {
    /// write(2), or what a test puts in its place.
    typealias Write = (Int32, UnsafeRawPointer, Int) -> Int

    let path: String
    private let descriptor: Descriptor
    private let write: Write
    /// Bytes in the kernel.
    private(set) var size: Int
    /// Bytes of batches whose owner was told that they are safe.
    private var safeSize: Int
    private(set) var failure: Failure?

    init(_ descriptor: consuming Descriptor, path: String, size: Int, write: @escaping Write) {
        self.descriptor = descriptor
        self.path = path
        self.size = size
        self.write = write
        safeSize = size
    }

    /// Writes all of it, in as many calls as the kernel asks for. False when it cannot.
    func append(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        guard failure == nil else { return false }
        var written = 0
        while written < count {
            switch SystemCall.run({ write(descriptor.number, bytes + written, count - written) }) {
            case .done(let step) where step > 0: written += step
            case .done: return fail(ENOSPC)
            case .wouldBlock: return fail(EAGAIN)
            case .failed(let reason): return fail(reason)
            }
        }
        size += count
        return true
    }

    /// What has been written so far may be relied on.
    func markSafe() { safeSize = size }

    private func fail(_ reason: Int32) -> Bool {
        failure = Directory.cannotWrite(path, reason)
        // Should this fail too, the checksums cut the file at the same place or a little later.
        _ = SystemCall.run { Int(ftruncate(descriptor.number, off_t(safeSize))) }
        return false
    }
}
