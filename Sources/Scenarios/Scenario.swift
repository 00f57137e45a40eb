// A scenario: everything one run needs, as plain values. It says what to run and never how that is carried out.

package import Basics

/// One run, decoded from a scenario file with its profile and session scripts.
package struct Scenario: Sendable {
    /// `name:` of the file, or the file's own name without `.yaml`.
    package var name: String
    /// The file as it was given on the command line.
    package var path: String
    /// The file's text, as read, for the run record.
    package var text: String
    /// `--set` overrides that were applied, as `path=value`.
    package var overrides: [String]
    /// Every file that was read, the scenario first, before overrides.
    package var sources: [SourceText]
    /// Nil: the harness draws one and prints it.
    package var seed: UInt64?
    /// How many times as fast as real time the mock's wall clock runs; greater than 0.
    package var clockScale: Double
    /// The clock moves only when nothing is in flight, until `steppedUntil` after the start of the load; nil: to the end.
    package var isStepped = false
    package var steppedUntil: Interval?
    /// How many times as fast as the host's the clock runs where it does; 1 where it never does.
    package var pace: Double { isStepped && steppedUntil == nil ? 1 : clockScale }
    package var relay: RelaySpec
    package var mock: MockSpec
    package var workload: WorkloadSpec
    package var faults: [ScheduledFault]
    package var phases: PhaseSpec
    package var gates: [Gate]
    /// Largest p99 of (sent − planned) with which the run still counts as a measurement.
    package var latenessBudget: Interval
    /// Ids or claims of rules that the run must put to the test; one that it does not makes it inconclusive.
    package var exercises: [String] = []
    /// Ids or claims of rules that are known to be broken; one that is kept fails the run.
    package var knownFailing: [String] = []
    /// Defects of the reference relay that this file is to turn red, by id; `pushrig prove` asks for it.
    package var convicts: [String] = []
    /// Where the items of `gates`, `exercises` and `knownFailing` stand: `file:line:column`, beside each.
    package var places = ListPlaces()
    /// A broken SHOULD fails the run as a MUST does.
    package var isStrict = false
    /// Pushes to a token that arrive within this time after the answer that it is dead were in flight.
    package var inFlightGrace = Interval.seconds(1)

    package init(
        name: String, path: String, text: String, overrides: [String] = [], sources: [SourceText] = [], seed: UInt64?,
        clockScale: Double = 1, relay: RelaySpec, mock: MockSpec = MockSpec(), workload: WorkloadSpec,
        faults: [ScheduledFault] = [],
        phases: PhaseSpec = PhaseSpec(), gates: [Gate] = [], latenessBudget: Interval = .milliseconds(10)
    ) {
        self.name = name
        self.path = path
        self.text = text
        self.overrides = overrides
        self.sources = sources
        self.seed = seed
        self.clockScale = clockScale
        self.relay = relay
        self.mock = mock
        self.workload = workload
        self.faults = faults
        self.phases = phases
        self.gates = gates
        self.latenessBudget = latenessBudget
    }
}

extension Scenario {
    /// How long the run listens after the last planned event: as the scenario has it, and no shorter than the relay needs.
    package var drain: Interval { max(phases.drain, relay.profile.settle) }
}

/// Where the items of lists stand that only a judge can check.
package struct ListPlaces: Hashable, Sendable {
    package var gates: [String] = []
    package var exercises: [String] = []
    package var knownFailing: [String] = []
    package var convicts: [String] = []

    package init() {}
}

/// A file as it was read.
package struct SourceText: Hashable, Sendable {
    package var path: String
    package var text: String

    package init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}

/// The parts of a run around the measured load.
package struct PhaseSpec: Hashable, Sendable {
    /// The first part of the load, left out of the latency figures; 0 or more.
    package var warmUp: Interval
    /// What ends the warm-up sooner, once it holds over the seconds behind it; nil: nothing does.
    package var until: Gate?
    /// How long pushes may still arrive after the last planned event; 0 or more.
    package var drain: Interval

    package init(warmUp: Interval = .zero, drain: Interval = .seconds(5)) {
        self.warmUp = warmUp
        self.drain = drain
    }

    /// Over so long `until` has to hold.
    package static let watched = Interval.seconds(5)

    /// Why no warm-up can wait for that gate, and what to write instead; nil: it can.
    func objection(toWaitingFor gate: Gate) -> (String, hint: String)? {
        let usual = "ask for delivery, answer or lateness at a percentile, such as delivery.p99 < 1s"
        if case .latency(.delivery, let kind?, _) = gate.measure {
            return ("`until` cannot wait for the pushes of `\(kind)` alone", usual)
        }
        if !gate.measure.isKnownByTheSecond { return ("`until` cannot wait for \(gate.metric) of a few seconds", usual) }
        guard gate.comparison == .less || gate.comparison == .lessOrEqual else {
            return ("`until` waits for what is below something, and `\(gate.text)` is not", usual)
        }
        guard warmUp <= Self.watched else { return nil }
        return (
            "`until` has to hold over \(Self.watched), and the warm-up is no longer",
            "say how long it may last at most, such as `warmUp: 30s`"
        )
    }
}

/// How a scenario's clock goes.
enum ClockKind: String, CaseIterable { case running, stepped }
