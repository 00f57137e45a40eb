// The promises of docs/compare.md, simulated: how often the same thing is called worse, and how often what is a tenth slower.

import Basics
import Glibc
import Testing
import Verdicts

@testable import Comparison

@Suite("simulated comparisons")
struct SimulatedTests {
    /// Printed, so that a failure can be played again.
    private static let seed: UInt64 = 34_000

    /// What noise there is: from run to run, by which the machine drifts from each run to the next, and how often a neighbour
    /// makes a run a third slower.
    private struct Noise {
        var run = 0.03
        var drift = 0.0
        var spoilt = 0.0
    }

    /// Figures of one comparison, in ABBA order where it is by pairs. Metrics of a run share half of its noise, as they do.
    private func metrics(
        _ generator: inout Generator, _ design: ComparisonRecord.Design, count: Int, factor: Double, _ noise: Noise,
        metrics: Int
    ) -> [ComparisonRecord.Metric] {
        var base = [[Double]](repeating: [], count: metrics)
        var new = base
        var drift = 0.0
        func run(_ factor: Double, _ side: inout [[Double]]) {
            drift += noise.drift * generator.normal()
            let shared = noise.run * generator.normal()
            let spoilt = generator.unit() < noise.spoilt ? log(1.33) : 0
            for metric in 0..<metrics {
                let own = (shared + noise.run * generator.normal()) / 2.0.squareRoot()
                side[metric].append(100e6 * factor * exp(drift + own + spoilt))
            }
        }
        for pair in 0..<count {
            if design == .pairs, pair % 2 == 1 {
                run(factor, &new)
                run(1, &base)
            } else {
                run(1, &base)
                run(factor, &new)
            }
        }
        return (0..<metrics).map {
            ComparisonRecord.Metric(
                name: "m\($0)", unit: .nanoseconds, base: base[$0], new: new[$0], isBetterWhenMore: false)
        }
    }

    /// How many of `sets` comparisons have a metric with that word.
    private func count(
        _ word: ComparisonRecord.Word, of sets: Int, _ design: ComparisonRecord.Design, runs: Int, factor: Double = 1,
        _ noise: Noise = Noise(), declared: Int = 3, anyOf: Bool = true
    ) -> Int {
        var generator = Seed(Self.seed).child("\(design) \(runs) \(factor) \(noise) \(declared)").generator()
        let test = MetricTest(design: design, declared: declared, chance: Seed(Self.seed))
        let found = (0..<sets).count { _ in
            var all = metrics(&generator, design, count: runs, factor: factor, noise, metrics: declared)
            for index in all.indices { test.measure(&all[index]) }
            test.decide(&all)
            return anyOf ? all.contains { $0.word == word } : all.allSatisfy { $0.word == word }
        }
        print(
            "seed \(Self.seed): \(found) of \(sets) \(word.rawValue), \(runs) \(design.rawValue), \(declared) metrics, "
                + "new at \(factor), noise \(noise.run) a run, drift \(noise.drift), spoilt \(noise.spoilt)")
        return found
    }

    /// 5 % of so many, and three deviations more: what 5 % can be in so many sets.
    private func limit(_ sets: Int) -> Int { Int(0.05 * Double(sets) + 3 * (0.05 * 0.95 * Double(sets)).squareRoot()) }

    @Test("of a thing with itself are red in at most 5 %, whatever the noise", arguments: [0.0, 0.03, 0.06])
    func falseAlarms(noise: Double) {
        let sets = 1_000
        for (design, runs, declared) in [(ComparisonRecord.Design.runs, 5, 3), (.pairs, 7, 3), (.pairs, 7, 1), (.runs, 5, 1)] {
            let noise = Noise(run: noise)
            let red = count(.worse, of: sets, design, runs: runs, noise, declared: declared)
            #expect(red <= limit(sets), "seed \(Self.seed): \(red) of \(sets) red, \(design), \(declared) metrics, \(noise)")
        }
    }

    @Test("nor where the machine drifts by 4 % a run or a neighbour spoils one in ten: pairs bear it")
    func drift() {
        let sets = 1_000
        for noise in [Noise(drift: 0.04), Noise(spoilt: 0.1), Noise(drift: 0.04, spoilt: 0.03)] {
            let red = count(.worse, of: sets, .pairs, runs: 7, noise)
            #expect(red <= limit(sets), "seed \(Self.seed): \(red) of \(sets) red, \(noise)")
        }
    }

    @Test("find a tenth more in at least 80 % with 7 pairs, or 5 runs a side, at 3 % from run to run")
    func power() {
        let sets = 1_000
        for (design, runs, declared) in [(ComparisonRecord.Design.pairs, 7, 3), (.pairs, 7, 1), (.runs, 5, 3), (.runs, 5, 1)] {
            let found = count(.worse, of: sets, design, runs: runs, factor: 1.1, declared: declared)
            #expect(found >= 800, "seed \(Self.seed): \(found) of \(sets), \(design), \(declared) metrics")
            let better = count(.better, of: sets, design, runs: runs, factor: 1 / 1.1, declared: declared)
            #expect(better >= 800, "seed \(Self.seed): \(better) of \(sets) better, \(design), \(declared) metrics")
        }
    }

    @Test("call a quiet thing the same, and one that is 2 % slower too")
    func same() {
        let quiet = Noise(run: 0.01)
        #expect(count(.same, of: 500, .pairs, runs: 7, quiet, anyOf: false) >= 450)
        #expect(count(.same, of: 500, .pairs, runs: 7, factor: 1.02, quiet, declared: 1) >= 350)
        // What is a fifth slower is never the same.
        #expect(count(.same, of: 500, .pairs, runs: 7, factor: 1.2, Noise(run: 0.03)) == 0)
    }

    @Test("too few runs are undecided, however far apart")
    func few() {
        #expect(count(.undecided, of: 100, .pairs, runs: 5, factor: 3, declared: 1) == 100)
        #expect(count(.undecided, of: 100, .runs, runs: 3, factor: 3, declared: 1) == 100)
        let test = MetricTest(design: .pairs, declared: 3, chance: Seed(1))
        #expect(!test.canShow(base: 6, new: 6) && test.canShow(base: 7, new: 7))
    }

    @Test("one run each, of seconds that hang together, is never worse within the margin")
    func oneRun() {
        var generator = Seed(Self.seed).child("one run").generator()
        let test = MetricTest(design: .single, declared: 1, chance: Seed(Self.seed))
        func seconds(_ factor: Double) -> [Double] {
            var noise = 0.0
            return (0..<60).map { _ in
                noise = 0.6 * noise + 0.08 * generator.normal()
                return 100e6 * factor * exp(noise)
            }
        }
        func word(_ factor: Double) -> ComparisonRecord.Word {
            let (one, other) = (seconds(1), seconds(factor))
            let mean = { (list: [Double]) in list.reduce(0, +) / Double(list.count) }
            var metrics = [
                ComparisonRecord.Metric(
                    name: "delivery.mean", unit: .nanoseconds, base: [mean(one)], new: [mean(other)], isBetterWhenMore: false)
            ]
            let ones = [Double](repeating: 1, count: 60)
            test.measure(&metrics[0], .ratio(sums: one, counts: ones), .ratio(sums: other, counts: ones))
            test.decide(&metrics)
            return metrics[0].word
        }
        let alarms = (0..<100).count { _ in word(1) == .worse }
        #expect(alarms <= 5, "seed \(Self.seed): \(alarms)")
        #expect((0..<40).count { _ in word(1.04) == .worse } <= 4)
        #expect((0..<20).count { _ in word(1.3) == .worse } >= 18)
    }
}
