// One user's sessions while they are open: which pushes the plan owes their cards, and what came of them.

import Basics
import Journal
import LoadGenerator
import Metrics
import Pushes
import Scenarios

struct WatchedUser {
    /// Of one user; beyond them its cards are watched as the plan has them.
    private static let mostReactions = 1_000

    private(set) var cards: [CardWatch] = []
    /// Whose phone a push goes to.
    private var phones: [(token: TokenHash, phone: UInt8)] = []
    private var reactions: [MadeReaction] = []
    /// The newest calls of sessions that do more than the plan says: what waits for a token that a phone has yet to tell is
    /// owed as soon as that is told.
    private var sent: [(session: UInt32, step: UInt32, at: Instant)] = []
    private static let mostSent = 64
    private let remembers: Bool
    /// The relay gives activities that grow old successors.
    private let replaces: Bool
    /// Nothing that belongs here is due later.
    private(set) var endsAt = Instant(nanoseconds: .min)

    /// Nil where the plan has no such user, or owes its sessions no Live Activity.
    init?(_ number: UInt32, _ plan: Plan, origin: Instant) {
        remembers = plan.remembers
        replaces = plan.scenario.relay.profile.activities.restart != nil
        take(plan.account(number: number, origin: origin, reactions: []))
        guard !cards.isEmpty || remembers else { return nil }
    }

    /// A session did something that no plan has.
    mutating func react(_ made: MadeReaction, _ number: UInt32, _ plan: Plan, origin: Instant) {
        guard reactions.count < Self.mostReactions else { return }
        reactions.append(made)
        take(plan.account(number: number, origin: origin, reactions: reactions))
        for call in sent { offer(call.session, call.step, at: call.at) }
    }

    /// On each phone that a push is owed to; again where it was offered already does nothing.
    private mutating func offer(_ session: UInt32, _ step: UInt32, at instant: Instant) {
        for index in cards.indices where cards[index].session == session && cards[index].owed(at: step) != nil {
            cards[index].offer(step, at: instant)
        }
    }

    private mutating func take(_ account: Account) {
        endsAt = max(endsAt, account.endsAt)
        var owed: [Place: [CardWatch.Owed]] = [:]
        // A phone never told the token that their states wait for.
        var inVain: Set<Place> = []
        for row in account.rows where row.type == .liveactivity {
            owed[Place(session: row.session, phone: row.lane.phone), default: []].append(
                CardWatch.Owed(step: row.step, event: row.event))
            learn(row.token, row.lane.phone)
            if row.lane.role == .activity, row.flags.contains(.waitsInVain) {
                inVain.insert(Place(session: row.session, phone: row.lane.phone))
            }
        }
        for (place, owed) in owed {
            let registrations = account.tokenCalls.filter { call in
                call.isRegistration && call.lane.role == .activity && call.lane.phone == place.phone
                    && call.place >> 32 == place.session
            }.map { EventNumber.step(atPlace: $0.place) }
            let index = cards.firstIndex { $0.session == place.session && $0.phone == place.phone } ?? cards.count
            if index == cards.count { cards.append(CardWatch(session: place.session, phone: place.phone)) }
            cards[index].plan(owed, registrations: registrations)
            if inVain.contains(place) { cards[index].isUnknownToRelay = true }
        }
        for call in account.tokenCalls where [.activity, .start].contains(call.lane.role) { learn(call.token, call.lane.phone) }
    }

    private struct Place: Hashable {
        var session: UInt32
        var phone: UInt8
    }

    private mutating func learn(_ token: TokenHash, _ phone: UInt8) {
        if !phones.contains(where: { $0.token == token }) { phones.append((token, phone)) }
    }

    // MARK: What happened

    /// A call of ours; what was never sent was never offered.
    mutating func see(_ event: EventEntry, _ outages: [Range<Instant>]) {
        let failure = EventFailure(rawValue: event.failure)
        let wasSent = failure != .dropped && failure != .withheld
        let sentAt = event.sentAt.nanoseconds == 0 ? event.plannedAt + event.lateness : event.sentAt
        for index in cards.indices where cards[index].session == event.session {
            if cards[index].registrations.contains(event.step) {
                let wasMet = wasSent && !event.met(outages, sentAt)
                if !wasMet { cards[index].isUnknownToRelay = true }
                if wasMet, replaces, let step = cards[index].succession.register() {
                    cards[index].handOver(to: step, at: sentAt)
                }
            }
        }
        guard wasSent else { return }
        offer(event.session, event.step, at: sentAt)
        guard remembers else { return }
        if sent.count == Self.mostSent { sent.removeFirst(Self.mostSent / 2) }
        sent.append((event.session, event.step, sentAt))
    }

    /// A push that bears the marker of one of the sessions: from its arrival on the card shows its state, if a device took
    /// it. What Metrics calls accepted, but for what only the schemas tell.
    mutating func see(_ push: PushEntry, _ marker: Marker) {
        guard push.status == 200, push.pushType == PushType.liveactivity.word.description, Self.isTaken(push.outcome),
            let phone = phone(of: push.token),
            let index = cards.firstIndex(where: { $0.session == marker.session && $0.phone == phone }),
            let owed = cards[index].owed(at: marker.step)
        else { return }
        // An activity that takes another's place starts with the state that is to be shown.
        guard owed.event == nil || push.event == owed.event || push.outcome == .started else { return }
        cards[index].show(marker.step, at: push.arrivedAt, isEnd: push.event == .end)
        if push.event == .start { cards[index].succession.start(marker.step) }
    }

    /// What a virtual phone of the user's told of an activity of one of the sessions. The card is gone once the newest of them
    /// is dismissed: an older one has been replaced.
    mutating func see(_ event: PhoneEvent, at instant: Instant) {
        guard let session = event.marker?.session, let phone = PhoneName(event.phone)?.phone,
            let index = cards.firstIndex(where: { $0.session == session && Int($0.phone) == phone })
        else { return }
        cards[index].activity = max(cards[index].activity, event.activity)
        if event.kind == .token { cards[index].succession.tell(event.activity) }
        if event.kind == .dismissed, event.activity == cards[index].activity { cards[index].dismiss(at: instant) }
    }

    func phone(of token: String) -> UInt8? {
        let hash = TokenHash(token)
        return phones.first { $0.token == hash }?.phone
    }

    /// The card was there to be changed by it; what is stored for a phone that is away, or drawn a little later, is the
    /// phone's affair and not the relay's.
    private static func isTaken(_ outcome: Outcome?) -> Bool {
        switch outcome {
        case .ignoredOlder, .ignoredEnded, .ignoredFuture, .undecodable, .unknownActivity, .nothingShown: false
        default: true
        }
    }

    // MARK: Time

    mutating func settle(before limit: Instant, outages: [Range<Instant>], _ visit: (Int, CardStretch) -> Void) {
        for index in cards.indices where cards[index].isFull && !cards[index].isUnknownToRelay {
            cards[index].settle(before: limit, outages: outages) { visit(index, $0) }
        }
    }

    mutating func close(at end: Instant, outages: [Range<Instant>], _ visit: (Int, CardStretch) -> Void) {
        for index in cards.indices where !cards[index].isUnknownToRelay {
            cards[index].close(at: min(end, endsAt), outages: outages) { visit(index, $0) }
        }
    }
}

extension EventEntry {
    /// A call may be under way so long when we end the relay.
    private static let flight = Interval.seconds(5)

    /// Our own outage took it: no answer while the relay was down, or one that it serves nobody any more.
    fileprivate func met(_ outages: [Range<Instant>], _ sentAt: Instant) -> Bool {
        if status != 0, status < 500 { return false }
        let last = status == 0 ? sentAt + Self.flight : answeredAt
        return outages.contains { $0.lowerBound <= last && sentAt <= $0.upperBound }
    }
}
