// No key twice in one object. Small objects compare hashes as they go. The keys of a large one go through a hash table
// when it closes, and are sorted if that goes badly: no choice of keys makes the work grow with the square of their
// number.

import Glibc

/// One key of an open object: where its content stands, with a quote behind it. That is the raw text in the document,
/// or decoded text behind the document.
struct ScannedKey {
    var hash: UInt64
    var start: Int32
    var count: Int32
    /// Its place in the table of nodes.
    var node: Int32
}

extension JSONScanner {
    typealias Keys = UnsafeMutablePointer<ScannedKey>

    /// Up to this many keys are compared with each other as they come.
    private static let smallObject = 32

    /// Keeps the key of `node` for its object, whose keys begin at `base`. False when the object has it already.
    @inline(__always)
    func note(_ node: UnsafeMutablePointer<JSONNode>, as key: Keys, after base: Keys, mask: inout UInt64) -> Bool {
        key.pointee.start = node.pointee.keyStart
        key.pointee.count = node.pointee.keyEnd &- node.pointee.keyStart
        key.pointee.node = Int32(truncatingIfNeeded: node - nodes)
        if node.pointee.keyHasEscapes { keepDecoded(key) }
        let hash = hash(text + Int(key.pointee.start), Int(key.pointee.count))
        key.pointee.hash = hash
        let bit: UInt64 = 1 &<< (hash >> 58)
        if mask & bit != 0, key - base < Self.smallObject, has(key, after: base) { return false }
        mask |= bit
        return true
    }

    @inline(never)
    private func has(_ key: Keys, after base: Keys) -> Bool {
        var other = base
        while other < key {
            if other.pointee.hash == key.pointee.hash, isSame(other.pointee, key.pointee) { return true }
            other += 1
        }
        return false
    }

    /// Where in the document the second of two equal keys of a large object stands, if there are such.
    @inline(__always)
    func repeatedKey(from base: Keys, to end: Keys) -> Int? {
        end - base <= Self.smallObject ? nil : repeatedKeyByHashing(base, end - base)
    }

    /// Open addressing, at most half full. More than eight steps per key are no accident.
    @inline(never)
    private func repeatedKeyByHashing(_ keys: Keys, _ count: Int) -> Int? {
        let bits = Int.bitWidth - (2 * count - 1).leadingZeroBitCount
        let table = clearTable(1 << bits)
        var steps = 8 * count
        for index in 0..<count {
            var slot = Int(truncatingIfNeeded: keys[index].hash >> UInt64(64 - bits))
            while table[slot] >= 0 {
                let other = keys[Int(table[slot])]
                if other.hash == keys[index].hash, isSame(other, keys[index]) { return place(keys[index]) }
                steps -= 1
                guard steps > 0 else { return repeatedKeyBySorting(keys, count) }
                slot = (slot + 1) & (1 << bits - 1)
            }
            table[slot] = Int32(truncatingIfNeeded: index)
        }
        return nil
    }

    private func repeatedKeyBySorting(_ keys: Keys, _ count: Int) -> Int? {
        for root in stride(from: count / 2 - 1, through: 0, by: -1) { sink(keys, root, count) }
        for last in stride(from: count - 1, to: 0, by: -1) {
            swap(&keys[0], &keys[last])
            sink(keys, 0, last)
        }
        var found: Int?
        for index in 1..<count where isSame(keys[index - 1], keys[index]) {
            found = min(found ?? .max, max(place(keys[index - 1]), place(keys[index])))
        }
        return found
    }

    /// One step of heap sort: lets the element at `root` sink below the greater ones.
    private func sink(_ keys: Keys, _ root: Int, _ count: Int) {
        var root = root
        while 2 * root + 1 < count {
            var child = 2 * root + 1
            if child + 1 < count, isLess(keys[child], keys[child + 1]) { child += 1 }
            guard isLess(keys[root], keys[child]) else { return }
            swap(&keys[root], &keys[child])
            root = child
        }
    }

    private func place(_ key: ScannedKey) -> Int { Int(nodes[Int(key.node)].keyStart) }

    private func isSame(_ a: ScannedKey, _ b: ScannedKey) -> Bool {
        a.count == b.count && memcmp(text + Int(a.start), text + Int(b.start), Int(a.count)) == 0
    }

    private func isLess(_ a: ScannedKey, _ b: ScannedKey) -> Bool {
        if a.hash != b.hash { return a.hash < b.hash }
        if a.count != b.count { return a.count < b.count }
        return memcmp(text + Int(a.start), text + Int(b.start), Int(a.count)) < 0
    }

    /// Its upper bits are the good ones. A key of up to seven bytes counts whole, with the quote behind it, which tells
    /// `a` from `a` and a zero; of a longer one the first and the last eight bytes count.
    @inline(__always)
    private func hash(_ key: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        if count < 8 {
            return (JSONText.word(key) &<< UInt64(truncatingIfNeeded: 56 &- 8 &* count)) &* 0x9E37_79B9_7F4A_7C15
        }
        let mixed = JSONText.word(key) &* 0x9E37_79B9_7F4A_7C15
        return (mixed ^ (mixed >> 32) ^ JSONText.word(key + (count &- 8))) &* 0xBF58_476D_1CE4_E5B9
    }

    /// Decodes the key behind the document. There is room for all of them and a quote each: decoding shortens.
    @inline(never)
    private func keepDecoded(_ key: Keys) {
        let raw = UnsafePointer(text + Int(key.pointee.start))
        let count = JSONText.unescape(raw, raw + Int(key.pointee.count), into: text + tail)
        text[tail + count] = UInt8(ascii: "\"")
        key.pointee.start = Int32(tail)
        key.pointee.count = Int32(count)
        tail += count + 1
    }
}
