// The one judge: a run directory in, the record out. Nothing alive is asked, so a run can be judged again, with other
// gates, or after it was killed, as far as it got.

package import Basics
import Conformance
import FCM
package import Journal
import Metrics
import Planning
import Pushes
import Scenarios

/// What may differ from the run's own command line.
package struct JudgeOptions: Sendable {
    /// Beside those of the scenario and the run.
    package var gates: [String] = []
    package var knownFailing: [String] = []
    package var isStrict = false
    /// The run itself says that a signal ended it; `judge` says what is proven all the same.
    package var saysInterrupted = false
    package var showsFullTokens = false
    /// Of each class of deliveries. At least 0.
    package var maxExamples = Correlator.fewExamples
    /// Rules see the accounts of these users alone; nil: of all.
    package var users: Set<UInt32>?
    /// Latencies are kept one by one, beside their histograms.
    package var keepsIntervals = false

    package init() {}
}

package enum Verdicts {
    /// Judges the run in `directory` (a run directory, or the folder of its journal), or what a mock by itself has seen (its
    /// state directory). Throws a usage `Failure` when there is nothing to judge.
    package static func judge(_ directory: String, _ options: JudgeOptions = JudgeOptions()) throws(Failure) -> RunRecord {
        let reader = try JournalReader(directory: try JournalPlace.journal(of: directory))
        let home = JournalPlace.home(of: directory)
        let plan = try planNote(reader)
        var record =
            if let plan {
                try Judgement(plan, options).judge(reader)
            } else {
                try MockJudgement(directory: home, options: options).judge(reader)
            }
        record.directory = home
        if plan?.note.replay != nil { record.replayCommand = ShellWords.line(["pushrig", "replay", home]) }
        return record
    }

    /// The first thing a run writes, as it was played (`PlanNote.asPlayed`); nil: no run wrote here.
    package static func planNote(_ reader: JournalReader) throws(Failure) -> (note: PlanNote, entry: NoteEntry)? {
        var found: (PlanNote, NoteEntry)?
        var looked = 0
        _ = try reader.forEach(since: nil) { entry in
            looked += 1
            if case .note(let note) = entry, note.kind == .plan, case .plan(let plan) = note.run {
                found = (plan, note)
            }
            return found == nil && looked < 10_000
        }
        guard let found else { return nil }
        return (try found.0.asPlayed(reader), found.1)
    }
}

/// The judging of one run.
struct Judgement {
    let note: PlanNote
    /// The same, but of a closed load without the instants at which its sessions began.
    let asked: PlanNote
    let startedAt: WallTime
    let begun: Instant
    let options: JudgeOptions
    let scenario: Scenario
    let plan: Plan
    let gates: [Gate]

    init(_ found: (note: PlanNote, entry: NoteEntry), _ options: JudgeOptions) throws(Failure) {
        note = found.note
        asked = try found.note.asAsked()
        startedAt = found.entry.wall
        begun = found.entry.at
        self.options = options
        let scenario = try note.scenario()
        let kinds = scenario.relay.profile.calls.filter { !$0.pushes.isEmpty }.map(\.name)
        var gates = scenario.gates
        for gate in note.gates + options.gates { gates.append(try Gate(parsing: gate, kinds: kinds)) }
        self.gates = gates
        self.scenario = scenario
        plan = note.plan(of: scenario)
    }

    /// Before its first entry.
    func pass(_ reader: JournalReader) throws(Failure) -> Pass {
        let origin = try origin(reader)
        var correlator = Correlator(
            kinds: plan.kinds, origin: origin, measuredFrom: try measuredFrom(reader, origin ?? begun),
            maxExamples: options.maxExamples, pace: scenario.pace)
        if options.keepsIntervals { correlator.keepIntervals() }
        var pass = Pass(plan: plan, scenario: scenario, context: context(), correlator: correlator)
        pass.users = options.users
        return pass
    }

    /// All of the history.
    @discardableResult
    func read(
        _ reader: JournalReader, into pass: inout Pass
    ) throws(Failure) -> (correlation: Correlation, results: [RuleResult]) {
        _ = try reader.forEach(since: nil) { entry in
            pass.visit(entry)
            return true
        }
        let knownFailing = scenario.relay.profile.knownFailing + scenario.knownFailing + note.knownFailing
        return pass.finish(
            end: pass.story.end ?? pass.story.last, knownFailing: knownFailing + options.knownFailing,
            isStrict: scenario.isStrict || note.isStrict || options.isStrict)
    }

    func judge(_ reader: JournalReader) throws(Failure) -> RunRecord {
        let origin = try origin(reader)
        var pass = try pass(reader)
        let (correlation, results) = try read(reader, into: &pass)
        try checkIsOfOneRun(pass, reader)
        let cuts = reader.cuts
        var evidence = try evidence(reader)
        (evidence.classes, evidence.answers) = (correlation.classes, correlation.reasons)
        let proven = try evidence.complete(results)
        return record(pass, correlation.since(origin ?? begun), proven, cuts: cuts)
    }

    func evidence(_ reader: JournalReader) throws(Failure) -> Evidence {
        Evidence(
            reader: reader, origin: try origin(reader) ?? begun, plan: plan, kinds: plan.kinds,
            calls: scenario.relay.profile.calls)
    }

    /// What the run did not count is not its own, and nothing that it seems to show is proof.
    private func checkIsOfOneRun(_ pass: Pass, _ reader: JournalReader) throws(Failure) {
        let hint = "a file of another run, or one of its own twice, lies in the run's directory `journal`: take it away"
        guard reader.isOfOneWriter else {
            throw Failure(.run, "the files of the journal are not of one run", hint: hint)
        }
        guard let noted = pass.story.totals?.pushes, pass.pushesRead > noted else { return }
        throw Failure(
            .run, "the journal holds \(pass.pushesRead) pushes, and the run counted \(noted)",
            hint: hint)
    }

    /// The instant of the plan's start, which stands somewhere in the run's own file.
    private func origin(_ reader: JournalReader) throws(Failure) -> Instant? {
        var origin: Instant?
        _ = try reader.forEach(since: nil) { entry in
            if case .note(let note) = entry, note.kind == .phase { origin = note.at }
            if case .event = entry { return false }
            return origin == nil
        }
        return origin
    }

    /// Where the warm-up ends by what it waits for, that instant stands in the run's own file.
    private func measuredFrom(_ reader: JournalReader, _ origin: Instant) throws(Failure) -> Instant {
        let latest = origin + scenario.phases.warmUp
        guard scenario.phases.until != nil else { return latest }
        var begun: Instant?
        _ = try reader.forEach(since: nil, reading: { _ in .none }) { entry in
            if case .note(let note) = entry, note.run == .phase(Story.measurePhase) { begun = note.at }
            return begun == nil
        }
        return begun ?? latest
    }

    private func context() -> RunContext {
        let context = RunContext()
        let profile = scenario.relay.profile
        context.kinds = plan.kinds
        context.circumstances.callersKeepTokens = profile.tokens == .caller
        let made = Set(scenario.workload.scripts.flatMap(\.script.steps).map(\.call))
        for (number, call) in profile.calls.enumerated() {
            let kind = UInt16(number)
            if call.pushes.contains(where: \.isUrgent) { context.urgentKinds.insert(kind) }
            if call.isOversized {
                context.oversizedKinds.insert(kind)
            } else if call.expectedStatus.allSatisfy({ $0 >= 400 }) {
                context.refusedKinds.insert(kind)
            }
            let lacks = call.captures.filter { call.lacks.contains(CapturedNames($0.name)) }
            if !lacks.isEmpty { context.lackingKinds[kind] = Set(lacks.map { profile.captures[$0.name] }) }
            if !call.tells.isEmpty {
                context.tellings[kind] = call.tells.map {
                    RunContext.OwedTelling(observer: $0.observer, within: $0.within, isMarked: $0.isMarked)
                }
            }
            if let malformed = call.malformed, made.contains(number) {
                context.malformedKinds.insert(kind)
                if malformed.isOmission { context.omittingKinds.insert(kind) }
            }
            if call.isStale { context.staleKinds.insert(kind) }
            if call.isUnknown { context.unknownKinds.insert(kind) }
            if call.answers.contains(where: { $0.meaning == .pruned }) { context.tellingKinds.insert(kind) }
            let noes: [AnswerRule.Meaning] = [.permanent, .retry, .throttled]
            if call.answers.contains(where: { noes.contains($0.meaning) }) { context.tellsNo = true }
            if call.batch != nil { context.circumstances.batchKinds.insert(kind) }
            if call.isFinal { context.circumstances.finalKinds.insert(kind) }
            for push in call.pushes {
                if push.isBroadcast { context.owesBroadcasts = true }
                if push.hasOwnChannel { context.hasOwnChannels = true }
                switch push.told {
                case .marker: break
                case .token: context.unmarkedKinds.insert(kind)
                case .collapseID: context.toldKinds.insert(kind)
                case .reload: context.reloadKinds.insert(kind)
                case .timestamp: context.stampedKinds.insert(kind)
                }
            }
            if call.pushes.contains(where: \.isFirst) { context.alertFirstKinds.insert(kind) }
            if call.pushes.isEmpty { context.quietKinds.insert(kind) }
            if !(call.passes ?? profile.content.passes).isEmpty || !call.sets.isEmpty { context.passesContent = true }
        }
        if let webhooks = profile.webhooks { context.expect(webhooks) }
        context.observers = profile.observers.map(\.name)
        context.requestTimeout = scenario.workload.requestTimeout
        // The history is kept by the run's clock; machine and network are as slow as ever.
        let pace = scenario.pace
        context.setPace(of: scenario)
        context.jitter = scenario.latenessBudget * pace
        context.circumstances.hasBothEnvironments = scenario.mock.environment == .both
        context.hasBothEnvironments = scenario.mock.environment == .both && profile.environments == .both
        context.tellsStatesApart = scenario.mock.messaging.liveUpdateStamp != nil
        context.circumstances.quotaRetryAfter = scenario.mock.retryAfter(.quotaExceeded)
        context.circumstances.timeout = profile.timeout ?? Tolerances.patience
        context.isSilentOfRest = profile.rest == nil
        context.circumstances.rest = profile.rest ?? SheetFigures.restBehindFailure
        context.circumstances.repeats = profile.dedupe.map { RepeatTerms(window: $0.window) }
        context.circumstances.cap = profile.cap
        context.circumstances.restart = profile.activities.restart
        context.circumstances.refresh = profile.activities.refresh
        context.circumstances.dismissal = profile.activities.dismissal
        context.countsSeconds = profile.content.carried.contains(where: \.countsSeconds)
        context.circumstances.ageing = profile.activities.end?.terms
        context.circumstances.isOrdered = profile.order != .parallel
        context.circumstances.inFlightGrace = scenario.inFlightGrace * pace
        context.allow(clocksApart: note.merged?.bar ?? .zero)
        context.circumstances.relayProcesses = scenario.relay.processes * (note.merged?.relays ?? 1)
        context.circumstances.clockSkew = scenario.mock.clockSkew
        context.circumstances.isWallTimeSet = !scenario.mock.clockSteps.isEmpty
        context.circumstances.startedAt = startedAt + scenario.mock.clockSkew
        return context
    }

    private func record(
        _ pass: Pass, _ correlation: Correlation, _ results: [RuleResult], cuts: [JournalCut]
    ) -> RunRecord {
        let story = pass.story
        let origin = story.origin ?? begun
        let phases = phases(story, origin)
        let measured = phases.first { $0.name == Story.measurePhase }.map { $0.end - $0.start } ?? story.last - origin
        var measure = Measure(
            correlation: correlation, seconds: measured.seconds, realSeconds: realSeconds(story, measured),
            samples: story.samples.map(\.sample), slope: slope(correlation, phases))
        measure.mayMiss = self.gates.compactMap(\.allowedLoss).reduce(measure.mayMiss, max)
        let bar = note.merged?.bar ?? .zero
        let gates = gates.map { $0.result(measure, bar: bar) }
        var soundness = Soundness(
            correlation, story, scenario, cuts: cuts, pushesRead: pass.pushesRead, eventsRead: pass.eventsRead,
            digestHolds: plan.digest() == note.digest)
        var blame = results.filter(\.standing.failsTheRun).reduce(into: Rule.Basis()) { $0.formUnion($1.basis) }
        if zip(self.gates, gates).contains(where: { $0.measure.isOfTime && $1.passed == false }) { blame.insert(.timing) }
        soundness.addProcessors(story, scenario, blame: blame)
        soundness.addThreads(story, scenario, blame: blame)
        if self.gates.contains(where: \.measure.isOfTime) {
            soundness.addSteadiness(measure.slope, scenario, kinds: plan.kinds)
        }
        if note.part == nil, note.merged == nil { soundness.addWarmUp(phases, scenario) }
        soundness.addShards(note, story, scenario)
        // Of some users alone nobody knows what the others were asked.
        if options.users == nil { soundness.addReturns(story, pass.context) }
        let scripted = scenario.workload.scripts.flatMap(\.script.steps).map(\.call)
        let grounds = RunRecord.Exit.Grounds(
            correlation: correlation, soundness: soundness, results: results, gates: gates,
            exercises: scenario.exercises, story: story, saysInterrupted: options.saysInterrupted,
            callsForPushes: scripted.contains { !scenario.relay.profile.calls[$0].pushes.isEmpty },
            voids: (note.merged?.voids ?? []) + story.voids, bar: bar)
        var record = RunRecord(
            name: scenario.name, scenarioPath: scenario.path, scenarioText: scenario.text,
            profile: scenario.relay.profile.name, seed: note.seed, run: note.run, clockScale: scenario.clockScale,
            command: note.command, replayCommand: replayCommand, planDigest: asked.digest, machine: note.machine,
            commit: note.commit, toolVersion: note.toolVersion, startedAt: startedAt, duration: story.last - origin,
            phases: phases, bands: bands(pass, origin), load: loadCounters(story, correlation),
            mock: mockCounters(story, correlation, pass), soundness: soundness.checks,
            latenessBudget: scenario.latenessBudget, correlation: correlation, gates: gates, verdicts: results,
            exit: RunRecord.Exit.judge(grounds))
        record.proof = RunRecord.Proof(grounds)
        record.closedUsers = note.closedUsers
        record.relayEnds = story.ends
        record.earlyEnd = story.earlyEnd.map { RunRecord.EarlyEnd(at: $0.since, gate: $0.note.gate, reason: $0.note.reason) }
        return record
    }

    /// Of the whole seconds of the measured load.
    private func slope(_ correlation: Correlation, _ phases: [RunRecord.Phase]) -> BacklogSlope? {
        guard let measured = phases.first(where: { $0.name == Story.measurePhase }) else { return nil }
        let first = max(0, Int(measured.start.seconds.rounded(.up)))
        return BacklogSlope(correlation.ages, in: first..<max(first, Int(measured.end.seconds)))
    }

    /// How long it took on the host's clock, by which processors work.
    private func realSeconds(_ story: Story, _ measured: Interval) -> Double {
        guard scenario.isStepped else { return measured.seconds / scenario.pace }
        return story.totals?.realTime.seconds ?? 0
    }

    // MARK: Parts of the record

    private func phases(_ story: Story, _ origin: Instant) -> [RunRecord.Phase] {
        story.phases.enumerated().filter { $0.element.name != Story.endPhase }.map { index, phase in
            let end = story.phases[safe: index + 1]?.at ?? story.last
            return RunRecord.Phase(name: phase.name, start: phase.at - origin, end: end - origin)
        }
    }

    /// Faults and outages as intervals since the origin.
    private func bands(_ pass: Pass, _ origin: Instant) -> [RunRecord.Band] {
        let faults = pass.context.circumstances.faults.flatMap { fault in
            fault.windows.map { window in
                RunRecord.Band(
                    kind: .fault, label: fault.label, start: window.lowerBound - origin,
                    end: min(window.upperBound, pass.story.last) - origin)
            }
        }
        let outages = pass.context.circumstances.outages.map { outage in
            RunRecord.Band(
                kind: .restart, label: "relay down", start: outage.from - origin,
                end: min(outage.until, pass.story.last) - origin)
        }
        return faults + outages
    }

    private func loadCounters(_ story: Story, _ correlation: Correlation) -> RunRecord.LoadCounters {
        RunRecord.LoadCounters(
            sessions: Int64(story.totals?.sessionsBegun ?? 0), planned: Int64(correlation.events),
            sent: Int64(correlation.sent), answered: Int64(correlation.answered), failed: Int64(correlation.failed),
            dropped: Int64(correlation.dropped),
            connections: Int64(story.totals?.loadConnections ?? scenario.workload.connections),
            busiestThread: Int64(story.totals?.busiestThread ?? 0))
    }

    private func mockCounters(_ story: Story, _ correlation: Correlation, _ pass: Pass) -> RunRecord.MockCounters {
        var statuses: [Int: Int64] = [:]
        for (reason, count) in correlation.reasons { statuses[Int(reason.prefix(3)) ?? 0, default: 0] += Int64(count) }
        let totals = story.totals
        return RunRecord.MockCounters(
            connections: Int64(totals?.mockConnections ?? 0), pushes: Int64(pass.pushesRead), byStatus: statuses,
            tokens: Int64(totals?.tokens ?? 0), faultsFired: Int64(totals?.faultsFired ?? 0),
            journalBytes: Int64(totals?.journalBytes ?? 0))
    }

    /// The command that repeats the run with its seed.
    private var replayCommand: String {
        var words = ["pushrig", "run", scenario.path, "--seed", String(note.seed)]
        if !note.mock.isEmpty { words += ["--mock", note.mock] }
        for override in asked.overrides { words += ["--set", "\(override[0])=\(override[1])"] }
        for gate in note.gates { words += ["--gate", gate] }
        for known in note.knownFailing { words += ["--known-failing", known] }
        if note.isStrict { words.append("--strict") }
        if note.shardCount > 1 { words += ["--shard", "\(note.shardIndex)/\(note.shardCount)"] }
        return ShellWords.line(words)
    }
}
