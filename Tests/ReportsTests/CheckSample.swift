// A check as one could have been: a case of each verdict.

import Basics
import Conformance
@testable import Verdicts

enum CheckSample {
    static let directory = "/tmp/a check"

    /// A rule as a run judged it.
    static func rule(
        _ id: String, _ level: Rule.Level = .must, _ verdict: Verdict = .kept(evidenceCount: 3), known: Bool = false
    ) -> RuleResult {
        RuleResult(
            id: id, claims: ["R0.22"], level: level, requirement: "Dead tokens are <dropped>.", norm: "Apple says so",
            advice: "delete the row", verdict: verdict, isKnownFailing: known)
    }

    static func broken(_ id: String, _ level: Rule.Level = .must, known: Bool = false) -> RuleResult {
        var finding = Finding(
            message: "pushed again <b>", expected: "no push", seen: "a push, 100 %\nlater", session: 4, step: 2, entries: [77])
        finding.exchanges = [
            Exchange(
                entry: 77, at: .seconds(2), time: WallTime(seconds: 1_763_633_000), request: [":path: /3/device/a1b2"],
                payload: #"{"aps":{}}"#, answer: "200", device: "updated")
        ]
        return rule(id, level, .broken([finding], count: 12), known: known)
    }

    static func item(
        _ name: String, _ rules: [RuleResult], code: Int32 = 0, reasons: [String] = [], exercises: [String] = [],
        proof: RunRecord.Proof? = nil
    ) -> CaseResult {
        let broken = code == 4 ? rules.filter { $0.standing == .broken }.map(\.id) : []
        let record = Sample.record { record in
            record.verdicts = rules
            record.proof = proof ?? .init(broken: broken, doubts: code == 5 ? reasons : [])
            record.exit = .init(code: code, word: "word", reasons: reasons)
            record.replayCommand = "pushrig run '\(directory)/cases/\(name).yaml'"
        }
        var result = CaseResult(name: name, question: "Does <it> hold?", exercises: exercises, record)
        result.directory = "\(directory)/\(name)"
        result.scenario = "\(directory)/cases/\(name).yaml"
        return result
    }

    static func idle(_ name: String) -> CaseResult {
        var result = CaseResult(name: name, question: "Could it?", verdict: .notExercised)
        result.reasons = ["the profile has no call that ends a session (`final: true`)"]
        return result
    }

    static func record(_ cases: [CaseResult]) -> CheckRecord {
        CheckRecord(
            subject: "Scenarios/<mine>.yaml", profile: "mine", command: "pushrig check 'Scenarios/<mine>.yaml'",
            seed: 18_446_744_073_709_551_615, startedAt: WallTime(iso8601: "2026-11-23T16:00:00.5Z")!, duration: .seconds(42),
            toolVersion: "0.1.0", commit: "4c1d9e2", cases: cases)
    }

    static var mixed: CheckRecord {
        record([
            item("fine", [rule("dead-token-dropped"), rule("one-start")]),
            item("wrong", [broken("dead-token-dropped"), rule("one-start")], code: 4, reasons: ["dead-token-dropped is broken"]),
            item("warned", [broken("urgent-states-at-10", .should)]),
            item("known", [broken("throttle-respected", known: true)]),
            item("untested", [rule("one-start", .must, .notExercised)], code: 5, reasons: ["one-start was not put to the test"]),
            idle("idle"),
        ])
    }
}
