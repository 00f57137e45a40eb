// Broken rules and gates as SARIF, held to what the standard asks of a log.

import Basics
import Conformance
import Testing

@testable import Reports
@testable import Verdicts

@Suite("SARIF")
struct SarifTests {
    private func results(_ log: JSONValue) throws -> [JSONValue] {
        #expect(log["version"] == "2.1.0")
        let run = try #require(log["runs"]?.array?.first)
        let rules = Set(try #require(run["tool"]?["driver"]?["rules"]?.array).compactMap { $0["id"]?.string })
        let results = try #require(run["results"]?.array)
        for result in results {
            #expect(rules.contains(result["ruleId"]?.string ?? ""), "each result's rule is described")
            #expect(result["message"]?["text"]?.string?.isEmpty == false)
            #expect(result["partialFingerprints"]?["pushrig/v1"]?.string?.isEmpty == false)
            let place = result["locations"]?.array?.first?["physicalLocation"]
            #expect(place?["region"]?["startLine"]?.int ?? 0 >= 1)
        }
        return results
    }

    private func line(_ result: JSONValue) -> Int64? {
        result["locations"]?.array?.first?["physicalLocation"]?["region"]?["startLine"]?.int
    }

    @Test("has a result for each broken rule, at the line of the call that it is about, and one for each breached gate")
    func run() throws {
        var broken = CheckSample.broken("dead-token-dropped")
        if case .broken(var findings, let count) = broken.verdict {
            findings[0].call = CallSeen(entry: 7, kind: "complete", at: .zero, time: WallTime(seconds: 0), answer: "200")
            broken.verdict = .broken(findings, count: count)
        }
        let record = Sample.record { record in
            record.scenarioPath = "./Scenarios/my one.yaml"
            record.scenarioText = "name: x\nrelay:\n  profile: p\nsteps:\n  - call: complete\ngates:\n  - lost == 0\n"
            record.verdicts = [
                CheckSample.rule("kept-one"), broken, CheckSample.broken("known-one", known: true),
                CheckSample.broken("only-should", .should),
            ]
            record.gates = [
                .init(text: "lost == 0", metric: "lost", unit: .count, value: 3, threshold: 0, passed: false),
                .init(text: "late == 0", metric: "late", unit: .count, value: 0, threshold: 0, passed: true),
            ]
            record.exit = .init(code: 4, word: "conformance broken", reasons: [])
        }
        let results = try results(SarifReport.json(record))
        #expect(results.compactMap { $0["ruleId"]?.string } == ["dead-token-dropped", "known-one", "only-should", "gate/lost"])
        #expect(results.compactMap { $0["level"]?.string } == ["error", "error", "warning", "error"])
        #expect(results.compactMap(line) == [5, 2, 2, 7])
        #expect(results[1]["suppressions"]?.array?.count == 1 && results[0]["suppressions"] == nil)
        let file = results[0]["locations"]?.array?.first?["physicalLocation"]?["artifactLocation"]?["uri"]
        #expect(file == "Scenarios/my%20one.yaml", "a URI below the repository's root")
    }

    @Test("says that a run was not sound, and names no result for what was kept")
    func unsound() throws {
        let record = Sample.record { record in
            record.verdicts = [CheckSample.rule("kept-one")]
            record.gates = []
            record.soundness = [.init(name: "lateness", passed: false, detail: "p99 40 ms")]
        }
        let log = SarifReport.json(record)
        #expect(try results(log).isEmpty)
        let invocation = log["runs"]?.array?.first?["invocations"]?.array?.first
        #expect(invocation?["executionSuccessful"] == false)
        #expect(invocation?["toolExecutionNotifications"]?.array?.count == 1)
    }

    @Test("tells the cases of a check apart, and stays the same from run to run")
    func check() throws {
        let record = CheckSample.mixed
        let results = try results(SarifReport.json(record, text: "name: mine\n"))
        let prints = results.compactMap { $0["partialFingerprints"]?["pushrig/v1"]?.string }
        #expect(!prints.isEmpty && Set(prints).count == prints.count)
        #expect(prints.contains("wrong/dead-token-dropped"))
        #expect(results.allSatisfy { $0["message"]?["text"]?.string?.contains(": ") == true })
    }
}
