// When the requests of an open bench are due: evenly spaced over all its loops, whatever the peer answers.

import Basics

struct BenchPace: Sendable {
    private let first: Instant
    /// Nanoseconds between two requests of this loop.
    private let gap: Double

    /// `rate`: requests a second over all of `count` loops, above 0.
    init(rate: Double, index: Int, of count: Int, start: Instant) {
        gap = 1e9 * Double(count) / rate
        first = start + Interval(nanoseconds: Int64(1e9 * Double(index) / rate))
    }

    func instant(_ position: Int) -> Instant { first + Interval(nanoseconds: Int64((Double(position) * gap).rounded())) }

    /// How many are due before `end`.
    func count(before end: Instant) -> Int { max(0, Int((Double((end - first).nanoseconds) / gap).rounded(.up))) }
}
