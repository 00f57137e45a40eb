// Ages of cards over the time of a run.

import Basics
import Testing

@testable import Metrics

@Suite("Ages over time")
struct StalenessSeriesTests {
    @Test("are weighted by time, place by place")
    func byHand() {
        var series = StalenessSeries(origin: instant(0))
        #expect(series.length == .seconds(1))
        // Current for a second and a half, then behind for one.
        series.add(CardStretch(start: instant(0), end: instant(1_500)))
        series.add(CardStretch(start: instant(1_500), end: instant(2_500), offeredAt: instant(1_500)))
        // A second card lives in the second place alone, 2 s old at its end.
        series.add(CardStretch(start: instant(1_000), end: instant(2_000), offeredAt: instant(0)))
        let places = series.result(until: instant(3_500))
        #expect(places.count == 4)
        #expect(places[0] == StalenessPlace(cards: 1, median: .zero, p95: .zero, most: .zero))
        #expect(places[1].cards == 2 && places[1].most == .seconds(2))
        // A quarter of the time at 0, a quarter below 0.5 s, half between 1 and 2 s.
        let median = places[1].median!.seconds
        #expect(median > 0.44 && median < 0.5, "\(median)")
        #expect(places[1].p95!.seconds > 1.85 && places[1].p95!.seconds <= 2)
        #expect(places[2].cards == 0.5 && places[2].most == .seconds(1))
        #expect(places[3] == StalenessPlace())
    }

    @Test("find room in two hundred places, however long the run, and whenever that is known")
    func bounds() {
        for seconds in [1, 199, 200, 201, 86_400, 30 * 86_400] as [Int64] {
            var series = StalenessSeries(origin: instant(5_000))
            let end = instant(5_000 + seconds * 1_000)
            for half in [(0, 2_500 + seconds * 500), (2_500 + seconds * 500, 5_000 + seconds * 1_000)] {
                series.add(CardStretch(start: instant(half.0), end: instant(half.1), offeredAt: instant(0)))
            }
            let places = series.result(until: end)
            #expect(places.count <= 200 && places.count > min(98, seconds - 1))
            #expect(series.length.nanoseconds * Int64(places.count) >= seconds * 1_000_000_000)
            let lived = places.reduce(0) { $0 + $1.cards } * series.length.seconds
            #expect(abs(lived / Double(seconds) - 1) < 0.001, "\(lived)")
            let full = places.dropLast(2)
            #expect(full.allSatisfy { $0.cards > 0.999 && $0.most! >= $0.p95! && $0.p95! >= $0.median! })
            #expect(places.compactMap(\.most).max() == end - instant(0))
        }
    }

    @Test("of two places that become one are those of both")
    func merged() {
        var series = StalenessSeries(origin: instant(0))
        series.add(CardStretch(start: instant(0), end: instant(1_000)))
        series.add(CardStretch(start: instant(1_000), end: instant(2_000), offeredAt: instant(0)))
        let first = series.result(until: instant(250_000))[0]
        #expect(series.length == .seconds(2))
        #expect(first.cards == 1 && first.most == .seconds(2) && first.median == .zero && first.p95! > .seconds(1))
    }

    @Test("know an age to within a 32nd, and no better: ages of one bin are one age")
    func bin() {
        for microseconds in [4_096, 4_100, 4_223] as [Int64] {
            var ages = AgeCounts()
            ages.add(.microseconds(microseconds), microseconds: 10)
            ages.reach(.seconds(1))
            #expect(ages.age(at: 50) == .microseconds(4_096 + 4_096 / 32 - 1))
        }
    }

    @Test("know an age to within a 32nd")
    func bins() {
        for microseconds in [0, 1, 63, 64, 65, 1_000, 999_999, 12_345_678, 86_400_000_000] as [Int64] {
            var ages = AgeCounts()
            ages.add(.microseconds(microseconds), microseconds: 10)
            ages.reach(.seconds(1e6))
            let found = ages.age(at: 50).nanoseconds / 1_000
            #expect(found >= microseconds && Double(found) <= Double(microseconds) * 33 / 32)
        }
    }
}
