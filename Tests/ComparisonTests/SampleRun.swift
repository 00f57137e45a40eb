// Small runs, as they could have been saved.

import Basics
import Conformance
import Metrics
@testable import Verdicts

enum SampleRun {
    /// Deliveries of about `milliseconds`, each of the first ten seconds the same.
    static func record(
        _ directory: String, at second: Double, seed: UInt64 = 1, milliseconds: Double = 100, rules: [RuleResult] = [],
        turn: (inout RunRecord) -> Void = { _ in }
    ) -> RunRecord {
        var correlation = Correlation()
        for sample in 0..<500 { correlation.delivery.record(Int64(milliseconds * 1e6 * (0.9 + 0.2 * Double(sample) / 500))) }
        for second in 0..<10 {
            var row = SeriesRow(second: second)
            row.deliveries = 50
            row.deliveryMicroseconds = Int(milliseconds * 1e3 * 50)
            row.slowestMicroseconds = Int(milliseconds * 1.1e3)
            correlation.series.append(row)
        }
        (correlation.expected, correlation.events, correlation.sent, correlation.pushes) = (500, 500, 500, 500)
        var record = RunRecord(
            name: "sample", scenarioPath: "sample.yaml", scenarioText: "", profile: "opencode", seed: seed, run: 1, command: "",
            replayCommand: "", planDigest: "digest \(seed)", machine: machine, commit: "", toolVersion: "0.1.0",
            startedAt: WallTime(seconds: 1_790_000_000 + Int64(second)), duration: .seconds(10), phases: [], bands: [],
            load: .init(), mock: .init(), soundness: [.init(name: "our lateness", passed: true, detail: "1 ms")],
            correlation: correlation, gates: [], verdicts: rules, exit: .init(code: 0, word: "passed", reasons: []))
        record.directory = directory
        turn(&record)
        return record
    }

    static let machine = Machine(host: "one", system: "Linux 6", processor: "a processor", cores: 2, memoryBytes: 8_000_000_000)

    static func figures(_ record: RunRecord) -> RunFigures { RunFigures(record) }

    static func rule(_ level: Rule.Level, _ verdict: Verdict) -> RuleResult {
        RuleResult(id: "a-rule", claims: ["R0.1"], level: level, requirement: "It is so.", norm: "here", verdict: verdict)
    }

    static let broken = Verdict.broken([Finding(message: "it was not", expected: "so", seen: "otherwise")], count: 1)
}
