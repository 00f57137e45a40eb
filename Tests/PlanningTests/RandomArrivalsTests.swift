// Sessions that chance spaces are a Poisson process, and still a function of the seed alone.

import Basics
import Glibc
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

@Suite("Arrivals that chance spaces")
struct RandomArrivalsTests {
    private func arrivals(_ stages: ArrivalStage..., seed: UInt64, limit: Int = .max) -> Arrivals {
        Arrivals(stages, limit: limit, chance: Seed(seed))
    }

    /// Kolmogorov's distance of sorted shares from the uniform distribution, times the root of their number: beyond 1.95 once in
    /// a thousand.
    private func distance(_ shares: [Double]) -> Double {
        let count = Double(shares.count)
        let most = shares.enumerated().reduce(0.0) { most, share in
            max(most, abs(share.element - Double(share.offset) / count), abs(share.element - Double(share.offset + 1) / count))
        }
        return most * count.squareRoot()
    }

    @Test("have gaps as of the exponential distribution, and counts as of Poisson's", arguments: [UInt64(1), 2, 3, 4])
    func constant(seed: UInt64) {
        let arrivals = arrivals(.constant(rate: 50, duration: .seconds(400)), seed: seed)
        let starts = (0..<arrivals.count).map { arrivals.start(of: $0).seconds }
        // 20,000 are expected, with a deviation of 141.
        #expect(abs(Double(arrivals.count) - 20_000) < 141 * 4)
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 } && starts.last! <= 400 && starts[0] >= 0)
        let gaps = zip(starts, starts.dropFirst()).map { 1 - exp(-($1 - $0) * 50) }.sorted()
        #expect(distance(gaps) < 1.95, "gaps")
        #expect(distance(starts.map { $0 / 400 }) < 1.95, "places")
        // Neighbouring gaps know nothing of each other.
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let inOrder = zip(starts, starts.dropFirst()).map { 1 - exp(-($1 - $0) * 50) - mean }
        let product = zip(inOrder, inOrder.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
        let variance = inOrder.reduce(0) { $0 + $1 * $1 }
        #expect(abs(product / variance) < 4 / Double(gaps.count).squareRoot(), "neighbours")
        // Variance over mean of counts is 1; of 2,000 windows its deviation is √(2/2000).
        for windows in [2_000, 400] {
            var counts = [Double](repeating: 0, count: windows)
            for start in starts { counts[min(windows - 1, Int(start / 400 * Double(windows)))] += 1 }
            let mean = Double(starts.count) / Double(windows)
            let dispersion = counts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(windows - 1) / mean
            #expect(abs(dispersion - 1) < 4 * (2 / Double(windows)).squareRoot(), "\(windows): \(dispersion)")
        }
    }

    @Test("follow a rate that changes, by its integral")
    func ramp() {
        let arrivals = arrivals(.ramp(from: 0, to: 400, duration: .seconds(50)), seed: 9)
        let shares = (0..<arrivals.count).map { pow(arrivals.start(of: $0).seconds / 50, 2) }
        #expect(abs(Double(arrivals.count) - 10_000) < 400)
        #expect(distance(shares) < 1.95)
    }

    @Test("are as many as Poisson's distribution has it", arguments: [0.5, 4, 12, 60, 3_000])
    func counts(mean: Double) {
        let draws = (0..<4_000).map { seed in
            Double(arrivals(.constant(rate: mean, duration: .seconds(1)), seed: UInt64(seed)).count)
        }
        let average = draws.reduce(0, +) / 4_000
        let variance = draws.reduce(0) { $0 + ($1 - average) * ($1 - average) } / 3_999
        #expect(abs(average - mean) < 4 * (mean / 4_000).squareRoot(), "\(average)")
        // The variance of a sample's variance is about (2 + 1/mean) · mean² / n.
        #expect(abs(variance / mean - 1) < 4 * ((2 + 1 / mean) / 4_000).squareRoot(), "\(variance)")
        guard mean < 100 else { return }
        // Each number as often as it should be, by chi squared over those that are expected at least ten times.
        var (probability, sum, cells, left) = (exp(-mean), 0.0, 0, 4_000.0)
        for number in 0..<200 {
            if number > 0 { probability *= mean / Double(number) }
            let wanted = probability * 4_000
            guard wanted >= 10 else { continue }
            let seen = Double(draws.count { $0 == Double(number) })
            sum += (seen - wanted) * (seen - wanted) / wanted
            cells += 1
            left -= wanted
        }
        #expect(sum < Double(cells) + 4 * (2 * Double(cells)).squareRoot(), "\(sum) over \(cells)")
    }

    @Test("leave bursts and pauses where they are, and are drawn stage by stage")
    func mixed() {
        let mixed = arrivals(
            .constant(rate: 20, duration: .seconds(10)), .burst(30), .constant(rate: 0, duration: .seconds(5)),
            .constant(rate: 0.001, duration: .seconds(1)), .constant(rate: 20, duration: .seconds(10)), seed: 5)
        let starts = (0..<mixed.count).map { mixed.start(of: $0).seconds }
        #expect(starts.count { $0 == 10 } == 30 && !starts.contains { $0 > 10 && $0 < 15 })
        let alone = arrivals(.constant(rate: 20, duration: .seconds(10)), seed: 5)
        #expect(Array(starts.prefix(alone.count)) == (0..<alone.count).map { alone.start(of: $0).seconds })
        #expect(starts.filter { $0 > 16 }.map { $0 - 16 } != Array(starts.prefix(alone.count)), "each stage has chance of its own")
        #expect(arrivals(.constant(rate: 20, duration: .seconds(10)), seed: 5, limit: 7).count == 7)
    }

    @Test("cost no more of a hundred million than of a few")
    func many() {
        let many = arrivals(.constant(rate: 1e5, duration: .seconds(1_000)), seed: 3)
        #expect(abs(Double(many.count) - 1e8) < 4e4)
        var last = Interval.zero
        for place in stride(from: 0, to: many.count, by: many.count / 5_000) {
            let start = many.start(of: place)
            #expect(start >= last && abs(start.seconds - Double(place) / 1e5) < 0.5)
            last = start
        }
        var near = many.start(of: 50_000_000)
        for place in 50_000_001..<50_001_000 {
            #expect(many.start(of: place) >= near)
            near = many.start(of: place)
        }
    }

    @Test("belong to the seed, whatever the run and the shard")
    func plans() {
        var scenario = Knobs.scenario(arrivals: [.constant(rate: 40, duration: .seconds(5))], sessionsPerUser: 3)
        scenario.workload.spacing = .poisson
        let whole = Knobs.plan(scenario)
        #expect(Knobs.plan(scenario, run: 8).digest() == whole.digest())
        #expect(Knobs.plan(scenario, seed: 2).digest() != whole.digest())
        let starts = (0..<whole.sessionCount).map { whole.start(of: $0) }
        #expect(starts != (0..<whole.sessionCount).map { .milliseconds(Int64($0) * 25) })
        var dealt: [UInt32: Interval] = [:]
        for index in 0..<4 {
            let part = Knobs.plan(scenario, shard: Shard(index: index, count: 4))
            for place in 0..<part.sessionCount { dealt[part.sessionNumber(place)] = part.start(of: place) }
        }
        #expect(dealt.count == whole.sessionCount && starts.indices.allSatisfy { dealt[UInt32($0)] == starts[$0] })
    }
}
