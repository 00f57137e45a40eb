// Remembers where in the file a blob stands, so that equal ones are stored once. Its memory is fixed: where a set of
// four is full, the one not met for longest is forgotten, and stored again should it come back.

import Glibc

/// `sets * 96` bytes and 4 KB, whatever happens.
struct BlobTable: ~Copyable {
    private struct Slot {
        var low: UInt64
        var high: UInt64
        /// 0: empty. No blob stands at 0, the header does.
        var offset: UInt64
    }

    private static let ways = 4
    private let slots: UnsafeMutablePointer<Slot>
    private let mask: UInt64
    /// The blob met last, byte for byte: a connection repeats its credential, a broadcast its body, and comparing is
    /// cheaper than hashing.
    private let newest: UnsafeMutablePointer<Newest>
    private let newestContent: UnsafeMutableRawPointer

    private struct Newest {
        var count: Int
        var offset: Int
    }

    private static let newestRoom = 4096

    /// `sets` is a power of two.
    init(sets: Int) {
        precondition(sets > 0 && sets & (sets - 1) == 0, "a blob table has a power of two of sets")
        slots = .allocate(capacity: sets * Self.ways)
        slots.initialize(repeating: Slot(low: 0, high: 0, offset: 0), count: sets * Self.ways)
        mask = UInt64(sets - 1)
        newest = .allocate(capacity: 1)
        newest.initialize(to: Newest(count: 0, offset: 0))
        newestContent = .allocate(byteCount: Self.newestRoom, alignment: 16)
    }

    deinit {
        slots.deallocate()
        newest.deallocate()
        newestContent.deallocate()
    }

    /// The offset of the blob when it is the one noted last, or 0.
    func offset(ofNewest content: UnsafeRawBufferPointer) -> Int {
        guard content.count == newest.pointee.count, let start = content.baseAddress,
            memcmp(start, newestContent, content.count) == 0
        else { return 0 }
        return newest.pointee.offset
    }

    func note(_ content: UnsafeRawBufferPointer, offset: Int) {
        guard content.count <= Self.newestRoom, let start = content.baseAddress else { return }
        newestContent.copyMemory(from: start, byteCount: content.count)
        newest.pointee = Newest(count: content.count, offset: offset)
    }

    /// The offset of the blob, or 0. What is found becomes the newest of its set.
    func offset(of digest: BlobDigest) -> UInt64 {
        let set = slots + Int(digest.low & mask) * Self.ways
        for way in 0..<Self.ways where set[way].low == digest.low && set[way].high == digest.high {
            let found = set[way]
            guard found.offset != 0 else { return 0 }
            moveBack(set, upTo: way)
            set[0] = found
            return found.offset
        }
        return 0
    }

    func insert(_ digest: BlobDigest, offset: UInt64) {
        let set = slots + Int(digest.low & mask) * Self.ways
        moveBack(set, upTo: Self.ways - 1)
        set[0] = Slot(low: digest.low, high: digest.high, offset: offset)
    }

    private func moveBack(_ set: UnsafeMutablePointer<Slot>, upTo last: Int) {
        var way = last
        while way > 0 {
            set[way] = set[way - 1]
            way -= 1
        }
    }
}
