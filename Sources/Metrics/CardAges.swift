// How old what a card shows is: 0 while the newest offered state is shown, else now minus the offer of the first state
// newer than the shown one. Weighted by time over cards that live. Gates, percentiles and the report's sessions read this.

package import Basics
package import Pushes

/// A stretch of a card's life in which it is current, or its age grows with the clock.
package struct CardStretch: Hashable, Sendable {
    package var start: Instant
    package var end: Instant
    /// When the first state newer than the shown one was offered; nil: what is shown is the newest.
    package var offeredAt: Instant?
    /// Steps of the session: the state that is shown, and where it is behind the first newer one that is not.
    package var shown: UInt32 = 0
    package var newer: UInt32 = 0

    package init(start: Instant, end: Instant, offeredAt: Instant? = nil) {
        self.start = start
        self.end = end
        self.offeredAt = offeredAt
    }

    /// How old what is shown is at the stretch's end.
    var age: Interval { offeredAt.map { end - $0 } ?? .zero }

    /// What of it lies before the outage and after it.
    func without(_ outage: Circumstances.Outage) -> [CardStretch] {
        guard outage.from < end, start < outage.until else { return [self] }
        let parts = [(start, min(end, outage.from)), (max(start, outage.until), end)].filter { $0.0 < $0.1 }
        return parts.map { part in
            var stretch = self
            (stretch.start, stretch.end) = part
            return stretch
        }
    }
}

/// The life of one card that a phone showed, as far as its age is looked at.
package struct CardAges: Hashable, Sendable {
    package var session: UInt32
    /// Of its user, from 0.
    package var phone: UInt8
    /// The tokens by which it is told something.
    package var tokens: Set<TokenHash>
    /// In order of time.
    package var stretches: [CardStretch]
    /// When nothing was owed to it any more, though its last state never came, whoever is to blame: what it shows ages on from
    /// there.
    var leftBehindAt: Instant?

    /// The stretch at whose end the card was oldest, the first of several; nil: it was never behind.
    package var worst: CardStretch? {
        stretches.reduce(nil) { worst, stretch in stretch.age > worst?.age ?? .zero ? stretch : worst }
    }

    /// For how long it lived, and for how long of that it was behind.
    var lived: Interval { stretches.reduce(.zero) { $0 + ($1.end - $1.start) } }
    package var behind: Interval { stretches.reduce(.zero) { $1.offeredAt == nil ? $0 : $0 + ($1.end - $1.start) } }
}

extension CardAges {
    private struct Offer {
        var place: UInt64
        var at: Instant
    }

    private struct Showing {
        var place: UInt64
        var at: Instant
        var isEnd: Bool
        /// Another activity took the card's place, and shows no more than its start did.
        var isHandOver = false
    }

    /// Every card of the account: one for each session and phone. None whose token's registration never reached the
    /// relay, or was waited for in vain; what lies in an outage of ours is left out, and what lies behind the last token's end.
    static func cards(of joined: JoinedAccount, _ circumstances: Circumstances) -> [CardAges] {
        var ages: [CardAges] = []
        let account = joined.account
        let rows = account.rows.indices.filter { account.rows[$0].type == .liveactivity }
        let cards = Dictionary(grouping: rows) { index in
            UInt64(account.rows[index].session) << 8 | UInt64(account.rows[index].lane.phone)
        }
        for (_, rows) in cards.sorted(by: { $0.key < $1.key }) {
            if rows.contains(where: { joined.lacksToken(account.rows[$0], circumstances) }) { continue }
            let handOvers = account.rows[rows[0]].handOvers(joined)
            var offers: [Offer] = []
            var showings: [Showing] = []
            for index in rows {
                let row = account.rows[index]
                if let call = account.call(at: row.place), call.state == .sent, !joined.saysAgain(index) {
                    offers.append(Offer(place: row.place, at: call.sentAt))
                }
                if let accepted = joined.deliveries[index].accepted {
                    let push = account.pushes[accepted]
                    // It came behind a newer one, and the card stays as it is.
                    if push.outcome == .ignoredOlder || push.outcome == .ignoredEnded { continue }
                    if handOvers.contains(where: { $0.leaves(push) }) { continue }
                    showings.append(Showing(place: row.place, at: push.arrivedAt, isEnd: push.event == .end))
                }
            }
            for handOver in handOvers {
                showings.append(Showing(place: handOver.place, at: handOver.at, isEnd: false, isHandOver: true))
                showings += handOver.told(joined).map { Showing(place: $0.place, at: $0.arrivedAt, isEnd: $0.event == .end) }
            }
            // The relay ended it of itself: it shows so, and grows no older.
            if let row = rows.first.map({ account.rows[$0] }),
                let endedAt = joined.aged?.endedAt(session: row.session, phone: row.lane.phone)
            {
                showings.append(Showing(place: 0, at: endedAt, isEnd: true))
            }
            // The user removed it, and nothing came in its place.
            if let at = rows.compactMap({ joined.dismissedAt(account.rows[$0]) }).max(),
                showings.allSatisfy({ $0.at <= at })
            {
                showings.append(Showing(place: 0, at: at, isEnd: true))
            }
            // Nothing may be pushed there any more. What the relay could have shown before, and did not, ages on.
            let card = account.rows[rows[0]]
            let shown = showings.map(\.place).max() ?? 0
            let behind = rows.filter { shown < account.rows[$0].place }
            let isLost = behind.contains { joined.deliveries[$0].outcome == .lost }
            if !isLost, let at = joined.unreachableAt(session: card.session, phone: card.lane.phone),
                showings.allSatisfy({ $0.at <= at })
            {
                showings.append(Showing(place: 0, at: at, isEnd: true))
            }
            guard !showings.isEmpty else { continue }
            offers.sort { $0.place < $1.place }
            showings.sort { $0.at < $1.at }
            let end = min(circumstances.end, account.endsAt)
            let stretches = Self.stretches(offers, showings, until: end)
            var ageing = CardAges(
                session: card.session, phone: card.lane.phone,
                tokens: account.cardTokens(session: card.session, phone: card.lane.phone), stretches: stretches)
            for outage in circumstances.outages { ageing.stretches = ageing.stretches.flatMap { $0.without(outage) } }
            let neverComes = isLost || behind.contains { joined.deliveries[$0].outcome == .excused }
            if neverComes, let last = ageing.stretches.last, last.offeredAt != nil, stretches.last?.end == end {
                ageing.leftBehindAt = end
            }
            ages.append(ageing)
        }
        return ages
    }

    private static func stretches(_ offers: [Offer], _ showings: [Showing], until end: Instant) -> [CardStretch] {
        guard let first = showings.first else { return [] }
        var stretches: [CardStretch] = []
        var offers = offers
        var shown = first.place
        var time = first.at
        func pass(to next: Instant) {
            guard next > time else { return }
            func add(_ start: Instant, _ end: Instant, behind newer: Offer?) {
                var stretch = CardStretch(start: start, end: end, offeredAt: newer?.at)
                stretch.shown = EventNumber.step(atPlace: shown)
                stretch.newer = newer.map { EventNumber.step(atPlace: $0.place) } ?? 0
                stretches.append(stretch)
            }
            if let newer = offers.filter({ $0.place > shown }).min(by: { $0.at < $1.at }), newer.at < next {
                let begin = max(time, newer.at)
                if begin > time { add(time, begin, behind: nil) }
                add(begin, next, behind: newer)
            } else {
                add(time, next, behind: nil)
            }
            time = next
        }
        if first.isEnd { return [] }
        for showing in showings.dropFirst() {
            pass(to: showing.at)
            if showing.isHandOver {
                // What the old card showed can be told to the new one from here on.
                for index in offers.indices where showing.place < offers[index].place && offers[index].place <= shown {
                    offers[index].at = max(offers[index].at, showing.at)
                }
            }
            shown = showing.isHandOver ? min(shown, showing.place) : max(shown, showing.place)
            if showing.isEnd { return stretches }
        }
        // Nothing newer was offered: what the card shows from here on is its last state.
        if offers.contains(where: { $0.place > shown }) { pass(to: end) }
        return stretches
    }
}

extension Account {
    /// By which a session's card on that phone is told something.
    fileprivate func cardTokens(session: UInt32, phone: UInt8) -> Set<TokenHash> {
        let owed = rows.filter { $0.session == session && $0.type == .liveactivity && $0.lane.phone == phone }.map(\.token)
        let told = tokenCalls.filter { call in
            call.place >> 32 == session && call.lane.phone == phone && [.activity, .start].contains(call.lane.role)
        }.map(\.token)
        return Set(owed).union(told)
    }
}

extension Histogram {
    /// Counts each age for as many milliseconds as it was seen; a growing age in steps of a 32nd of its stretch, and the
    /// greatest as it is.
    mutating func record(_ stretch: CardStretch) {
        let milliseconds = (stretch.end - stretch.start).nanoseconds / 1_000_000
        guard milliseconds > 0 else { return }
        guard let offeredAt = stretch.offeredAt else { return record(0, count: milliseconds) }
        record(stretch.age.nanoseconds, count: 1)
        let rest = milliseconds - 1
        let parts = Swift.min(32, rest)
        let youngest = (stretch.start - offeredAt).nanoseconds
        let length = (stretch.end - stretch.start).nanoseconds
        for part in 0..<parts {
            let count = rest * (part + 1) / parts - rest * part / parts
            record(youngest + length / parts * part + length / parts / 2, count: count)
        }
    }
}
