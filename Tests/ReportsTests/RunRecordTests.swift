// The record: JSON and back, its version, and its tokens cut short.

import Basics
import Conformance
import Metrics
import Testing
@testable import Verdicts

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
            record.verdicts[record.verdicts.count - 1].causes = [.init(rule: "dead-token-dropped", count: 12)]
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

    @Test func `of an earlier version is read without what it does not tell`() throws {
        let now = eventful.json.text
        let then = now.replacing(/"directory":"[^"]*",/, with: "").replacing(/"time":"[^"]*",/, with: "")
            .replacing(/"call":{[^}]*},/, with: "")
        #expect(then.count < now.count)
        let record = try RunRecord(json: JSONValue(parsing: then))
        #expect(record.directory == "" && record.verdicts.last?.verdict.findings.first?.call == nil)
    }

    @Test func `shows eight characters of a token in bodies, answers and findings as well`() {
        let token = Sample.token
        let record = Sample.record { record in
            var finding = Sample.finding
            finding.seen = "a push to \(token.uppercased())"
            finding.call?.answer = "404 in 2 ms: no token \(token)"
            finding.exchanges[0].payload = #"{"device":"\#(token)","also":["\#(token)\#(token)"]}"#
            finding.exchanges[0].request.append("authorization: bearer eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNIn0.c2lnbmF0dXJl")
            record.verdicts.append(Sample.rule("one-start", .broken([finding], count: 1)))
            record.correlation.wrongAnswers = [WrongAnswer(status: 404, body: "no token \(token)", count: 1)]
            record.exit.reasons = ["the relay answered 1 of 2 calls with 404: no token \(token)"]
        }
        let short = record.withShortTokens
        for text in [short.json.text, ReportPage(record: short).text, TerminalSummary.renderText(short, color: false)] {
            #expect(!text.lowercased().contains(token) && !text.contains("eyJpc3Mi"))
        }
        let shown = try? #require(short.verdicts.last?.verdict.findings.first)
        #expect(shown?.exchanges[0].payload == #"{"device":"a1b2c3d4…","also":["a1b2c3d4…"]}"#)
        #expect(shown?.seen == "a push to A1B2C3D4…")
        // Ids, commits and words stay.
        for text in ["EC1BF194-B3B2-424B-96F2-5B8B8A9E0D1C", "8e3f28b393370d90fa7f51894e5fe02ff5d539cc", "deadbeef", "[pr:1a2b3c4d:1x:2f]"] {
            #expect(ShortTokens.cut("x \(text).") == "x \(text).")
        }
    }

    /// Each place gets one of six numbers, and with `script/test --all` each of them, in as many cases side by side.
    @Test(.timeLimit(.minutes(10)), arguments: 0..<(Effort.isWhole ? 6 : 1))
    func `whatever number stands in it is refused or shown, and stops nobody`(turn: Int) throws {
        let json = Sample.record(seconds: 3) { record in
            record.verdicts[2].verdict = .broken([Sample.finding], count: 1)
            record.correlation.deadTokens.worstDeath = 118
        }.json
        let places = numbers(in: json)
        #expect(places.count > 150)
        let values = [JSONValue.integer(.min), .integer(-1), .integer(0), .integer(.max), .number(1e308), .number(-1e308)]
        for (index, place) in places.enumerated() {
            let value = values[(index + turn) % values.count]
            guard let record = try? RunRecord(json: json.replacing(place[...], with: value)) else { continue }
            _ = ReportPage(record: record).text + TerminalSummary.renderText(record, color: false)
            _ = MarkdownSummary(record: record).text + JUnitReport(record: record).text + LatencyLog.text(record)
        }
    }

    /// Where numbers stand: keys, and of arrays the first place.
    private func numbers(in value: JSONValue) -> [[String]] {
        switch value {
        case .integer, .number: [[]]
        case .object(let object): object.flatMap { key, member in numbers(in: member).map { [key] + $0 } }
        case .array(let array): array.first.map { first in numbers(in: first).map { ["0"] + $0 } } ?? []
        default: []
        }
    }
}

extension JSONValue {
    fileprivate func replacing(_ place: ArraySlice<String>, with value: JSONValue) -> JSONValue {
        guard let key = place.first else { return value }
        if var object {
            object[key] = object[key]?.replacing(place.dropFirst(), with: value)
            return .object(object)
        }
        var array = array ?? []
        array[0] = array[0].replacing(place.dropFirst(), with: value)
        return .array(array)
    }
}
