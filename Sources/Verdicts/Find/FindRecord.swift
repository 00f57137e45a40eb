// What a search for a capacity came to, as `find.json` has it: what was asked, each trial, and the bounds of each goal.

package import Basics
package import Capacity

package struct FindRecord: Sendable {
    /// The version of `find.json` this code writes; readers refuse a newer one.
    package static let version = 1

    /// What has to hold at a load for it to count.
    package struct Goal: Hashable, Sendable {
        /// Empty where there is one alone.
        package var name: String
        /// As they were given.
        package var gates: [String]
        package var result = Result()

        package init(name: String, gates: [String]) {
            self.name = name
            self.gates = gates
        }
    }

    /// What is known of a goal so far.
    package struct Result: Hashable, Sendable {
        /// Nil: not known, and the record's stop reason says why.
        package var answer: StopReason?
        /// Events per second.
        package var lower: Double?
        package var upper: Double?
        /// Seconds of trials at the lower bound that held, and of all there.
        package var lowerGood = 0.0
        package var lowerSeconds = 0.0
        /// At the upper bound, of those that did not hold, and of all.
        package var upperBad = 0.0
        package var upperSeconds = 0.0
        package var isConfirmed = false

        package init() {}
    }

    /// What a session is on average.
    package struct Mix: Hashable, Sendable {
        package var events = 0.0
        /// Pushes that it may be owed.
        package var pushes = 0.0
        /// From its first event to its last.
        package var seconds = 0.0

        package init(events: Double = 0, pushes: Double = 0, seconds: Double = 0) {
            (self.events, self.pushes, self.seconds) = (events, pushes, seconds)
        }
    }

    package enum Axis: String, CaseIterable, Hashable, Sendable {
        /// Events per second.
        case events
        /// Sessions at once.
        case sessions
    }

    /// What of a search is the user's, and stays the same where it goes on.
    package struct Asked: Hashable, Sendable {
        /// The scenario as it was given.
        package var scenarioPath: String
        /// As they were given, with the names of their goals.
        package var gates: [String] = []
        /// Paths and values.
        package var overrides: [[String]] = []
        package var axis = Axis.events
        /// The relay is started anew for each trial.
        package var restarts = false
        /// State directory of a mock that is up, which the relay pushes to; nil: the search has one of its own.
        package var mock: String?
        package var allowHosts: [String] = []

        package init(scenarioPath: String) { self.scenarioPath = scenarioPath }
    }

    package var asked: Asked
    /// Of the scenario's own plan with that seed: another one is another search.
    package var planDigest: String
    /// Of all files of the scenario: with another one the relay, or what is asked of it, is another.
    package var filesDigest: String
    package var axis: Axis { asked.axis }
    package var seed: UInt64
    package var command: String
    package var terms: CapacityTerms
    /// Seconds before each trial in which sessions become as many as the load has.
    package var warmUp = 0.0
    package var mix = Mix()
    /// How late our own calls were at p99 before the search, in nanoseconds, to a server that answers at once; nil: not known.
    package var noiseFloor: Double?
    package var goals: [Goal]
    package var trials: [Trial] = []
    /// Nil: the search goes on.
    package var stop: StopReason?
    /// In words, where the reason needs some.
    package var detail = ""
    package var startedAt: WallTime
    package var duration = Interval.zero
    package var toolVersion: String
    package var machine: Machine
    /// The lowest rate at which a rule broke that must be kept, by its id.
    package var broken: [String: Double] = [:]

    package init(
        _ asked: Asked, planDigest: String, filesDigest: String, seed: UInt64, command: String, terms: CapacityTerms,
        goals: [Goal], startedAt: WallTime, toolVersion: String, machine: Machine
    ) {
        self.asked = asked
        self.planDigest = planDigest
        self.filesDigest = filesDigest
        self.seed = seed
        self.command = command
        self.terms = terms
        self.goals = goals
        self.startedAt = startedAt
        self.toolVersion = toolVersion
        self.machine = machine
    }

    /// 0 found or above-max, and at least what was asked for; 3 less than that, or below-min; 4 a must broken at a load that
    /// holds; 5 not known; 130 ended by a signal.
    package func exitCode(atLeast wanted: Double?) -> Int32 {
        guard let stop else { return 5 }
        if stop == .stopped { return 130 }
        guard stop.isAnAnswer else { return 5 }
        let lowest = goals.compactMap(\.result.lower).min()
        if let lowest, broken.values.contains(where: { $0 <= lowest }) { return 4 }
        if goals.contains(where: { $0.result.answer == .belowMin }) { return 3 }
        if let wanted, lowest ?? 0 < wanted { return 3 }
        return 0
    }
}

extension FindRecord {
    /// One run at one load.
    package struct Trial: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Hashable, Sendable {
            case warmUp = "warm-up"
            case trial, confirm
        }

        package var number: Int
        package var kind: Kind
        /// Of the search's grid.
        package var place: Int
        /// Wanted, events per second or sessions at once.
        package var rate: Double
        package var seconds: Double
        /// Below the search's own.
        package var folder: String
        package var seed: UInt64
        /// Why it does not count; nil: it does.
        package var void: String?
        /// For each goal.
        package var words: [TrialWord] = []
        /// Why it is bad or undecided, the goal's gates first.
        package var reasons: [String] = []
        package var figures = Figures()

        package init(
            number: Int, kind: Kind, place: Int, rate: Double, seconds: Double, folder: String, seed: UInt64
        ) {
            self.number = number
            self.kind = kind
            self.place = place
            self.rate = rate
            self.seconds = seconds
            self.folder = folder
            self.seed = seed
        }
    }

    /// What was measured in a trial; nil: there was nothing to measure.
    package struct Figures: Hashable, Sendable {
        package var planned: Int64 = 0
        package var sent: Int64 = 0
        /// Nanoseconds.
        package var p50: Double?
        package var p99: Double?
        package var staleness: Double?
        package var lateness: Double?
        /// Seconds a second.
        package var slope: Double?
        package var lostShare: Double?
        package var errorShare: Double?
        /// Of one core; the relay's process.
        package var processor: Double?
        package var memoryBytes: Int64?
        /// Rules broken that must be kept.
        package var broken: [String] = []

        package init() {}
    }
}
