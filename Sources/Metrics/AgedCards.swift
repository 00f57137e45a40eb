// How old the cards of a run were: over its time, all together, and the sessions whose card was oldest.

package import Basics

/// Beside the percentiles of `Correlation.staleness`, which are made of the same stretches.
package struct AgedCards: Sendable {
    /// Worst sessions that are kept.
    package static let fewWorst = 5

    /// Sessions of which a phone showed a card, and how many of these were ever behind.
    package private(set) var shown = 0
    package private(set) var behind = 0
    /// For how long cards lived, all together, and for how long of it they were behind.
    package private(set) var lived = Interval.zero
    package private(set) var behindFor = Interval.zero
    /// Ages over time, from the origin on without gaps, each so long; at most 200.
    package private(set) var placeLength = Interval.second
    package private(set) var places: [StalenessPlace] = []
    /// The oldest card of each of the worst sessions: by the greatest age, of equal ones that of the lower number.
    package private(set) var worst: [CardAges] = []

    private var series: StalenessSeries
    init(origin: Instant? = nil) { series = StalenessSeries(origin: origin) }

    /// All cards of an account.
    mutating func add(_ cards: [CardAges]) {
        shown += Set(cards.map(\.session)).count
        var oldest: [UInt32: CardAges] = [:]
        for card in cards {
            lived = lived + card.lived
            behindFor = behindFor + card.behind
            for stretch in card.stretches { series.add(stretch) }
            guard let age = card.worst?.age else { continue }
            if age > oldest[card.session]?.worst?.age ?? .zero { oldest[card.session] = card }
        }
        behind += oldest.count
        worst = Self.worst(worst + oldest.values)
    }

    private static func worst(_ cards: [CardAges]) -> [CardAges] { Array(cards.sorted(by: isWorse).prefix(fewWorst)) }

    private static func isWorse(_ a: CardAges, than b: CardAges) -> Bool {
        (b.worst?.age ?? .zero, a.session) < (a.worst?.age ?? .zero, b.session)
    }

    /// What cards that were left behind add to that, `oldest` of which are these with all their life.
    mutating func ageOn(_ stretches: [CardStretch], oldest: [CardAges]) {
        for stretch in stretches {
            lived = lived + (stretch.end - stretch.start)
            behindFor = behindFor + (stretch.end - stretch.start)
            series.add(stretch)
        }
        let aged = Set(oldest.map(\.session))
        worst = Self.worst(worst.filter { !aged.contains($0.session) } + oldest)
    }

    mutating func finish(at end: Instant?) {
        places = series.result(until: end)
        placeLength = series.length
    }
}
