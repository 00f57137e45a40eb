// What a spectator of a run is told: metrics that Prometheus reads, and JSON that the schema describes.

import Basics
import Foundation
import Journal
import LoadGenerator
import Metrics
import MockServer
import Testing

@testable import Harness

@Suite struct `What is seen of a run` {
    static func state() -> LiveState {
        var state = LiveState()
        state.run = LiveState.Run(
            scenario: "odd \"name\" with \\ and\na line", seed: .max, version: "1.2.3", length: .seconds(35), events: 1_000,
            sessions: 40, joins: true)
        (state.phase, state.elapsed) = ("measure", .seconds(12.5))
        state.load.planned = 520
        state.load.sent = 510
        state.load.answered = 500
        state.load.answersByClass[2] = 490
        state.load.answersByClass[5] = 10
        (state.load.inFlight, state.load.waiting) = (7, 3)
        for milliseconds in [Int64(1), 4, 20, 20, 300] { state.load.answer.record(milliseconds * 1_000_000) }
        state.load.lateness.record(90_000)
        state.mock.byStatus = [200: 480, 410: 3]
        state.faults = ["410 Unregistered", "delay", "delay"]
        var figures = LiveFigures()
        figures.delivery.record(2_000_000_000)
        figures.awaited = 12
        state.figures = figures
        state.oldestAwaited = .seconds(1.25)
        state.relay = RelaySample(cpu: .seconds(3), residentBytes: 41_000_000, descriptors: 90, sockets: 70)
        (state.relayProcessors, state.busiestThread) = (0.75, 0.31)
        state.gates = [
            LiveState.Gate(text: "delivery.p99 < 1s", value: 2e9, valueText: "2 s", word: .fails, aborts: true),
            LiveState.Gate(text: "lost == 0"), LiveState.Gate(text: "lost == 0"),
        ]
        state.course = [LiveState.Point(at: 11.5), LiveState.Point(at: 12.5, unanswered: 10, awaited: 12)]
        return state
    }

    @Test func `is metrics that a strict reader takes, with all of its figures`() throws {
        let page = try Exposition(Self.state().metrics)
        let info = try #require(page.families["pushrig_run_info"]?.samples.first)
        #expect(info.labels["scenario"] == "odd \"name\" with \\ and\na line" && info.labels["seed"] == "18446744073709551615")
        #expect(page["pushrig_run_phase", ["phase": "measure"]] == 1 && page["pushrig_run_phase", ["phase": "drain"]] == 0)
        #expect(page["pushrig_calls_planned_total"] == 520 && page["pushrig_calls_unanswered"] == 10)
        #expect(page["pushrig_relay_answers_total", ["class": "5xx"]] == 10)
        #expect(page["pushrig_mock_pushes_total", ["status": "410"]] == 3)
        let bucket = "pushrig_call_latency_seconds_bucket"
        #expect(page[bucket, ["le": "0.001"]] == 0 && page[bucket, ["le": "0.0025"]] == 1)
        #expect(page[bucket, ["le": "0.025"]] == 4 && page[bucket, ["le": "0.25"]] == 4)
        #expect(page[bucket, ["le": "0.5"]] == 5 && page[bucket, ["le": "+Inf"]] == 5)
        let sum = try #require(page["pushrig_call_latency_seconds_sum"])
        #expect(abs(sum - 0.345) < 0.001)
        #expect(page["pushrig_delivery_latency_seconds_count"] == 1 && page["pushrig_pushes_awaited"] == 12)
        #expect(page["pushrig_pushes_awaited_oldest_seconds"] == 1.25)
        #expect(page["pushrig_lateness_seconds_bucket", ["le": "0.0001"]] == 1)
        #expect(page["pushrig_relay_resident_memory_bytes"] == 41_000_000 && page["pushrig_busiest_thread_ratio"] == 0.31)
        #expect(page["pushrig_fault_in_force", ["fault": "delay"]] == 2 && page["pushrig_faults_in_force"] == 3)
        #expect(page["pushrig_gate_state", ["gate": "delivery.p99 < 1s", "state": "fails"]] == 1)
        #expect(page["pushrig_gate_state", ["gate": "lost == 0", "state": "open"]] == 1)
        #expect(page.names.allSatisfy { $0.hasPrefix("pushrig_") })
    }

    @Test func `is metrics also where nothing is known yet, and then tells nothing of pushes`() throws {
        let page = try Exposition(LiveState().metrics)
        #expect(page["pushrig_calls_planned_total"] == 0 && page["pushrig_call_latency_seconds_count"] == 0)
        #expect(page.families["pushrig_delivery_latency_seconds"] == nil && page.families["pushrig_gate_state"] == nil)
    }

    @Test func `is JSON that the schema describes, with every member it names`() throws {
        let schema = try LiveSchema()
        #expect(schema.complaints(about: Self.state().json) == [])
        #expect(schema.complaints(about: LiveState().json) == [])
        var odd = try #require(Self.state().json.object)
        odd["surprise"] = true
        #expect(schema.complaints(about: .object(odd)) == ["/surprise is not described"])
        #expect(schema.root["properties"]?.object?.keys == Self.state().json.object?.keys)
        let words = schema.root.at(pointer: "/properties/gates/items/properties/word/enum")?.array?.compactMap(\.string)
        #expect(words == LiveState.Gate.Word.allCases.map(\.rawValue))
        #expect(Self.state().json["awaited"]?["oldestSeconds"] == 1.25)
    }

    @Test func `the reader of these tests takes nothing that is no such page`() {
        for text in [
            "x 1\n", "# HELP a b\n# TYPE a gauge\na 1", "# HELP a b\n# TYPE a gauge\na{b=\"c} 1\n",
            "# HELP a b\n# TYPE a counter\na 1\n", "# HELP a b\n# TYPE a gauge\na 1\na 2\n",
            "# HELP a b\n# TYPE a gauge\na{b=\"\\x\"} 1\n",
            "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
        ] {
            #expect(throws: Exposition.Wrong.self) { try Exposition(text) }
        }
    }
}

/// As much of JSON Schema as docs/watch.schema.json uses.
struct LiveSchema {
    let root: JSONValue

    init() throws {
        root = try JSONValue(parsing: String(contentsOfFile: Place.root + "/docs/watch.schema.json", encoding: .utf8))
    }

    func complaints(about value: JSONValue) -> [String] { check(value, root, "") }

    private func check(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        var complaints: [String] = []
        if let reference = schema["$ref"]?.string {
            complaints += check(value, root.at(pointer: String(reference.dropFirst())) ?? false, place)
        }
        if schema == false { return ["\(place) has no schema"] }
        if let constant = schema["const"], constant != value { complaints.append("\(place) is not \(constant.text)") }
        if let choices = schema["enum"]?.array, !choices.contains(value) { complaints.append("\(place) is no choice") }
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            if !names.contains(where: { isOf($0, value) }) { complaints.append("\(place) is none of \(names)") }
        }
        if let least = schema["minimum"]?.double, let number = value.double, number < least { complaints.append("\(place) is too low") }
        for name in schema["required"]?.array?.compactMap(\.string) ?? [] where value.object.map({ $0[name] == nil }) ?? false {
            complaints.append("\(place) has no \(name)")
        }
        for (key, member) in value.object ?? JSONObject() {
            if let property = schema["properties"]?[key] {
                complaints += check(member, property, place + "/" + key)
            } else if schema["additionalProperties"] == false {
                complaints.append("\(place)/\(key) is not described")
            }
        }
        if let items = schema["items"] {
            for (index, item) in (value.array ?? []).enumerated() { complaints += check(item, items, "\(place)/\(index)") }
        }
        return complaints
    }

    private func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer), ("number", .number),
            ("string", .string), ("array", .array), ("object", .object):
            true
        default: false
        }
    }
}
