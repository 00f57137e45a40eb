// Cards whose last state was lost, and to which nothing is owed any more: their user goes on seeing the older one. How long is
// known when the run is over, so a few words of each are kept until then.

import Basics

struct LeftBehind: Sendable {
    /// From when their account was closed; `offeredAt` is of what they lack.
    private var stretches: [CardStretch] = []
    /// With all their life: one for each of the sessions that will be the worst.
    private var oldest: [UInt32: CardAges] = [:]

    mutating func add(_ cards: [CardAges]) {
        for card in cards {
            guard let left = card.leftBehindAt, var stretch = card.stretches.last, let offeredAt = stretch.offeredAt else {
                continue
            }
            (stretch.start, stretch.end) = (left, left)
            stretches.append(stretch)
            // All of them age to the same instant.
            if let other = oldest[card.session]?.stretches.last?.offeredAt, other <= offeredAt { continue }
            oldest[card.session] = card
            guard oldest.count > AgedCards.fewWorst else { continue }
            let youngest = oldest.max { Self.key($0.value) < Self.key($1.value) }
            if let youngest { oldest[youngest.key] = nil }
        }
    }

    private static func key(_ card: CardAges) -> (Instant, UInt32) {
        (card.stretches.last?.offeredAt ?? .distantFuture, card.session)
    }

    /// What they add by `end`, without what lies in an outage of ours, and the oldest of them as they are then.
    func aged(
        to end: Instant, without outages: [Circumstances.Outage]
    ) -> (stretches: [CardStretch], oldest: [CardAges]) {
        func rest(_ stretch: CardStretch) -> [CardStretch] {
            guard stretch.start < end else { return [] }
            var stretch = stretch
            stretch.end = end
            return outages.reduce([stretch]) { rest, outage in rest.flatMap { $0.without(outage) } }
        }
        let oldest = oldest.values.map { card in
            var card = card
            if let left = card.leftBehindAt, var last = card.stretches.last {
                last.start = left
                card.stretches += rest(last)
            }
            return card
        }
        return (stretches.flatMap(rest), oldest)
    }
}
