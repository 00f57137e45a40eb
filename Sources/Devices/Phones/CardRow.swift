// What is kept of one Live Activity on a phone, and what ActivityKit does with a push to it (apns.md §10). Pure: a row, a
// push, a time.
//
//     ──start──▶ active ──end, or 8 h──▶ ended ──dismissal date, at most 12 h in all──▶ gone
//                  │ update: newer state taken ──▶ drawn at once, or with the next drawing
//                  └─▶ (stale once the stale-date has passed)        user dismisses ──▶ gone

import APNs
import Basics
import Pushes

/// Who ended an activity.
enum CardEnd: UInt8 {
    case none, push, app, user
    /// Live Activities were switched off.
    case system

    /// Its card has left the screen with it.
    var isRemoval: Bool { self == .user || self == .system }
}

struct CardRow {
    /// Of its token; see `PhoneShard.key`.
    var key: UInt64 = 0
    var startedAt = WallTime(nanoseconds: 0)
    /// `aps.timestamp` of the newest state it has taken, and of the one on the screen; Unix seconds.
    var takenStamp: Int64 = 0
    var drawnStamp: Int64 = 0
    var drawnAt = WallTime(nanoseconds: 0)
    /// When the card of an ended one leaves the screen.
    var goneAt = WallTime(nanoseconds: 0)
    /// When the app is woken and learns the token, or has been while the phone was offline; `never`: it is not.
    var wakeAt = WallTime.never
    /// Unix seconds, 0: not at all.
    var staleAt: UInt32 = 0
    /// The app's place, -1: a free one.
    var app: Int32 = -1
    var next: Int32 = -1
    var ordinal: UInt32 = 0
    /// A timer of another serial is not for it.
    var serial: UInt32 = 0
    var marker = Marker(run: 0, session: 0, step: 0)
    var rotation: UInt16 = 0
    var end = CardEnd.none
    private var flags: UInt8 = 0
    var pushes: UInt32 = 0
    var shown: UInt32 = 0
    var ignored: UInt32 = 0

    private func flag(_ place: UInt8) -> Bool { flags >> place & 1 == 1 }
    private mutating func set(_ place: UInt8, _ value: Bool) { flags = flags & ~(1 << place) | (value ? 1 << place : 0) }

    var hasMarker: Bool {
        get { flag(0) }
        set { set(0, newValue) }
    }
    /// Started with a stale-date that had passed.
    var isNeverShown: Bool {
        get { flag(1) }
        set { set(1, newValue) }
    }
    /// The app has the token of this rotation.
    var isTokenKnown: Bool {
        get { flag(2) }
        set { set(2, newValue) }
    }
    /// The app had the token of an earlier rotation.
    var wasTokenKnown: Bool {
        get { flag(3) }
        set { set(3, newValue) }
    }
    /// A state later than the start's was taken.
    var isUpdated: Bool {
        get { flag(4) }
        set { set(4, newValue) }
    }
    /// A state was taken and is not drawn yet.
    var isDrawingDue: Bool {
        get { flag(5) }
        set { set(5, newValue) }
    }
    /// What it shows is kept, as it is of few: most need not be looked for there.
    var hasContent: Bool {
        get { flag(6) }
        set { set(6, newValue) }
    }

    static let blank = CardRow()
}

extension CardRow {
    func state(at now: WallTime, _ settings: DeviceSettings) -> ActivityState {
        let age = now - startedAt
        if end.isRemoval || age >= settings.wholeLife || end != .none && now >= goneAt { return .dismissed }
        if end != .none || age >= settings.activeLife { return .ended }
        return staleAt != 0 && now.seconds >= Int64(staleAt) ? .stale : .active
    }

    /// When it may be drawn again; its end by age draws what it has taken.
    private func nextDrawing(_ settings: DeviceSettings) -> WallTime {
        min(drawnAt + settings.phones.drawingInterval, startedAt + settings.activeLife)
    }

    /// Draws what is due by `now`.
    mutating func settle(_ now: WallTime, _ settings: DeviceSettings) {
        let next = nextDrawing(settings)
        if isDrawingDue, now >= next { draw(at: next) }
    }

    private mutating func draw(at now: WallTime) {
        drawnStamp = takenStamp
        drawnAt = now
        isDrawingDue = false
    }

    /// Whether and why an update or an end would be refused; nil: it is for the app's types to decode.
    func refusal(of event: ActivityEvent, _ timestamp: Int64, now: WallTime, _ settings: DeviceSettings) -> PhoneVerdict? {
        // Both in whole seconds, as `aps.timestamp` has them.
        let age = WallTime(seconds: now.seconds) - WallTime(seconds: timestamp)
        if settings.ignoresFuture, -age > settings.futureLimit {
            return PhoneVerdict(.ignoredFuture, .tooFarAhead(limit: settings.futureLimit))
        }
        if state(at: now, settings) > .stale { return PhoneVerdict(.ignoredEnded, whyEnded(settings)) }
        // "`end` ignores the past rule": an end is final, whatever its timestamp.
        guard event == .update else { return nil }
        if timestamp < takenStamp { return PhoneVerdict(.ignoredOlder, isUpdated ? .olderThanState : .olderThanStart) }
        if timestamp == takenStamp, settings.equalTimestamps == .ignore {
            return PhoneVerdict(.ignoredOlder, .asOldAsState)
        }
        if let limit = settings.pastLimit, age > limit { return PhoneVerdict(.ignoredOlder, .tooFarBack(limit: limit)) }
        return nil
    }

    private func whyEnded(_ settings: DeviceSettings) -> PhoneReason {
        switch end {
        case .none: .endedByAge(settings.activeLife)
        case .push: .endedByPush
        case .app: .endedByApp
        case .user: .dismissed
        case .system: .removed
        }
    }

    /// Takes a state that nothing refuses.
    mutating func take(_ push: ActivityFacts, _ timestamp: Int64, now: WallTime, _ settings: DeviceSettings) -> PhoneVerdict {
        takenStamp = max(takenStamp, timestamp)
        isUpdated = true
        shown &+= 1
        if push.event == .end {
            finish(.push, dismissal: push.dismissalDate, now: now, settings)
            return isNeverShown ? PhoneVerdict(.neverShown, .pastStaleDate) : PhoneVerdict(.ended)
        }
        staleAt = rowSeconds(ofStaleDate: push.staleDate)
        let next = nextDrawing(settings)
        if now >= next || now < drawnAt {
            draw(at: now)
        } else {
            isDrawingDue = true
        }
        if isNeverShown { return PhoneVerdict(.neverShown, .pastStaleDate) }
        guard isDrawingDue else { return PhoneVerdict(.updated) }
        return PhoneVerdict(.coalesced, .drawnLater(next - now, every: settings.phones.drawingInterval))
    }

    /// Ends it; what it has taken is drawn. `dismissal` in Unix seconds.
    mutating func finish(_ who: CardEnd, dismissal: Int64?, now: WallTime, _ settings: DeviceSettings) {
        draw(at: now)
        end = who
        let latest = now + settings.longestDismissal
        goneAt = who.isRemoval ? now : min(max(dismissal.map { WallTime(seconds: $0) } ?? latest, now), latest)
    }

    /// When nothing of it is on the screen any more, as things stand.
    func leavesAt(_ settings: DeviceSettings) -> WallTime {
        let lifeEnds = startedAt + settings.wholeLife
        return end == .none ? lifeEnds : min(goneAt, lifeEnds)
    }

    /// When its token begins to be answered 410; nil: not in sight.
    func expiry(_ settings: DeviceSettings) -> WallTime? {
        switch settings.activityTokenExpiry {
        case .never: nil
        case .afterWholeLife: startedAt + settings.wholeLife
        case .afterEnd(let wait): leavesAt(settings) + wait
        }
    }
}
