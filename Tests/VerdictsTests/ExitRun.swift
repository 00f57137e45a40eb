// A run whose exit is asked for: all in order, until a test turns a knob.

import Basics
import Conformance
import Metrics
import Scenarios

@testable import Journal
@testable import Verdicts

/// A run that has nothing wrong with it, and knobs.
struct ExitRun {
    var correlation = Correlation()
    var results: [RuleResult]
    var gates: [RunRecord.GateResult]
    var notes: [RunNote]
    var totals = TotalsNote()
    var cuts: [JournalCut] = []
    var digestHolds = true
    var exercises: [String] = []
    var saysInterrupted = false
    var scenario: Scenario

    init() throws {
        scenario = try Scenario.parse(
            text: """
                name: exits
                relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
                workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: sessions/S0-happy.yaml }] }
                faults: [{ at: 1s, action: { respond: { reason: Unregistered } } }]
                """, path: SyntheticRun.root + "/Scenarios/exits.yaml", searchPath: [SyntheticRun.root + "/Scenarios"])
        correlation.events = 100
        correlation.sent = 100
        correlation.answered = 100
        correlation.taken = 100
        correlation.expected = 50
        correlation.totals = [.delivered: 50]
        correlation.lateness.record(1_000_000, count: 100)
        results = [Self.result("one-start", .must, basis: []), Self.result("states-in-time", .must, basis: .timing)]
        gates = [Self.gate(passed: true)]
        totals.answered = 100
        totals.pushes = 50
        totals.firings = [1]
        notes = [.phase("measure"), .relayReady(restart: 0)]
    }

    static func result(
        _ id: String, _ level: Rule.Level, basis: Rule.Basis, verdict: Verdict = .kept(evidenceCount: 3),
        known: Bool = false, strict: Bool = false
    ) -> RuleResult {
        RuleResult(
            id: id, claims: ["R0.1"], level: level, basis: basis, requirement: "Do.", norm: "n", verdict: verdict,
            isKnownFailing: known, isStrict: strict)
    }

    static func gate(passed: Bool?) -> RunRecord.GateResult {
        RunRecord.GateResult(
            text: "lost == 0", metric: "lost", unit: .count, value: passed.map { $0 ? 0 : 4 }, threshold: 0, passed: passed)
    }

    static let broken = Verdict.broken([Finding(message: "m", expected: "e", seen: "s")], count: 1)

    var finish: RunNote = .finished(FinishNote())
    var isFinished = true
    var others: [(NoteKind, String)] = []
    var pushesRead = 50
    var eventsRead = 100

    var callsForPushes = true
    var isSteady = true

    var exit: RunRecord.Exit { .judge(grounds) }

    var grounds: RunRecord.Exit.Grounds {
        var story = Story()
        let context = RunContext()
        let all = notes + [.totals(totals)] + (isFinished ? [finish] : [])
        for (number, note) in all.enumerated() {
            let entry = NoteEntry(id: 1, kind: note.kind, text: note.json.text, at: Instant(nanoseconds: Int64(number)))
            story.pass(entry, scenario, context)
        }
        for (kind, text) in others {
            story.pass(NoteEntry(id: 1, kind: kind, text: text, at: Instant(nanoseconds: 0)), scenario, context)
        }
        var soundness = Soundness(
            correlation, story, scenario, cuts: cuts, pushesRead: pushesRead, eventsRead: eventsRead,
            digestHolds: digestHolds)
        if !isSteady { soundness.add(Soundness.steadiness, false, "the relay fell behind") }
        return RunRecord.Exit.Grounds(
            correlation: correlation, soundness: soundness, results: results, gates: gates, exercises: exercises,
            story: story, saysInterrupted: saysInterrupted, callsForPushes: callsForPushes)
    }

    static func proof(_ turn: (inout ExitRun) -> Void) throws -> RunRecord.Proof {
        var run = try ExitRun()
        turn(&run)
        return RunRecord.Proof(run.grounds)
    }

    static func with(_ turn: (inout ExitRun) -> Void) throws -> RunRecord.Exit {
        var run = try ExitRun()
        turn(&run)
        return run.exit
    }
}
