// The record: JSON and back, its version, and its tokens cut short.

import Basics
import Conformance
import Metrics
import Testing
import Verdicts

@testable import Reports

@Suite struct `A run record` {
    private var eventful: RunRecord {
        Sample.record { record in
            record.correlation.deadTokens.worstDeath = 118
            record.correlation.deadTokens.worstPushes = 4
            record.correlation.deadTokens.sample = [7, 9]
            record.correlation.lastState.missingCount = 1
            record.correlation.examples[.altered] = [Sample.example, Sample.example]
            record.correlation.foreign = 5
            record.verdicts.append(Sample.rule("one-start", .broken([Sample.finding], count: 12), known: true))
            record.verdicts[0].isStrict = true
            record.gates.append(
                .init(text: "x", metric: "x", unit: .count, value: nil, threshold: 1, passed: nil))
            record.gates.append(Sample.gate("y", "y", .bytes, value: 2e6, threshold: 1e6, passed: false))
            record.exit = .init(code: 3, word: "gate breached", reasons: ["a", "b"])
        }
    }

    @Test func `survives JSON and back`() throws {
        let record = eventful
        let again = try RunRecord(json: JSONValue(parsing: record.json.encoded(pretty: true).span))
        #expect(again.json == record.json)
        #expect(again.seed == .max)
        #expect(again.startedAt == record.startedAt)
        #expect(again.correlation.delivery.count == record.correlation.delivery.count)
        #expect(again.correlation.delivery.value(at: 99) == record.correlation.delivery.value(at: 99))
        #expect(again.correlation.series == record.correlation.series)
        #expect(again.correlation.classes == record.correlation.classes)
        #expect(again.verdicts == record.verdicts)
        #expect(again.correlation.lastState == record.correlation.lastState)
        #expect(again.correlation.deadTokens == record.correlation.deadTokens)
        #expect(again.correlation.examples == record.correlation.examples)
        #expect(again.correlation.excuses == record.correlation.excuses)
        #expect(again.correlation.wrongAnswers == record.correlation.wrongAnswers)
        #expect(ReportPage(record: again).text == ReportPage(record: record).text)
    }

    @Test func `survives JSON when nothing happened`() throws {
        let again = try RunRecord(json: JSONValue(parsing: Sample.empty.json.text))
        #expect(again.correlation.delivery.count == 0)
        #expect(again.gates.map(\.value) == [nil, nil])
    }

    @Test func `of a newer version is refused with a word on what to do`() {
        var json = Sample.record().json.object!
        json["version"] = 3
        #expect {
            try RunRecord(json: .object(json))
        } throws: {
            ($0 as? Failure)?.message == "this run record has version 3, and this pushrig reads up to 2"
        }
    }

    @Test(arguments: ["name", "seed", "correlation", "verdicts", "exit", "machine"])
    func `with a part missing names the part`(part: String) {
        var json = Sample.record().json.object!
        json[part] = nil
        #expect { try RunRecord(json: .object(json)) } throws: { "\($0)".contains("has no \(part)") }
    }

    @Test func `with a wrong value names its place`() {
        var json = Sample.record().json.object!
        var gates = json["gates"]!.array!
        var gate = gates[1].object!
        gate["unit"] = "parsecs"
        gates[1] = .object(gate)
        json["gates"] = .array(gates)
        #expect { try RunRecord(json: .object(json)) } throws: { "\($0)".contains("/gates/1/unit") }
    }

    @Test func `shows eight characters of a token unless asked for all`() {
        let record = eventful
        #expect(!record.withShortTokens.json.text.contains(Sample.token))
        #expect(record.json.text.contains(Sample.token))
        let exchange = record.withShortTokens.verdicts.last?.verdict.findings.first?.exchanges.first
        #expect(exchange?.request.contains(":path: /3/device/a1b2c3d4…") == true)
    }
}
