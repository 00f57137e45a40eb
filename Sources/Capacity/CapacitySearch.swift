// The search for the highest load that holds: which load to try next, by what all trials so far came to. It starts nothing and
// reads no clock: the same words give the same search, so that one that was killed goes on from its record.
//
//     double ─▶ narrow at 8 %, by few seconds ─▶ narrow at the width, by `sum` seconds ─▶ confirm ─▶ found

package struct CapacitySearch: Sendable {
    /// What is to be done next.
    package enum Step: Hashable, Sendable {
        /// Measure the load at that place of the grid for so many seconds.
        case trial(place: Int, seconds: Double)
        /// The same, judged by all that a run is judged by.
        case confirm(place: Int, seconds: Double)
        case stop(StopReason)
    }

    package let terms: CapacityTerms
    package let grid: LoadGrid
    package private(set) var goals: [GoalSearch]
    package private(set) var next: Step
    /// One after the other, and none between that was measured.
    private var voids = 0
    /// The trial that goes on because it told nothing: three times as long.
    private var isProlonged = false

    /// So many trials in a row that were void: the rig, not the relay, is the limit.
    package static let mostVoids = 3

    /// At least one goal.
    package init(_ terms: CapacityTerms, goals count: Int = 1) {
        precondition(count > 0, "a search has a goal")
        self.terms = terms
        grid = LoadGrid(from: terms.from, to: terms.to, width: terms.width)
        goals = Array(repeating: GoalSearch(terms, grid), count: count)
        next = .trial(place: 0, seconds: terms.trial)
        next = decide()
    }

    /// The step was of no use: what was measured says nothing of the relay.
    package mutating func recordVoid() {
        voids += 1
        if voids >= Self.mostVoids { next = .stop(.rigLimit) }
    }

    /// What the step came to, for each goal.
    package mutating func record(_ words: [TrialWord]) {
        precondition(words.count == goals.count, "a word for each goal")
        voids = 0
        switch next {
        case .stop: return
        case .trial(let place, let seconds):
            if words.contains(.undecided), !isProlonged {
                isProlonged = true
                next = .trial(place: place, seconds: 3 * seconds)
                return
            }
            isProlonged = false
            for index in goals.indices { goals[index].add(words[index], at: place, seconds: seconds) }
        case .confirm(let place, _):
            for index in goals.indices { goals[index].confirm(words[index], at: place) }
        }
        next = decide()
    }

    /// Ends it for a reason from outside.
    package mutating func stop(_ reason: StopReason) { next = .stop(reason) }

    private mutating func decide() -> Step {
        for index in goals.indices {
            let step = goals[index].decide()
            if case .stop(let reason) = step, reason.isAnAnswer { continue }
            return step
        }
        // All goals have their answers; the first one's is the search's.
        return .stop(goals[0].answer ?? .found)
    }
}

/// Why a search ended: all the reasons there are.
package enum StopReason: String, CaseIterable, Hashable, Sendable {
    /// The bounds are as near as was asked for, and the lower was confirmed.
    case found
    /// The highest load holds.
    case aboveMax = "above-max"
    /// The least load does not hold.
    case belowMin = "below-min"
    /// The rig could not offer or measure the load.
    case rigLimit = "rig-limit"
    /// The same load held and did not, again and again.
    case unstable
    /// The relay did not come to rest between two trials.
    case noRecovery = "no-recovery"
    case relayDied = "relay-died"
    /// The time is over.
    case deadline
    /// A signal came.
    case stopped

    /// It says how much the relay carries, and not why that is unknown.
    package var isAnAnswer: Bool {
        switch self {
        case .found, .aboveMax, .belowMin: true
        case .rigLimit, .unstable, .noRecovery, .relayDied, .deadline, .stopped: false
        }
    }
}
