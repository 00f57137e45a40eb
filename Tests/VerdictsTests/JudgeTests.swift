// The judge against histories of which everything is known: an honest one passes, and what is planted is found, no more
// and no less.

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing
import Verdicts

/// Sessions with a permission request and states that may coalesce.
let usualScenario = """
    name: synthetic
    relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
    workload:
      arrivals: [{ rate: 20, for: 2s }]
      maxSessions: 40
      pace: 2
      scripts:
        - { script: sessions/S0-happy.yaml, weight: 9 }
        - { script: sessions/S0-retry.yaml, weight: 1 }
    gates: [lost == 0, duplicated == 0]
    """

/// A directory of its own for each test, removed afterwards.
func withDirectory<T>(_ body: (String) throws -> T) throws -> T {
    let path = "/tmp/pushrig-verdicts-\(UInt64.random(in: 0 ... .max))"
    defer { remove(path) }
    return try body(path)
}

func judge(
    _ text: String = usualScenario, seed: UInt64 = 1, isWhole: Bool = true, options: JudgeOptions = JudgeOptions(),
    extras turn: (inout SyntheticRun.Extras) -> Void = { _ in }, call: (inout EventDraft) -> Void = { _ in },
    spoil: (inout [Sending], Int) -> Void = { _, _ in }
) throws -> RunRecord {
    try withDirectory { directory in
        let run = try SyntheticRun(text, seed: seed, directory: directory)
        var extras = SyntheticRun.Extras()
        turn(&extras)
        try run.write(isWhole: isWhole, extras: extras, call: call, spoil: spoil)
        return try Verdicts.judge(directory, options)
    }
}

func result(_ id: String, _ record: RunRecord) throws -> RuleResult {
    try #require(record.verdicts.first { $0.id == id })
}

@Suite("The judge")
struct JudgeTests {
    @Test("finds nothing wrong with an honest relay", arguments: [UInt64(1), 2, 3])
    func honest(seed: UInt64) throws {
        let record = try judge(seed: seed)
        #expect(record.exit.code == 0, "\(record.exit.reasons)")
        for result in record.verdicts {
            #expect([.kept, .notExercised].contains(result.standing), "\(result.id): \(result.verdict.findings)")
        }
        let c = record.correlation
        #expect(c.expected > 500)
        #expect(DeliveryClass.ofExpectations.reduce(0) { $0 + c.count($1) } == c.expected)
        #expect(c.count(.delivered) + c.count(.superseded) == c.expected)
        for word in DeliveryClass.ofPushes { #expect(c.count(word) == 0, "\(word)") }
        #expect(c.staleness.count > 0)
        for id in ["content-unchanged", "states-delivered", "one-start", "state-order"] {
            #expect(try result(id, record).standing == .kept, "\(id)")
        }
    }
}
