// How sure a percentile of a histogram is: the order statistics between which it lies, by the binomial distribution.

import Glibc
package import Metrics

/// A percentile in nanoseconds with the values at the ranks that hold it with 95 %. That takes the samples as independent of
/// each other, which those of one run are not quite.
package struct RankedPercentile: Hashable, Sendable {
    package var value: Int64
    package var low: Int64
    package var high: Int64

    /// Nil for an empty histogram. `percentile` is between 0 and 100.
    package init?(_ percentile: Double, of histogram: Histogram) {
        guard histogram.count > 0 else { return nil }
        value = histogram.value(at: percentile)
        let ranks = Self.ranks(percentile / 100, of: histogram.count)
        func at(_ rank: Int64) -> Int64 { histogram.value(at: 100 * Double(rank) / Double(histogram.count)) }
        low = min(value, at(ranks.lowerBound))
        high = max(value, at(ranks.upperBound))
    }

    /// The ranks, from 1 to `count`, whose values hold the `share`-quantile with at least 95 % between them: each end is missed
    /// with at most 2.5 %. Where there are too few samples for that, the end is that of the samples.
    package static func ranks(_ share: Double, of count: Int64) -> ClosedRange<Int64> {
        let low = quantile(0.025, count, share)
        let high = quantile(0.975, count, share) + 1
        return max(1, min(low, count))...max(1, min(high, count))
    }

    /// The smallest number of successes of `count` that is not exceeded with at least that chance.
    private static func quantile(_ chance: Double, _ count: Int64, _ share: Double) -> Int64 {
        let n = Double(count)
        func logMass(_ k: Double) -> Double {
            lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share)
        }
        // Beyond ten deviations there is nothing that would count.
        let reach = 10 * (n * share * (1 - share)).squareRoot() + 10
        var k = max(0, (n * share - reach).rounded(.down))
        var below = exp(logMass(k))
        while below < chance, k < n {
            k += 1
            below += exp(logMass(k))
        }
        return Int64(k)
    }
}
