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

extension RunRecord.LoadCounters {
    var json: JSONValue {
        [
            "sessions": .integer(sessions), "planned": .integer(planned), "sent": .integer(sent),
            "answered": .integer(answered), "failed": .integer(failed), "dropped": .integer(dropped),
            "connections": .integer(connections),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            sessions: try reading["sessions"].integer(), planned: try reading["planned"].integer(),
            sent: try reading["sent"].integer(), answered: try reading["answered"].integer(),
            failed: try reading["failed"].integer(), dropped: try reading["dropped"].integer(),
            connections: try reading["connections"].integer())
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
            byStatus[status] = try count.integer()
        }
        self.init(
            connections: try reading["connections"].integer(), pushes: try reading["pushes"].integer(),
            byStatus: byStatus, tokens: try reading["tokens"].integer(),
            faultsFired: try reading["faultsFired"].integer(), journalBytes: try reading["journalBytes"].integer())
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

extension RuleResult {
    var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "claims": RunRecord.texts(claims), "level": .string(level.rawValue),
            "standing": .string(standing.rawValue), "requirement": .string(requirement), "norm": .string(norm),
            "advice": .string(advice), "knownFailing": .bool(isKnownFailing), "strict": .bool(isStrict),
            "restsOn": RunRecord.texts(basis.words), "verdict": .string(verdict.word),
        ]
        switch verdict {
        case .kept(let count): object["evidenceCount"] = .integer(Int64(count))
        case .broken(let findings, let count):
            object["findingCount"] = .integer(Int64(count))
            object["findings"] = .array(findings.map(\.json))
        case .notExercised: break
        }
        return .object(object)
    }

    init(_ reading: JSONReading) throws(Failure) {
        let verdict: Verdict
        switch try reading["verdict"].text() {
        case "kept": verdict = .kept(evidenceCount: try reading["evidenceCount"].integer())
        case "broken":
            verdict = .broken(
                try RunRecord.all(reading["findings"]) { r throws(Failure) in try Finding(r) },
                count: try reading["findingCount"].integer())
        case "not exercised": verdict = .notExercised
        default: throw try reading["verdict"].wrong("is not a verdict")
        }
        self.init(
            id: try reading["id"].text(), claims: try reading["claims"].texts(), level: try reading["level"].word(),
            basis: Rule.Basis(words: try reading["restsOn"].texts()), requirement: try reading["requirement"].text(),
            norm: try reading["norm"].text(), advice: try reading["advice"].text(), verdict: verdict,
            isKnownFailing: try reading["knownFailing"].flag(), isStrict: try reading["strict"].flag())
    }
}

extension Rule.Basis {
    private static let names: KeyValuePairs<String, Rule.Basis> = ["timing": .timing, "absence": .absence, "order": .order]

    var words: [String] { Self.names.filter { contains($0.value) }.map(\.key) }

    init(words: [String]) {
        self = Rule.Basis(Self.names.filter { words.contains($0.key) }.map(\.value))
    }
}

extension Finding {
    var json: JSONValue {
        [
            "message": .string(message), "expected": .string(expected), "seen": .string(seen),
            "session": session.map { .integer(Int64($0)) } ?? .null, "step": step.map { .integer(Int64($0)) } ?? .null,
            "entries": .array(entries.map { .integer(Int64($0)) }), "exchanges": .array(exchanges.map(\.json)),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            message: try reading["message"].text(), expected: try reading["expected"].text(),
            seen: try reading["seen"].text(), session: try reading["session"].optional()?.integer(),
            step: try reading["step"].optional()?.integer(), entries: try reading["entries"].integers())
        exchanges = try RunRecord.all(reading["exchanges"]) { r throws(Failure) in try Exchange(r) }
    }
}

extension Exchange {
    var json: JSONValue {
        [
            "entry": .integer(Int64(entry)), "atNanoseconds": .integer(at.nanoseconds), "request": RunRecord.texts(request),
            "payload": .string(payload), "answer": .string(answer), "device": .string(device),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            entry: try reading["entry"].integer(), at: try reading["atNanoseconds"].interval(),
            request: try reading["request"].texts(), payload: try reading["payload"].text(),
            answer: try reading["answer"].text(), device: try reading["device"].text())
    }
}
