// The small parts of a run's record as JSON and back.

import Basics
import Conformance

extension RunRecord.Phase {
    var json: JSONValue {
        [
            "name": .string(name), "startNanoseconds": .integer(start.nanoseconds),
            "endNanoseconds": .integer(end.nanoseconds),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            name: try reading["name"].text(), start: try reading["startNanoseconds"].interval(),
            end: try reading["endNanoseconds"].interval())
    }
}

extension RunRecord.Band {
    var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "label": .string(label),
            "startNanoseconds": .integer(start.nanoseconds), "endNanoseconds": .integer(end.nanoseconds),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            kind: try reading["kind"].word(), label: try reading["label"].text(),
            start: try reading["startNanoseconds"].interval(), end: try reading["endNanoseconds"].interval())
    }
}

extension RunRecord.EarlyEnd {
    var json: JSONValue {
        ["atNanoseconds": .integer(at.nanoseconds), "gate": .string(gate), "reason": .string(reason)]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            at: try reading["atNanoseconds"].interval(), gate: try reading["gate"].text(), reason: try reading["reason"].text())
    }
}

extension RunRecord.LoadCounters {
    var json: JSONValue {
        [
            "sessions": .integer(sessions), "planned": .integer(planned), "sent": .integer(sent),
            "answered": .integer(answered), "failed": .integer(failed), "dropped": .integer(dropped),
            "connections": .integer(connections), "busiestThread": .integer(busiestThread),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            sessions: try reading["sessions"].count(), planned: try reading["planned"].count(),
            sent: try reading["sent"].count(), answered: try reading["answered"].count(),
            failed: try reading["failed"].count(), dropped: try reading["dropped"].count(),
            connections: try reading["connections"].count(),
            // Older records have none.
            busiestThread: reading.value["busiestThread"]?.int ?? 0)
    }
}

extension RunRecord.MockCounters {
    var json: JSONValue {
        var statuses = JSONObject()
        for (status, count) in byStatus.sorted(by: { $0.key < $1.key }) { statuses[String(status)] = .integer(count) }
        return [
            "connections": .integer(connections), "pushes": .integer(pushes), "byStatus": .object(statuses),
            "tokens": .integer(tokens), "faultsFired": .integer(faultsFired), "journalBytes": .integer(journalBytes),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        var byStatus: [Int: Int64] = [:]
        for (key, count) in try reading["byStatus"].members() {
            guard let status = Int(key) else { throw count.wrong("is not under a status") }
            byStatus[status] = try count.count()
        }
        self.init(
            connections: try reading["connections"].count(), pushes: try reading["pushes"].count(),
            byStatus: byStatus, tokens: try reading["tokens"].count(),
            faultsFired: try reading["faultsFired"].count(), journalBytes: try reading["journalBytes"].count())
    }
}

extension RunRecord.SoundnessCheck {
    var json: JSONValue { ["name": .string(name), "passed": .bool(passed), "detail": .string(detail)] }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            name: try reading["name"].text(), passed: try reading["passed"].flag(),
            detail: try reading["detail"].text())
    }
}

extension RunRecord.GateResult {
    /// A value that is no finite number is written as null: JSON has no other word for it.
    var json: JSONValue {
        [
            "text": .string(text), "metric": .string(metric), "unit": .string(unit.rawValue),
            "value": value.map { $0.isFinite ? .number($0) : .null } ?? .null,
            "threshold": .number(threshold.isFinite ? threshold : 0), "passed": passed.map { .bool($0) } ?? .null,
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            text: try reading["text"].text(), metric: try reading["metric"].text(), unit: try reading["unit"].word(),
            value: try reading["value"].optional()?.number(), threshold: try reading["threshold"].number(),
            passed: try reading["passed"].optional()?.flag())
    }
}
