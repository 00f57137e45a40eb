// A search as JSON and back: `find.json`, described by docs/find.schema.json. What of it follows from the trials is not read
// back, but searched again.

package import Basics
import Capacity

extension FindRecord {
    /// Rates are events per second, or sessions at once by `axis`. The seed is a string, since it may need 64 bits.
    package var json: JSONValue {
        [
            "format": "pushrig.find", "version": .integer(Int64(Self.version)), "asked": asked.json,
            "planDigest": .string(planDigest), "filesDigest": .string(filesDigest), "seed": .string(String(seed)),
            "command": .string(command),
            "startedAt": .string(startedAt.iso8601), "seconds": .number(duration.seconds),
            "toolVersion": .string(toolVersion), "machine": machine.json, "terms": terms.json,
            "warmUpSeconds": .number(warmUp), "session": mix.json,
            "noiseFloorNanoseconds": noiseFloor.map { .number($0) } ?? .null,
            "stop": stop.map { .string($0.rawValue) } ?? .null, "detail": .string(detail),
            "goals": .array(goals.map(\.json)), "trials": .array(trials.map(\.json)),
            "broken": .array(
                broken.sorted { $0.key < $1.key }.map { ["rule": .string($0.key), "from": .number($0.value)] }),
        ]
    }

    /// Reads what `json` gave. A record of a newer version is refused.
    package init(json: JSONValue) throws(Failure) {
        let reading = JSONReading(json, of: "search record")
        guard json["format"]?.string == "pushrig.find" else { throw reading.wrong("is not of format pushrig.find") }
        let version: Int = try reading["version"].integer()
        guard version <= Self.version else {
            throw Failure(
                .usage, "this search record has version \(version), and this pushrig reads up to \(Self.version)",
                hint: "use the pushrig that wrote it, or a newer one")
        }
        guard let seed = UInt64(try reading["seed"].text()) else { throw try reading["seed"].wrong("is not a seed") }
        guard let startedAt = WallTime(iso8601: try reading["startedAt"].text()) else {
            throw try reading["startedAt"].wrong("is not a time")
        }
        var goals: [Goal] = []
        for goal in try reading["goals"].list() {
            goals.append(Goal(name: try goal["name"].text(), gates: try goal["gates"].texts()))
        }
        guard !goals.isEmpty else { throw try reading["goals"].wrong("is empty") }
        var trials: [Trial] = []
        for item in try reading["trials"].list() {
            let trial = try Trial(item)
            guard trial.void != nil || trial.kind == .warmUp || trial.words.count == goals.count else {
                throw try item["words"].wrong("has no word for each goal")
            }
            trials.append(trial)
        }
        self.init(
            try Asked(try reading["asked"]), planDigest: try reading["planDigest"].text(),
            filesDigest: try reading["filesDigest"].text(), seed: seed,
            command: try reading["command"].text(),
            terms: try CapacityTerms(try reading["terms"]), goals: goals, startedAt: startedAt,
            toolVersion: try reading["toolVersion"].text(), machine: try Machine(try reading["machine"]))
        duration = .seconds(try reading["seconds"].number())
        warmUp = try reading["warmUpSeconds"].number()
        let session = try reading["session"]
        mix = Mix(
            events: try session["events"].number(), pushes: try session["pushes"].number(),
            seconds: try session["seconds"].number())
        noiseFloor = try reading["noiseFloorNanoseconds"].optional()?.number()
        stop = try reading["stop"].optional()?.word()
        detail = try reading["detail"].text()
        for row in try reading["broken"].list() { broken[try row["rule"].text()] = try row["from"].number() }
        self.trials = trials
    }
}

extension FindRecord.Asked {
    fileprivate var json: JSONValue {
        [
            "scenario": .string(scenarioPath), "gates": RunRecord.texts(gates),
            "overrides": .array(overrides.map { RunRecord.texts($0) }), "axis": .string(axis.rawValue),
            "restarts": .bool(restarts), "mock": mock.map { .string($0) } ?? .null, "allowHosts": RunRecord.texts(allowHosts),
        ]
    }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        self.init(scenarioPath: try reading["scenario"].text())
        gates = try reading["gates"].texts()
        for override in try reading["overrides"].list() {
            let texts = try override.texts()
            guard texts.count == 2 else { throw override.wrong("is no path with a value") }
            overrides.append(texts)
        }
        axis = try reading["axis"].word()
        restarts = try reading["restarts"].flag()
        mock = try reading["mock"].optional()?.text()
        allowHosts = try reading["allowHosts"].texts()
    }
}

extension FindRecord.Mix {
    fileprivate var json: JSONValue { ["events": .number(events), "pushes": .number(pushes), "seconds": .number(seconds)] }
}

extension CapacityTerms {
    fileprivate static var members: [(name: String, path: WritableKeyPath<CapacityTerms, Double>)] {
        [
            ("from", \.from), ("to", \.to), ("width", \.width), ("trialSeconds", \.trial), ("sumSeconds", \.sum),
            ("exceed", \.exceed), ("confirmSeconds", \.confirm), ("budgetSeconds", \.budget),
        ]
    }

    fileprivate var json: JSONValue {
        var object = JSONObject()
        for (name, path) in Self.members { object[name] = .number(self[keyPath: path]) }
        return .object(object)
    }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        self.init()
        for (name, path) in Self.members {
            let value: Double = try reading[name].number()
            let range = Self.range(path)
            guard range ~= value else {
                throw try reading[name].wrong("is not from \(range.lowerBound) to \(range.upperBound)")
            }
            self[keyPath: path] = value
        }
        if let (message, _) = contradiction { throw reading.wrong("contradicts itself: \(message)") }
    }
}

extension FindRecord.Goal {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "gates": RunRecord.texts(gates),
            "answer": result.answer.map { .string($0.rawValue) } ?? .null,
            "lower": .number(result.lower), "upper": .number(result.upper),
            "lowerGoodSeconds": .number(result.lowerGood), "lowerSeconds": .number(result.lowerSeconds),
            "upperBadSeconds": .number(result.upperBad), "upperSeconds": .number(result.upperSeconds),
            "confirmed": .bool(result.isConfirmed),
        ]
    }
}

extension FindRecord.Trial {
    fileprivate var json: JSONValue {
        [
            "number": .integer(Int64(number)), "kind": .string(kind.rawValue), "place": .integer(Int64(place)),
            "rate": .number(rate), "seconds": .number(seconds), "folder": .string(folder), "seed": .string(String(seed)),
            "void": void.map { .string($0) } ?? .null, "words": RunRecord.texts(words.map(\.rawValue)),
            "reasons": RunRecord.texts(reasons), "figures": figures.json,
        ]
    }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        guard let seed = UInt64(try reading["seed"].text()) else { throw try reading["seed"].wrong("is not a seed") }
        self.init(
            number: try reading["number"].integer(), kind: try reading["kind"].word(), place: try reading["place"].integer(),
            rate: try reading["rate"].number(), seconds: try reading["seconds"].number(), folder: try reading["folder"].text(),
            seed: seed)
        void = try reading["void"].optional()?.text()
        for word in try reading["words"].list() { words.append(try word.word()) }
        reasons = try reading["reasons"].texts()
        figures = try FindRecord.Figures(try reading["figures"])
    }
}

extension FindRecord.Figures {
    private static var members: [(name: String, path: WritableKeyPath<Self, Double?>)] {
        [
            ("deliveryP50Nanoseconds", \.p50), ("deliveryP99Nanoseconds", \.p99), ("stalenessP99Nanoseconds", \.staleness),
            ("latenessP99Nanoseconds", \.lateness), ("slope", \.slope), ("lostShare", \.lostShare),
            ("errorShare", \.errorShare), ("processor", \.processor),
        ]
    }

    fileprivate var json: JSONValue {
        var object = JSONObject()
        object["planned"] = .integer(planned)
        object["sent"] = .integer(sent)
        for (name, path) in Self.members { object[name] = .number(self[keyPath: path]) }
        object["memoryBytes"] = memoryBytes.map { .integer($0) } ?? .null
        object["broken"] = RunRecord.texts(broken)
        return .object(object)
    }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        self.init()
        planned = try reading["planned"].integer()
        sent = try reading["sent"].integer()
        for (name, path) in Self.members { self[keyPath: path] = try reading[name].optional()?.number() }
        memoryBytes = try reading["memoryBytes"].optional()?.integer()
        broken = try reading["broken"].texts()
    }
}

extension JSONValue {
    /// Null where there is none.
    fileprivate static func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
}
