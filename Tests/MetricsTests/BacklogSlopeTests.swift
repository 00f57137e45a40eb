// Whether a growing age is told from chance.

import Basics
import Testing

@testable import Metrics

@Suite("The slope of a backlog")
struct BacklogSlopeTests {
    /// A row for each second, with so many deliveries of that mean age in seconds.
    private func rows(_ ages: [Double], deliveries: Int = 100) -> [SeriesRow] {
        ages.enumerated().map { second, age in
            var row = SeriesRow(second: second)
            row.deliveries = age < 0 ? 0 : deliveries
            row.deliveryMicroseconds = Int(max(0, age) * 1e6) * deliveries
            return row
        }
    }

    /// Worked out by hand, with 1.94318 as the 95 % quantile of t; residuals that alternate widen nothing.
    @Test("is the line's through the ages of each second, with its bound")
    func line() throws {
        let steady = try #require(BacklogSlope(rows([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), in: 0..<6))
        #expect(abs(steady.slope - 0.1) < 1e-9 && steady.bound < 1e-6 && steady.seconds == 6)
        let ages = [0.10, 0.08, 0.13, 0.09, 0.12, 0.10, 0.11, 0.12]
        let noisy = try #require(BacklogSlope(rows(ages), in: 0..<8))
        #expect(abs(noisy.slope - 0.002738) < 1e-6)
        #expect(abs(noisy.bound - 1.94318 * 0.002576) < 3e-5, "\(noisy.bound)")
        #expect(noisy.least < 0)
    }

    @Test("has a wider bound where slow seconds follow each other")
    func echo() throws {
        let wave = (0..<40).map { 0.1 + ($0 / 10 % 2 == 0 ? 0.02 : -0.02) }
        let shuffled = (0..<40).map { 0.1 + ($0 % 2 == 0 ? 0.02 : -0.02) }
        let (one, two) = (try #require(BacklogSlope(rows(wave), in: 0..<40)), try #require(BacklogSlope(rows(shuffled), in: 0..<40)))
        #expect(one.bound > 2 * two.bound)
    }

    @Test("is none of fewer than five seconds, nor of seconds outside, nor of those without deliveries")
    func few() {
        let ages = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
        #expect(BacklogSlope(rows(ages), in: 0..<4) == nil)
        #expect(BacklogSlope(rows(ages), in: 1..<6) != nil)
        #expect(BacklogSlope(rows([0.1, -1, 0.3, -1, 0.5, 0.6]), in: 0..<6) == nil)
        #expect(BacklogSlope([], in: 0..<9) == nil)
    }
}
