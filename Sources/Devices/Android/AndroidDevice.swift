// One Android device: what reaches it, when, and what its user sees (docs/fcm.md §2, §4, §6). Pure; time is handed in and
// never goes back.
//
//     message ─▶ obstacle? ──none──▶ lands: app, system tray, or nobody        obstacle ends ─▶ lands late
//                  │                                                                ▲
//                  ├─ ttl 0 ─▶ discarded                                            │
//                  └─ else ─▶ stored: one a collapse key, a hundred others ─────────┴─ ttl over ─▶ expired
//
// Obstacles, the first that there is: offline; Doze, for what counts as normal, until a maintenance window; a vendor's battery
// management, for data messages, until the app is opened; the throttle of collapsible messages.

import Basics
import Pushes

struct AndroidDevice {
    /// Different collapse keys, and messages without one, that are stored at a time.
    static let keyLimit = 4
    static let plainLimit = 100
    /// Activities whose newest state is remembered; the one that was changed least lately makes room.
    static let cardLimit = 64
    /// Collapsible messages at once, and one more each so often.
    private static let burst: Int64 = 20
    private static let refill = Interval.seconds(180)

    /// Behind which it stands.
    private let registration: Hash128
    private(set) var setup: AndroidSetup
    /// In the order in which FCM took them.
    private(set) var stored: [StoredMessage] = []
    /// When the throttle of collapsible messages is whole again.
    private var wholeAt = WallTime(nanoseconds: 0)
    private var dozesSince: WallTime
    private var serial: UInt64 = 0
    private var cards: [LiveCard] = []
    private var invisible = SevenDays()
    private var isDeletionUntold = false
    private(set) var deletionsTold = 0

    init(_ setup: AndroidSetup, behind registration: Hash128, now: WallTime) {
        self.registration = registration
        self.setup = setup
        dozesSince = now
    }

    /// When something happens to a stored message by itself next.
    var nextAt: WallTime? { stored.lazy.map(\.nextAt).min() }

    // MARK: Messages

    /// What becomes of a message that FCM takes now. One that is `.stored` is to be given to `keep`.
    mutating func take(_ message: AndroidMessage, now: WallTime, _ settings: AndroidSettings) -> AndroidVerdict {
        if let (obstacle, _) = obstacle(message, window: nil, now: now, settings) {
            return message.timeToLive == 0
                ? AndroidVerdict(.discarded, .missed(obstacle)) : AndroidVerdict(.stored, .waits(obstacle))
        }
        serial += 1
        return land(message, serial, now: now)
    }

    /// Stores a message that was `.stored`. What ends by that is returned: others that make room, or this one, where the device
    /// takes it after all.
    mutating func keep(
        _ message: AndroidMessage, push: UInt64, now: WallTime, _ settings: AndroidSettings
    ) -> [LateOutcome] {
        serial += 1
        guard let (obstacle, until) = obstacle(message, window: nil, now: now, settings) else {
            let row = StoredMessage(message: message, push: push, serial: serial, expiresAt: now)
            return [end(row, land(message, serial, now: now))]
        }
        let ended = makeRoom(for: message)
        var row = StoredMessage(
            message: message, push: push, serial: serial, expiresAt: now + .seconds(Double(message.timeToLive)), freeAt: until)
        if case .dozing = obstacle { row.windowAt = until }
        stored.append(row)
        return ended
    }

    private mutating func makeRoom(for message: AndroidMessage) -> [LateOutcome] {
        let mark = message.collapseMark
        if mark == 0 {
            guard stored.count(where: { $0.message.collapseMark == 0 }) >= Self.plainLimit else { return [] }
            let dropped = stored.filter { $0.message.collapseMark == 0 }
            stored.removeAll { $0.message.collapseMark == 0 }
            isDeletionUntold = true
            return dropped.map { end($0, AndroidVerdict(.discarded, .hundredStored)) }
        }
        if let place = stored.firstIndex(where: { $0.message.collapseMark == mark }) {
            return [end(stored.remove(at: place), AndroidVerdict(.superseded, .newerOfKey))]
        }
        guard stored.count(where: { $0.message.collapseMark != 0 }) >= Self.keyLimit,
            let place = stored.firstIndex(where: { $0.message.collapseMark != 0 })
        else { return [] }
        return [end(stored.remove(at: place), AndroidVerdict(.superseded, .fifthKey))]
    }

    // MARK: Time, and what users do

    /// Lets all happen that is due by `now`, in the order of time.
    mutating func advance(to now: WallTime, _ settings: AndroidSettings) -> [LateOutcome] {
        var ended: [LateOutcome] = []
        while let due = nextAt, due <= now { ended += sweep(now: due, settings) }
        return ended
    }

    /// The device is another way from now on. What was due before has happened (`advance`).
    mutating func change(_ setup: AndroidSetup, now: WallTime, _ settings: AndroidSettings) -> [LateOutcome] {
        if setup.isDozing, !self.setup.isDozing {
            dozesSince = now
            for place in stored.indices { stored[place].windowAt = nil }
        }
        self.setup = setup
        if isDeletionUntold, !setup.isOffline, setup.app != .forceStopped {
            isDeletionUntold = false
            deletionsTold += 1
        }
        return sweep(now: now, settings)
    }

    /// Nobody waits for what is stored any more.
    mutating func drop() -> [LateOutcome] {
        defer { stored = [] }
        return stored.map { end($0, AndroidVerdict(.notDelivered, .gone)) }
    }

    private mutating func sweep(now: WallTime, _ settings: AndroidSettings) -> [LateOutcome] {
        var ended: [LateOutcome] = []
        var kept: [StoredMessage] = []
        let isReversed = settings.wakeOrder == .newestFirst
        for var row in isReversed ? stored.reversed() : stored {
            if row.expiresAt <= now {
                ended.append(end(row, AndroidVerdict(.expired, .tooLate)))
            } else if let (obstacle, until) = obstacle(row.message, window: row.windowAt, now: now, settings) {
                if case .dozing = obstacle { row.windowAt = until }
                row.freeAt = until
                kept.append(row)
            } else {
                ended.append(end(row, land(row.message, row.serial, now: now)))
            }
        }
        stored = isReversed ? kept.reversed() : kept
        return ended
    }

    private func end(_ row: StoredMessage, _ verdict: AndroidVerdict) -> LateOutcome {
        LateOutcome(
            push: row.push, outcome: verdict.outcome, reason: verdict.reason.map { .android($0) },
            registration: row.message.isShared ? registration : nil)
    }

    // MARK: What is in the way

    /// `window`: the maintenance window that it has waited for. The time is later than now.
    private func obstacle(
        _ message: AndroidMessage, window: WallTime?, now: WallTime, _ settings: AndroidSettings
    ) -> (AndroidObstacle, until: WallTime)? {
        if setup.isOffline { return (.offline, .never) }
        let downgrade = downgrade(now, settings)
        if setup.isDozing, !message.isHigh || downgrade != nil, window.map({ $0 > now }) ?? true {
            return (.dozing(message.isHigh ? downgrade : nil), window ?? nextWindow(after: now, settings))
        }
        if !message.hasNotification, setup.vendor.holdsData(of: setup.app) {
            return (.held(setup.vendor, setup.app), .never)
        }
        let freeAt = wholeAt - Self.refill * Double(Self.burst - 1)
        return message.collapseMark != 0 && freeAt > now ? (.throttled, freeAt) : nil
    }

    private func downgrade(_ now: WallTime, _ settings: AndroidSettings) -> AndroidObstacle.Downgrade? {
        if setup.deniesNotifications { return .denied }
        guard let limit = settings.invisibleHighLimit else { return nil }
        return invisible.count(now) >= limit ? .invisible : nil
    }

    private func nextWindow(after now: WallTime, _ settings: AndroidSettings) -> WallTime {
        let past = (now - dozesSince).nanoseconds / max(1, settings.maintenance.nanoseconds)
        return dozesSince + Interval(nanoseconds: settings.maintenance.nanoseconds.saturating(times: past.saturating(plus: 1)))
    }

    // MARK: Arrival

    private mutating func land(_ message: AndroidMessage, _ serial: UInt64, now: WallTime) -> AndroidVerdict {
        if message.collapseMark != 0 { wholeAt = max(wholeAt, now) + Self.refill }
        if setup.app == .forceStopped { return AndroidVerdict(.discarded, .forceStopped) }
        if message.hasNotification, setup.app != .foreground {
            if setup.deniesNotifications { return AndroidVerdict(.nothingShown, .denied) }
            return AndroidVerdict(.shown, message.hasData ? .shownBySystem : nil)
        }
        if setup.deniesNotifications { return AndroidVerdict(.handedOver, .deniedToApp) }
        if let update = message.update { return show(update, serial) }
        if message.isHigh, setup.app != .foreground { invisible.add(now) }
        return AndroidVerdict(.handedOver, message.hasNotification ? .inForeground : nil)
    }

    /// The app draws a state of an activity, unless it knows that it has had a newer one, or clears its place at the end.
    private mutating func show(_ update: LiveUpdate, _ serial: UInt64) -> AndroidVerdict {
        let place = cards.firstIndex { $0.slot == update.slot }
        var card = place.map { cards.remove(at: $0) } ?? LiveCard(update)
        defer {
            if cards.count == Self.cardLimit { cards.removeFirst() }
            cards.append(card)
        }
        return card.take(update, serial)
    }
}

/// A count of the last seven days, by days of the clock.
private struct SevenDays {
    private var counts: [UInt32] = []
    private var lastDay: Int64 = 0

    mutating func add(_ now: WallTime) {
        if counts.isEmpty { counts = [UInt32](repeating: 0, count: 7) }
        let day = Self.day(now)
        for forgotten in (lastDay + 1)..<max(lastDay + 1, min(day, lastDay.saturating(plus: 7)) + 1) {
            counts[Self.place(forgotten)] = 0
        }
        lastDay = max(lastDay, day)
        counts[Self.place(lastDay)] &+= 1
    }

    func count(_ now: WallTime) -> Int {
        let day = Self.day(now)
        guard !counts.isEmpty, day >= lastDay, day - lastDay < 7 else { return 0 }
        // The days that have not gone by since.
        return ((day - 6)...lastDay).reduce(0) { $0 + Int(counts[Self.place($1)]) }
    }

    private static func day(_ time: WallTime) -> Int64 { max(0, time.seconds / 86_400) }
    private static func place(_ day: Int64) -> Int { Int(((day % 7) + 7) % 7) }
}
