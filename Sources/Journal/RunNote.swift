// What the conductor of a run puts on record beside pushes and events, typed: together with them it is all that a judge
// needs. Written by the harness, read by the judge; each is one note, so a run that was killed is known as far as it got.

package import Basics

/// One thing that happened in a run. The instant is the note's own.
package enum RunNote: Hashable, Sendable {
    /// First of all: what is to be run, whole, so that the plan can be made again from the journal alone.
    case plan(PlanNote)
    /// A phase begins: `warm-up`, `measure`, `drain`. The first one's instant is the origin of the plan.
    case phase(String)
    /// The mock was given this fault rule, by its number among the scenario's.
    case faultGiven(FaultNote)
    /// It was taken back, or the mock was stopped, by its number.
    case faultTaken(Int)
    /// The relay's process was started; `restart` counts from 0.
    case relayStarted(restart: Int, arguments: [String])
    /// It answered its ready probe.
    case relayReady(restart: Int)
    /// We send it this signal, on purpose.
    case relayStopping(signal: String)
    case relayExited(RelayExitNote)
    /// It answered no call any more, so the rest of the load was not sent.
    case relayMute(MuteNote)
    case relaySample(RelaySample)
    /// A gate could hold no more, so the rest of the load was not sent.
    case endedEarly(EarlyEndNote)
    /// How far the clock of a mock elsewhere is ahead of this one's.
    case clockOffset(ClockOffsetNote)
    /// Why the run proves nothing, such as a shard that came late.
    case void(String)
    /// The counters of both sides when all was over.
    case totals(TotalsNote)
    /// Last of all. A journal without it is that of a run that was killed.
    case finished(FinishNote)
}

/// The scenario and how it was asked for.
package struct PlanNote: Hashable, Sendable {
    /// Parts that a plan may be dealt into.
    package static let shardCounts = 1...1_000_000

    package struct File: Hashable, Sendable {
        package var path: String
        package var text: String

        package init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// Every file of the scenario as it was read, the scenario first.
    package var files: [File]
    /// The folder that their paths begin in; empty: it was not noted.
    package var folder = ""
    /// The folder of the mock whose place the run's own took, as it was given; empty: none.
    package var mock = ""
    /// `--set`, as path and value, in the order given.
    package var overrides: [[String]]
    /// `--gate`, beside those of the scenario.
    package var gates: [String]
    /// `--known-failing`, beside those of the profile.
    package var knownFailing: [String]
    package var isStrict: Bool
    package var seed: UInt64
    package var run: UInt32
    package var digest: String
    /// In `0..<shardCount`, and that in `shardCounts`.
    package var shardIndex: Int
    package var shardCount: Int
    package var command: String
    package var toolVersion: String
    package var commit: String
    package var machine: Machine
    /// Of a closed load, whose sessions begin as the relay answers: those instants are further notes; nil: it is open.
    package var closedUsers: Int?
    /// It is another run's plan, played again; nil: it is its own.
    package var replay: ReplayNote?
    /// It is one shard of a run on several machines; nil: it is none, or of an older version.
    package var part: PartNote?
    /// It is made of the shards of such a run; nil: it was run in one piece.
    package var merged: MergedNote?

    package init(
        files: [File], overrides: [[String]] = [], gates: [String] = [], knownFailing: [String] = [],
        isStrict: Bool = false, seed: UInt64, run: UInt32, digest: String, shardIndex: Int = 0, shardCount: Int = 1,
        command: String = "", toolVersion: String = "", commit: String = "", machine: Machine = Machine()
    ) {
        self.files = files
        self.overrides = overrides
        self.gates = gates
        self.knownFailing = knownFailing
        self.isStrict = isStrict
        self.seed = seed
        self.run = run
        self.digest = digest
        self.shardIndex = shardIndex
        self.shardCount = shardCount
        self.command = command
        self.toolVersion = toolVersion
        self.commit = commit
        self.machine = machine
    }
}

package struct FaultNote: Hashable, Sendable {
    /// Among the scenario's faults, from 0.
    package var number: Int
    /// The rule's number in `PushEntry.faultRule`.
    package var rule: UInt32
    /// A few words: `410 Unregistered`, `goaway`.
    package var label: String

    package init(number: Int, rule: UInt32, label: String) {
        self.number = number
        self.rule = rule
        self.label = label
    }
}

package struct RelayExitNote: Hashable, Sendable {
    /// `exited with code 3`, `was ended by signal 9`.
    package var how: String
    /// We had told it to end.
    package var wasAsked: Bool
    /// The end of its output.
    package var lastLines: String

    package init(how: String, wasAsked: Bool, lastLines: String) {
        self.how = how
        self.wasAsked = wasAsked
        self.lastLines = lastLines
    }
}

/// A relay that is called and answers nothing.
package struct MuteNote: Hashable, Sendable {
    /// How long it was called without an answer, by the clock of the time-outs; what we held it down not counted.
    package var silence: Interval
    /// Calls in that time that were given up without an answer, and those that still waited for one.
    package var unanswered: Int
    package var underWay: Int

    package init(silence: Interval, unanswered: Int, underWay: Int) {
        self.silence = silence
        self.unanswered = unanswered
        self.underWay = underWay
    }
}

/// The gate that ended the load, and by what it was known that it could hold no more.
package struct EarlyEndNote: Hashable, Sendable {
    /// As it was written.
    package var gate: String
    /// In words: `101 of at most 10,000 are over it, and 100 may be`.
    package var reason: String

    package init(gate: String, reason: String) {
        self.gate = gate
        self.reason = reason
    }
}

/// What the relay's process (and its children) used at an instant, as the system tells, and whether anybody had to wait for
/// a processor.
package struct RelaySample: Hashable, Sendable {
    /// Since its start, user and system.
    package var cpu: Interval
    package var residentBytes: Int64
    package var descriptors: Int
    package var sockets: Int
    /// The longest that one thread of the relay was ready to run and did not since the sample before, in all. Zero where the
    /// system does not tell.
    package var relayWaited: Interval
    /// The same of our own process.
    package var rigWaited: Interval

    package init(
        cpu: Interval, residentBytes: Int64, descriptors: Int, sockets: Int, relayWaited: Interval = .zero,
        rigWaited: Interval = .zero
    ) {
        self.cpu = cpu
        self.residentBytes = residentBytes
        self.descriptors = descriptors
        self.sockets = sockets
        self.relayWaited = relayWaited
        self.rigWaited = rigWaited
    }
}

/// What each side counted itself; the journal is held against it.
package struct TotalsNote: Hashable, Sendable {
    package var sessionsBegun = 0
    /// Events whose planned instant has passed, and what became of them.
    package var planned = 0
    package var sent = 0
    package var answered = 0
    package var failed = 0
    package var dropped = 0
    /// Events of one session that left, by a mistake of ours, before an earlier one.
    package var inverted = 0
    /// Due at the end, and still waiting for the answer to an earlier event of their session.
    package var waiting = 0
    /// Events that found every connection to the relay busy and no further one allowed, and the longest such wait.
    package var waitedForConnection = 0
    package var longestConnectionWait = Interval.zero
    /// Events sent once more after a reused connection died without a byte of an answer.
    package var sentTwice = 0
    /// Times that an event was sent again because the relay certainly had not processed it.
    package var sentAgainUnprocessed = 0
    /// Answers of the relay, or other bytes, that nobody had asked for.
    package var strayAnswers = 0
    package var loadConnections = 0
    package var pushes = 0
    /// Pushes left unanswered on purpose.
    package var silenced = 0
    /// Connections to the mock, and those that a fault of ours ended.
    package var mockConnections = 0
    package var connectionsEndedByFaults = 0
    package var faultsFired = 0
    package var tokens = 0
    package var journalBytes = 0
    /// How long the host's clock took for all of it, and how often a clock that stands went on.
    package var realTime = Interval.zero
    package var clockSteps = 0
    /// The thread of ours that had something to do for most of the load, in thousandths of it; 0: not known.
    package var busiestThread = 0
    /// By scenario fault number: how often it fired, on pushes and on connections.
    package var firings: [Int] = []

    package init() {}

    /// Adds what another part of the same run has counted.
    package mutating func add(_ other: TotalsNote) {
        for (_, path) in Self.columns { self[keyPath: path] += other[keyPath: path] }
        longestConnectionWait = max(longestConnectionWait, other.longestConnectionWait)
        realTime = max(realTime, other.realTime)
        clockSteps += other.clockSteps
        busiestThread = max(busiestThread, other.busiestThread)
        for (number, count) in other.firings.enumerated() {
            if number < firings.count { firings[number] += count } else { firings.append(count) }
        }
    }
}

package struct FinishNote: Hashable, Sendable {
    /// SIGINT, SIGTERM or SIGHUP ended it.
    package var isInterrupted: Bool
    /// What of ours failed; nil when nothing did.
    package var trouble: String?
    /// The relay never answered its ready probe: nothing was judged.
    package var wasNeverReady: Bool

    package init(isInterrupted: Bool = false, trouble: String? = nil, wasNeverReady: Bool = false) {
        self.isInterrupted = isInterrupted
        self.trouble = trouble
        self.wasNeverReady = wasNeverReady
    }
}
