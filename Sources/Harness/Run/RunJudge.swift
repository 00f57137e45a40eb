// After the run: reads the journal, joins it with the plan, and makes the record. Nothing alive is asked.

import Basics
import Conformance
import Devices
import EventLoop
import Journal
import LoadGenerator
import Metrics
import MockServer
import Reports
import Scenarios

struct RunJudge {
    let options: RunOptions
    let scenario: Scenario
    let plan: Plan
    let seed: Seed
    let directory: RunDirectory
    let history: RunHistory

    func record() throws(Failure) -> RunRecord {
        let end = SystemTime().now()
        let (correlation, verdicts, cuts, pushesRead) = try judgeJournal(end: end)
        let loadSeconds = (history.phases.first { $0.name == "measure" }?.end ?? end - history.origin).seconds
        let gates = scenario.gates.map { $0.result(correlation, loadSeconds: loadSeconds) }
        let soundness = checks(correlation, cuts: cuts, pushesRead: pushesRead)
        return RunRecord(
            name: scenario.name, scenarioPath: scenario.path, scenarioText: scenario.text,
            profile: scenario.relay.profile.name, seed: seed.value, run: plan.run, clockScale: scenario.clockScale,
            command: options.command, replayCommand: replayCommand, planDigest: plan.digest(),
            machine: .current, commit: Build.commit, toolVersion: Build.version, startedAt: history.startedAt,
            duration: end - history.origin, phases: history.phases, bands: bands(end: end), load: loadCounters,
            mock: mockCounters, soundness: soundness, latenessBudget: scenario.latenessBudget,
            correlation: correlation, gates: gates, verdicts: verdicts,
            exit: exit(correlation, soundness, verdicts, gates))
    }

    private func judgeJournal(end: Instant) throws(Failure) -> (Correlation, [RuleResult], [JournalCut], Int) {
        var correlator = Correlator(
            run: plan.run, origin: history.origin, measuredFrom: history.origin + scenario.phases.warmUp)
        correlator.name(kinds: plan.kinds)
        var collector = EvidenceCollector(run: plan.run, facts: facts)
        // Nothing was owed before the load began.
        if history.load.planned > 0 || !history.phases.isEmpty {
            plan.expectations(origin: history.origin) { expectation in
                correlator.expect(expectation)
                collector.expect(expectation)
            }
        }
        let registrations = Registrations(plan)
        let reader = try JournalReader(directory: directory.journal)
        var pushes = 0
        _ = try reader.forEach(since: nil) { entry in
            switch entry {
            case .push(let push):
                pushes += 1
                correlator.observe(push)
                collector.observe(push)
            case .event(let event):
                correlator.observe(event)
                collector.observe(event)
                if let token = registrations.token(registeredBy: event) {
                    collector.registered(token: token, at: event.answeredAt)
                }
            case .broadcast: break
            case .note(let note):
                if let late = note.lateOutcome { correlator.observe(late: late.outcome, of: late.push) }
            }
            return true
        }
        let correlation = correlator.finish(end: end)
        let evidence = collector.finish(correlation: correlation)
        return (correlation, RuleBook.judge(evidence), reader.cuts, pushes)
    }

    private var facts: RunFacts {
        let profile = scenario.relay.profile
        let throttled = Set(profile.calls.filter { $0.pushes.contains(where: \.coalesce) }.map(\.name))
        return RunFacts(
            throttle: profile.coalescing.map { RunFacts.Throttle(window: $0.window, kinds: throttled) },
            relayRestarts: history.outages.map(\.start),
            connectionsClosedByFaults: history.mock.connectionsEndedByFaults, startedAt: history.startedAt)
    }

    // MARK: Ourselves

    private func checks(
        _ correlation: Correlation, cuts: [JournalCut], pushesRead: Int
    ) -> [RunRecord.SoundnessCheck] {
        let lateness = correlation.lateness
        let p99 = Interval(nanoseconds: lateness.count > 0 ? lateness.value(at: 99) : 0)
        return [
            RunRecord.SoundnessCheck(
                name: "our lateness", passed: p99 <= scenario.latenessBudget,
                detail:
                    "events left \(p99) after their planned instant at p99; the budget is \(scenario.latenessBudget)"),
            RunRecord.SoundnessCheck(
                name: "our queues", passed: history.load.dropped == 0,
                detail: "\(history.load.dropped) planned events were dropped because too many were unanswered"),
            RunRecord.SoundnessCheck(
                name: "the history is whole", passed: cuts.isEmpty && pushesRead >= history.mock.pushes,
                detail: "\(pushesRead) of \(history.mock.pushes) pushes are in the journal, \(cuts.count) files are cut"
            ),
        ]
    }

    private func exit(
        _ correlation: Correlation, _ soundness: [RunRecord.SoundnessCheck], _ verdicts: [RuleResult],
        _ gates: [RunRecord.GateResult]
    ) -> RunRecord.Exit {
        if let failure = history.failure {
            return RunRecord.Exit(
                code: ExitCode.couldNotRun.rawValue, word: "could not run", reasons: [failure.description])
        }
        if history.isInterrupted {
            return RunRecord.Exit(
                code: ExitCode.interrupted.rawValue, word: "interrupted", reasons: ["ended by a signal; not judged"])
        }
        return .judge(correlation: correlation, soundness: soundness, verdicts: verdicts, gates: gates)
    }

    // MARK: Parts of the record

    /// Faults and outages as intervals since the origin.
    private func bands(end: Instant) -> [RunRecord.Band] {
        let faults = history.faults.flatMap { fault in
            fault.times(until: end).map { time in
                RunRecord.Band(
                    kind: .fault, label: fault.label, start: time.lowerBound - history.origin,
                    end: time.upperBound - history.origin)
            }
        }
        let outages = history.outages.map { outage in
            RunRecord.Band(
                kind: .restart, label: "relay down", start: outage.start - history.origin,
                end: outage.end - history.origin)
        }
        return faults + outages
    }

    private var loadCounters: RunRecord.LoadCounters {
        let load = history.load
        return RunRecord.LoadCounters(
            sessions: Int64(load.sessionsBegun), planned: Int64(load.planned), sent: Int64(load.sent),
            answered: Int64(load.answered), failed: Int64(load.failed), dropped: Int64(load.dropped),
            connections: Int64(scenario.workload.connections))
    }

    private var mockCounters: RunRecord.MockCounters {
        let mock = history.mock
        return RunRecord.MockCounters(
            connections: Int64(mock.connectionsOpened), pushes: Int64(mock.pushes),
            byStatus: mock.byStatus.mapValues(Int64.init).merging([0: Int64(mock.silenced)]) { $0 + $1 }
                .filter { $0.value > 0 },
            tokens: Int64(history.tokenCount), faultsFired: Int64(mock.faultsFired),
            journalBytes: Int64(mock.journalBytes))
    }

    /// The command with this run's seed.
    private var replayCommand: String {
        var words = ["pushrig", "run", scenario.path, "--seed", String(seed.value)]
        for (path, value) in options.overrides { words += ["--set", "\(path)=\(value)"] }
        for gate in options.gates { words += ["--gate", gate] }
        if options.shard.count > 1 { words += ["--shard", "\(options.shard.index)/\(options.shard.count)"] }
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,")
        return words.map { word in
            word.allSatisfy(plain.contains) && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
        }.joined(separator: " ")
    }
}

/// Which token a registration in the journal made known.
private struct Registrations {
    private let plan: Plan
    private let registering: [SessionVariable?]

    init(_ plan: Plan) {
        self.plan = plan
        registering = plan.scenario.relay.profile.calls.map { call in
            call.registers.first { $0 == .activityToken } ?? call.registers.first
        }
    }

    func token(registeredBy event: EventEntry) -> String? {
        guard (200..<300).contains(event.status), Int(event.kind) < registering.count,
            let variable = registering[Int(event.kind)]
        else { return nil }
        return plan.token(variable, session: event.session)
    }
}
