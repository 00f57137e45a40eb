// One place for a live update on an Android device's screen: what its app draws there, and what it can know of which state is
// newer.

import Pushes

/// What was last in one slot. Kept when it is cleared, so that what comes late is known for late.
struct LiveCard {
    let slot: UInt32
    private var activity: UInt64
    /// Of the newest state that came, by the order in which FCM took them; 0: none yet.
    private var newest: UInt64 = 0
    /// The greatest number that a state bore.
    private var stamp: Int64?
    private var isShown = false

    init(_ update: LiveUpdate) { (slot, activity) = (update.slot, update.activity) }

    /// What becomes of a state. `serial`: its number in the order in which FCM took them, from 1.
    mutating func take(_ update: LiveUpdate, _ serial: UInt64) -> AndroidVerdict {
        let isOther = update.activity != activity
        if isOther { (activity, newest, stamp) = (update.activity, 0, nil) }
        let isOlder = serial < newest
        if seemsOlder(update.order, isOlder) { return AndroidVerdict(.ignoredOlder, .olderState) }
        newest = max(newest, serial)
        if case .stamp(let number?) = update.order { stamp = max(stamp ?? number, number) }
        defer { isShown = !update.isEnd }
        if update.isEnd { return isShown && !isOther ? AndroidVerdict(.ended) : AndroidVerdict(.nothingShown, .emptySlot) }
        if isOlder { return AndroidVerdict(.setBack, .setBack) }
        guard isShown else { return AndroidVerdict(.shown) }
        return AndroidVerdict(.replaced, isOther ? .otherOfSlot : .newerState)
    }

    /// Whether the app takes it for older than what it has had. Two states of one number are shown as they come.
    private func seemsOlder(_ order: LiveUpdate.Order, _ isOlder: Bool) -> Bool {
        switch order {
        case .asTaken: isOlder
        case .stamp(let number?): stamp.map { number < $0 } ?? false
        case .stamp(nil): false
        }
    }
}
