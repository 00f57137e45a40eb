// Counts by second. Times may come in any order; the seconds before the origin count for the first one.

import Basics

struct SeriesBuilder: Sendable {
    /// A week. What comes later counts for the last second.
    private static let maxSeconds = 7 * 86_400

    /// The first instant mentioned, unless it was given.
    private(set) var origin: Instant?
    var rows: [SeriesRow] = []

    init(origin: Instant?) { self.origin = origin }

    /// The second since the origin; makes sure that its row is there.
    mutating func second(of instant: Instant) -> Int {
        let origin = origin ?? instant
        self.origin = origin
        let (distance, overflow) = instant.nanoseconds.subtractingReportingOverflow(origin.nanoseconds)
        let second = overflow || distance < 0 ? 0 : min(Int(distance / 1_000_000_000), Self.maxSeconds - 1)
        while rows.count <= second { rows.append(SeriesRow(second: rows.count)) }
        return second
    }

    /// A push that was accepted so long after its event was planned.
    mutating func add(delivery latency: Interval, plannedAt: Instant) {
        let second = second(of: plannedAt)
        let microseconds = Int(max(0, latency.nanoseconds / 1_000))
        rows[second].deliveries += 1
        rows[second].deliveryMicroseconds += microseconds
        rows[second].slowestMicroseconds = max(rows[second].slowestMicroseconds, microseconds)
    }

    /// A stretch of a card's life, second by second.
    mutating func add(_ stretch: CardStretch) {
        let last = stretch.end.nanoseconds
        var start = stretch.start.nanoseconds
        while start < last {
            let second = second(of: Instant(nanoseconds: start))
            let next = (origin?.nanoseconds ?? start) + Int64(second + 1) * 1_000_000_000
            var end = second + 1 < Self.maxSeconds && next < last ? next : last
            if end < start + 1_000_000 { end = start + 1_000_000 }
            let milliseconds = Int((end - start) / 1_000_000)
            rows[second].cardMilliseconds += milliseconds
            if let offeredAt = stretch.offeredAt {
                let middle = (start - offeredAt.nanoseconds) / 1_000_000 + Int64(milliseconds / 2)
                rows[second].cardAges += Int(middle) * milliseconds / 1_000
            }
            start = end
        }
    }
}
