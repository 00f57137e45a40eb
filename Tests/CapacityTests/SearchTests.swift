// What a search does with what it is told.

import Capacity
import Testing

@Suite("A search")
struct SearchTests {
    private func terms(_ turn: (inout CapacityTerms) -> Void = { _ in }) -> CapacityTerms {
        var terms = CapacityTerms()
        turn(&terms)
        return terms
    }

    /// Searches on relays that hold up to so much each, a goal each.
    private func play(
        _ search: inout CapacitySearch, holds: [Double], confirms: Bool = true, atMost steps: Int = 500
    ) -> (reason: StopReason?, loads: [Double]) {
        var loads: [Double] = []
        for _ in 0..<steps {
            switch search.next {
            case .stop(let reason): return (reason, loads)
            case .trial(let place, _):
                loads.append(search.grid.rate(place))
                search.record(holds.map { search.grid.rate(place) <= $0 ? .good : .bad })
            case .confirm(let place, _): search.record(holds.map { confirms && search.grid.rate(place) <= $0 ? .good : .bad })
            }
        }
        return (nil, loads)
    }

    @Test("ends with two bounds around what holds, both measured for the whole sum", arguments: [61.0, 93, 1_000, 7_777, 19_000])
    func exact(capacity: Double) {
        var search = CapacitySearch(terms())
        #expect(play(&search, holds: [capacity]).reason == .found)
        let goal = search.goals[0]
        guard let lower = goal.bounds().lower, let upper = goal.bounds().upper else {
            Issue.record("no bounds")
            return
        }
        #expect(search.grid.rate(lower) <= capacity && capacity < search.grid.rate(upper))
        #expect(search.grid.rate(upper) <= search.grid.rate(lower) * 1.0205)
        #expect(goal.tallies[lower]!.good >= 70 && goal.tallies[upper]!.bad >= 70)
        #expect(goal.confirmed == [lower])
    }

    @Test("says that the highest load holds, or that the least does not, which it tries again first")
    func ends() {
        var high = CapacitySearch(terms())
        #expect(play(&high, holds: [1e9]).reason == .aboveMax)
        #expect(high.goals[0].bounds().lower == high.grid.end)
        var low = CapacitySearch(terms())
        let (reason, loads) = play(&low, holds: [10])
        #expect(reason == .belowMin && loads.count >= 4 && Set(loads) == [50])
        var one = CapacitySearch(terms { $0.to = 50 })
        #expect(play(&one, holds: [60]).reason == .aboveMax)
    }

    @Test("gives up behind three void trials in a row, and not behind three in all")
    func voids() {
        var search = CapacitySearch(terms())
        for _ in 0..<2 {
            search.recordVoid()
            search.recordVoid()
            let before = search.goals[0].tallies
            #expect(before.values.allSatisfy { $0.bad == 0 })
            search.record([.good])
        }
        search.recordVoid()
        search.recordVoid()
        search.recordVoid()
        #expect(search.next == .stop(.rigLimit))
    }

    @Test("goes on three times as long where a trial told nothing, and calls a load unstable that never tells")
    func undecided() {
        var search = CapacitySearch(terms())
        #expect(search.next == .trial(place: 0, seconds: 10))
        search.record([.undecided])
        #expect(search.next == .trial(place: 0, seconds: 30))
        search.record([.good])
        #expect(search.goals[0].tallies[0]?.good == 30)
        for _ in 0..<40 {
            guard case .trial = search.next else { break }
            search.record([.undecided])
        }
        #expect(search.next == .stop(.unstable))
    }

    @Test("takes a load whose confirmation fails twice for one that does not hold")
    func refuted() {
        var search = CapacitySearch(terms { $0.budget = 1e9 })
        var failed: [Int: Int] = [:]
        for _ in 0..<500 {
            switch search.next {
            case .stop: break
            case .trial(let place, _): search.record([search.grid.rate(place) <= 1_000 ? .good : .bad])
            case .confirm(let place, _):
                failed[place, default: 0] += 1
                search.record([search.grid.rate(place) <= 900 ? .good : .bad])
            }
        }
        #expect(search.next == .stop(.found))
        let lower = search.goals[0].bounds().lower!
        #expect(search.grid.rate(lower) <= 900 && search.grid.rate(lower) >= 870)
        #expect(failed.filter { $0.key != lower }.values.allSatisfy { $0 == 2 })
        #expect(failed[lower] == 1)
    }

    @Test("calls a relay unstable that carries less and less, and no relay that only its confirmations ask more of", arguments: [
        0.01, 0.02,
    ])
    func leaks(perMinute: Double) {
        var (search, seconds) = (CapacitySearch(terms { $0.budget = 1e9 }), 0.0)
        for _ in 0..<500 {
            let capacity = 1_000 * max(0.1, 1 - perMinute * seconds / 60)
            switch search.next {
            case .stop: break
            case .trial(let place, let length), .confirm(let place, let length):
                seconds += length + 5
                search.record([search.grid.rate(place) <= capacity ? .good : .bad])
            }
        }
        #expect(search.next == .stop(.unstable) && seconds < 3_600, "\(seconds) s")
    }

    @Test("shares its trials among goals, each of which has its own bounds")
    func goals() {
        var both = CapacitySearch(terms(), goals: 2)
        let shared = play(&both, holds: [800, 3_000])
        #expect(shared.reason == .found)
        let lowers = both.goals.map { both.grid.rate($0.bounds().lower!) }
        #expect((784...800).contains(lowers[0]) && (2_940...3_000).contains(lowers[1]))
        let alone = [800.0, 3_000].reduce(0) { sum, capacity in
            var search = CapacitySearch(terms())
            return sum + play(&search, holds: [capacity]).loads.count
        }
        #expect(shared.loads.count < alone)
    }

    @Test("from a tenth of the load, or taken up again at any trial, it ends at the same bounds")
    func metamorphic() {
        var first = CapacitySearch(terms())
        _ = play(&first, holds: [2_345])
        var low = CapacitySearch(terms { $0.from = 5 })
        _ = play(&low, holds: [2_345])
        let rates = [first, low].map { $0.grid.rate($0.goals[0].bounds().lower!) }
        #expect(abs(rates[0] / rates[1] - 1) <= 0.02)
        for cut in [1, 5, 12, 20] {
            var words: [[TrialWord]] = []
            var search = CapacitySearch(terms())
            for _ in 0..<cut {
                guard case .trial(let place, _) = search.next else { break }
                words.append([search.grid.rate(place) <= 2_345 ? .good : .bad])
                search.record(words.last!)
            }
            var again = CapacitySearch(terms())
            for word in words { again.record(word) }
            #expect(again.next == search.next)
            _ = play(&again, holds: [2_345])
            #expect(again.goals[0].bounds() == first.goals[0].bounds())
        }
    }

    @Test("is ended for a reason from outside, whatever it knows")
    func stopped() {
        var search = CapacitySearch(terms())
        search.record([.good])
        search.stop(.relayDied)
        #expect(search.next == .stop(.relayDied))
        search.record([.good])
        #expect(search.next == .stop(.relayDied))
        #expect(StopReason.allCases.filter(\.isAnAnswer) == [.found, .aboveMax, .belowMin])
    }
}

@Suite("Loads")
struct LoadGridTests {
    @Test("rise by no more than a hundredth, from the first to the last", arguments: [0.02, 0.05, 0.005])
    func steps(width: Double) {
        let grid = LoadGrid(from: 50, to: 20_000, width: width)
        let rates = (0...grid.end).map(grid.rate)
        #expect(rates.first == 50 && rates.last == 20_000)
        #expect(zip(rates, rates.dropFirst()).allSatisfy { $0 < $1 && $1 <= $0 * 1.0125 })
        let apart = grid.places(within: width)
        #expect(grid.rate(200 + apart) <= grid.rate(200) * (1 + width) * 1.002)
        #expect(grid.rate(200 + apart + 1) > grid.rate(200) * (1 + width))
    }

    @Test("a tally is decided once what is still to come could not turn it")
    func tallies() {
        var tally = LoadTally()
        func word() -> LoadTally.Word { tally.word(sum: 70, exceed: 0.5) }
        tally.add(.bad, seconds: 30)
        #expect(word() == .undecided)
        tally.add(.good, seconds: 30)
        #expect(word() == .undecided)
        tally.add(.good, seconds: 5)
        #expect(word() == .lower)
        tally.add(.bad, seconds: 10)
        #expect(word() == .upper)
        tally.add(.undecided, seconds: 500)
        #expect(tally.seconds == 75)
    }

    /// Wilson's formula, worked out beside it.
    @Test("the bounds of a share are Wilson's", arguments: [
        (0, 250, 0.0, 0.010706), (5, 1_000, 0.002436, 0.010235), (10, 1_000, 0.005987, 0.016657),
        (50, 100, 0.418848, 0.581152), (100, 100, 0.973657, 1.0),
    ])
    func wilson(count: Int, of: Int, lower: Double, upper: Double) {
        let bounds = BinomialBounds(count, of: of)
        #expect(abs(bounds.lower - lower) < 2e-5 && abs(bounds.upper - upper) < 2e-5, "\(bounds)")
    }

    @Test("so many samples of which none is above say that the share is small enough")
    func fewest() {
        for share in [0.1, 0.01, 0.001] {
            let count = BinomialBounds.fewest(for: share)
            #expect(BinomialBounds(0, of: count).upper <= share * 1.0001)
            #expect(BinomialBounds(0, of: count - 2).upper > share)
        }
    }
}
