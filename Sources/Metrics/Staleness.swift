// How old what a card shows is: 0 while the newest offered state is shown, else now minus the offer of the first state
// newer than the shown one. Weighted by time over cards that live (docs/reports say how it is drawn).

import Basics
import Pushes

/// The stretches in which a card's age is 0 or grows with the clock.
struct CardAges {
    /// From `start` to `end`; `offeredAt` nil: what is shown is the newest.
    struct Stretch: Hashable {
        var start: Instant
        var end: Instant
        var offeredAt: Instant?

        /// What of it lies before the outage and after it.
        func without(_ outage: Circumstances.Outage) -> [Stretch] {
            guard outage.from < end, start < outage.until else { return [self] }
            var parts: [Stretch] = []
            if start < outage.from { parts.append(Stretch(start: start, end: outage.from, offeredAt: offeredAt)) }
            if outage.until < end { parts.append(Stretch(start: outage.until, end: end, offeredAt: offeredAt)) }
            return parts
        }
    }

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
    static func stretches(of joined: JoinedAccount, _ circumstances: Circumstances) -> [Stretch] {
        var stretches: [Stretch] = []
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
            // Nothing may be pushed there any more.
            let card = account.rows[rows[0]]
            if let at = joined.unreachableAt(session: card.session, phone: card.lane.phone),
                showings.allSatisfy({ $0.at <= at })
            {
                showings.append(Showing(place: 0, at: at, isEnd: true))
            }
            offers.sort { $0.place < $1.place }
            showings.sort { $0.at < $1.at }
            stretches += Self.stretches(offers, showings, until: min(circumstances.end, account.endsAt))
        }
        for outage in circumstances.outages { stretches = stretches.flatMap { $0.without(outage) } }
        return stretches
    }

    private static func stretches(_ offers: [Offer], _ showings: [Showing], until end: Instant) -> [Stretch] {
        guard let first = showings.first else { return [] }
        var stretches: [Stretch] = []
        var offers = offers
        var shown = first.place
        var time = first.at
        func pass(to next: Instant) {
            guard next > time else { return }
            if let newer = offers.lazy.filter({ $0.place > shown }).map(\.at).min(), newer < next {
                let begin = max(time, newer)
                if begin > time { stretches.append(Stretch(start: time, end: begin, offeredAt: nil)) }
                stretches.append(Stretch(start: begin, end: next, offeredAt: newer))
            } else {
                stretches.append(Stretch(start: time, end: next, offeredAt: nil))
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

extension Histogram {
    /// Counts each age for as many milliseconds as it was seen; a growing age in steps of a 32nd of its stretch.
    mutating func record(_ stretch: CardAges.Stretch) {
        let milliseconds = (stretch.end - stretch.start).nanoseconds / 1_000_000
        guard milliseconds > 0 else { return }
        guard let offeredAt = stretch.offeredAt else { return record(0, count: milliseconds) }
        let parts = Swift.min(32, milliseconds)
        let youngest = (stretch.start - offeredAt).nanoseconds
        let length = (stretch.end - stretch.start).nanoseconds
        for part in 0..<parts {
            let count = milliseconds * (part + 1) / parts - milliseconds * part / parts
            record(youngest + length / parts * part + length / parts / 2, count: count)
        }
    }
}
