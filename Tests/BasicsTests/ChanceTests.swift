// Chance: the same seed gives the same numbers on every machine, and distributions have the means they name.

import Basics
import Testing

struct ChanceTests {
    @Test func oneSeedGivesOneSequenceOnEveryMachine() {
        var generator = Seed(0).generator()
        // Published first outputs of SplitMix64 for state 0.
        #expect(generator.next() == 0xE220_A839_7B1D_CDAF)
        #expect(generator.next() == 0x6E78_9E6A_A1B9_65F4)
        #expect(generator.next() == 0x06C4_5D18_8009_454F)
    }

    @Test func childrenDifferByNameAndByNumberAndStayTheSame() {
        let seed = Seed(42)
        #expect(seed.child("sessions") == Seed(42).child("sessions"))
        #expect(seed.child("ab") != seed.child("ba"))
        #expect(seed.child("sessions") != Seed(43).child("sessions"))
        let children = Set((0..<10_000).map { seed.child(UInt64($0)) })
        #expect(children.count == 10_000)
    }

    @Test func theUnitsOfNumberedChildrenAreSpreadEvenly() {
        var bins = [Int](repeating: 0, count: 10)
        for number in 0..<20_000 { bins[Int(Seed(3).child(UInt64(number)).unit * 10)] += 1 }
        for bin in bins { #expect(1_800...2_200 ~= bin) }
    }

    @Test(
        arguments: [
            .constant(3), .uniform(2, 6), .exponential(mean: 5), .logNormal(median: 10, p95: 30),
        ] as [Distribution])
    func aDistributionHasTheMeanItStatesAndNoNegativeDraws(distribution: Distribution) {
        var generator = Seed(1).child("\(distribution)").generator()
        var sum = 0.0
        let count = 100_000
        for _ in 0..<count {
            let draw = distribution.sample(&generator)
            #expect(draw >= 0)
            sum += draw
        }
        #expect(abs(sum / Double(count) / distribution.mean - 1) < 0.02)
    }

    @Test(arguments: [
        Distribution.constant(4), .uniform(2, 6), .exponential(mean: 4), .normal(mean: 4, deviation: 1),
        .logNormal(median: 4, p95: 8),
    ])
    func aDistributionIsDividedAsIfEachDrawWere(distribution: Distribution) {
        var (whole, part) = (Seed(7).generator(), Seed(7).generator())
        for _ in 0..<100 {
            let difference = distribution.sample(&whole) / 4 - distribution.divided(by: 4).sample(&part)
            #expect(abs(difference) < 1e-9)
        }
    }

    @Test func aLogNormalDistributionHasTheMedianAndThe95thPercentileItIsGivenBy() {
        var generator = Seed(5).generator()
        let draws = (0..<100_000).map { _ in Distribution.logNormal(median: 10, p95: 30).sample(&generator) }.sorted()
        #expect(abs(draws[50_000] / 10 - 1) < 0.02)
        #expect(abs(draws[95_000] / 30 - 1) < 0.03)
    }

    @Test func theSameGeneratorDrawsTheSameSamples() {
        var one = Seed(9).generator()
        var other = Seed(9).generator()
        for _ in 0..<100 {
            #expect(Distribution.exponential(mean: 1).sample(&one) == Distribution.exponential(mean: 1).sample(&other))
        }
    }
}
