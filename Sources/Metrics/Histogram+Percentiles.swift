// Percentiles as HdrHistogram defines them: the smallest bucket up to which the asked share of all values lies.

import Glibc

extension Histogram {
    /// `percentile` is in 0...100; what lies outside is taken for the nearest. The highest value of the bucket, for
    /// percentile 0 the lowest. 0 when empty.
    package func value(at percentile: Double) -> Int64 {
        // A step down, so that a share that is a whole number of values is not rounded up to the next.
        let requested = Swift.min(Swift.max(percentile.nextDown, 0), 100)
        let wanted = Swift.max(Int64((requested * Double(count) / 100).rounded(.up)), 1)
        var seen: Int64 = 0
        for index in counts.indices where counts[index] != 0 {
            seen += counts[index]
            guard seen >= wanted else { continue }
            return percentile == 0 ? Layout.lowestValue(at: index) : Layout.highestValue(at: index)
        }
        return 0
    }

    /// The curve from 0 to 100 %, with `ticksPerHalfDistance` points for each halving of the way that is left to 100 %:
    /// the level asked for, the value there, and how many values lie up to it. Empty when the histogram is.
    package func percentileSpectrum(
        ticksPerHalfDistance: Int = 5
    ) -> [(percentile: Double, value: Int64, cumulative: Int64)] {
        precondition(ticksPerHalfDistance > 0, "a spectrum has ticks")
        guard let last = lastIndex else { return [] }
        var points: [(percentile: Double, value: Int64, cumulative: Int64)] = []
        var level = 0.0
        var seen: Int64 = 0
        for index in 0...last where counts[index] != 0 {
            seen += counts[index]
            let reached = 100 * Double(seen) / Double(count)
            while level <= reached {
                points.append((level, Layout.highestValue(at: index), seen))
                if level >= 100 { return points }
                let halvings = (log(100 / (100 - level)) / log(2)).rounded(.towardZero) + 1
                level += 100 / (Double(ticksPerHalfDistance) * pow(2, halvings))
                if seen == count { break }
            }
        }
        points.append((100, Layout.highestValue(at: last), seen))
        return points
    }

    /// How many values lie in buckets that end there or before, in nanoseconds: none of them is greater.
    package func count(upTo nanoseconds: Int64) -> Int64 {
        guard nanoseconds >= 0 else { return 0 }
        let bound = Swift.min(nanoseconds, Layout.highestTrackable)
        let last = Layout.index(of: bound)
        return counts[..<last].reduce(0, +) + (Layout.highestValue(at: last) <= nanoseconds ? counts[last] : 0)
    }

    /// All values together, in nanoseconds, by the middles of the buckets. Never goes down as values are recorded.
    package var sum: Double { mean * Double(count) }

    /// The share of values of at most that many nanoseconds, by buckets; 1 when empty.
    package func share(upTo nanoseconds: Int64) -> Double {
        guard count > 0 else { return 1 }
        let end = Layout.index(of: Swift.min(Swift.max(nanoseconds, 0), Layout.highestTrackable))
        return Double(counts[...end].reduce(0, +)) / Double(count)
    }
}
