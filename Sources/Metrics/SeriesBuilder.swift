// Counts by second. Times may come in any order; the seconds before the origin count for the first one.

import Basics

struct SeriesBuilder: Sendable {
    /// A week. What comes later counts for the last second.
    private static let maxSeconds = 7 * 86_400

    /// The first instant mentioned, unless it was given.
    private(set) var origin: Instant?
    private(set) var rows: [SeriesRow] = []

    init(origin: Instant?) { self.origin = origin }

    mutating func count(_ instant: Instant, _ column: WritableKeyPath<SeriesRow, Int>) {
        rows[second(of: instant)][keyPath: column] += 1
    }

    /// The second since the origin; makes sure that its row is there.
    mutating func second(of instant: Instant) -> Int {
        let origin = origin ?? instant
        self.origin = origin
        let (distance, overflow) = instant.nanoseconds.subtractingReportingOverflow(origin.nanoseconds)
        let second = overflow || distance < 0 ? 0 : min(Int(distance / 1_000_000_000), Self.maxSeconds - 1)
        while rows.count <= second { rows.append(SeriesRow(second: rows.count)) }
        return second
    }

    /// A stretch of a card's life, second by second.
    mutating func add(_ stretch: CardAges.Stretch) {
        var start = stretch.start
        while start < stretch.end {
            let second = second(of: start)
            let next = second + 1 < Self.maxSeconds ? (origin ?? start) + .seconds(Double(second + 1)) : stretch.end
            let end = max(start + .milliseconds(1), min(next, stretch.end))
            let milliseconds = Int((end - start).nanoseconds / 1_000_000)
            rows[second].cardMilliseconds += milliseconds
            if let offeredAt = stretch.offeredAt {
                let middle = (start - offeredAt).nanoseconds / 1_000_000 + Int64(milliseconds / 2)
                rows[second].cardAges += Int(middle) * milliseconds / 1_000
            }
            start = end
        }
    }
}
