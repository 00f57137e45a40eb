// The record: JSON and back, its schema, and what a run comes to.

import Basics
import Conformance
import Metrics
import Testing

@testable import Reports

@Suite struct `A run record` {
    private var eventful: RunRecord {
        Sample.record { record in
            record.correlation.deadTokens.worstToken = Sample.token
            record.correlation.deadTokens.worstPushes = 4
            record.correlation.deadTokens.sample = [7, 9]
            record.correlation.lastState.missingCount = 1
            record.correlation.lastState.missing = [.init(session: 3, step: 9, kind: "complete", token: Sample.token)]
            record.verdicts.append(Sample.rule("one-start", "R0.15", .broken([Sample.finding]), known: true))
            record.gates.append(
                .init(text: "x", metric: "x", unit: .count, value: nil, threshold: 1, passed: nil))
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
        #expect(ReportPage(record: again).text == ReportPage(record: record).text)
    }

    @Test func `survives JSON when nothing happened`() throws {
        let again = try RunRecord(json: JSONValue(parsing: Sample.empty.json.text))
        #expect(again.correlation.delivery.count == 0)
        #expect(again.gates.map(\.value) == [nil, nil])
    }

    @Test func `of a newer version is refused with a word on what to do`() {
        var json = Sample.record().json.object!
        json["version"] = 2
        #expect {
            try RunRecord(json: .object(json))
        } throws: {
            ($0 as? Failure)?.message == "this run record has version 2, and this pushrig reads up to 1"
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
        #expect(record.withShortTokens.correlation.lastState.missing.first?.token == "a1b2c3d4…")
    }
}

@Suite struct `A run comes to` {
    private func exit(_ turn: (inout RunRecord) -> Void) -> RunRecord.Exit {
        let record = Sample.record(turn)
        return .judge(
            correlation: record.correlation, soundness: record.soundness, verdicts: record.verdicts, gates: record.gates
        )
    }

    @Test func `passed when gates and rules hold`() {
        #expect(exit { _ in } == .init(code: 0, word: "passed", reasons: []))
    }

    @Test func `a breached gate`() {
        let exit = exit { $0.gates[0].passed = false }
        #expect(exit.code == 3)
        #expect(exit.reasons == ["gate breached: delivery.p99 < 12s, measured 9.8 s"])
    }

    @Test func `broken conformance, before a breached gate`() {
        let exit = exit { record in
            record.gates[0].passed = false
            record.verdicts[0].verdict = .broken([Sample.finding])
        }
        #expect(exit.code == 4)
        #expect(exit.reasons.count == 2)
    }

    @Test func `broken conformance when a known break healed`() {
        #expect(exit { $0.verdicts[0].isKnownFailing = true }.code == 4)
    }

    @Test func `passed when only a SHOULD or a known break is broken`() {
        #expect(exit { $0.verdicts[3].verdict = .broken([Sample.finding]) }.code == 0)
        let known = exit { record in
            record.verdicts[0].verdict = .broken([Sample.finding])
            record.verdicts[0].isKnownFailing = true
        }
        #expect(known.code == 0)
    }

    @Test func `inconclusive when we are the bottleneck, whatever else`() {
        let exit = exit { record in
            record.soundness[0].passed = false
            record.verdicts[0].verdict = .broken([Sample.finding])
        }
        #expect(exit.code == 5)
        #expect(exit.reasons.first == "our own measuring is not sound: lateness: p99 410 µs, budget 10 ms")
    }

    @Test func `inconclusive when nothing was measured`() {
        #expect(Sample.empty.exit.code == 5)
        #expect(Sample.empty.exit.reasons == ["no event was sent to the relay"])
        #expect(exit { $0.correlation.pushes = 0 }.code == 5)
        let unmeasured = exit { record in
            record.gates[0].value = nil
            record.gates[0].passed = nil
        }
        #expect(unmeasured.code == 5)
    }
}
