// The judging of a mock's own journal, which somebody else's tests have driven: without a plan nothing was expected, so
// only what pushes show by themselves is judged, token by token.

import Basics
import Conformance
import Journal
import Metrics
import Scenarios

struct MockJudgement {
    /// Rules that look at pushes and their answers alone. The others hold a relay to calls, and here nobody knows of any.
    static let rules: Set<String> = [
        "accepted-not-repeated", "access-token-renewed", "access-token-reused", "activity-priorities-mixed", "apns-id-unique",
        "connections-reused", "content-decodes", "dead-device-token-dropped", "dead-registration-dropped", "dead-token-dropped",
        "expired-connection-left", "expired-token-replaced", "failure-awaited", "live-activity-messages-fit",
        "messages-well-formed", "nothing-after-end", "one-team-per-connection",
        "payload-fits", "provider-token-fresh", "provider-token-renewed", "provider-token-reused", "push-type-given",
        "pushes-accepted",
        "quota-obeyed", "refusal-not-repeated", "requests-well-formed", "retry-backs-off", "retry-storm", "start-is-complete",
        "stream-limit-obeyed", "timestamp-seconds-rising", "token-rate-kept", "topic-fits-type",
    ]
    /// Connections that are open at a time where one follows the other: the end of one and the beginning of the next may cross.
    private static let mostInSequence = 2

    let directory: String
    let options: JudgeOptions

    func judge(_ reader: JournalReader) throws(Failure) -> RunRecord {
        let context = RunContext()
        context.isMockAlone = true
        var pass = Pass(plan: nil, scenario: nil, context: context, correlator: Correlator(kinds: []))
        var refusals = Refusals()
        _ = try reader.forEach(since: nil) { entry in
            if case .push(let push) = entry { refusals.see(push) }
            // A 410 that speaks of a time before the mock was there speaks of what nobody saw.
            pass.visit(entry)
            context.circumstances.startedAt = pass.story.first?.wall
            return true
        }
        guard pass.eventsRead == 0 else {
            throw Failure(
                .usage, "\(directory) holds calls to a relay, but not their plan: run.journal is missing or damaged",
                hint: "without the plan of a run nothing is known of what was owed; restore the file, or run again")
        }
        let cuts = reader.cuts
        guard let first = pass.story.first else {
            throw Failure(
                .usage, "\(directory) holds an empty journal",
                hint: "drive the mock first, then judge the state directory")
        }
        let last = pass.story.last
        let judged = pass.finish(end: last, knownFailing: options.knownFailing, isStrict: options.isStrict)
        var results = judged.results.filter { Self.rules.contains($0.id) }
        // One after the other they may be so many runs of a tool, each of which has nothing to keep.
        if context.connections.peak <= Self.mostInSequence {
            for index in results.indices where results[index].id == "connections-reused" { results[index].level = .should }
        }
        let correlation = judged.correlation.since(first.instant)
        let proven = try Evidence(reader: reader, origin: first.instant, kinds: []).complete(results)
        let measure = Measure(correlation: correlation, seconds: (last - first.instant).seconds, realSeconds: 0, samples: [])
        var gates: [RunRecord.GateResult] = []
        for text in options.gates { gates.append(try Gate(parsing: text).result(measure)) }
        let check = RunRecord.SoundnessCheck(
            name: "the history is whole", passed: cuts.isEmpty,
            detail: "\(pass.pushesRead) pushes are in the journal, \(cuts.count) files are cut")
        var counters = RunRecord.MockCounters(pushes: Int64(pass.pushesRead))
        for (reason, count) in correlation.reasons {
            counters.byStatus[Int(reason.prefix(3)) ?? 0, default: 0] += Int64(count)
        }
        var record = RunRecord(
            name: "mock", scenarioPath: "", scenarioText: "", profile: "no plan", seed: 0, run: 0, command: "",
            replayCommand: ShellWords.line(["pushrig", "judge", directory]), planDigest: "", machine: Machine(), commit: "",
            toolVersion: "", startedAt: first.wall, duration: last - first.instant, phases: [], bands: [],
            load: RunRecord.LoadCounters(), mock: counters, soundness: [check], correlation: correlation, gates: gates,
            verdicts: proven, exit: RunRecord.Exit(code: 5, word: "inconclusive", reasons: []))
        record.exit = exit(of: record, refusals)
        record.proof.broken = record.verdicts.filter { $0.standing == .broken }.map(\.id)
        return record
    }

    /// As of a run, but that nothing can be lost.
    private func exit(of record: RunRecord, _ refusals: Refusals) -> RunRecord.Exit {
        let noPlan =
            "no plan: nothing was expected, so nothing can be lost; \(record.correlation.pushes) pushes were judged by "
            + "\(record.verdicts.count) rules that need none"
        let broken = record.verdicts.filter(\.standing.failsTheRun).map(RunRecord.Exit.reason)
        let breached = record.gates.filter { $0.passed == false }.map {
            "gate breached: \($0.text), measured \($0.valueText)"
        }
        var doubts = record.gates.filter { $0.passed == nil }.map { RunRecord.Exit.undecided($0, because: $0.doubt) }
        doubts += record.soundness.filter { !$0.passed }.map { "\($0.name): \($0.detail)" }
        if !record.verdicts.contains(where: { $0.verdict != .notExercised }) { doubts.append("no rule was put to the test") }
        doubts += refusals.doubts
        let reasons = broken + breached + doubts + [noPlan]
        if !broken.isEmpty { return RunRecord.Exit(code: 4, word: "conformance broken", reasons: reasons) }
        if !breached.isEmpty { return RunRecord.Exit(code: 3, word: "gate breached", reasons: reasons) }
        if !doubts.isEmpty { return RunRecord.Exit(code: 5, word: "inconclusive", reasons: reasons) }
        return RunRecord.Exit(code: 0, word: "passed", reasons: reasons)
    }
}
