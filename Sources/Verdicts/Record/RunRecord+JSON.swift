// The record as JSON and back; docs/run.schema.json describes the shape. Units stand in the names.

package import Basics
import Conformance

extension RunRecord {
    /// What `run.json` holds. The seed is a string, since it may need 64 bits.
    package var json: JSONValue {
        [
            "format": "pushrig.run",
            "version": .integer(Int64(Self.version)),
            "exit": [
                "code": .integer(Int64(exit.code)), "word": .string(exit.word), "reasons": Self.texts(exit.reasons),
            ],
            "proof": [
                "broken": Self.texts(proof.broken), "doubts": Self.texts(proof.doubts),
                "neverReady": .bool(proof.wasNeverReady),
            ],
            "name": .string(name),
            "profile": .string(profile),
            "scenario": ["path": .string(scenarioPath), "text": .string(scenarioText)],
            "seed": .string(String(seed)),
            "run": .integer(Int64(run)),
            "clockScale": .number(clockScale),
            "command": .string(command),
            "directory": .string(directory),
            "replayCommand": .string(replayCommand),
            "planDigest": .string(planDigest),
            "commit": .string(commit),
            "toolVersion": .string(toolVersion),
            "startedAt": .string(startedAt.iso8601),
            "durationNanoseconds": .integer(duration.nanoseconds),
            "machine": machine.json,
            "phases": .array(phases.map(\.json)),
            "bands": .array(bands.map(\.json)),
            "load": load.json,
            "mock": mock.json,
            "soundness": .array(soundness.map(\.json)),
            "latenessBudgetNanoseconds": .integer(latenessBudget.nanoseconds),
            "correlation": CorrelationJSON.encode(correlation, directory),
            "gates": .array(gates.map(\.json)),
            "verdicts": .array(verdicts.map { $0.json(in: directory) }),
            "relayEnds": .array(relayEnds.map { .string($0) }),
            "endedEarly": earlyEnd?.json ?? .null,
            "closedUsers": closedUsers.map { .integer(Int64($0)) } ?? .null,
        ]
    }

    /// Reads what `json` gave, to the millisecond in `startedAt`. A record of a newer version is refused.
    package init(json: JSONValue) throws(Failure) {
        let reading = JSONReading(json, of: "run record")
        guard json["format"]?.string == "pushrig.run" else { throw reading.wrong("is not of format pushrig.run") }
        let version: Int = try reading["version"].integer()
        guard version <= Self.version else {
            throw Failure(
                .usage, "this run record has version \(version), and this pushrig reads up to \(Self.version)",
                hint: "use the pushrig that wrote it, or a newer one")
        }
        let scenario = try reading["scenario"]
        guard let seed = UInt64(try reading["seed"].text()) else { throw try reading["seed"].wrong("is not a seed") }
        guard let startedAt = WallTime(iso8601: try reading["startedAt"].text()) else {
            throw try reading["startedAt"].wrong("is not a time")
        }
        let budget = try reading["latenessBudgetNanoseconds"].interval()
        guard budget > .zero else { throw try reading["latenessBudgetNanoseconds"].wrong("is not above 0") }
        let exit = try reading["exit"]
        self.init(
            name: try reading["name"].text(), scenarioPath: try scenario["path"].text(),
            scenarioText: try scenario["text"].text(), profile: try reading["profile"].text(), seed: seed,
            run: try reading["run"].integer(), clockScale: try reading["clockScale"].number(),
            command: try reading["command"].text(), replayCommand: try reading["replayCommand"].text(),
            planDigest: try reading["planDigest"].text(), machine: try Machine(reading["machine"]),
            commit: try reading["commit"].text(), toolVersion: try reading["toolVersion"].text(), startedAt: startedAt,
            duration: try reading["durationNanoseconds"].interval(),
            phases: try Self.all(reading["phases"]) { r throws(Failure) in try Phase(r) },
            bands: try Self.all(reading["bands"]) { r throws(Failure) in try Band(r) },
            load: try LoadCounters(reading["load"]), mock: try MockCounters(reading["mock"]),
            soundness: try Self.all(reading["soundness"]) { r throws(Failure) in try SoundnessCheck(r) },
            latenessBudget: budget,
            correlation: try CorrelationJSON.decode(reading["correlation"]),
            gates: try Self.all(reading["gates"]) { r throws(Failure) in try GateResult(r) },
            verdicts: try Self.all(reading["verdicts"]) { r throws(Failure) in try RuleResult(r) },
            exit: Exit(
                code: try exit["code"].integer(), word: try exit["word"].text(), reasons: try exit["reasons"].texts()))
        directory = json["directory"]?.string ?? ""
        // Of before there were any.
        if json["relayEnds"] != nil { relayEnds = try reading["relayEnds"].texts() }
        if let end = json["endedEarly"], !end.isNull { earlyEnd = try EarlyEnd(try reading["endedEarly"]) }
        closedUsers = json["closedUsers"]?.int.map { Int($0) }
        if json["proof"] == nil {
            // Of before there was one.
            proof.broken = self.exit.code == 4 ? verdicts.filter { $0.standing == .broken }.map(\.id) : []
            proof.doubts = self.exit.code == 5 ? self.exit.reasons : []
        } else {
            let proof = try reading["proof"]
            self.proof = Proof(
                broken: try proof["broken"].texts(), doubts: try proof["doubts"].texts(),
                wasNeverReady: try proof["neverReady"].flag())
        }
    }

    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    static func all<T>(
        _ reading: JSONReading, _ decode: (JSONReading) throws(Failure) -> T
    ) throws(Failure) -> [T] {
        var list: [T] = []
        for item in try reading.list() { list.append(try decode(item)) }
        return list
    }
}
