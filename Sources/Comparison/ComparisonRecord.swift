// What a comparison came to: everything a page of it needs.

package import Basics
package import Conformance
package import Metrics
package import Verdicts

package struct ComparisonRecord: Sendable {
    /// The version of `compare.json` this code writes.
    package static let version = 1

    /// How runs stand to each other.
    package enum Design: String, Hashable, Sendable, CaseIterable {
        /// One of each side after the other with one seed, at least six times: signs are flipped.
        case pairs
        /// Several a side: they are dealt anew.
        case runs
        /// One a side: each is drawn anew from its own seconds.
        case single
    }

    /// What is said of a metric.
    package enum Word: String, Hashable, Sendable, CaseIterable { case worse, better, same, undecided }

    package struct Run: Hashable, Sendable {
        package var directory: String
        package var startedAt: WallTime
        package var seed: UInt64
        package var exit: String
    }

    /// One side of it.
    package struct Side: Sendable {
        package var runs: [Run] = []
        /// Of all its runs together.
        package var delivery = Histogram()
        package var answer = Histogram()
        /// By second: counts and sums of all runs, the slowest of any.
        package var series: [SeriesRow] = []
    }

    /// One declared metric. Shifts are logarithms of ratios, or differences in the metric's unit.
    package struct Metric: Hashable, Sendable {
        package var name: String
        package var unit: RunRecord.GateResult.Unit
        /// By run, in the order of the side's runs; those without data are left out.
        package var base: [Double]
        package var new: [Double]
        package var isBetterWhenMore: Bool
        package var scale: ShiftScale = .ratio
        package var shift: Double?
        /// With 95 %; nil: without an end there.
        package var low: Double?
        package var high: Double?
        /// As its test gives it, and with all declared metrics taken into account; nil: no test.
        package var chance: Double?
        package var adjustedChance: Double?
        /// Up to this shift, either way, it is the same.
        package var margin = 0.0
        package var word = Word.undecided
        /// Why it is undecided, where it is not for the noise.
        package var reason: String?
    }

    /// Something that is counted and should be nothing, by run.
    package struct Count: Hashable, Sendable {
        package var name: String
        package var base: [Int]
        package var new: [Int]
        package var word: Word
    }

    /// A rule that is not judged on both sides alike.
    package struct Rule: Hashable, Sendable {
        package enum Change: String, Hashable, Sendable, CaseIterable {
            /// In no run of the base, in at least one of the new.
            case broken
            /// In some run of the base, in none of the new, where it was put to the test.
            case healed
            /// In both, and not as often.
            case differs
        }
        package var id: String
        package var level: Conformance.Rule.Level
        package var requirement: String
        package var change: Change
        /// In some run of those it is broken in, the evidence rests on nothing of ours that was not sound, and it is not known.
        package var isProven: Bool
        /// In how many runs it was broken.
        package var base: Int
        package var new: Int
        /// First finding on the new side, else on the base's, and the run it stands in.
        package var finding: String
        package var directory: String
    }

    /// A percentile of all runs of a side together.
    package struct Percentile: Hashable, Sendable {
        package var name: String
        package var percentile: Double
        package var base: RankedPercentile?
        package var new: RankedPercentile?
    }

    /// What the relay used, the middle one of a side's runs; nil where it is not known.
    package struct Use: Hashable, Sendable {
        package var name: String
        package var unit: RunRecord.GateResult.Unit
        package var base: Double?
        package var new: Double?
    }

    package struct Exit: Hashable, Sendable {
        package var code: Int32
        package var word: String
        package var reasons: [String]
    }

    package var name = ""
    package var profile = ""
    package var toolVersion = ""
    package var command = ""
    package var design = Design.runs
    /// Of all that was drawn by chance.
    package var seed: UInt64 = 0
    package var margin = Margin()
    package var base = Side()
    package var new = Side()
    package var metrics: [Metric] = []
    package var counts: [Count] = []
    package var rules: [Rule] = []
    package var percentiles: [Percentile] = []
    package var uses: [Use] = []
    /// What a reader has to know of the runs before believing the rest.
    package var remarks: [String] = []
    /// Of two histories by a stepped clock with one seed: the first push that is not the same; nil: not looked for, or none.
    package var firstDifference: String?
    package var selfCheck: SelfCheck?
    package var exit = Exit(code: 5, word: "undecided", reasons: [])

    package init() {}
}
