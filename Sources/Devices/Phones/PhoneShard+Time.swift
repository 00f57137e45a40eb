// What happens on phones by itself: apps wake, activities reach their age, stored pushes expire and batches are due.

import APNs
import Basics
import Pushes

extension PhoneShard {
    /// Nothing happens by itself earlier; nil: nothing will at all.
    var nextDue: WallTime? {
        guard let next = timers.next else { return nextStored == .never ? nil : nextStored }
        return min(next, nextStored)
    }

    /// Lets the earliest thing happen that is due by `now`; false: nothing is.
    mutating func step(to now: WallTime) -> Bool {
        guard let due = nextDue, due <= now else { return false }
        if let timer = timers.take(by: due) {
            // A timer of an activity that is gone is for nobody.
            let row = tables.cards[timer.card]
            guard row.app >= 0, row.serial == timer.serial else { return true }
            switch timer.kind {
            case .wake: wakeIsDue(timer)
            case .age: ageIsReached(timer)
            case .rotate: rotationIsDue(timer)
            }
        } else {
            release(now: due)
        }
        return true
    }

    private mutating func wakeIsDue(_ timer: PhoneTimer) {
        // It may have learnt it by itself, or been killed, and be woken for a later one.
        guard tables.cards[timer.card].wakeAt == timer.at else { return }
        learnToken(of: timer.card, now: timer.at)
    }

    private mutating func rotationIsDue(_ timer: PhoneTimer) {
        let row = tables.cards[timer.card]
        guard row.rotation == 0, row.state(at: timer.at, settings) <= .stale else { return }
        rotate(timer.card, now: timer.at)
    }

    private mutating func ageIsReached(_ timer: PhoneTimer) {
        guard tables.cards[timer.card].end == .none else { return }
        tell(.ended, timer.card, at: timer.at)
    }

    /// Delivers or drops all that is due in the slots.
    private mutating func release(now: WallTime) {
        nextStored = .never
        for phone in away.keys.sorted() {
            let released = away[phone]?.release(now: now, settings) ?? []
            for push in away[phone]?.stored ?? [] { noteDue(push, on: phone, now: now) }
            forgetIfNear(phone)
            for push in released { late.append(end(push, now: now)) }
        }
    }

    /// A stored push will be looked at when it is due.
    mutating func noteDue(_ push: StoredPush, on phone: Int32, now: WallTime) {
        // What is due and still there waits for the phone alone.
        nextStored = min(nextStored, push.nextAt > now ? push.nextAt : push.expiresAt)
    }

    /// A phone that can be reached and has nothing stored needs no entry.
    mutating func forgetIfNear(_ phone: Int32) {
        if let device = away[phone], device.connection == .online, device.stored.isEmpty { away[phone] = nil }
    }

    /// All that is due by now has happened.
    mutating func catchUp(_ now: WallTime) {
        while step(to: now) {}
    }
}

extension WallTime {
    /// Later than all that happens.
    static var never: WallTime { WallTime(nanoseconds: .max) }
}
