// Rules, their findings and what these show, as JSON and back.

import Basics
import Conformance

extension RuleResult {
    /// `directory` is where the run's journal stands.
    func json(in directory: String) -> JSONValue {
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
            object["findings"] = .array(findings.map { $0.json(in: directory) })
        case .notExercised: break
        }
        object["hindrance"] = hindrance.map { .string($0) } ?? .null
        object["causes"] = .array(causes.map { ["rule": .string($0.rule), "count": .integer(Int64($0.count))] })
        return .object(object)
    }

    init(_ reading: JSONReading) throws(Failure) {
        let verdict: Verdict
        switch try reading["verdict"].text() {
        case "kept": verdict = .kept(evidenceCount: try reading["evidenceCount"].count())
        case "broken":
            verdict = .broken(
                try RunRecord.all(reading["findings"]) { r throws(Failure) in try Finding(r) },
                count: try reading["findingCount"].count())
        case "not exercised": verdict = .notExercised
        default: throw try reading["verdict"].wrong("is not a verdict")
        }
        self.init(
            id: try reading["id"].text(), claims: try reading["claims"].texts(), level: try reading["level"].word(),
            basis: Rule.Basis(words: try reading["restsOn"].texts()), requirement: try reading["requirement"].text(),
            norm: try reading["norm"].text(), advice: try reading["advice"].text(), verdict: verdict,
            isKnownFailing: try reading["knownFailing"].flag(), isStrict: try reading["strict"].flag())
        hindrance = try reading["hindrance"].optional()?.text()
        causes = try RunRecord.all(reading["causes"]) { r throws(Failure) in
            Cause(rule: try r["rule"].text(), count: try r["count"].count())
        }
    }
}

extension Rule.Basis {
    private static let names: KeyValuePairs<String, Rule.Basis> = [
        "timing": .timing, "absence": .absence, "order": .order, "running": .running,
    ]

    var words: [String] { Self.names.filter { contains($0.value) }.map(\.key) }

    init(words: [String]) {
        self = Rule.Basis(Self.names.filter { words.contains($0.key) }.map(\.value))
    }
}

extension Finding {
    func json(in directory: String) -> JSONValue {
        [
            "message": .string(message), "expected": .string(expected), "seen": .string(seen),
            "session": session.map { .integer(Int64($0)) } ?? .null, "step": step.map { .integer(Int64($0)) } ?? .null,
            "entries": .array(entries.map { .integer(Int64($0)) }), "call": call?.json ?? .null,
            "exchanges": .array(exchanges.map(\.json)), "history": .array(history.map(\.json)),
            "more": .string(more(in: directory)),
            "replay": replay(in: directory).map { .string($0) } ?? .null,
            "change": change.map { .string($0) } ?? .null,
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            message: try reading["message"].text(), expected: try reading["expected"].text(),
            seen: try reading["seen"].text(), session: try reading["session"].optional()?.integer(),
            step: try reading["step"].optional()?.integer(), entries: try reading["entries"].integers())
        let replay = try reading["replay"].optional()?.text()
        isOfWholeRun = replay.map { !$0.contains(" --session ") } ?? false
        if reading.value["call"]?.object != nil { call = try CallSeen(reading["call"]) }
        exchanges = try RunRecord.all(reading["exchanges"]) { r throws(Failure) in try Exchange(r) }
        // Records of earlier versions have neither.
        if reading.value["change"] != nil { change = try reading["change"].optional()?.text() }
        guard reading.value["history"] != nil else { return }
        history = try RunRecord.all(reading["history"]) { r throws(Failure) in try HistoryLine(r) }
    }
}

extension Exchange {
    var json: JSONValue {
        [
            "entry": .integer(Int64(entry)), "atNanoseconds": .integer(at.nanoseconds), "time": .string(time.iso8601),
            "request": RunRecord.texts(request), "payload": .string(payload), "answer": .string(answer),
            "device": .string(device),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            entry: try reading["entry"].integer(), at: try reading["atNanoseconds"].interval(),
            time: try reading.time(), request: try reading["request"].texts(), payload: try reading["payload"].text(),
            answer: try reading["answer"].text(), device: try reading["device"].text())
    }
}

extension HistoryLine {
    var json: JSONValue {
        [
            "atNanoseconds": .integer(at.nanoseconds), "text": .string(words), "meant": .bool(isMeant),
            "skipped": .integer(Int64(skipped)),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        self.init(
            at: try reading["atNanoseconds"].interval(), words: try reading["text"].text(),
            isMeant: try reading["meant"].flag(), skipped: try reading["skipped"].count())
    }
}

extension CallSeen {
    var json: JSONValue {
        [
            "entry": .integer(Int64(entry)), "kind": .string(kind), "atNanoseconds": .integer(at.nanoseconds),
            "time": .string(time.iso8601), "answer": .string(answer), "sent": .string(sent),
        ]
    }

    init(_ reading: JSONReading) throws(Failure) {
        // Records of earlier versions do not tell what was sent.
        self.init(
            entry: try reading["entry"].integer(), kind: try reading["kind"].text(),
            at: try reading["atNanoseconds"].interval(), time: try reading.time(),
            answer: try reading["answer"].text(), sent: reading.value["sent"]?.string ?? "")
    }
}

extension JSONReading {
    /// Records of earlier versions do not tell it.
    fileprivate func time() throws(Failure) -> WallTime {
        guard value["time"] != nil else { return WallTime(nanoseconds: 0) }
        guard let time = WallTime(iso8601: try self["time"].text()) else { throw try self["time"].wrong("is not a time") }
        return time
    }
}
