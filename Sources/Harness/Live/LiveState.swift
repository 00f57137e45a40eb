// What a spectator of a run sees: plain values, made anew a few times a second by the thread that runs the harness.

import Basics
import Journal
import LoadGenerator
import Metrics
import MockServer

struct LiveState: Sendable {
    /// A gate as far as it can be told by now.
    struct Gate: Hashable, Sendable {
        enum Word: String, CaseIterable, Sendable {
            /// It would hold if the run were over now.
            case holds
            /// It would not, and may yet.
            case fails
            /// It cannot hold any more, and ended the load.
            case ended
            /// The judge tells, when the run is over.
            case open
        }

        var text: String
        /// In the unit of its threshold: nanoseconds, shares, counts, bytes; nil: not known before the end.
        var value: Double?
        var valueText = ""
        var word = Word.open
        var aborts = false
    }

    /// Per second, over the last few seconds.
    struct Rates: Hashable, Sendable {
        var planned = 0.0
        var sent = 0.0
        var answered = 0.0
        var failed = 0.0
        var pushes = 0.0
    }

    /// Nanoseconds over the last few seconds; nil where nothing was measured in them.
    struct Recent: Hashable, Sendable {
        var callP50: Int64?
        var callP99: Int64?
        var deliveryP50: Int64?
        var deliveryP99: Int64?
        var latenessP99: Int64?
    }

    /// One second of the past, for a drawing.
    struct Point: Hashable, Sendable {
        /// Seconds since the plan's origin.
        var at = 0.0
        var rates = Rates()
        var recent = Recent()
        /// Calls that wait for their answer, or for their turn.
        var unanswered = 0
        /// Taken calls that wait for their push; nil: not known.
        var awaited: Int?
    }

    /// What does not change.
    struct Run: Hashable, Sendable {
        var scenario = ""
        var seed: UInt64 = 0
        var version = ""
        var startedAt = WallTime(nanoseconds: 0)
        /// Load and drain, as planned.
        var length = Interval.zero
        /// Calls and sessions of the plan.
        var events = 0
        var sessions = 0
        /// Pushes are joined with their calls by markers; false: none of the profile's calls has one.
        var joins = false
    }

    var run = Run()
    /// Empty before the load.
    var phase = ""
    var elapsed = Interval.zero
    var load = LoadSnapshot()
    var mock = MockStatistics()
    var faults: [String] = []
    var rates = Rates()
    var recent = Recent()
    /// As far as the journal has been read; nil: nobody reads it, or not yet.
    var figures: LiveFigures?
    /// How far that is behind.
    var figuresAge = Interval.zero
    /// When the first call that awaits its push was planned, as its age.
    var oldestAwaited: Interval?
    /// Of the relay's processes; nil: not ours, or not yet.
    var relay: RelaySample?
    /// Processors that the relay used over the last second or two.
    var relayProcessors: Double?
    /// Share of the last seconds in which the busiest thread of ours had something to do; nil: not known yet.
    var busiestThread: Double?
    var gates: [Gate] = []
    /// Oldest first, at most `mostPoints`.
    var course: [Point] = []

    static let mostPoints = 300

    /// Calls that wait for the relay, for their batch, for another try, or for the answer to an earlier one.
    var unanswered: Int { load.inFlight + load.waiting }
}
