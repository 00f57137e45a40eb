// No key twice in one object. Small objects compare hashes as they go. The keys of a large one go through a hash table
// when it closes, and are sorted if that goes badly: no choice of keys makes the work grow with the square of their
// number.

import Glibc

/// One key of an open object, as content: raw text, or decoded text behind the document.
struct ScannedKey {
    var hash: UInt64
    var start: Int32
    var count: Int32
    /// Where the raw key starts in the document.
    var place: Int32
}

extension JSONScanner {
    /// Up to this many keys are compared with each other as they come.
    private static let smallObject = 32

    /// Keeps the key of `node` at `count`, for its object whose keys begin at `base`. False when the object has it.
    @inline(__always)
    func note(_ node: UnsafeMutablePointer<JSONNode>, after base: Int, at count: Int, mask: inout UInt64) -> Bool {
        let key = keys + count
        key.pointee.start = node.pointee.keyStart
        key.pointee.count = node.pointee.keyEnd &- node.pointee.keyStart
        key.pointee.place = node.pointee.keyStart
        if node.pointee.keyHasEscapes { keepDecoded(key) }
        let hash = hash(text + Int(key.pointee.start), Int(key.pointee.count))
        key.pointee.hash = hash
        let bit: UInt64 = 1 &<< (hash & 63)
        if mask & bit != 0, count &- base < Self.smallObject {
            var other = keys + base
            while other < key {
                if other.pointee.hash == hash, isSame(other.pointee, key.pointee) { return false }
                other += 1
            }
        }
        mask |= bit
        return true
    }

    /// Where the second of two equal keys of a large object stands, if there are such.
    @inline(__always)
    func repeatedKey(from base: Int, to count: Int) -> Int? {
        count &- base <= Self.smallObject ? nil : repeatedKeyByHashing(keys + base, count &- base)
    }

    /// Open addressing, at most half full; with more than eight steps per key the keys are not by accident as they are.
    @inline(never)
    private func repeatedKeyByHashing(_ keys: UnsafeMutablePointer<ScannedKey>, _ count: Int) -> Int? {
        let capacity = 1 << (Int.bitWidth - (2 * count - 1).leadingZeroBitCount)
        let table = clearTable(capacity)
        var steps = 8 * count
        for index in 0..<count {
            var slot = Int(truncatingIfNeeded: keys[index].hash) & (capacity - 1)
            while table[slot] >= 0 {
                let other = keys[Int(table[slot])]
                if other.hash == keys[index].hash, isSame(other, keys[index]) { return Int(keys[index].place) }
                steps -= 1
                guard steps > 0 else { return repeatedKeyBySorting(keys, count) }
                slot = (slot + 1) & (capacity - 1)
            }
            table[slot] = Int32(truncatingIfNeeded: index)
        }
        return nil
    }

    @inline(never)
    private func repeatedKeyBySorting(_ keys: UnsafeMutablePointer<ScannedKey>, _ count: Int) -> Int? {
        for root in stride(from: count / 2 - 1, through: 0, by: -1) { sink(keys, root, count) }
        for last in stride(from: count - 1, to: 0, by: -1) {
            swap(&keys[0], &keys[last])
            sink(keys, 0, last)
        }
        var found: Int32?
        for index in 1..<count where isSame(keys[index - 1], keys[index]) {
            found = min(found ?? .max, max(keys[index - 1].place, keys[index].place))
        }
        return found.map { Int($0) }
    }

    /// One step of heap sort: lets the element at `root` sink below the greater ones.
    private func sink(_ keys: UnsafeMutablePointer<ScannedKey>, _ root: Int, _ count: Int) {
        var root = root
        while 2 * root + 1 < count {
            var child = 2 * root + 1
            if child + 1 < count, isLess(keys[child], keys[child + 1]) { child += 1 }
            guard isLess(keys[root], keys[child]) else { return }
            swap(&keys[root], &keys[child])
            root = child
        }
    }

    private func isSame(_ a: ScannedKey, _ b: ScannedKey) -> Bool {
        a.count == b.count && memcmp(text + Int(a.start), text + Int(b.start), Int(a.count)) == 0
    }

    private func isLess(_ a: ScannedKey, _ b: ScannedKey) -> Bool {
        if a.hash != b.hash { return a.hash < b.hash }
        if a.count != b.count { return a.count < b.count }
        return memcmp(text + Int(a.start), text + Int(b.start), Int(a.count)) < 0
    }

    /// Looks at the first and the last eight bytes; reads at most seven bytes behind the key, which it ignores.
    @inline(__always)
    private func hash(_ key: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        var head = JSONText.word(key)
        var last: UInt64 = 0
        if count < 8 {
            head &= (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
        } else {
            last = JSONText.word(key + (count &- 8))
        }
        var hash = (head ^ UInt64(truncatingIfNeeded: count)) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 32) ^ last) &* 0xBF58_476D_1CE4_E5B9
        return hash ^ (hash >> 29)
    }

    /// Decodes the key behind the document. There is room for all of them: decoding never lengthens.
    @inline(never)
    private func keepDecoded(_ key: UnsafeMutablePointer<ScannedKey>) {
        let raw = UnsafePointer(text + Int(key.pointee.start))
        let count = JSONText.unescape(raw, raw + Int(key.pointee.count), into: text + tail)
        key.pointee.start = Int32(tail)
        key.pointee.count = Int32(count)
        tail += count
    }
}
