// Finds rows by 64 bits of a hash: an open-addressing table of four bytes each, with linear probing. The hash itself
// stands in the row, or is made again from it.

/// What a key leads to.
struct PhoneRef: Hashable {
    enum Kind: Int32 { case phone, device, start, activity }
    var kind: Kind
    /// Of a phone, an app or a card.
    var place: Int32

    /// Never 0.
    fileprivate var slot: Int32 { (place + 1) << 2 | kind.rawValue }
    fileprivate init(slot: Int32) { (kind, place) = (Kind(rawValue: slot & 3)!, slot >> 2 - 1) }
    init(_ kind: Kind, _ place: Int32) { (self.kind, self.place) = (kind, place) }
}

struct PhoneIndex {
    private var slots = [Int32](repeating: 0, count: 16)
    private var count = 0

    private var mask: Int { slots.count - 1 }

    func find(_ key: UInt64, in tables: borrowing PhoneTables) -> PhoneRef? {
        var place = Int(truncatingIfNeeded: key) & mask
        while slots[place] != 0 {
            let ref = PhoneRef(slot: slots[place])
            if tables.key(of: ref) == key { return ref }
            place = (place + 1) & mask
        }
        return nil
    }

    mutating func insert(_ ref: PhoneRef, in tables: borrowing PhoneTables) {
        if (count + 1) * 8 > slots.count * 7 { grow(in: tables) }
        put(ref.slot, tables.key(of: ref))
        count += 1
    }

    private mutating func put(_ slot: Int32, _ key: UInt64) {
        var place = Int(truncatingIfNeeded: key) & mask
        while slots[place] != 0 { place = (place + 1) & mask }
        slots[place] = slot
    }

    private mutating func grow(in tables: borrowing PhoneTables) {
        let old = slots
        slots = [Int32](repeating: 0, count: 2 * old.count)
        for slot in old where slot != 0 { put(slot, tables.key(of: PhoneRef(slot: slot))) }
    }

    /// While the row is still there; false: it was not to be found any more.
    @discardableResult
    mutating func remove(_ ref: PhoneRef, in tables: borrowing PhoneTables) -> Bool {
        var gap = Int(truncatingIfNeeded: tables.key(of: ref)) & mask
        while slots[gap] != ref.slot {
            if slots[gap] == 0 { return false }
            gap = (gap + 1) & mask
        }
        count -= 1
        var place = gap
        while true {
            place = (place + 1) & mask
            if slots[place] == 0 { break }
            let home = Int(truncatingIfNeeded: tables.key(of: PhoneRef(slot: slots[place]))) & mask
            if (place - home) & mask >= (place - gap) & mask {
                slots[gap] = slots[place]
                gap = place
            }
        }
        slots[gap] = 0
        return true
    }
}
