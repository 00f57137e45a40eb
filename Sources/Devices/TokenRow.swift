// What is kept of one token: one cache line, so that a push costs the same with a thousand tokens and with a million.

import APNs
import Basics
import Pushes

/// A token's row. Times are Unix seconds unless named otherwise; 0 means none.
struct TokenRow {
    var high: UInt64 = 0
    var low: UInt64 = 0
    /// When its death was established; `unknownDeath` until the first push finds it dead.
    var sinceMilliseconds: Int64 = 0
    /// `aps.timestamp` of the newest push that was applied.
    var lastTimestamp: Int64 = TokenRow.noTimestamp
    /// The place of the token's bytes in its shard's arena.
    var tokenOffset: UInt32 = 0
    var pushCount: UInt32 = 0
    var startedAt: UInt32 = 0
    var staleAt: UInt32 = 0
    /// When the card leaves the screen.
    var goneAt: UInt32 = 0
    var shown: UInt32 = 0
    var ignored: UInt32 = 0
    /// The shard's number for the bundle ID; 0: not known.
    var topic: UInt16 = 0
    private var bits: UInt16 = 0

    static let noTimestamp = Int64.min
    static let unknownDeath = Int64.min

    /// An empty place in the table. `Mixer` never makes this hash.
    var isFree: Bool { high == 0 && low == 0 }

    var hash: Hash128 { Hash128(high: high, low: low) }

    private func read(_ shift: UInt16, _ mask: UInt16) -> UInt16 { bits >> shift & mask }
    private mutating func write(_ value: UInt16, _ shift: UInt16, _ mask: UInt16) {
        bits = bits & ~(mask << shift) | value << shift
    }

    /// Whoever has no activities has no last event: there stands which of the app's tokens it is.
    var kind: TokenKind {
        get {
            let kind = TokenKind(rawValue: UInt8(read(0, 3)))!
            guard kind == .device, read(6, 3) > 0 else { return kind }
            return TokenKind(rawValue: TokenKind.start.rawValue + UInt8(read(6, 3)))!
        }
        set {
            let beyond = max(newValue.rawValue, TokenKind.start.rawValue) - TokenKind.start.rawValue
            let isOfApp = beyond > 0 || newValue == .device
            if isOfApp || isOfAnApp { write(UInt16(beyond), 6, 3) }
            write(UInt16((isOfApp ? .device : newValue).rawValue), 0, 3)
        }
    }

    /// It is no activity's, and starts none.
    private var isOfAnApp: Bool { read(0, 3) == TokenKind.device.rawValue }

    var state: TokenState {
        get { TokenState(rawValue: UInt8(read(2, 3)))! }
        set { write(UInt16(newValue.rawValue), 2, 3) }
    }

    var environment: PushEnvironment? {
        get {
            let value = read(4, 3)
            return value == 0 ? nil : PushEnvironment(rawValue: UInt8(value - 1))
        }
        set { write(newValue.map { UInt16($0.rawValue) + 1 } ?? 0, 4, 3) }
    }

    var lastEvent: ActivityEvent? {
        get { isOfAnApp ? nil : ActivityEvent(rawValue: UInt8(read(6, 3))) }
        set { if !isOfAnApp { write(newValue.map { UInt16($0.rawValue) } ?? 0, 6, 3) } }
    }

    /// Whether an `end` was applied.
    var hasEnded: Bool {
        get { read(8, 1) == 1 }
        set { write(newValue ? 1 : 0, 8, 1) }
    }

    /// Whether the device book decides about pushes: the device is not plainly online, or shares tokens.
    var asksDevice: Bool {
        get { read(14, 1) == 1 }
        set { write(newValue ? 1 : 0, 14, 1) }
    }

    var hasFrequentUpdates: Bool {
        get { read(15, 1) == 1 }
        set { write(newValue ? 1 : 0, 15, 1) }
    }

    /// Whether the suffix of its topic is known, and which it is (nil: none).
    var knowsSuffix: Bool { read(9, 1) == 1 }
    var suffix: PushType? {
        get {
            let value = read(10, 15)
            return value == 0 ? nil : PushType(rawValue: UInt8(value - 1))
        }
        set {
            write(1, 9, 1)
            write(newValue.map { UInt16($0.rawValue) + 1 } ?? 0, 10, 15)
        }
    }

    mutating func forgetSuffix() {
        write(0, 9, 1)
        write(0, 10, 15)
    }
}

extension TokenRow {
    /// Notes a visible notification by the mark of its collapse id; true when one of that mark is visible already. The
    /// last five are remembered, in the fields that only activities use otherwise: a device token has none.
    mutating func showsAgain(_ mark: UInt32) -> Bool {
        let stamp = UInt64(bitPattern: lastTimestamp)
        let (first, second) = (UInt32(truncatingIfNeeded: stamp), UInt32(truncatingIfNeeded: stamp >> 32))
        if mark == first || mark == second || mark == startedAt || mark == staleAt || mark == goneAt { return true }
        (goneAt, staleAt, startedAt) = (staleAt, startedAt, second)
        lastTimestamp = Int64(bitPattern: UInt64(first) << 32 | UInt64(mark))
        return false
    }
}

/// Unix seconds for a row; what does not fit is clamped.
func rowSeconds(_ seconds: Int64) -> UInt32 { UInt32(clamping: seconds) }

/// A stale-date, 0 for none: one of 1970 or earlier has passed like any other.
func rowSeconds(ofStaleDate date: Int64?) -> UInt32 { date.map { max(1, rowSeconds($0)) } ?? 0 }

extension TokenRow {
    /// Takes the activity that a start has made.
    mutating func begin(_ start: ActivityFacts, now: WallTime) {
        lastTimestamp = start.timestamp ?? Self.noTimestamp
        startedAt = rowSeconds(now.seconds)
        staleAt = rowSeconds(ofStaleDate: start.staleDate)
        lastEvent = .start
        shown = 1
    }

    /// Takes over the other token's activity.
    mutating func goOn(from other: TokenRow) {
        lastTimestamp = other.lastTimestamp
        startedAt = other.startedAt
        staleAt = other.staleAt
        goneAt = other.goneAt
        shown = other.shown
        ignored = other.ignored
        lastEvent = other.lastEvent
        hasEnded = other.hasEnded
    }

    /// Forgets the activity, keeps the token.
    mutating func startAnew() {
        lastTimestamp = Self.noTimestamp
        startedAt = 0
        staleAt = 0
        goneAt = 0
        shown = 0
        ignored = 0
        lastEvent = nil
        hasEnded = false
    }
}
