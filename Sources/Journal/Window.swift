// A stretch of a file held in memory and moved along as it is read: one pread per quarter megabyte.

import Basics
import Glibc
import OperatingSystem

final class Window {
    private static let usualCapacity = 256 << 10

    private let file: Descriptor
    private let path: String
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private var start = 0
    private var count = 0

    init(path: String) throws(Failure) {
        self.path = path
        do { file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK) } catch { throw Self.cannotRead(path, error) }
        capacity = Self.usualCapacity
        base = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    /// The bytes there, or nil when the file does not reach so far. Valid until the next call.
    func bytes(at offset: Int, _ length: Int) throws(Failure) -> UnsafeRawPointer? {
        if offset < start || offset > start + count {
            start = offset
            count = 0
        }
        if offset + length > start + count {
            // What the file does not hold is not made room for: a damaged length may claim anything.
            guard offset + length <= fileSize() else { return nil }
            makeRoom(for: length, at: offset)
            while offset + length > start + count {
                let step = try read(base + count, capacity - count, at: start + count)
                if step == 0 { return nil }
                count += step
            }
        }
        return UnsafeRawPointer(base + (offset - start))
    }

    /// What lies outside the window, such as a blob met long ago. False when the file does not reach so far.
    func copy(at offset: Int, to target: UnsafeMutableRawPointer, _ length: Int) throws(Failure) -> Bool {
        if offset >= start, offset + length <= start + count {
            target.copyMemory(from: base + (offset - start), byteCount: length)
            return true
        }
        var done = 0
        while done < length {
            let step = try read(target + done, length - done, at: offset + done)
            if step == 0 { return false }
            done += step
        }
        return true
    }

    func fileSize() -> Int { FileStatus(file).size }

    /// Forgets what was read: the file may have more to say at the same place by now.
    func forget() { count = 0 }

    private func makeRoom(for length: Int, at offset: Int) {
        let kept = start + count - offset
        let wanted = max(length, Self.usualCapacity)
        if wanted != capacity {
            let fresh = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
            let kept = min(kept, wanted)
            fresh.copyMemory(from: base + (offset - start), byteCount: kept)
            base.deallocate()
            base = fresh
            capacity = wanted
            count = kept
        } else {
            base.copyMemory(from: base + (offset - start), byteCount: kept)
            count = kept
        }
        start = offset
    }

    private func read(_ target: UnsafeMutableRawPointer, _ length: Int, at offset: Int) throws(Failure) -> Int {
        switch SystemCall.run({ pread(file.number, target, length, off_t(offset)) }) {
        case .done(let count): return count
        case .wouldBlock: throw Self.cannotRead(path, FileError(EAGAIN, path))
        case .failed(let reason): throw Self.cannotRead(path, FileError(reason, path))
        }
    }

    static func cannotRead(_ path: String, _ error: FileError) -> Failure {
        Failure(.run, "cannot read the journal \(path): \(error.words)")
    }
}
