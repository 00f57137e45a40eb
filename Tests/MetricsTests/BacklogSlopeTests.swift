// Whether a growing age is told from chance.

import Basics
import Glibc
import Testing

@testable import Metrics

@Suite("The slope of a backlog")
struct BacklogSlopeTests {
    /// For each second so many deliveries of that mean age in seconds; less than 0: none.
    private func rows(_ values: [Double], deliveries: Int = 100) -> DeliveryAges {
        var ages = DeliveryAges()
        for (second, value) in values.enumerated() where value >= 0 {
            ages.add(microseconds: Int(value * 1e6) * deliveries, count: deliveries, kind: 0, second: second)
        }
        return ages
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
        #expect(BacklogSlope(DeliveryAges(), in: 0..<9) == nil)
    }

    /// Starts come first and take 0.1 s, ends come last and take 1 s: nobody falls behind.
    @Test("is of each kind by itself, however the mix of them changes", arguments: [0.0, 0.05])
    func kinds(growth: Double) throws {
        var ages = DeliveryAges()
        for second in 0..<12 {
            for (kind, count, base) in [(0, 12 - second, 0.1), (3, second, 1.0)] where count > 0 {
                let age = base + growth * Double(second)
                ages.add(microseconds: Int((age * 1e6).rounded()) * count, count: count, kind: kind, second: second)
            }
        }
        let slope = try #require(BacklogSlope(ages, in: 0..<12))
        #expect(abs(slope.slope - growth) < 1e-6 && slope.bound < 1e-6 && slope.seconds == 12)
    }

    @Test("is not known where each kind has a second of its own")
    func apart() {
        var ages = DeliveryAges()
        for second in 0..<9 { ages.add(microseconds: second * 1_000_000, kind: second, second: second) }
        #expect(BacklogSlope(ages, in: 0..<9) == nil)
    }

    /// Of a thousand deliveries a second two are of a kind that falls behind; the mean of all hides it.
    @Test("is that of the kind that falls behind, however small its share", arguments: [0, 0.3])
    func hidden(growth: Double) throws {
        var (ages, noise) = (DeliveryAges(), Seed(5).generator())
        for second in 0..<25 {
            for _ in 0..<1_000 { ages.add(microseconds: 20_000 + Int(noise.unit() * 40_000), kind: 0, second: second) }
            for _ in 0..<2 {
                let age = 0.5 + growth * (Double(second) + noise.unit())
                ages.add(microseconds: Int(age * 1e6), kind: 1, second: second)
            }
        }
        let slope = try #require(BacklogSlope(ages, in: 0..<25))
        #expect(slope.part.kind == (growth > 0 ? 1 : nil) && (slope.least > BacklogSlope.limit) == (growth > 0), "\(slope)")
    }

    /// One in fifty of the same kind waits in a queue of its own.
    @Test("is that of the oldest, where only a part of one kind falls behind", arguments: [0, 0.3])
    func oldest(growth: Double) throws {
        var (ages, noise) = (DeliveryAges(), Seed(6).generator())
        for second in 0..<25 {
            for number in 0..<50 {
                let age = number == 0 ? 0.5 + growth * (Double(second) + noise.unit()) : 0.02 + 0.04 * noise.unit()
                ages.add(microseconds: Int(age * 1e6), kind: 0, second: second)
            }
        }
        let slope = try #require(BacklogSlope(ages, in: 0..<25))
        #expect((slope.least > BacklogSlope.limit) == (growth > 0), "\(slope)")
    }

    /// A window of seconds fills, and then stays full.
    @Test("is none of what rises and then stays")
    func plateau() throws {
        var ages = DeliveryAges()
        for second in 0..<60 {
            ages.add(microseconds: 40_000 * 999, count: 999, kind: 0, second: second)
            ages.add(microseconds: min(second, 33) * 400_000 + 100_000, kind: 1, second: second)
        }
        let slope = try #require(BacklogSlope(ages, in: 0..<60))
        #expect(slope.part == .all && slope.least < BacklogSlope.limit, "\(slope)")
    }

    /// Ten kinds whose ages are log-normal, one in twenty five times as old.
    @Test("is seldom one of a steady relay, whose parts are many", arguments: [10, 25, 60])
    func alarms(seconds: Int) {
        var (noise, alarms, known) = (Seed(UInt64(seconds)).generator(), 0, 0)
        for _ in 0..<400 {
            var ages = DeliveryAges()
            for second in 0..<seconds {
                for kind in 0..<10 {
                    for _ in 0..<(kind * 3 + 1) {
                        let age = 0.05 * exp(0.8 * noise.normal()) * (noise.unit() < 0.05 ? 5 : 1)
                        ages.add(microseconds: Int(age * 1e6), kind: kind, second: second)
                    }
                }
            }
            guard let slope = BacklogSlope(ages, in: 0..<seconds) else { continue }
            known += 1
            if slope.least > BacklogSlope.limit { alarms += 1 }
        }
        #expect(known == 400 && alarms <= 12, "\(alarms)")
    }
}
