// Whether a relay keeps up: how the age of what it delivers grows with the time at which it was told. A queue that grows by ε a
// second shows only ε·T of delay after T seconds, so a gate on latency alone passes in a short run what fails in a long one.

import Basics
import Glibc

/// Growth of the delivery age over the sending time, in seconds a second: a line through the mean age of each second's events,
/// each beside the mean of its kind. Where that hides one kind that falls behind, or the part of a kind that does, the line is
/// theirs.
package struct BacklogSlope: Hashable, Sendable {
    /// What falls behind.
    package enum Part: Hashable, Sendable {
        /// What is delivered, all in all.
        case all
        /// One kind of call: its mean.
        case kind(Int)
        /// The oldest of each second, of one kind of call.
        case oldest(Int)

        /// Nil: all of them.
        package var kind: Int? {
            switch self {
            case .all: nil
            case .kind(let kind), .oldest(let kind): kind
            }
        }
    }

    package let part: Part
    /// The line's slope; what is delivered later and later has one above 0.
    package let slope: Double
    /// Half the width of its interval, 95 % on either side, with what neighbouring seconds have in common counted in.
    package let bound: Double
    /// Seconds of the run that it rests on.
    package let seconds: Int

    /// Fewer seconds than this tell no line from chance.
    package static let fewestSeconds = 5
    /// And of a part, which is one of many (our choice).
    private static let fewestOfPart = 8
    /// Growth above it is a backlog (docs/capacity.md).
    package static let limit = 0.01
    private static let chance = 0.05

    /// Nil where too few seconds of `range` had deliveries, or each kind had its own.
    package init?(_ ages: DeliveryAges, in range: Range<Int>) {
        guard let whole = Self(ages.points(in: range), .all, chance: Self.chance) else { return nil }
        let parts = (0..<ages.kinds(in: range)).flatMap { kind in
            [
                (part: Part.kind(kind), points: ages.means(of: kind, in: range)),
                (part: .oldest(kind), points: ages.oldest(of: kind, in: range)),
            ]
        }.filter { $0.points.count >= Self.fewestOfPart }
        let behind = parts.compactMap { part, points -> Self? in
            // Of so many looks one is off by chance.
            guard let line = Self(points, part, chance: Self.chance / Double(parts.count)), line.least > Self.limit,
                // What rises and then stays, such as the fill of a window, is no backlog: that grows to the end.
                let end = Self(points.suffix(max(Self.fewestSeconds, points.count / 3)), part, chance: Self.chance),
                end.slope > Self.limit
            else { return nil }
            return line
        }
        self = whole.least > Self.limit ? whole : behind.max { $0.least < $1.least } ?? whole
    }

    /// The line through points of seconds; `chance`: that it is less than `least` all the same.
    private init?(_ points: some Collection<(x: Double, y: Double)>, _ part: Part, chance: Double) {
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
        self.part = part
        self.slope = slope
        bound = Self.quantile(beyond: chance, freedom: points.count - 2) * error
        seconds = points.count
    }

    /// Below it the growth is not, as far as chance lets it be known.
    package var least: Double { slope - bound }

    /// What Student's distribution exceeds by `chance` (Abramowitz and Stegun 26.2.23 and 26.7.5), to within a hundredth of 5 %
    /// from 3 degrees on.
    private static func quantile(beyond chance: Double, freedom: Int) -> Double {
        let t = log(1 / (chance * chance)).squareRoot()
        let z = t - (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
        let n = Double(freedom)
        let (cube, fifth) = (z * z * z, z * z * z * z * z)
        let third = (3 * fifth * z * z + 19 * fifth + 17 * cube - 15 * z) / 384
        return z + (cube + z) / (4 * n) + (5 * fifth + 16 * cube + 3 * z) / (96 * n * n) + third / (n * n * n)
    }
}
