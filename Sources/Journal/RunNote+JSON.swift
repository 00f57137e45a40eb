// Run notes as the JSON of their records, and back.

package import Basics

extension JournalWriter {
    /// Puts a run's note on record.
    package func append(_ note: RunNote, at instant: Instant) {
        append(note: note.kind, text: note.json.text, at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other kind of note, and for one that is not whole.
    package var run: RunNote? {
        guard RunNote.kinds.contains(kind), let value = try? JSONValue(parsing: text) else { return nil }
        return try? RunNote(kind, JSONReading(value, of: "note of a run"))
    }
}

extension RunNote {
    static let kinds: Set<NoteKind> = [
        .plan, .phase, .faultGiven, .faultTaken, .relayStarted, .relayReady, .relayStopping, .relayExited, .relayMute,
        .relaySample, .endedEarly, .clockOffset, .void, .totals, .finished,
    ]

    var kind: NoteKind {
        switch self {
        case .plan: .plan
        case .phase: .phase
        case .faultGiven: .faultGiven
        case .faultTaken: .faultTaken
        case .relayStarted: .relayStarted
        case .relayReady: .relayReady
        case .relayStopping: .relayStopping
        case .relayExited: .relayExited
        case .relayMute: .relayMute
        case .relaySample: .relaySample
        case .endedEarly: .endedEarly
        case .clockOffset: .clockOffset
        case .void: .void
        case .totals: .totals
        case .finished: .finished
        }
    }

    var json: JSONValue {
        switch self {
        case .plan(let plan): plan.json
        case .phase(let name): ["name": .string(name)]
        case .faultGiven(let fault):
            ["number": .integer(Int64(fault.number)), "rule": .integer(Int64(fault.rule)), "label": .string(fault.label)]
        case .faultTaken(let number): ["number": .integer(Int64(number))]
        case .relayStarted(let restart, let arguments):
            ["restart": .integer(Int64(restart)), "arguments": .strings(arguments)]
        case .relayReady(let restart): ["restart": .integer(Int64(restart))]
        case .relayStopping(let signal): ["signal": .string(signal)]
        case .relayExited(let exit):
            ["how": .string(exit.how), "wasAsked": .bool(exit.wasAsked), "lastLines": .string(exit.lastLines)]
        case .relayMute(let mute):
            [
                "silenceNanoseconds": .integer(mute.silence.nanoseconds), "unanswered": .integer(Int64(mute.unanswered)),
                "underWay": .integer(Int64(mute.underWay)),
            ]
        case .relaySample(let sample):
            [
                "cpuNanoseconds": .integer(sample.cpu.nanoseconds), "residentBytes": .integer(sample.residentBytes),
                "descriptors": .integer(Int64(sample.descriptors)), "sockets": .integer(Int64(sample.sockets)),
                "relayWaitedNanoseconds": .integer(sample.relayWaited.nanoseconds),
                "rigWaitedNanoseconds": .integer(sample.rigWaited.nanoseconds),
            ]
        case .endedEarly(let end): ["gate": .string(end.gate), "reason": .string(end.reason)]
        case .clockOffset(let offset): offset.json
        case .void(let reason): ["reason": .string(reason)]
        case .totals(let totals): totals.json
        case .finished(let finish):
            [
                "isInterrupted": .bool(finish.isInterrupted), "trouble": finish.trouble.map { .string($0) } ?? .null,
                "wasNeverReady": .bool(finish.wasNeverReady),
            ]
        }
    }

    init(_ kind: NoteKind, _ note: JSONReading) throws(Failure) {
        switch kind {
        case .plan: self = .plan(try PlanNote(note))
        case .phase: self = .phase(try note["name"].text())
        case .faultGiven:
            self = .faultGiven(
                FaultNote(
                    number: try note["number"].integer(), rule: try note["rule"].integer(),
                    label: try note["label"].text()))
        case .faultTaken: self = .faultTaken(try note["number"].integer())
        case .relayStarted:
            self = .relayStarted(restart: try note["restart"].integer(), arguments: try note["arguments"].texts())
        case .relayReady: self = .relayReady(restart: try note["restart"].integer())
        case .relayStopping: self = .relayStopping(signal: try note["signal"].text())
        case .relayExited:
            self = .relayExited(
                RelayExitNote(
                    how: try note["how"].text(), wasAsked: try note["wasAsked"].flag(),
                    lastLines: try note["lastLines"].text()))
        case .relayMute:
            self = .relayMute(
                MuteNote(
                    silence: try note["silenceNanoseconds"].interval(), unanswered: try note["unanswered"].integer(),
                    underWay: try note["underWay"].integer()))
        case .relaySample:
            self = .relaySample(
                RelaySample(
                    cpu: try note["cpuNanoseconds"].interval(), residentBytes: try note["residentBytes"].integer(),
                    descriptors: try note["descriptors"].integer(), sockets: try note["sockets"].integer(),
                    relayWaited: try note["relayWaitedNanoseconds"].optional()?.interval() ?? .zero,
                    rigWaited: try note["rigWaitedNanoseconds"].optional()?.interval() ?? .zero))
        case .endedEarly:
            self = .endedEarly(EarlyEndNote(gate: try note["gate"].text(), reason: try note["reason"].text()))
        case .clockOffset: self = .clockOffset(try ClockOffsetNote(note))
        case .void: self = .void(try note["reason"].text())
        case .totals: self = .totals(try TotalsNote(note))
        case .finished:
            self = .finished(
                FinishNote(
                    isInterrupted: try note["isInterrupted"].flag(), trouble: try note["trouble"].optional()?.text(),
                    wasNeverReady: try note["wasNeverReady"].flag()))
        default: throw note.wrong("is of another kind")
        }
    }
}

extension PlanNote {
    package var json: JSONValue {
        [
            "files": .array(files.map { ["path": .string($0.path), "text": .string($0.text)] }),
            "folder": .string(folder), "mock": .string(mock), "overrides": .array(overrides.map { .strings($0) }),
            "gates": .strings(gates),
            "knownFailing": .strings(knownFailing), "isStrict": .bool(isStrict),
            // A seed has 64 bits, JSON's integers 63.
            "seed": .string(String(seed)), "run": .integer(Int64(run)), "digest": .string(digest),
            "shardIndex": .integer(Int64(shardIndex)), "shardCount": .integer(Int64(shardCount)),
            "command": .string(command), "toolVersion": .string(toolVersion), "commit": .string(commit),
            "machine": machine.json, "replay": replay?.json ?? .null, "part": part?.json ?? .null,
            "merged": merged?.json ?? .null, "closedUsers": closedUsers.map { .integer(Int64($0)) } ?? .null,
        ]
    }

    package init(_ note: JSONReading) throws(Failure) {
        var files: [File] = []
        for file in try note["files"].list() {
            files.append(File(path: try file["path"].text(), text: try file["text"].text()))
        }
        var overrides: [[String]] = []
        for override in try note["overrides"].list() {
            let pair = try override.texts()
            guard pair.count == 2 else { throw override.wrong("is no path and value") }
            overrides.append(pair)
        }
        guard let seed = UInt64(try note["seed"].text()) else { throw try note["seed"].wrong("is no seed") }
        let (shardIndex, shardCount): (Int, Int) = (try note["shardIndex"].integer(), try note["shardCount"].integer())
        guard PlanNote.shardCounts.contains(shardCount), (0..<shardCount).contains(shardIndex) else {
            throw try note["shardIndex"].wrong("is no shard")
        }
        self.init(
            files: files, overrides: overrides, gates: try note["gates"].texts(),
            knownFailing: try note["knownFailing"].texts(), isStrict: try note["isStrict"].flag(), seed: seed,
            run: try note["run"].integer(), digest: try note["digest"].text(), shardIndex: shardIndex,
            shardCount: shardCount, command: try note["command"].text(), toolVersion: try note["toolVersion"].text(),
            commit: try note["commit"].text(), machine: try Machine(note["machine"]))
        // Older runs have none of these.
        folder = note.value["folder"]?.string ?? ""
        mock = note.value["mock"]?.string ?? ""
        closedUsers = note.value["closedUsers"]?.int.map { Int($0) }
        if let replay = note.value["replay"], !replay.isNull { self.replay = try ReplayNote(try note["replay"]) }
        if let part = note.value["part"], !part.isNull { self.part = try PartNote(try note["part"]) }
        if let merged = note.value["merged"], !merged.isNull { self.merged = try MergedNote(try note["merged"]) }
    }
}

extension TotalsNote {
    static var columns: [(name: String, path: WritableKeyPath<TotalsNote, Int>)] {
        [
            ("sessionsBegun", \.sessionsBegun), ("planned", \.planned), ("sent", \.sent), ("answered", \.answered),
            ("failed", \.failed), ("dropped", \.dropped), ("inverted", \.inverted), ("waiting", \.waiting),
            ("waitedForConnection", \.waitedForConnection), ("sentTwice", \.sentTwice),
            ("sentAgainUnprocessed", \.sentAgainUnprocessed), ("strayAnswers", \.strayAnswers),
            ("loadConnections", \.loadConnections), ("pushes", \.pushes), ("silenced", \.silenced),
            ("mockConnections", \.mockConnections), ("connectionsEndedByFaults", \.connectionsEndedByFaults),
            ("faultsFired", \.faultsFired), ("tokens", \.tokens), ("journalBytes", \.journalBytes),
        ]
    }

    var json: JSONValue {
        var object = JSONObject()
        for (name, path) in Self.columns { object[name] = .integer(Int64(self[keyPath: path])) }
        object["longestConnectionWaitNanoseconds"] = .integer(longestConnectionWait.nanoseconds)
        object["firings"] = .array(firings.map { .integer(Int64($0)) })
        object["realTimeNanoseconds"] = .integer(realTime.nanoseconds)
        object["clockSteps"] = .integer(Int64(clockSteps))
        object["busiestThread"] = .integer(Int64(busiestThread))
        return .object(object)
    }

    init(_ note: JSONReading) throws(Failure) {
        for (name, path) in Self.columns { self[keyPath: path] = try note[name].integer() }
        longestConnectionWait = try note["longestConnectionWaitNanoseconds"].interval()
        firings = try note["firings"].integers()
        realTime = try note["realTimeNanoseconds"].optional()?.interval() ?? .zero
        clockSteps = try note["clockSteps"].optional()?.integer() ?? 0
        busiestThread = note.value["busiestThread"]?.int.map { Int($0) } ?? 0
    }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
