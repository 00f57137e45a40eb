// A second model of phones, written from the fact sheet (apns.md §10, §12, §13) by somebody who has not read the first. It
// is slow and says no reasons: outcomes, cards and events are what the sheet speaks of.

import Basics
import Devices
import Pushes

struct NaivePhoneModel: PhoneModel {
    let settings: DeviceSettings
    let seed: Seed
    var phones: [NaivePhone] = []
    private var chance: Generator
    private var eventCount: UInt64 = 0
    private var events: [PhoneEvent] = []
    private var late: [LateOutcome] = []

    init(_ settings: DeviceSettings, seed: Seed) {
        (self.settings, self.seed) = (settings, seed)
        chance = seed.child("naive").generator()
    }

    mutating func make(_ phone: PhoneSetup, at now: WallTime) {
        phones.append(
            NaivePhone(
                name: phone.name, system: phone.system, isOffline: phone.isOffline, isLowOnPower: phone.isLowOnPower,
                apps: phone.apps.map { NaiveApp(setup: $0) }))
    }

    mutating func news() -> (events: [PhoneEvent], late: [LateOutcome]) {
        defer { (events, late) = ([], []) }
        return (events, late)
    }

    func cards(of phone: String, at now: WallTime) -> [ModelCard] {
        guard let phone = phones.first(where: { $0.name == phone }) else { return [] }
        let apps = phone.apps.sorted { $0.setup.bundle < $1.setup.bundle }
        return apps.flatMap { app in
            app.cards.map { card in
                ModelCard(
                    phone: phone.name, app: app.setup.bundle, number: card.number, state: card.state(now), shown: card.shown,
                    taken: card.taken, token: token(phone.name, app, card))
            }
        }
    }

    private func token(_ phone: String, _ app: NaiveApp, _ card: NaiveCard) -> PhoneToken {
        PhoneToken(
            .activity, phone: phone, app: app.setup.bundle, ordinal: card.number, rotation: UInt32(card.replacedAt.count))
    }

    private mutating func tell(_ kind: PhoneEvent.Kind, _ p: Int, _ a: Int, _ c: Int, _ now: WallTime) {
        let app = phones[p].apps[a]
        eventCount += 1
        var event = PhoneEvent(
            number: eventCount, kind: kind, at: now, phone: phones[p].name, app: app.setup.bundle,
            activity: app.cards[c].number)
        if kind == .token || kind == .rotated { event.token = token(phones[p].name, app, app.cards[c]).text(seed) }
        events.append(event)
    }

    // MARK: Time

    mutating func advance(to now: WallTime) {
        while let next = allDue().filter({ $0.at <= now }).min(by: { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }) {
            happen(next)
        }
    }

    /// All that will happen by itself, as things stand. What waits for a phone to be back is not in it.
    private func allDue() -> [NaiveDue] {
        var all: [NaiveDue] = []
        for (p, phone) in phones.enumerated() {
            for (s, stored) in phone.stored.enumerated() {
                all.append(NaiveDue(at: stored.deadline, kind: .expiry, phone: p, item: s))
                if let batch = stored.batch, !isHeld(stored.push, phone) {
                    all.append(NaiveDue(at: batch, kind: .batch, phone: p, item: s))
                }
            }
            for (a, app) in phone.apps.enumerated() {
                for (c, card) in app.cards.enumerated() where card.endedAt == nil {
                    all.append(NaiveDue(at: card.startedAt + settings.activeLife, kind: .age, phone: p, app: a, item: c))
                    if let wakeAt = card.wakeAt, !phone.isOffline {
                        all.append(NaiveDue(at: wakeAt, kind: .wake, phone: p, app: a, item: c))
                    }
                    if card.isWaiting {
                        let at = card.drawnAt + settings.phones.drawingInterval
                        all.append(NaiveDue(at: at, kind: .drawing, phone: p, app: a, item: c))
                    }
                }
            }
        }
        return all
    }

    private mutating func happen(_ due: NaiveDue) {
        let (p, a, c) = (due.phone, due.app, due.item)
        switch due.kind {
        case .expiry: late.append(LateOutcome(push: phones[p].stored.remove(at: c).push.id, outcome: .expired))
        case .batch: deliverLate(phones[p].stored.remove(at: c).push, due.at)
        case .age: end(p, a, c, due.at, dismissal: nil)
        case .wake: learn(p, a, c, due.at)
        case .drawing: phones[p].apps[a].cards[c].draw(due.at)
        }
    }

    // MARK: Activities

    /// An end of which the app hears. The card stays until `dismissal`, 4 h at most and 12 h in all.
    mutating func end(_ p: Int, _ a: Int, _ c: Int, _ now: WallTime, dismissal: WallTime?) {
        let longest = min(now + settings.longestDismissal, phones[p].apps[a].cards[c].startedAt + settings.wholeLife)
        phones[p].apps[a].cards[c].end(now, gone: max(now, min(dismissal ?? longest, longest)))
        tell(.ended, p, a, c, now)
    }

    /// The user has removed the card, living or ended.
    mutating func dismiss(_ p: Int, _ a: Int, _ c: Int, _ now: WallTime) {
        if phones[p].apps[a].cards[c].endedAt == nil { phones[p].apps[a].cards[c].end(now, gone: now) }
        phones[p].apps[a].cards[c].goneAt = now
        tell(.dismissed, p, a, c, now)
    }

    /// A new activity, or nil: there is no room for it.
    mutating func begin(_ p: Int, _ a: Int, _ now: WallTime, timestamp: Int64, staleDate: Int64? = nil) -> NaiveCard? {
        if phones[p].apps[a].cards.count >= PhoneSettings.activityLimit {
            guard let gone = phones[p].apps[a].cards.firstIndex(where: { $0.isGone(now) }) else { return nil }
            phones[p].apps[a].cards.remove(at: gone)
        }
        phones[p].apps[a].lastNumber += 1
        var card = NaiveCard(
            number: phones[p].apps[a].lastNumber, startedAt: now, taken: timestamp, shown: timestamp, staleDate: staleDate,
            drawnAt: now)
        card.isOnScreen = card.state(now) == .active
        phones[p].apps[a].cards.append(card)
        tell(.started, p, a, phones[p].apps[a].cards.count - 1, now)
        askToBeTold(p, a, phones[p].apps[a].cards.count - 1, now)
        return card
    }

    /// There is a new token of which the app is to be told: now, when it is woken, or not at all.
    mutating func askToBeTold(_ p: Int, _ a: Int, _ c: Int, _ now: WallTime) {
        let wake = phones[p].apps[a].setup.wake ?? settings.phones.wake
        switch phones[p].apps[a].setup.state {
        case .foreground: learn(p, a, c, now)
        case .background:
            guard phones[p].apps[a].cards[c].wakeAt == nil, chance.unit() >= wake.never else { return }
            phones[p].apps[a].cards[c].wakeAt = now + .seconds(wake.delay.sample(&chance))
        case .killed: break
        }
    }

    /// The app runs and is told of the token, if it has not been and the phone has a network.
    mutating func learn(_ p: Int, _ a: Int, _ c: Int, _ now: WallTime) {
        let card = phones[p].apps[a].cards[c]
        phones[p].apps[a].cards[c].wakeAt = nil
        guard card.endedAt == nil, card.told <= card.replacedAt.count else { return }
        if phones[p].isOffline {
            phones[p].apps[a].cards[c].wakeAt = min(card.wakeAt ?? now, now)
            return
        }
        phones[p].apps[a].cards[c].told = card.replacedAt.count + 1
        tell(card.told == 0 ? .token : .rotated, p, a, c, now)
    }

    // MARK: Pushes

    mutating func push(_ push: ModelPush, at now: WallTime) -> PhoneVerdict? {
        guard let p = phones.firstIndex(where: { $0.name == push.token.phone }), let a = phones[p].index(push.token.app)
        else { return nil }
        if push.token.use == .activity, let c = phones[p].apps[a].index(push.token.ordinal),
            isExpired(phones[p].apps[a].cards[c], now)
        {
            return nil
        }
        if let death = death(of: push.token, phones[p].apps[a]) {
            // APNs does not tell at once that a token is dead; nothing is shown meanwhile.
            guard let death, now < death + settings.unregisteredDelay else { return nil }
            return PhoneVerdict(.notDelivered)
        }
        var batch: WallTime?
        if settings.lowPriorityBatch > .zero, push.priority < 10 { batch = now.next(settings.lowPriorityBatch) }
        // §12: who is in reach gets it; only otherwise an expired one is discarded. So one attempt waits for no batch.
        let isOneAttempt = push.expiration.map { $0 <= now.seconds } ?? false
        if !isHeld(push, phones[p]), batch == nil || isOneAttempt {
            return PhoneVerdict(arrive(push, p, a, now))
        }
        if isOneAttempt { return PhoneVerdict(.discarded) }
        store(push, p, now, batch: batch)
        return PhoneVerdict(.stored)
    }

    /// Nil: it lives. Nil within: it never was.
    private func death(of token: PhoneToken, _ app: NaiveApp) -> WallTime?? {
        if token.use == .activity {
            guard let c = app.index(token.ordinal) else { return .some(nil) }
            let card = app.cards[c]
            if Int(token.rotation) < card.replacedAt.count { return card.replacedAt[Int(token.rotation)] }
            guard Int(token.rotation) == card.replacedAt.count else { return .some(nil) }
            return card.removedAt.map { .some($0) }
        }
        guard token.rotation == 0, 1...app.installation ~= token.ordinal else { return .some(nil) }
        let index = Int(token.ordinal) - 1
        return index < app.removedAt.count ? .some(app.removedAt[index]) : nil
    }

    private func isExpired(_ card: NaiveCard, _ now: WallTime) -> Bool {
        let whole = card.startedAt + settings.wholeLife
        switch settings.activityTokenExpiry {
        case .never: return false
        case .afterWholeLife: return now >= whole
        case .afterEnd(let more): return now >= min(card.goneAt ?? whole, whole) + more
        }
    }

    /// APNs cannot bring it to the phone now.
    private func isHeld(_ push: ModelPush, _ phone: NaivePhone) -> Bool {
        phone.isOffline || phone.isLowOnPower && (push.priority < 10 || settings.storedWhenRestricted == .all)
    }

    private static let placeLimit = 16

    private mutating func store(_ push: ModelPush, _ p: Int, _ now: WallTime, batch: WallTime?) {
        var place = push.token.app
        if settings.activitySlots == .own {
            place += push.event == .start ? " start \(push.id)" : " \(push.token)"
        }
        // Of places there are no more than so many, of which §12 does not speak.
        let isFull = phones[p].stored.count == Self.placeLimit
        if let older = phones[p].stored.firstIndex(where: { $0.place == place }) ?? (isFull ? 0 : nil) {
            late.append(LateOutcome(push: phones[p].stored.remove(at: older).push.id, outcome: .superseded))
        }
        var deadline = now + settings.storageLimit
        if let expiration = push.expiration { deadline = min(deadline, WallTime(seconds: expiration)) }
        phones[p].stored.append(NaiveStored(push: push, place: place, deadline: deadline, batch: batch))
    }

    /// The phone may be in reach again.
    mutating func release(_ p: Int, _ now: WallTime) {
        while let next = phones[p].stored.firstIndex(where: { !isHeld($0.push, phones[p]) && ($0.batch ?? now) <= now }) {
            deliverLate(phones[p].stored.remove(at: next).push, now)
        }
    }

    private mutating func deliverLate(_ push: ModelPush, _ now: WallTime) {
        let p = phones.firstIndex { $0.name == push.token.phone }!
        let a = phones[p].index(push.token.app)!
        let isAlive = death(of: push.token, phones[p].apps[a]) == nil
        late.append(LateOutcome(push: push.id, outcome: isAlive ? arrive(push, p, a, now) : .notDelivered))
    }

    // MARK: Arrival

    private mutating func arrive(_ push: ModelPush, _ p: Int, _ a: Int, _ now: WallTime) -> Outcome {
        if push.token.use == .start, phones[p].apps[a].setup.hasStaleStart { return .notStarted }
        if push.token.use == .start, push.event != .start { return .unknownActivity }
        if push.token.use == .activity, push.event == .start {
            // §10: priority 10 spends the budget, whatever it is for.
            return isPaid(push, p, a, now) ? .unknownActivity : .throttled
        }
        return push.event == .start ? start(push, p, a, now) : change(push, p, a, now)
    }

    private func isTooFarAhead(_ push: ModelPush, _ now: WallTime) -> Bool {
        settings.ignoresFuture && WallTime(seconds: push.timestamp) > now + settings.futureLimit
    }

    /// The app's type of now counts.
    private func isUndecodable(_ push: ModelPush, _ app: AppSetup) -> Bool { push.mistake != nil && app.schema != 0 }

    private mutating func start(_ push: ModelPush, _ p: Int, _ a: Int, _ now: WallTime) -> Outcome {
        let setup = phones[p].apps[a].setup
        if phones[p].system < SystemVersion(17, 2) || !setup.allowsActivities { return .notStarted }
        let (limit, window) = (settings.budgets.starts, settings.budgets.startWindow)
        if !phones[p].starts.spend(now, limit: limit, window: window, owes: true) { return .throttled }
        if isTooFarAhead(push, now) { return .ignoredFuture }
        if isUndecodable(push, setup) { return .undecodable }
        guard let card = begin(p, a, now, timestamp: push.timestamp, staleDate: push.staleDate) else { return .notStarted }
        return card.isOnScreen ? .started : .neverShown
    }

    /// Whether there was enough for a push to an activity, which is spent.
    private mutating func isPaid(_ push: ModelPush, _ p: Int, _ a: Int, _ now: WallTime) -> Bool {
        guard push.priority >= 10 else { return true }
        let (urgent, frequent) = (settings.budgets.urgentActivity, settings.budgets.frequentActivity)
        let limit = phones[p].apps[a].setup.hasFrequentUpdates ? frequent ?? urgent : urgent
        return phones[p].urgent.spend(now, limit: limit, window: .seconds(3600), owes: false)
    }

    /// An update or an end.
    private mutating func change(_ push: ModelPush, _ p: Int, _ a: Int, _ now: WallTime) -> Outcome {
        let setup = phones[p].apps[a].setup
        let c = phones[p].apps[a].index(push.token.ordinal)!
        var card = phones[p].apps[a].cards[c]
        if !isPaid(push, p, a, now) { return .throttled }
        if isTooFarAhead(push, now) { return .ignoredFuture }
        if card.endedAt != nil { return .ignoredEnded }
        let isEqual = push.timestamp == card.taken
        let isOlder = push.timestamp < card.taken || isEqual && settings.equalTimestamps == .ignore
        if push.event == .update {
            if let limit = settings.pastLimit, WallTime(seconds: push.timestamp) < WallTime(seconds: now.seconds) - limit {
                return .ignoredOlder
            }
            if isOlder { return .ignoredOlder }
        }
        if isUndecodable(push, setup) { return .undecodable }
        if !isOlder { (card.taken, card.staleDate) = (push.timestamp, push.staleDate) }
        var outcome = card.isOnScreen ? Outcome.updated : .neverShown
        if push.event == .end || now >= card.drawnAt + settings.phones.drawingInterval {
            card.draw(now)
        } else {
            card.isWaiting = true
            if card.isOnScreen { outcome = .coalesced }
        }
        phones[p].apps[a].cards[c] = card
        if push.event == .end {
            end(p, a, c, now, dismissal: push.dismissalDate.map { WallTime(seconds: $0) })
            outcome = card.isOnScreen ? .ended : .neverShown
        }
        return outcome
    }
}
