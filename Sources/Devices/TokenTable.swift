// One shard's tokens: an open-addressing table of rows with linear probing, and an arena for the tokens' own bytes,
// which only the admin side reads.
//
//     rows   [ r ][   ][ r ][ r ][   ] …   home of a row: the low bits of its hash
//     arena  [length, bytes][length, bytes] …

import APNs
import Basics

struct TokenTable: ~Copyable {
    private var rows: UnsafeMutablePointer<TokenRow>
    private var mask: Int
    private(set) var count = 0
    private var arena: [UInt8] = []
    private var wastedBytes = 0
    var topics = TopicNames()
    /// What pushes to a token have used up, beside the rows; only made when there is a limit to any of it.
    private var meters: UnsafeMutablePointer<TokenMeters>?
    private let isMetered: Bool

    init(isMetered: Bool) {
        self.isMetered = isMetered
        mask = 15
        rows = Self.makeRows(16)
        meters = isMetered ? Self.makeMeters(16) : nil
    }

    deinit {
        UnsafeMutableRawPointer(rows).deallocate()
        meters?.deallocate()
    }

    /// Aligned to the cache line.
    private static func makeRows(_ capacity: Int) -> UnsafeMutablePointer<TokenRow> {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: capacity * MemoryLayout<TokenRow>.stride, alignment: 64)
        let rows = memory.bindMemory(to: TokenRow.self, capacity: capacity)
        rows.initialize(repeating: TokenRow(), count: capacity)
        return rows
    }

    private static func makeMeters(_ capacity: Int) -> UnsafeMutablePointer<TokenMeters> {
        let meters = UnsafeMutablePointer<TokenMeters>.allocate(capacity: capacity)
        meters.initialize(repeating: TokenMeters(), count: capacity)
        return meters
    }

    /// The place of a token's row; valid until the next insertion or removal.
    func find(_ hash: Hash128) -> Int? {
        var place = Int(truncatingIfNeeded: hash.low) & mask
        while !rows[place].isFree {
            if rows[place].low == hash.low, rows[place].high == hash.high { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    subscript(place: Int) -> TokenRow {
        _read { yield rows[place] }
        nonmutating _modify { yield &rows[place] }
    }

    /// `token` are hex digits, checked. Grows at three quarters.
    mutating func insert(_ hash: Hash128, token: Span<UInt8>) -> Int {
        if (count + 1) * 4 > (mask + 1) * 3 { rebuild(capacity: (mask + 1) * 2) }
        var place = Int(truncatingIfNeeded: hash.low) & mask
        while !rows[place].isFree { place = (place + 1) & mask }
        rows[place] = TokenRow()
        rows[place].high = hash.high
        rows[place].low = hash.low
        rows[place].tokenOffset = UInt32(arena.count)
        meters?[place] = TokenMeters()
        let length = UInt16(clamping: token.count / 2)
        arena.append(UInt8(length >> 8))
        arena.append(UInt8(length & 0xFF))
        for index in 0..<Int(length) {
            let high = Hex.value(token[2 * index]) ?? 0
            arena.append(high << 4 | (Hex.value(token[2 * index + 1]) ?? 0))
        }
        count += 1
        return place
    }

    /// Closes the gap: later rows of the same run move up if their home allows it.
    mutating func remove(at removed: Int) {
        wastedBytes += arenaRange(rows[removed].tokenOffset).count
        count -= 1
        var gap = removed
        var place = removed
        while true {
            place = (place + 1) & mask
            if rows[place].isFree { break }
            let home = Int(truncatingIfNeeded: rows[place].low) & mask
            if (place - home) & mask >= (place - gap) & mask {
                rows[gap] = rows[place]
                if let meters { meters[gap] = meters[place] }
                gap = place
            }
        }
        rows[gap] = TokenRow()
        if wastedBytes > 65_536, wastedBytes > arena.count / 2 { rebuild(capacity: mask + 1) }
    }

    mutating func removeAll() { self = TokenTable(isMetered: isMetered) }

    /// Lower-case hex digits.
    func token(at place: Int) -> String {
        let range = arenaRange(rows[place].tokenOffset)
        return Hex.encode(arena.span.extracting(range.lowerBound + 2..<range.upperBound))
    }

    /// A token's two bytes of length and the bytes themselves.
    private func arenaRange(_ offset: UInt32) -> Range<Int> {
        let start = Int(offset)
        return start..<start + 2 + (Int(arena[start]) << 8 | Int(arena[start + 1]))
    }

    func forEachPlace(_ body: (Int) -> Bool) {
        for place in 0...mask where !rows[place].isFree {
            guard body(place) else { return }
        }
    }

    /// Counts a push in the second of `now`; the number of pushes in that second so far.
    func countInSecond(_ place: Int, now: Int64) -> Int {
        guard let meters else { return 0 }
        return meters[place].countInSecond(now)
    }

    /// Takes the push from the token's own budget; false when that is spent. True where budgets are not counted.
    func spend(_ place: Int, _ expense: Expense, now: WallTime) -> Bool {
        guard let meters else { return true }
        return meters[place].budgets.spend(expense, now: now)
    }

    func budgets(_ place: Int) -> BudgetLedger { meters?[place].budgets ?? BudgetLedger() }
    func setBudgets(_ place: Int, _ budgets: BudgetLedger) { meters?[place].budgets = budgets }

    /// Into a table of that size. The bytes of removed tokens are left behind, if there are any.
    private mutating func rebuild(capacity: Int) {
        let fresh = Self.makeRows(capacity)
        let freshMeters = isMetered ? Self.makeMeters(capacity) : nil
        let compacts = wastedBytes > 0
        var freshArena: [UInt8] = []
        if compacts { freshArena.reserveCapacity(arena.count - wastedBytes) }
        for old in 0...mask where !rows[old].isFree {
            var place = Int(truncatingIfNeeded: rows[old].low) & (capacity - 1)
            while !fresh[place].isFree { place = (place + 1) & (capacity - 1) }
            fresh[place] = rows[old]
            if let meters, let freshMeters { freshMeters[place] = meters[old] }
            if compacts {
                fresh[place].tokenOffset = UInt32(freshArena.count)
                freshArena.append(contentsOf: arena[arenaRange(rows[old].tokenOffset)])
            }
        }
        UnsafeMutableRawPointer(rows).deallocate()
        meters?.deallocate()
        rows = fresh
        meters = freshMeters
        mask = capacity - 1
        if compacts {
            arena = freshArena
            wastedBytes = 0
        }
    }
}
