// Activities of one session that take each other's place: which there were, when each began and ended, and which pushes
// that has caused. A relay owes these to no call but to an activity's age.

package import Basics
package import Pushes

package struct RestartLife: Sendable {
    package struct Activity: Hashable, Sendable {
        package var session: UInt32
        package var phone: UInt8
        /// The one that was registered first, and those that a rotation put in its place.
        package var tokens: [TokenHash]
        /// Between the first and the last start push that may have begun it; without any, its registration.
        package var born: ClosedRange<Instant>
        /// When the registration of its first token was sent, and answered.
        package var registeredAt: Instant
        package var answeredAt: Instant?
        /// Starts that reached the provider while it lived, and ends that it got, by their places among the account's pushes.
        package var starts: [Int] = []
        package var ends: [Int] = []
        /// When a successor's token was registered, sent and answered.
        package var replacedAt: Instant?
        package var replacedFor: Instant?
        /// Two starts were to replace one activity, and it and the one registered behind it came of them: either may go.
        package var hasRival = false
        /// The other of the two.
        package var isRival = false
        /// Its session ended and began again before it was registered, or before the one was that took its place: a relay may
        /// take it for the older life's, or for the newer one's.
        package var isOfEitherLife = false
        /// A token of its card, or of the one whose place it took, was first told behind the start of the successor: nothing
        /// tells it from that one's, for a registration names no activity.
        package var isBlurred = false
        /// When its successor, its session's end or an answer that told of its death came; else not at all.
        package var endedAt = Instant.distantFuture
        /// The same, but for such an answer.
        fileprivate var goneAt = Instant.distantFuture
        /// When the relay was told that its session is over.
        package var overAt: Instant?
        /// On a virtual phone: which activity of the app it is.
        fileprivate var card: UInt32?

        /// Nobody can tell it from another one.
        package var isDoubtful: Bool { isOfEitherLife || isBlurred }

        /// As `endedAt`, where a registration at that instant made up for an answer that came before.
        package func livesUntil(_ registered: Instant) -> Instant { endedAt < registered ? goneAt : endedAt }
    }

    /// By session and phone, each one's in order.
    package private(set) var activities: [Activity] = []
    /// Ids of the pushes that replacing has caused.
    package private(set) var explained: Set<UInt64> = []

    private struct Card: Hashable {
        var session: UInt32
        var phone: UInt8
    }

    /// Pushes that arrive so soon after their activity was replaced, or its session over, were under way.
    init(_ account: Account, _ tokens: TokenLife, inFlight grace: Interval) {
        let course = SessionCourse(account)
        var registrations: [Card: [(token: TokenHash, call: SeenCall)]] = [:]
        for made in account.tokenCalls where made.lane.role == .activity && made.isRegistration {
            guard let call = account.call(at: made.place), call.wasTaken else { continue }
            registrations[Card(session: call.session, phone: made.lane.phone), default: []].append((made.token, call))
        }
        let cards = registrations.keys.sorted { ($0.session, $0.phone) < ($1.session, $1.phone) }
        for card in cards {
            let isAlone = cards.allSatisfy { $0 == card || $0.phone != card.phone }
            let starts = account.pushes.indices.filter { index in
                let push = account.pushes[index]
                guard push.isLiveActivity, push.event == .start,
                    tokens.lanes[push.token] == Lane(role: .start, phone: card.phone)
                else { return false }
                // Without a marker it is that session's which alone is on that phone.
                return push.isMarked ? push.session == card.session : isAlone
            }
            let calls = registrations[card]!.sorted { $0.call.sentAt < $1.call.sentAt }
            follow(card, calls, starts, course, account, tokens, grace)
        }
    }

    private mutating func follow(
        _ card: Card, _ calls: [(token: TokenHash, call: SeenCall)], _ starts: [Int], _ course: SessionCourse,
        _ account: Account, _ tokens: TokenLife, _ grace: Interval
    ) {
        var own: [Activity] = []
        // The next one registered may be the one whose place the token before was taken for.
        var isBlurred = false
        for (token, call) in calls where !own.contains(where: { $0.tokens.contains(token) }) {
            let told = account.card(of: token)
            if let told, let index = own.firstIndex(where: { $0.card == told.number }) {
                own[index].tokens.append(token)
                let latest = starts.map { account.pushes[$0] }.last { $0.isAccepted && $0.arrivedAt <= call.sentAt }
                if let latest, own[index].registeredAt < latest.arrivedAt {
                    for later in own.indices[index...] { own[later].isBlurred = true }
                    if own[own.count - 1].registeredAt < latest.arrivedAt { isBlurred = true }
                }
                continue
            }
            let since = own.last?.registeredAt ?? Instant(nanoseconds: .min)
            let arrived = starts.map { account.pushes[$0] }.filter {
                $0.isAccepted && since < $0.arrivedAt && $0.arrivedAt <= call.sentAt
            }
            let births = told.map { [$0.startedAt] } ?? arrived.map(\.arrivedAt)
            guard own.isEmpty || !births.isEmpty else {
                own[own.count - 1].tokens.append(token)
                continue
            }
            let first = births.min() ?? call.sentAt
            var activity = Activity(
                session: card.session, phone: card.phone, tokens: [token], born: first...(births.max() ?? first),
                registeredAt: call.sentAt)
            activity.card = told?.number
            activity.isBlurred = isBlurred
            isBlurred = false
            if call.wasAnswered { activity.answeredAt = call.answeredAt }
            if let end = course.end(of: card.session, registeredAt: call.sentAt) {
                activity.endedAt = end.sentAt
                activity.overAt = end.heardAt
            }
            activity.isOfEitherLife = course.beganAgain(card.session, between: first, and: call.sentAt)
            // Where its session was over before, it takes nobody's place.
            if !own.isEmpty, own[own.count - 1].overAt.map({ call.sentAt < $0 }) ?? true {
                own[own.count - 1].replacedAt = call.sentAt
                own[own.count - 1].replacedFor = call.answeredAt
                own[own.count - 1].endedAt = min(own[own.count - 1].endedAt, call.sentAt)
                activity.isRival = activity.born.upperBound <= own[own.count - 1].registeredAt
                own[own.count - 1].hasRival = activity.isRival
                if activity.isOfEitherLife { own[own.count - 1].isOfEitherLife = true }
            }
            own.append(activity)
        }
        let successors = successors(starts, account)
        for index in own.indices { complete(&own[index], successors, account, tokens, grace) }
        activities += own
    }

    /// Without the attempts of what a call owed, until one was accepted: no age asked for those, however late they left.
    private func successors(_ starts: [Int], _ account: Account) -> [Int] {
        var paid: Set<UInt64> = []
        return starts.filter { index in
            let push = account.pushes[index]
            let isOwed = push.isMarked && !paid.contains(push.place)
                && account.rows(at: push.place, .liveactivity).contains { account.rows[$0].event == .start }
            if isOwed, push.isAccepted { paid.insert(push.place) }
            return !isOwed
        }
    }

    private mutating func complete(
        _ activity: inout Activity, _ starts: [Int], _ account: Account, _ tokens: TokenLife, _ grace: Interval
    ) {
        activity.goneAt = activity.endedAt
        if let death = activity.tokens.last.flatMap({ tokens.deaths[$0]?.first }) {
            activity.endedAt = min(activity.endedAt, death.arrivedAt)
        }
        let limit = min(activity.replacedAt ?? .distantFuture, activity.overAt ?? .distantFuture)
        activity.starts = starts.filter { index in
            let arrivedAt = account.pushes[index].arrivedAt
            return activity.registeredAt < arrivedAt && arrivedAt <= limit
        }
        activity.ends = account.pushes.indices.filter { index in
            let push = account.pushes[index]
            guard push.isLiveActivity, push.event == .end, activity.tokens.contains(push.token) else { return false }
            return push.arrivedAt <= activity.overAt ?? .distantFuture
                || activity.replacedAt.map { $0 <= push.arrivedAt } ?? false
        }
        explained.formUnion((activity.starts + activity.ends).map { account.pushes[$0].id })
        // A start that was under way is nobody's fault. What a later call said was not.
        let late = starts.map { account.pushes[$0] }.filter { push in
            guard limit < push.arrivedAt, push.arrivedAt <= limit + grace else { return false }
            return !push.isMarked || (account.call(at: push.place)?.sentAt ?? limit) <= limit
        }
        explained.formUnion(late.map(\.id))
    }
}

extension JoinedAccount {
    /// Of a card that turned up when its session was over.
    package func isOfLateCard(_ push: SeenPush) -> Bool {
        restarts?.activities.contains { activity in
            activity.tokens.contains(push.token) && activity.overAt.map { $0 < activity.registeredAt } ?? false
        } ?? false
    }

    /// Whether the tokens are known to be of two activities, so that no rotation put the one in the other's place.
    package func areOfTwoActivities(_ one: TokenHash, _ other: TokenHash) -> Bool {
        if let first = account.card(of: one), let second = account.card(of: other) {
            return (first.phone, first.number) != (second.phone, second.number)
        }
        let first = restarts?.activities.firstIndex { $0.tokens.contains(one) }
        let second = restarts?.activities.firstIndex { $0.tokens.contains(other) }
        return first != nil && second != nil && first != second
    }
}
