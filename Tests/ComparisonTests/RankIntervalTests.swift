// The ranks are scipy's, of `oracle.py` in this folder.

import Metrics
import Testing

@testable import Comparison

@Suite("the interval of a percentile by rank")
struct RankIntervalTests {
    @Test(
        "has the ranks of the binomial distribution",
        arguments: [
            (0.5, 1, 1, 1), (0.5, 10, 2, 9), (0.5, 100, 40, 61), (0.9, 50, 41, 50), (0.99, 100, 97, 100),
            (0.99, 1000, 983, 997), (0.999, 20000, 19971, 19989), (0.5, 1_000_001, 499_021, 500_981),
        ] as [(Double, Int64, Int64, Int64)])
    func ranks(share: Double, count: Int64, low: Int64, high: Int64) {
        #expect(RankedPercentile.ranks(share, of: count) == low...high)
    }

    @Test("holds the values at these ranks")
    func values() throws {
        var histogram = Histogram()
        for value in 1...1000 { histogram.record(Int64(value)) }
        let ranked = try #require(RankedPercentile(99, of: histogram))
        #expect((ranked.low, ranked.value, ranked.high) == (983, 990, 997))
        #expect(RankedPercentile(50, of: Histogram()) == nil)
    }
}
