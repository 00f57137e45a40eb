// The rows of registrations by their hash: open addressing with linear probing, like the tokens of APNs (`TokenTable`). Nobody
// asks for the registrations' own text, so the hash is all that is kept of them.
//
//     rows   [ r ][   ][ r ][ r ][   ] …   home of a row: the low bits of its hash

import Basics

/// What is kept of one registration: 48 bytes.
struct RegistrationRow {
    fileprivate(set) var hash = Hash128(high: 0, low: 0)
    var project: UInt32 = 0
    var messages: UInt32 = 0
    /// Seconds since 1970.
    var seenAt: UInt32 = 0
    var minute = RateMeter()
    var hour = RateMeter()
    /// Messages that would have been accepted, but for a fault; from 65,535 on no more are counted.
    var spoilt: UInt16 = 0
    var isGone = false
    var platform = RegistrationRecord.Platform.android

    /// Counts a message that was accepted in that second.
    mutating func note(_ second: UInt32, isSeen: Bool, isMetered: Bool) {
        messages &+= 1
        if isSeen { seenAt = max(seenAt, second) }
        guard isMetered else { return }
        minute.add(in: RateMeter.minute, second)
        hour.add(in: RateMeter.hour, second)
    }

    /// An empty place in the table. `Mixer` never makes this hash.
    fileprivate var isFree: Bool { hash.high == 0 && hash.low == 0 }
}

struct RegistrationTable: ~Copyable {
    private var rows: UnsafeMutablePointer<RegistrationRow>
    private var mask: Int
    private(set) var count = 0

    init() {
        mask = 15
        rows = Self.makeRows(16)
    }

    deinit { rows.deallocate() }

    private static func makeRows(_ capacity: Int) -> UnsafeMutablePointer<RegistrationRow> {
        let rows = UnsafeMutablePointer<RegistrationRow>.allocate(capacity: capacity)
        rows.initialize(repeating: RegistrationRow(), count: capacity)
        return rows
    }

    /// The place of a registration's row; valid until the next insertion or removal.
    func find(_ hash: Hash128) -> Int? {
        var place = home(hash)
        while !rows[place].isFree {
            if rows[place].hash == hash { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    subscript(place: Int) -> RegistrationRow {
        _read { yield rows[place] }
        nonmutating _modify { yield &rows[place] }
    }

    /// The place of a new row. Grows at three quarters.
    mutating func insert(_ hash: Hash128) -> Int {
        if (count + 1) * 4 > (mask + 1) * 3 { grow() }
        count += 1
        var row = RegistrationRow()
        row.hash = hash
        return put(row)
    }

    /// Closes the gap: later rows of the same run move up if their home allows it.
    mutating func remove(at removed: Int) {
        count -= 1
        var (gap, place) = (removed, removed)
        while true {
            place = (place + 1) & mask
            if rows[place].isFree { break }
            if (place - home(rows[place].hash)) & mask >= (place - gap) & mask {
                rows[gap] = rows[place]
                gap = place
            }
        }
        rows[gap] = RegistrationRow()
    }

    private func home(_ hash: Hash128) -> Int { Int(truncatingIfNeeded: hash.low) & mask }

    private func put(_ row: RegistrationRow) -> Int {
        var place = home(row.hash)
        while !rows[place].isFree { place = (place + 1) & mask }
        rows[place] = row
        return place
    }

    private mutating func grow() {
        let (old, count) = (rows, mask + 1)
        rows = Self.makeRows(2 * count)
        mask = 2 * count - 1
        for place in 0..<count where !old[place].isFree { _ = put(old[place]) }
        old.deallocate()
    }
}
