// Activities of one session that take each other's place: which there were, when each began and ended, and which pushes
// that has caused. A relay owes these to no call but to an activity's age.

package import Basics
package import Pushes

/// When a relay replaces an activity that grows old.
package struct RestartTerms: Hashable, Sendable {
    /// The age at which a start push for its successor leaves, so much earlier or later, and the age at which one must have
    /// left.
    package var after: Interval
    package var within: Interval
    package var before: Interval
    /// How long a start may wait for a new token.
    package var adoptWithin: Interval
    /// From a start that nobody adopts to the next: doubled each time, up to the longest.
    package var pause: Interval
    package var longestPause: Interval

    package init(
        after: Interval, within: Interval, before: Interval, adoptWithin: Interval, pause: Interval, longestPause: Interval
    ) {
        self.after = after
        self.within = within
        self.before = before
        self.adoptWithin = adoptWithin
        self.pause = pause
        self.longestPause = longestPause
    }
}

package struct RestartLife: Sendable {
    package struct Activity: Hashable, Sendable {
        package var session: UInt32
        package var phone: UInt8
        /// The one that was registered first, and those that a rotation put in its place.
        package var tokens: [TokenHash]
        /// Between the first and the last start push that may have begun it; without any, its registration.
        package var born: ClosedRange<Instant>
        /// When the registration of its first token was sent.
        package var registeredAt: Instant
        /// Starts that reached the provider while it lived, and ends that it got, by their places among the account's pushes.
        package var starts: [Int] = []
        package var ends: [Int] = []
        /// When a successor's token was registered, sent and answered.
        package var replacedAt: Instant?
        package var replacedFor: Instant?
        /// When its successor, its session's end or an answer that told of its death came; else not at all.
        package var endedAt = Instant.distantFuture
    }

    /// By session and phone, each one's in order.
    package private(set) var activities: [Activity] = []
    /// Ids of the pushes that replacing has caused.
    package private(set) var explained: Set<UInt64> = []

    /// Of a session. A relay that has not taken the call goes on.
    private struct End {
        var sentAt: Instant
        var heardAt: Instant
    }

    private struct Card: Hashable {
        var session: UInt32
        var phone: UInt8
    }

    init(_ account: Account, _ tokens: TokenLife) {
        var registrations: [Card: [(token: TokenHash, call: SeenCall)]] = [:]
        var over: [UInt32: End] = [:]
        func end(_ place: UInt64) {
            guard let call = account.call(at: place), call.state == .sent, over[call.session] == nil else { return }
            over[call.session] = End(sentAt: call.sentAt, heardAt: call.wasTaken ? call.sentAt : .distantFuture)
        }
        for made in account.tokenCalls where made.lane.role == .activity {
            guard made.isRegistration else {
                end(made.place)
                continue
            }
            guard let call = account.call(at: made.place), call.wasTaken else { continue }
            registrations[Card(session: call.session, phone: made.lane.phone), default: []].append((made.token, call))
        }
        for row in account.rows where row.event == .end { end(row.place) }
        for card in registrations.keys.sorted(by: { ($0.session, $0.phone) < ($1.session, $1.phone) }) {
            let starts = account.pushes.indices.filter { index in
                let push = account.pushes[index]
                return push.isLiveActivity && push.event == .start && push.isMarked && push.session == card.session
                    && tokens.lanes[push.token] == Lane(role: .start, phone: card.phone)
            }
            let calls = registrations[card]!.sorted { $0.call.sentAt < $1.call.sentAt }
            follow(card, calls, starts, over: over[card.session], account, tokens)
        }
    }

    private mutating func follow(
        _ card: Card, _ calls: [(token: TokenHash, call: SeenCall)], _ starts: [Int], over: End?, _ account: Account,
        _ tokens: TokenLife
    ) {
        var own: [Activity] = []
        for (token, call) in calls where !own.contains(where: { $0.tokens.contains(token) }) {
            let since = own.last?.registeredAt ?? Instant(nanoseconds: .min)
            let births = starts.lazy.map { account.pushes[$0] }.filter {
                $0.isAccepted && since < $0.arrivedAt && $0.arrivedAt <= call.sentAt
            }.map(\.arrivedAt)
            guard own.isEmpty || !births.isEmpty else {
                own[own.count - 1].tokens.append(token)
                continue
            }
            if !own.isEmpty {
                own[own.count - 1].replacedAt = call.sentAt
                own[own.count - 1].replacedFor = call.answeredAt
                own[own.count - 1].endedAt = call.sentAt
            }
            let first = births.min() ?? call.sentAt
            own.append(
                Activity(
                    session: card.session, phone: card.phone, tokens: [token], born: first...(births.max() ?? first),
                    registeredAt: call.sentAt))
        }
        for index in own.indices { complete(&own[index], starts, over: over, account, tokens) }
        activities += own
    }

    private mutating func complete(
        _ activity: inout Activity, _ starts: [Int], over: End?, _ account: Account, _ tokens: TokenLife
    ) {
        if let over { activity.endedAt = min(activity.endedAt, over.sentAt) }
        let over = over?.heardAt
        if let death = activity.tokens.last.flatMap({ tokens.deaths[$0]?.first }) {
            activity.endedAt = min(activity.endedAt, death.arrivedAt)
        }
        let limit = min(activity.replacedAt ?? .distantFuture, over ?? .distantFuture)
        activity.starts = starts.filter { index in
            let arrivedAt = account.pushes[index].arrivedAt
            return activity.registeredAt < arrivedAt && arrivedAt <= limit
        }
        activity.ends = account.pushes.indices.filter { index in
            let push = account.pushes[index]
            guard push.isLiveActivity, push.event == .end, activity.tokens.contains(push.token) else { return false }
            return push.arrivedAt <= over ?? .distantFuture || activity.replacedAt.map { $0 <= push.arrivedAt } ?? false
        }
        explained.formUnion((activity.starts + activity.ends).map { account.pushes[$0].id })
    }
}
