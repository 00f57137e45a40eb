// What the notes of a run tell: the plan, the phases, what was done to the relay and when. Grows as the history goes by.

import Basics
import Conformance
import Faults
import Journal
import Metrics
import Planning
import Pushes
import Scenarios

struct Story {
    /// Names of phases, and when they began.
    private(set) var phases: [(name: String, at: Instant)] = []
    private(set) var relayStartedAt: Instant?
    private(set) var wasReady = false
    private(set) var restarts = 0
    /// How often it was ended on purpose before the run's end.
    private(set) var stops = 0
    /// Nothing keeps it from answering that we have done.
    private(set) var isBack = true
    private(set) var totals: TotalsNote?
    private(set) var finish: FinishNote?
    /// How the relay ceased to serve, in words.
    private(set) var ends: [String] = []
    private(set) var samples: [(at: Instant, sample: RelaySample)] = []
    /// How often the relay's tables were read, and why they could not be when that was first so.
    private(set) var looks = 0
    private(set) var lookFailure: String?
    /// How often a look was given up, and why when that was first so.
    private(set) var looksGivenUp = 0
    private(set) var lookGivenUp: String?
    /// A gate could hold no more, and the rest of the load was not sent.
    struct EarlyEnd {
        var at: Instant
        /// From the plan's origin.
        var since: Interval
        var note: EarlyEndNote

        var message: String {
            "the load was ended at +\(since), because the gate \(note.gate) could hold no more: \(note.reason)"
        }
    }

    /// Nil: nothing of the kind.
    private(set) var earlyEnd: EarlyEnd?
    /// Why the run proves nothing, whatever it shows.
    private(set) var voids: [String] = []
    private(set) var first: (instant: Instant, wall: WallTime)?
    private(set) var last = Instant(nanoseconds: .min)
    private var givenFaults: [(note: FaultNote, at: Instant, until: Instant?)] = []
    /// Beyond this every second one is forgotten.
    private static let mostSamples = 4_096
    private static let mostFirings = 1 << 20
    /// What faults met that no note has told of yet: the note is written when the mock has taken the rule, which may meet a
    /// push before.
    private var early: [(rule: UInt32, at: Instant)] = []
    private static let mostEarly = 4_096

    /// What phones never told in the time that scripts give them, in words, and how often.
    private(set) var inVain: [String: Int] = [:]

    mutating func see(_ note: ReactionNote, _ plan: Plan) {
        guard note.isInVain else { return }
        inVain[plan.words(of: MadeReaction(note)), default: 0] += 1
    }

    var origin: Instant? { phases.first?.at }

    /// When the run stopped listening: what came later, or did not, is no evidence.
    var end: Instant? { phases.last { $0.name == Self.endPhase }?.at }

    /// Behind the warm-up.
    static let measurePhase = "measure"

    /// The last phase, in which everything is stopped.
    static let endPhase = "stop"

    /// Rule numbers of the scenario's faults, by the number that stands in pushes.
    private(set) var faultNumbers: [UInt32: Int] = [:]

    mutating func pass(_ entry: NoteEntry, _ scenario: Scenario, _ run: RunContext) {
        passFault(entry, run)
        if entry.kind == .state { looks += 1 }
        lookFailure = lookFailure ?? entry.stateFailure
        if entry.isLookGivenUp {
            looksGivenUp += 1
            lookGivenUp = lookGivenUp ?? entry.stateFailure
        }
        guard let note = entry.run else { return }
        switch note {
        case .plan, .clockOffset: break
        case .void(let reason): voids.append(reason)
        case .phase(let name): phases.append((name, entry.at))
        case .faultGiven(let fault):
            givenFaults.append((fault, entry.at, nil))
            faultNumbers[fault.rule] = fault.number
            let met = early.filter { $0.rule == fault.rule }
            early.removeAll { $0.rule == fault.rule }
            run.circumstances.faults = faults(scenario)
            for met in met { meet(met.rule, at: met.at, scenario, run) }
        case .faultTaken(let number):
            for index in givenFaults.indices where givenFaults[index].note.number == number {
                givenFaults[index].until = givenFaults[index].until ?? entry.at
            }
        case .relayStarted(let restart, _):
            relayStartedAt = relayStartedAt ?? entry.at
            restarts = max(restarts, restart)
            run.circumstances.isRelayOurs = true
            // One that does not come up again in its own time stays down by itself.
            let due = entry.at + run.circumstances.real(scenario.relay.ready.timeout)
            endOutage(due, run)
            if !isBack { run.isComingBack = RunContext.Return(startedAt: entry.at, dueBy: due) }
        case .relayReady:
            (wasReady, isBack) = (true, true)
            run.isComingBack = nil
            endOutage(entry.at, run)
        case .relayStopping:
            // The end of the run stops it too; nothing is owed then.
            guard end == nil else { return }
            stops += 1
            isBack = false
            run.isComingBack = nil
            run.circumstances.outages.append(.init(from: entry.at, until: .distantFuture))
            run.connections.endProcess()
            run.messageConnections.endProcess()
        case .relayExited(let exit):
            // One that never came up is told as such.
            guard !exit.wasAsked, wasReady else { return }
            run.isComingBack = nil
            let death = RunContext.Death(
                at: entry.at, since: origin.map { entry.at - $0 }, how: exit.how, lastLines: exit.lastLines)
            run.deaths.append(death)
            ends.append("\(death.message): \(death.seen)")
        case .relayMute(let note):
            let muteness = RunContext.Muteness(since: origin.map { entry.at - $0 }, note: note)
            run.muteness = muteness
            ends.append(muteness.message)
        case .endedEarly(let note): earlyEnd = EarlyEnd(at: entry.at, since: origin.map { entry.at - $0 } ?? .zero, note: note)
        case .relaySample(let sample): add(sample, at: entry.at, pace: scenario.pace)
        case .totals(let totals): self.totals = totals
        case .finished(let finish):
            self.finish = finish
            run.wasInterrupted = finish.isInterrupted
        }
        run.circumstances.faults = faults(scenario)
    }

    /// The outage that goes on ends at `instant`, or before.
    private func endOutage(_ instant: Instant, _ run: RunContext) {
        guard let last = run.circumstances.outages.last, last.until > instant else { return }
        run.circumstances.outages[run.circumstances.outages.count - 1].until = instant
    }

    /// All that matters of a note where there is no scenario.
    func passFault(_ entry: NoteEntry, _ run: RunContext) {
        if let rule = entry.faultOnConnection { fire(rule, at: entry.at, run) }
    }

    /// A fault met a connection, or a push whose connection it touched.
    func fire(_ rule: UInt32, at instant: Instant, _ run: RunContext) {
        run.noteTrouble(from: instant, to: instant)
        run.circumstances.meet(rule, at: Provider.allCases, from: instant, to: instant)
        var place = run.circumstances.connectionFirings.count
        guard place < Self.mostFirings else { return }
        // The last one nearly always; but a push that was held back fires later than it came.
        while place > 0, run.circumstances.connectionFirings[place - 1].at > instant { place -= 1 }
        run.circumstances.connectionFirings.insert((instant, rule), at: place)
    }

    mutating func see(_ instant: Instant, wall: WallTime) {
        if first == nil { first = (instant, wall) }
        last = max(last, instant)
    }

    /// The scenario's faults as they were given, each with the time it was in force.
    func faults(_ scenario: Scenario) -> [Circumstances.Fault] {
        givenFaults.compactMap { given in
            guard scenario.faults.indices.contains(given.note.number) else { return nil }
            let rule = scenario.faults[given.note.number].rule
            return Circumstances.Fault(
                rule: given.note.rule, label: given.note.label,
                windows: rule.times(givenAt: given.at, until: given.until ?? .distantFuture),
                isSilence: rule.action.hearing == .nothing,
                cutsOff: rule.action.hearing == .end, cureTakes: rule.cure?.takes,
                retryAfter: rule.retryAfter(scenario.mock), retryAt: rule.retryAt)
        }
    }

    /// A fault met a push, and perhaps others with its connection.
    mutating func meet(_ rule: UInt32, at instant: Instant, _ scenario: Scenario, _ run: RunContext) {
        guard faultNumbers[rule] != nil else {
            if early.count < Self.mostEarly { early.append((rule, instant)) }
            return
        }
        if touchesConnection(rule, scenario) { fire(rule, at: instant, run) }
    }

    private func touchesConnection(_ rule: UInt32, _ scenario: Scenario) -> Bool {
        guard let number = faultNumbers[rule], scenario.faults.indices.contains(number) else { return false }
        return scenario.faults[number].rule.action.stage != .request
    }

    private(set) var waits = ProcessorWaits()

    private mutating func add(_ sample: RelaySample, at instant: Instant, pace: Double) {
        if origin != nil, end == nil, let last = samples.last {
            waits.add(sample, behind: last.sample, seconds: (instant - last.at).seconds / pace)
        }
        samples.append((instant, sample))
        guard samples.count > Self.mostSamples else { return }
        samples = samples.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }
}

extension NoteEntry {
    /// The number of the rule of a fault that met a connection.
    var faultOnConnection: UInt32? {
        guard let value = json(of: .fault), let rule = value["rule"]?.int else { return nil }
        return UInt32(exactly: rule)
    }
}
