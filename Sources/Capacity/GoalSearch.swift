// The search of one goal: the tallies of all loads, the bounds that they give, and the load that would tell most.

package struct GoalSearch: Sendable {
    private let terms: CapacityTerms
    private let grid: LoadGrid
    private var stage = 0
    package private(set) var tallies: [Int: LoadTally] = [:]
    /// Failed confirmations by load, and those that held.
    private var failures: [Int: Int] = [:]
    package private(set) var confirmed: Set<Int> = []
    /// Set once it is known.
    package private(set) var answer: StopReason?
    /// How often a bound that had been relied on turned out to be none.
    private var crossings = 0
    private var relied: (lower: Int?, upper: Int?) = (nil, nil)
    /// Moves beyond all that is known, in this stage: each twice as far.
    private var moves = 0

    /// More turns than these, and the bound is nowhere.
    private static let mostCrossings = 3
    private static let mostFailures = 2
    /// A load that held, whose confirmation failed, is tried once more: where it does not hold any more, the relay has changed.
    private var retry: Int?
    private var changes = 0
    private static let mostChanges = 2

    init(_ terms: CapacityTerms, _ grid: LoadGrid) {
        self.terms = terms
        self.grid = grid
    }

    mutating func add(_ word: TrialWord, at place: Int, seconds: Double) {
        if place == retry {
            retry = nil
            if word == .bad { changes += 1 }
        }
        tallies[place, default: LoadTally()].add(word, seconds: seconds)
    }

    mutating func confirm(_ word: TrialWord, at place: Int) {
        guard bounds().lower == place else { return }
        if word == .good {
            confirmed.insert(place)
            return
        }
        failures[place, default: 0] += 1
        guard failures[place]! >= Self.mostFailures else { return }
        tallies[place]?.isRefuted = true
        retry = place
    }

    /// The highest load that holds below the least that does not, and that one, as sure as the stage asks.
    package func bounds() -> (lower: Int?, upper: Int?) {
        let upper = tallies.filter { word($0.value) == .upper }.keys.min()
        let lower = tallies.filter { word($0.value) == .lower && $0.key < upper ?? .max }.keys.max()
        return (lower, upper)
    }

    private func word(_ tally: LoadTally) -> LoadTally.Word { tally.word(sum: current.sum, exceed: terms.exceed) }
    private var current: CapacityTerms.Stage { terms.stages[stage] }

    mutating func decide() -> CapacitySearch.Step {
        if let answer { return .stop(answer) }
        while true {
            if tallies.values.contains(where: { $0.open > 3 * terms.sum }) { return .stop(.unstable) }
            let known = bounds()
            count(known)
            if crossings > Self.mostCrossings || changes > Self.mostChanges { return .stop(.unstable) }
            if let retry { return .trial(place: retry, seconds: 3 * terms.trial) }
            if let place = wanted(known) { return .trial(place: place, seconds: length(at: place, known)) }
            if stage + 1 < terms.stages.count {
                stage += 1
                moves = 0
                relied = (nil, nil)
                continue
            }
            return conclude(known)
        }
    }

    /// The load to be measured; nil: the stage has what it wants.
    private mutating func wanted(_ known: (lower: Int?, upper: Int?)) -> Int? {
        // What was looked at, and lies where the bound may be: the smaller load first.
        let open = tallies.keys.filter {
            $0 > known.lower ?? -1 && $0 < known.upper ?? .max && word(tallies[$0]!) == .undecided
        }.sorted()
        if let hopeful = open.last(where: { tallies[$0]!.isHopeful(exceed: terms.exceed) }) { return hopeful }
        if let doubtful = open.first { return doubtful }
        switch (known.lower, known.upper) {
        case (nil, nil): return 0
        case (let lower?, nil): return lower == grid.end ? full(lower) : min(grid.end, lower + leap())
        case (nil, let upper?): return upper == 0 ? full(0) : max(0, upper - leap())
        case (let lower?, let upper?):
            guard upper - lower <= grid.places(within: current.width) else { return (lower + upper) / 2 }
            return full(lower) ?? full(upper)
        }
    }

    /// What a bound lacks of its sum is measured in one, up to three times as long as a trial.
    private func length(at place: Int, _ known: (lower: Int?, upper: Int?)) -> Double {
        guard place == known.lower || place == known.upper, let tally = tallies[place] else { return terms.trial }
        return min(max(terms.trial, current.sum - tally.seconds), 3 * terms.trial)
    }

    /// A final bound is measured for as long as was promised.
    private func full(_ place: Int) -> Int? {
        guard let tally = tallies[place], !tally.isRefuted else { return nil }
        return tally.seconds + 1e-9 < current.sum ? place : nil
    }

    private mutating func leap() -> Int {
        defer { moves += 1 }
        return stage == 0 ? grid.places(within: 1) : grid.places(within: current.width) << min(moves, 8)
    }

    private mutating func conclude(_ known: (lower: Int?, upper: Int?)) -> CapacitySearch.Step {
        guard let lower = known.lower else {
            answer = .belowMin
            return .stop(.belowMin)
        }
        if terms.confirm > 0, !confirmed.contains(lower) { return .confirm(place: lower, seconds: terms.confirm) }
        answer = known.upper == nil ? .aboveMax : .found
        return .stop(answer!)
    }

    private mutating func count(_ known: (lower: Int?, upper: Int?)) {
        // What a confirmation has refuted was told by trials alike each time.
        if let lower = relied.lower, let upper = known.upper, upper <= lower, tallies[upper]?.isRefuted != true {
            crossings += 1
        }
        if let upper = relied.upper, let lower = known.lower, lower >= upper { crossings += 1 }
        relied = known
    }
}
