// One run as it is saved: everything a page needs, and nothing that is alive. `run.json` is this and no more.

package import Basics
package import Conformance
package import Metrics

/// The record of one run. Times named `start` and `end` are intervals since the plan's origin, its second 0; they may
/// be negative for what came before.
package struct RunRecord: Sendable {
    /// The version of `run.json` this code writes; readers refuse a newer one.
    package static let version = 2

    /// The scenario's name.
    package var name: String
    /// The scenario's file as given by the user.
    package var scenarioPath: String
    package var scenarioText: String
    /// The relay profile's name.
    package var profile: String
    package var seed: UInt64
    /// The run's number as it stands in its markers.
    package var run: UInt32
    package var clockScale: Double
    /// Where the run's journal stands, as it was named: a run directory, or a mock's state directory.
    package var directory = ""
    /// The command that was given.
    package var command: String
    /// The command that repeats this run with this seed.
    package var replayCommand: String
    package var planDigest: String
    package var machine: Machine
    /// The commit PushRig was built from, or empty.
    package var commit: String
    /// PushRig's own version.
    package var toolVersion: String
    package var startedAt: WallTime
    /// From the first planned event to the end of the drain.
    package var duration: Interval
    package var phases: [Phase]
    /// Faults and relay outages, drawn as shaded bands.
    package var bands: [Band]
    package var load: LoadCounters
    package var mock: MockCounters
    /// Whether our own measuring can be trusted; all must hold, or the run is inconclusive.
    package var soundness: [SoundnessCheck]
    /// What our lateness at p99 may be before the run is inconclusive.
    package var latenessBudget: Interval
    package var correlation: Correlation
    package var gates: [GateResult]
    package var verdicts: [RuleResult]
    package var exit: Exit
    /// What the exit rests on.
    package var proof = Proof()
    /// How the relay ceased to serve, in words: it ended by itself, or answered nothing any more.
    package var relayEnds: [String] = []
    /// The gate that ended the load before its time; nil: none did.
    package var earlyEnd: EarlyEnd?
    /// Of a closed load; nil: it was open.
    package var closedUsers: Int?
    /// What a closed load does to latencies, for whoever reads them; nil: it was open.
    package var closedWords: String? {
        closedUsers.map { users in
            "\(Numbers.count(users, "user")) waited for the relay before each next session: a slow one is asked less, and "
                + "latencies leave out what open arrivals would have waited (coordinated omission)"
        }
    }

    package init(
        name: String, scenarioPath: String, scenarioText: String, profile: String, seed: UInt64, run: UInt32,
        clockScale: Double = 1, command: String, replayCommand: String, planDigest: String, machine: Machine,
        commit: String, toolVersion: String, startedAt: WallTime, duration: Interval, phases: [Phase], bands: [Band],
        load: LoadCounters, mock: MockCounters, soundness: [SoundnessCheck],
        latenessBudget: Interval = .milliseconds(10), correlation: Correlation, gates: [GateResult],
        verdicts: [RuleResult], exit: Exit
    ) {
        self.name = name
        self.scenarioPath = scenarioPath
        self.scenarioText = scenarioText
        self.profile = profile
        self.seed = seed
        self.run = run
        self.clockScale = clockScale
        self.command = command
        self.replayCommand = replayCommand
        self.planDigest = planDigest
        self.machine = machine
        self.commit = commit
        self.toolVersion = toolVersion
        self.startedAt = startedAt
        self.duration = duration
        self.phases = phases
        self.bands = bands
        self.load = load
        self.mock = mock
        self.soundness = soundness
        self.latenessBudget = latenessBudget
        self.correlation = correlation
        self.gates = gates
        self.verdicts = verdicts
        self.exit = exit
    }
}
