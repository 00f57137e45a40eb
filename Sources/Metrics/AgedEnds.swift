// Activities that a relay ends of itself when they grow too old: which there were, when each began, and the end that its age
// brought. No call owes it, and what follows has no card to go to.

package import Basics
package import Pushes

package struct AgedEnds: Sendable {
    package struct Activity: Hashable, Sendable {
        package var session: UInt32
        package var phone: UInt8
        /// The one that was registered first, and those that a rotation put in its place.
        package var tokens: [TokenHash]
        /// From the start push that began it, where there was one, to the answer to its registration: relays count its age from
        /// the one or the other.
        package var born: ClosedRange<Instant>
        /// When a call that took its token back, its session's end or an answer that told of its death came; else not at all.
        package var overAt = Instant.distantFuture
        /// The same, but only of what the relay has taken: what never reached it leaves the activity as it was.
        var heardAt = Instant.distantFuture
        /// Ends that its age brought, by their places among the account's pushes: attempts, in order of arrival.
        package var ends: [Int] = []
        /// When the first of them was accepted.
        package var endedAt: Instant?

        fileprivate mutating func mayBeOver(at instant: Instant) { overAt = min(overAt, instant) }
    }

    /// By session and phone, each one's in order.
    package private(set) var activities: [Activity] = []
    /// Ids of the pushes that growing old has caused: ends, and starts by which the session's card comes back.
    package private(set) var explained: Set<UInt64> = []

    private struct Card: Hashable {
        var session: UInt32
        var phone: UInt8
    }

    init(_ account: Account, _ tokens: TokenLife, _ terms: AgeTerms, end: Instant) {
        // Most accounts are over long before anything of theirs grows old.
        let first = account.tokenCalls.lazy.compactMap { account.call(at: $0.place)?.plannedAt }.min() ?? .distantFuture
        let last = max(account.pushes.last?.arrivedAt ?? first, account.watchedUntil(terms, end))
        guard first + terms.after - terms.within <= last else { return }
        var cards: [Card: [(told: TokenCall, call: SeenCall)]] = [:]
        for told in account.tokenCalls where told.lane.role == .activity {
            guard let call = account.call(at: told.place), call.wasTaken || !told.isRegistration else { continue }
            cards[Card(session: call.session, phone: told.lane.phone), default: []].append((told, call))
        }
        for card in cards.keys.sorted(by: { ($0.session, $0.phone) < ($1.session, $1.phone) }) {
            let calls = cards[card]!.sorted { ($0.call.sentAt, $0.call.place) < ($1.call.sentAt, $1.call.place) }
            follow(card, calls, account, tokens, terms)
        }
    }

    private mutating func follow(
        _ card: Card, _ calls: [(told: TokenCall, call: SeenCall)], _ account: Account, _ tokens: TokenLife, _ terms: AgeTerms
    ) {
        let starts = account.pushes.filter { push in
            push.isLiveActivity && push.event == .start && push.isMarked && push.session == card.session
                && tokens.lanes[push.token] == Lane(role: .start, phone: card.phone)
        }
        var open: Activity?
        var freeSince = Instant(nanoseconds: .min)
        func close(at instant: Instant) {
            guard var activity = open else { return }
            open = nil
            let deaths = activity.tokens.last.flatMap { tokens.deaths[$0]?.first?.arrivedAt }
            activity.heardAt = min(instant, deaths ?? .distantFuture)
            activity.overAt = min(activity.overAt, activity.heardAt)
            end(&activity, account, terms)
            freeSince = activity.endedAt ?? activity.heardAt
            if let endedAt = activity.endedAt {
                // A start that a call owes begins the session's next life.
                let back = starts.filter { start in
                    endedAt < start.arrivedAt && start.arrivedAt <= over(calls, after: endedAt)
                        && !account.rows(at: start.place, .liveactivity).contains { account.rows[$0].event == .start }
                }
                explained.formUnion(back.map(\.id))
            }
            activities.append(activity)
        }
        for (told, call) in calls {
            guard told.isRegistration else {
                if call.wasTaken { close(at: call.sentAt) } else { open?.mayBeOver(at: call.plannedAt) }
                continue
            }
            if let known = open, !known.tokens.contains(told.token), isEnded(known, before: call.sentAt, account, terms) {
                close(at: call.sentAt)
            }
            if open != nil {
                if !open!.tokens.contains(told.token) { open!.tokens.append(told.token) }
                continue
            }
            let birth = starts.first { $0.isAccepted && freeSince < $0.arrivedAt && $0.arrivedAt <= call.sentAt }?.arrivedAt
            let first = min(birth ?? call.sentAt, call.sentAt)
            open = Activity(
                session: card.session, phone: card.phone, tokens: [told.token],
                born: first...max(first, call.answeredAt))
        }
        close(at: .distantFuture)
    }

    /// When the next call took the card's token back.
    private func over(_ calls: [(told: TokenCall, call: SeenCall)], after instant: Instant) -> Instant {
        calls.first { !$0.told.isRegistration && $0.call.wasTaken && $0.call.sentAt > instant }?.call.sentAt ?? .distantFuture
    }

    private func isEnded(_ activity: Activity, before instant: Instant, _ account: Account, _ terms: AgeTerms) -> Bool {
        var copy = activity
        copy.heardAt = instant
        return !Self.ends(of: copy, account, terms).isEmpty
    }

    private mutating func end(_ activity: inout Activity, _ account: Account, _ terms: AgeTerms) {
        activity.ends = Self.ends(of: activity, account, terms)
        activity.endedAt = activity.ends.lazy.map { account.pushes[$0] }.first(where: \.isAccepted)?.arrivedAt
        explained.formUnion(activity.ends.map { account.pushes[$0].id })
    }

    /// Ends that no call owes and that did not come too early.
    private static func ends(of activity: Activity, _ account: Account, _ terms: AgeTerms) -> [Int] {
        let earliest = activity.born.lowerBound + terms.after - terms.within
        return account.pushes.indices.filter { index in
            let push = account.pushes[index]
            guard push.isLiveActivity, push.event == .end, activity.tokens.contains(push.token),
                earliest <= push.arrivedAt, push.arrivedAt <= activity.heardAt
            else { return false }
            return !push.isMarked || !account.rows(at: push.place, .liveactivity).contains { account.rows[$0].event == .end }
        }
    }

    /// When the activity that was to show this state had been ended for its age, where no other has been registered in its
    /// place by the time the state was told.
    func endedAt(for row: Expectation, _ tokens: TokenLife) -> Instant? {
        guard row.type == .liveactivity, row.lane.role == .activity else { return nil }
        return activities.last { activity in
            guard activity.session == row.session, activity.phone == row.lane.phone, let endedAt = activity.endedAt,
                activity.tokens.contains(row.token)
            else { return false }
            return !tokens.wasRegistered(row.token, after: endedAt, until: row.plannedAt)
        }?.endedAt
    }

    /// When the card of that session and phone was last ended for its age.
    func endedAt(session: UInt32, phone: UInt8) -> Instant? {
        activities.last { $0.session == session && $0.phone == phone && $0.endedAt != nil }?.endedAt
    }
}

extension Account {
    /// Until when an activity of this account may grow old: the end of the run, where one is never taken back.
    func watchedUntil(_ terms: AgeTerms, _ end: Instant) -> Instant { min(end, agesUntil(terms) ?? endsAt) }

    /// When the last activity that is never taken back will have grown old; nil where all are.
    package func agesUntil(_ terms: AgeTerms) -> Instant? {
        var last: [UInt64: TokenCall] = [:]
        for told in tokenCalls where told.lane.role == .activity {
            let card = (told.place >> 32) << 8 | UInt64(told.lane.phone)
            if last[card].map({ $0.place <= told.place }) ?? true { last[card] = told }
        }
        return last.values.filter(\.isRegistration).compactMap { call(at: $0.place)?.plannedAt }.max()
            .map { $0 + terms.after + terms.within }
    }
}
