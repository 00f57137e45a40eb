// Whether a relay keeps up: how the age of what it delivers grows with the time at which it was told. A queue that grows by ε
// a second shows only ε·T of delay after T seconds, so a gate on latency alone passes in a short run what fails in a long one.

import Basics

/// Growth of the delivery age over the sending time, in seconds a second: a line through the mean age of each second's events,
/// each beside the mean of its kind.
package struct BacklogSlope: Hashable, Sendable {
    /// The line's slope; what is delivered later and later has one above 0.
    package let slope: Double
    /// Half the width of its interval, 95 % on either side, with what neighbouring seconds have in common counted in.
    package let bound: Double
    /// Seconds of the run that it rests on.
    package let seconds: Int

    /// Fewer seconds than this tell no line from chance.
    package static let fewestSeconds = 5
    /// Growth above it is a backlog (spec/capacity.md §3).
    package static let limit = 0.01

    /// Nil where too few seconds of `range` had deliveries, or each kind had its own.
    package init?(_ ages: DeliveryAges, in range: Range<Int>) {
        let points = ages.points(in: range)
        guard points.count >= Self.fewestSeconds else { return nil }
        let count = Double(points.count)
        let (meanX, meanY) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        guard spread > 1e-9 else { return nil }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
        let rests = points.map { $0.y - meanY - slope * ($0.x - meanX) }
        let squares = rests.reduce(0) { $0 + $1 * $1 }
        // A second behind a slow one is slow as well: so many fewer of them speak for themselves (AR(1)).
        let lagged = zip(rests, rests.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
        let echo = squares > 0 ? min(max(0, lagged / squares), 0.9) : 0
        let error = (squares / (count - 2) / spread * (1 + echo) / (1 - echo)).squareRoot()
        self.slope = slope
        bound = Self.quantile(freedom: points.count - 2) * error
        seconds = points.count
    }

    /// Below it the growth is not, as far as chance lets it be known.
    package var least: Double { slope - bound }

    /// The 95 % quantile of Student's distribution (Abramowitz and Stegun 26.7.5), to within a hundredth from 3 degrees on.
    private static func quantile(freedom: Int) -> Double {
        let (z, n) = (1.6448536, Double(freedom))
        let (cube, fifth) = (z * z * z, z * z * z * z * z)
        let third = (3 * fifth * z * z + 19 * fifth + 17 * cube - 15 * z) / 384
        return z + (cube + z) / (4 * n) + (5 * fifth + 16 * cube + 3 * z) / (96 * n * n) + third / (n * n * n)
    }
}
