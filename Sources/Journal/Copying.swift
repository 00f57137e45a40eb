// Copies of a few bytes, as header fields are: two overlapping loads and stores cost less than a call of memcpy.

import Basics

extension UnsafeMutableRawPointer {
    @inline(__always)
    func copyShort(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        let count = bytes.count
        switch count {
        case 17...32: copyEnds(source, count, SIMD16<UInt8>.self)
        case 8...16: copyEnds(source, count, UInt64.self)
        case 4...7: copyEnds(source, count, UInt32.self)
        case 33...: copyMemory(from: source, byteCount: count)
        default:
            for index in 0..<count {
                storeBytes(of: source.load(fromByteOffset: index, as: UInt8.self), toByteOffset: index, as: UInt8.self)
            }
        }
    }

    /// `count` is at least the size of `T` and at most twice that.
    @inline(__always)
    private func copyEnds<T: BitwiseCopyable>(_ source: UnsafeRawPointer, _ count: Int, _ type: T.Type) {
        let last = count - MemoryLayout<T>.size
        let head = source.loadUnaligned(as: T.self)
        let tail = source.loadUnaligned(fromByteOffset: last, as: T.self)
        storeBytes(of: head, as: T.self)
        storeBytes(of: tail, toByteOffset: last, as: T.self)
    }
}
