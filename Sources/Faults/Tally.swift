// How often a rule has matched and fired, for each token or connection by itself: a flat table that grows by doubling
// while it learns keys and then asks for no memory any more.

import Basics

/// The counts of one key.
struct Tally {
    fileprivate var key: UInt64 = 0
    var matched: UInt32 = 0
    var fired: UInt32 = 0
    /// The number of the `renew` interval that the counts belong to.
    var renewal: Int64 = 0
    /// When it was last met, for cures; 0: never.
    var lastMet: Int64 = 0
    var isHealed = false
}

struct TallyTable {
    /// Keys beyond it are not counted, and a rule that must count lets them pass.
    static let limit = 1 << 20

    private var rows: [Tally]
    private(set) var count = 0

    init() { rows = [Tally](repeating: Tally(), count: 256) }

    /// Lends the key's row; nil when the table is full.
    mutating func with<R>(_ key: UInt64, _ body: (inout Tally) -> R) -> R? {
        let key = key == 0 ? 1 : key
        if count * 2 >= rows.count {
            if rows.count < Self.limit * 2 { grow() }
        }
        let place = find(key)
        if rows[place].key == 0 {
            guard count < Self.limit else { return nil }
            rows[place].key = key
            count += 1
        }
        return body(&rows[place])
    }

    private func find(_ key: UInt64) -> Int {
        let mask = rows.count - 1
        var place = Int(truncatingIfNeeded: Seed(key).child(0).value) & mask
        while rows[place].key != 0, rows[place].key != key { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = rows
        rows = [Tally](repeating: Tally(), count: old.count * 2)
        for row in old where row.key != 0 { rows[find(row.key)] = row }
    }
}
