// Some of the phones, as one pure state machine: what comes in are pushes, actions and the time; what goes out are
// verdicts and events. No sockets, no clock of its own.

import APNs
import Basics
import Pushes

struct PhoneShard: ~Copyable {
    let settings: DeviceSettings
    let seed: Seed
    var tables = PhoneTables()
    var index = PhoneIndex()
    var timers = PhoneTimers()
    var bundles = TopicNames()
    /// Ways to wake by number; few differ.
    var wakes: [PhoneWake]
    /// Phones that are out of reach, or for which a push is stored.
    var away: [Int32: Device] = [:]
    /// No stored push has anything happen to it earlier.
    var nextStored = WallTime.never
    /// What phones have spent, by their places; none as long as no push costs anything.
    private var ledgers: [BudgetLedger] = []
    /// Tokens that were replaced, the latest `retiredLimit`.
    var retired: [UInt64: RetiredToken] = [:]
    private var retiredKeys: [UInt64] = []
    /// What the cards show, of at most `contentLimit` activities.
    var contents: [Int32: CardContent] = [:]
    /// Visible notifications by the marks of their collapse ids, per app, oldest first.
    var visible: [Int32: [UInt32]] = [:]
    /// What happened in this step; the fleet numbers them.
    var events: [PhoneEvent] = []
    /// Tokens that were made in this step.
    var minted: [Hash128] = []
    /// What became of stored pushes.
    var late: [LateOutcome] = []
    /// Activities that are kept.
    private(set) var cardCount = 0
    private var serial: UInt32 = 0

    static let retiredLimit = 4096
    static let contentLimit = 256

    struct RetiredToken {
        var app: Int32
        var kind: PhoneRef.Kind
        /// Which activity of the app; 0: none.
        var ordinal: UInt32
        var since: WallTime
    }

    init(settings: DeviceSettings, seed: Seed) {
        self.settings = settings
        self.seed = seed
        wakes = [settings.phones.wake]
    }

    /// 64 bits of the hash by which a token is found.
    static func key(_ token: String) -> UInt64 { withBytes(of: token) { Hash128(hex: $0).low } }

    func phone(named name: String) -> Int32? {
        guard let ref = index.find(PhoneTables.key(name: name), in: tables), ref.kind == .phone,
            tables.phones[ref.place].name == name
        else { return nil }
        return ref.place
    }

    func app(_ bundle: String, on phone: Int32) -> Int32? {
        tables.apps(of: phone).first { bundles.text(tables.apps[$0].bundle) == bundle }
    }

    // MARK: Tokens

    func token(_ use: PhoneTokenUse, of app: Int32) -> PhoneToken {
        let row = tables.apps[app]
        return PhoneToken(
            use, phone: tables.phones[row.phone].name, app: bundles.text(row.bundle) ?? "",
            ordinal: UInt32(row.installation), rotation: UInt32(use == .start ? row.startRotation : row.deviceRotation))
    }

    func token(ofCard card: Int32) -> PhoneToken {
        let row = tables.cards[card]
        var token = token(.activity, of: row.app)
        (token.ordinal, token.rotation) = (row.ordinal, UInt32(row.rotation))
        return token
    }

    /// Makes the token known under its key, which the caller keeps.
    mutating func mint(_ token: PhoneToken) -> UInt64 {
        let hash = withBytes(of: token.text(seed)) { Hash128(hex: $0) }
        minted.append(hash)
        return hash.low
    }

    /// The token of that row is dead from now on, unless it was before.
    mutating func retire(_ ref: PhoneRef, app: Int32, now: WallTime) {
        let key = tables.key(of: ref)
        guard index.remove(ref, in: tables) else { return }
        if retiredKeys.count == Self.retiredLimit { retired[retiredKeys.removeFirst()] = nil }
        retiredKeys.append(key)
        let ordinal = ref.kind == .activity ? tables.cards[ref.place].ordinal : 0
        retired[key] = RetiredToken(app: app, kind: ref.kind, ordinal: ordinal, since: now)
    }

    // MARK: Budgets

    /// Lets a phone pay.
    mutating func pay<R>(_ phone: Int32, _ body: (inout BudgetLedger) -> R) -> R {
        while ledgers.count <= phone { ledgers.append(BudgetLedger()) }
        return body(&ledgers[Int(phone)])
    }

    /// Of a phone that is removed.
    mutating func forgetExpenses(of phone: Int32) {
        if phone < ledgers.count { ledgers[Int(phone)] = BudgetLedger() }
    }

    // MARK: Activities

    mutating func addCard(_ card: CardRow, to app: Int32) -> Int32 {
        serial = (serial + 1) & PhoneTimer.serialMask
        tables.apps[app].ordinals += 1
        var card = card
        (card.app, card.ordinal, card.serial) = (app, tables.apps[app].ordinals, serial)
        card.next = tables.apps[app].firstActivity
        let place = tables.cards.add(card)
        tables.apps[app].firstActivity = place
        tables.cards[place].key = mint(token(ofCard: place))
        index.insert(PhoneRef(.activity, place), in: tables)
        cardCount += 1
        return place
    }

    mutating func removeCard(_ card: Int32) {
        index.remove(PhoneRef(.activity, card), in: tables)
        tables.unlink(card)
        tables.cards.remove(card)
        contents[card] = nil
        cardCount -= 1
    }

    /// Whether the shard may have one more activity.
    var hasRoom: Bool { cardCount < settings.phones.activityLimitInAll / PhoneFleet.shardCount + 1 }

    /// Whether an app may have one more; the oldest that is gone makes room.
    mutating func makeRoom(for app: Int32, now: WallTime) -> Bool {
        let cards = tables.cards(of: app)
        guard cards.count >= PhoneSettings.activityLimit else { return true }
        guard let gone = cards.last(where: { tables.cards[$0].state(at: now, settings) == .dismissed }) else { return false }
        // Its token was issued, so it does not become an unknown one (apns.md §13).
        retire(PhoneRef(.activity, gone), app: app, now: tables.cards[gone].leavesAt(settings))
        removeCard(gone)
        return true
    }

    // MARK: Events

    mutating func tell(_ kind: PhoneEvent.Kind, _ card: Int32, at now: WallTime, withToken: Bool = false) {
        let row = tables.cards[card]
        let token = token(ofCard: card)
        events.append(
            PhoneEvent(
                number: 0, kind: kind, at: now, phone: token.phone, app: token.app, activity: row.ordinal,
                token: withToken ? token.text(seed) : nil, marker: row.hasMarker ? row.marker : nil))
    }

    /// The app is awake: it learns the token of an activity that lives, once the phone is online.
    mutating func learnToken(of card: Int32, now: WallTime) {
        guard tables.cards[card].state(at: now, settings) <= .stale else { return }
        if tables.phones[tables.apps[tables.cards[card].app].phone].isOffline {
            tables.cards[card].wakeAt = min(tables.cards[card].wakeAt, now)
            return
        }
        let isFirst = !tables.cards[card].wasTokenKnown
        tables.cards[card].wakeAt = .never
        tables.cards[card].isTokenKnown = true
        tables.cards[card].wasTokenKnown = true
        tell(isFirst ? .token : .rotated, card, at: now, withToken: true)
        let row = tables.cards[card]
        if row.rotation == 0, let delay = wakes[Int(tables.apps[row.app].wake)].drawRotation(wakeSeed(of: card)) {
            timers.add(PhoneTimer(.rotate, at: now + delay, card: card, serial: row.serial))
        }
    }

    /// What is drawn for the token that the activity has.
    private func wakeSeed(of card: Int32) -> Seed {
        let token = token(ofCard: card)
        return seed.child("wake").child(token.phone).child(token.app).child(UInt64(token.ordinal))
            .child(UInt64(token.rotation))
    }

    /// Wakes the app for a new token where it can be woken; false: it will not be.
    mutating func wake(for card: Int32, now: WallTime) -> Bool {
        let row = tables.cards[card]
        switch tables.apps[row.app].state {
        case .foreground:
            learnToken(of: card, now: now)
            return true
        case .killed: return false
        case .background:
            // One that is about to be woken learns the newest token then.
            if row.wakeAt != .never { return true }
            guard let delay = wakes[Int(tables.apps[row.app].wake)].draw(wakeSeed(of: card)) else { return false }
            tables.cards[card].wakeAt = now + delay
            timers.add(PhoneTimer(.wake, at: now + delay, card: card, serial: row.serial))
            return true
        }
    }
}

/// What a card shows, and what it will show with its next drawing: whole payloads.
struct CardContent {
    var drawn: [UInt8]
    var waiting: [UInt8]?
}
