// The statistics against scipy's: the tables are what `oracle.py` in this folder prints (scipy 1.10.1, numpy's default
// generator, seed 34). How each figure is made stands there.

import Basics
import Glibc
import Testing

@testable import Comparison

@Suite("exact tests by rearrangement")
struct RearrangementsTests {
    private typealias Row = (base: [Double], new: [Double], p: Double, low: Double, high: Double, shift: Double)
    private typealias PairRow = (pairs: [Double], p: Double, low: Double, high: Double, shift: Double)

    private let samples: [Row] = [
        ([-0.001, -0.038, 0.077, 0.014, 0.019], [-0.006, 0.002, 0.01, 0.006, -0.018], 0.515873, -0.060000, 0.025500, -0.012000),
        ([0.018, 0.015, -0.004, -0.022, -0.026], [0.07, 0.108, 0.089, 0.126, 0.073], 0.007937, 0.063000, 0.131500, 0.095000),
        ([0.022, 0.001, -0.017, 0.031, 0.005], [0.074, 0.083, 0.065, 0.035, 0.056, 0.08], 0.004329, 0.032, 0.082, 0.0565),
        (
            [-0.019, 0.016, -0.006, -0.014], [-0.097, -0.112, -0.088, -0.069, -0.139, -0.092, -0.074], 0.006061, -0.123, -0.062,
            -0.0855
        ),
        ([-0.012, 0.022, -0.024], [0.221, 0.224, 0.211], 0.100000, -.infinity, .infinity, 0.233000),
        (
            [-0.023, 0.052, -0.008, 0.015, -0.03, -0.022], [0.031, -0.022, 0.033, 0.071, -0.023, 0.011], 0.339827, -0.024333,
            0.063333, 0.0185
        ),
        ([0.024, -0.011, 0.024, 0.004, -0.051], [-0.048, 0.021, 0.056, 0.004, 0.065], 0.428571, -0.037000, 0.074000, 0.032000),
    ]

    private let pairs: [PairRow] = [
        ([0.035, 0.124, 0.091, 0.094, 0.084], 0.062500, -.infinity, .infinity, 0.089000),
        ([0.072, 0.095, 0.054, 0.135, 0.052, 0.122], 0.031250, 0.052000, 0.135000, 0.088000),
        ([0.056, 0.046, 0.123, 0.113, 0.102, 0.169, 0.069], 0.015625, 0.056000, 0.141000, 0.093500),
        ([0.066, 0.042, 0.098, -0.013, 0.015, 0.009, -0.006], 0.109375, -0.006000, 0.070000, 0.027500),
        ([-0.061, -0.01, -0.012, -0.037, -0.01, -0.069, 0.055, 0.019], 0.296875, -0.049000, 0.021333, -0.011500),
        ([-0.013, 0.008, -0.035, -0.047, -0.043, -0.051, -0.039, 0.021, -0.04], 0.023438, -0.045000, -0.005750, -0.030000),
        ([0.094, 0.056, 0.115, 0.018, 0.011, 0.014, -0.047, 0.069, 0.057, 0.044], 0.019531, 0.009000, 0.075667, 0.043500),
    ]

    @Test("give the chance, the interval and the estimate that scipy gives, of two samples")
    func twoSamples() {
        for row in samples {
            let all = Rearrangements(base: row.base, new: row.new, chance: Seed(1))
            #expect(all.isExact)
            expect(all, row.p, row.low, row.high)
            #expect(abs(Estimates.shift(base: row.base, new: row.new) - row.shift) < 1e-6)
        }
    }

    @Test("and of pairs")
    func ofPairs() {
        for row in pairs {
            let all = Rearrangements(pairs: row.pairs, chance: Seed(1))
            #expect(all.isExact)
            expect(all, row.p, row.low, row.high)
            #expect(abs(Estimates.shift(pairs: row.pairs) - row.shift) < 1e-6)
        }
    }

    private func expect(_ all: Rearrangements, _ p: Double, _ low: Double, _ high: Double) {
        #expect(abs(all.pValue - p) < 1e-6)
        let interval = all.interval(alpha: 0.05)
        #expect(interval.lowerBound == low || abs(interval.lowerBound - low) < 1e-6, "\(interval) \(low)")
        #expect(interval.upperBound == high || abs(interval.upperBound - high) < 1e-6, "\(interval) \(high)")
    }

    @Test("are drawn by chance where they are too many, and say much the same")
    func drawn() {
        var generator = Seed(5).generator()
        let many = (0..<30).map { _ in 0.015 + 0.03 * generator.normal() }
        let pairs = Rearrangements(pairs: many, chance: Seed(1))
        #expect(!pairs.isExact)
        // The mean of thirty over its own deviation is nearly normal.
        let mean = many.reduce(0, +) / 30
        let deviation = (many.reduce(0) { $0 + $1 * $1 }).squareRoot() / 30
        #expect(abs(pairs.pValue - erfc(abs(mean) / deviation / 2.0.squareRoot())) < 0.02, "\(pairs.pValue)")
        #expect(pairs.interval(alpha: 0.05).contains(mean))
        let runs = Rearrangements(base: many, new: many.map { $0 + 0.1 }, chance: Seed(1))
        #expect(!runs.isExact)
        #expect(runs.pValue < 0.001)
        #expect(runs.interval(alpha: 0.05).contains(0.1))
        #expect(Rearrangements(pairs: many, chance: Seed(1)).pValue == pairs.pValue)
    }

    @Test("of equal figures show nothing")
    func equal() {
        let all = Rearrangements(base: [2, 2, 2, 2, 2], new: [2, 2, 2, 2, 2], chance: Seed(1))
        #expect(all.pValue == 1)
        #expect(all.interval(alpha: 0.05) == 0...0)
    }

    @Test("know what they can show at most")
    func least() {
        #expect(Rearrangements.leastP(pairs: 5) == 0.0625)
        #expect(Rearrangements.leastP(pairs: 7) == 0.015625)
        #expect(abs(Rearrangements.leastP(base: 5, new: 5) - 2.0 / 252) < 1e-12)
        #expect(abs(Rearrangements.leastP(base: 4, new: 7) - 2.0 / 330) < 1e-12)
    }

    @Test("Holm's correction is that of its definition")
    func holm() {
        for (chances, adjusted) in [
            ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]), ([0.5], [0.5]), ([0.2, 0.01, 0.01, 0.9], [0.4, 0.04, 0.04, 0.9]),
        ] {
            for (one, other) in zip(Estimates.holm(chances), adjusted) { #expect(abs(one - other) < 1e-12) }
        }
    }

    @Test("a median is the middle one, or between the two in the middle")
    func median() {
        #expect(Estimates.median([3, 1, 2]) == 2)
        #expect(Estimates.median([4, 1, 2, 3]) == 2.5)
        #expect(Estimates.median([]).isNaN)
    }
}
