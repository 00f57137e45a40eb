// Finds rows by 64 bits of a hash: an open-addressing table of four bytes each, with linear probing. The hash itself
// stands in the row, or is made again from it; five bits of it stand in the table, so that hardly a row is looked at in
// vain.

/// What a key leads to.
struct PhoneRef: Hashable {
    enum Kind: UInt32 { case phone, device, start, activity }
    var kind: Kind
    /// Of a phone, an app or a card; below 2^25 - 1.
    var place: Int32

    init(_ kind: Kind, _ place: Int32) { (self.kind, self.place) = (kind, place) }
}

struct PhoneIndex {
    /// From the highest: five bits of the key, the place plus 1, and two bits for the kind. 0: free.
    private var slots = [UInt32](repeating: 0, count: 16)
    private var count = 0

    private static let tagMask: UInt32 = 0x1F << 27

    private static func slot(_ ref: PhoneRef, _ key: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: key) << 27 | UInt32(ref.place + 1) << 2 | ref.kind.rawValue
    }

    private static func ref(_ slot: UInt32) -> PhoneRef {
        PhoneRef(PhoneRef.Kind(rawValue: slot & 3)!, Int32((slot & ~tagMask) >> 2) - 1)
    }

    /// Where a key's probing begins: by its high bits, so any number of slots will do.
    private func home(_ key: UInt64) -> Int { Int(key.multipliedFullWidth(by: UInt64(slots.count)).high) }

    private func after(_ place: Int) -> Int { place + 1 == slots.count ? 0 : place + 1 }

    /// How many steps of probing lead from one place to another.
    private func steps(from first: Int, to last: Int) -> Int { last >= first ? last - first : last - first + slots.count }

    func find(_ key: UInt64, in tables: borrowing PhoneTables) -> PhoneRef? {
        let tag = UInt32(truncatingIfNeeded: key) << 27
        var place = home(key)
        while slots[place] != 0 {
            if slots[place] & Self.tagMask == tag {
                let ref = Self.ref(slots[place])
                if tables.key(of: ref) == key { return ref }
            }
            place = after(place)
        }
        return nil
    }

    mutating func insert(_ ref: PhoneRef, in tables: borrowing PhoneTables) {
        if (count + 1) * 8 > slots.count * 7 { grow(in: tables) }
        put(ref, tables.key(of: ref))
        count += 1
    }

    private mutating func put(_ ref: PhoneRef, _ key: UInt64) {
        var place = home(key)
        while slots[place] != 0 { place = after(place) }
        slots[place] = Self.slot(ref, key)
    }

    /// By half, so that 4.6 to 6.9 bytes are spent on a row, however many there are.
    private mutating func grow(in tables: borrowing PhoneTables) {
        let old = slots
        slots = [UInt32](repeating: 0, count: old.count / 2 * 3)
        for slot in old where slot != 0 {
            let ref = Self.ref(slot)
            put(ref, tables.key(of: ref))
        }
    }

    /// While the row is still there; false: it was not to be found any more.
    @discardableResult
    mutating func remove(_ ref: PhoneRef, in tables: borrowing PhoneTables) -> Bool {
        let key = tables.key(of: ref)
        let slot = Self.slot(ref, key)
        var gap = home(key)
        while slots[gap] != slot {
            if slots[gap] == 0 { return false }
            gap = after(gap)
        }
        count -= 1
        var place = after(gap)
        while slots[place] != 0 {
            // What may stand where the gap is moves there.
            let home = home(tables.key(of: Self.ref(slots[place])))
            if steps(from: home, to: place) >= steps(from: gap, to: place) {
                slots[gap] = slots[place]
                gap = place
            }
            place = after(place)
        }
        slots[gap] = 0
        return true
    }
}
