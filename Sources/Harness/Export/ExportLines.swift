// The lines of an export as objects of JSON: what a replay needs, what was found, and the history with each call as it was
// made.

import Basics
import Conformance
import Journal
import LoadGenerator
import Planning
import Pushes
import Reports
import Verdicts

struct ExportLines {
    private let command: ExportCommand
    private let reader: JournalReader

    init(_ command: ExportCommand, _ reader: JournalReader) {
        self.command = command
        self.reader = reader
    }

    func write(to output: inout LineOutput) throws(Failure) {
        var frame = try HistoryFrame(reader)
        guard let note = try frame.plan?.asPlayed(reader) else {
            guard command.session == nil else {
                throw Failure(
                    .usage, "\(command.directory) is a mock's own journal, which has no sessions",
                    hint: "leave out --session, or look with `pushrig journal \(command.directory) --token`")
            }
            return try writeAll(&frame, nil, to: &output)
        }
        let calls = try renderer(note)
        if let session = command.session {
            try write(try SessionCut.make(of: session, note, path: command.directory), note, &frame, calls, to: &output)
        } else {
            let run = try RecordedRun(command.directory, session: nil)
            write(run, words(note, run.verdict, "all of it"), to: &output)
            try writeAll(&frame, calls, to: &output)
        }
    }

    private func words(_ note: PlanNote, _ verdict: RecordedVerdict, _ part: String) -> String {
        let scenario = note.files.first?.path ?? "no scenario"
        return "\(part) of a run of \(scenario): \(verdict.words); `pushrig replay FILE` drives it again"
    }

    private func write(_ run: RecordedRun, _ about: String, to output: inout LineOutput) {
        for line in ExportFile.beginning(run, about: about) { output.add(line) }
    }

    // MARK: One session

    private func write(
        _ own: SessionCut.Result, _ note: PlanNote, _ frame: inout HistoryFrame, _ calls: RequestRenderer,
        to output: inout LineOutput
    ) throws(Failure) {
        let part = "session\(own.sessions.count == 1 ? "" : "s") \(own.sessions.map(String.init).joined(separator: ", "))"
        let run = RecordedRun(note: note, cut: own.cut, verdict: own.verdict, directory: command.directory)
        write(run, words(note, own.verdict, part), to: &output)
        for found in own.found {
            for finding in found.findings { add(finding.line(of: found.rule), to: &output) }
        }
        var rows: [(at: WallTime, line: String)] = []
        for session in own.sessions {
            let timeline = try SessionTimeline(session, reader, &frame)
            for row in timeline.rows {
                guard let line = timeline.json(row, frame) else { continue }
                guard let object = (try? JSONValue(parsing: line))?.object else { continue }
                rows.append((row.at, told(object, calls)))
            }
        }
        for row in rows.enumerated().sorted(by: { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }) {
            add(row.element.line, to: &output)
        }
    }

    // MARK: All of it

    private func writeAll(_ frame: inout HistoryFrame, _ calls: RequestRenderer?, to output: inout LineOutput) throws(Failure) {
        try frame.findReasons(reader)
        var (known, lines) = (frame, output)
        _ = try reader.forEach(since: nil) { entry in
            known.see(entry)
            // The plan stands at the beginning.
            if case .note(let note) = entry, note.kind == .plan { return true }
            add(told(known.object(entry), calls), to: &lines)
            return true
        }
        output = lines
    }

    // MARK: Lines

    /// What learnt of all that depended on answers and phones.
    private func renderer(_ note: PlanNote) throws(Failure) -> RequestRenderer {
        let renderer = CallRenderer(note.plan(of: try note.scenario()))
        _ = try reader.forEach(since: nil, reading: { _ in .none }) { entry in
            guard case .note(let note) = entry else { return true }
            if let capture = note.capture { renderer.learn(capture) }
            if let reaction = note.reaction { renderer.learn(MadeReaction(reaction)) }
            return true
        }
        return RequestRenderer(renderer)
    }

    /// With the request that a call was, and without the provider token of a push.
    private func told(_ object: JSONObject, _ calls: RequestRenderer?) -> String {
        var object = object
        if object["kind"]?.string == "event", let calls, let session = object["session"]?.int, let step = object["step"]?.int,
            let call = calls.request(session: UInt32(clamping: session), step: UInt32(clamping: step))
        {
            object["request"] = call.json
        }
        object.hideProviderToken()
        return JSONValue.object(object).text
    }

    private func add(_ line: String, to output: inout LineOutput) {
        output.add(command.showsFullTokens ? line : ShortTokens.cut(line))
    }
}

extension JSONObject {
    /// Of a push, among its headers.
    mutating func hideProviderToken() {
        guard let headers = self["headers"]?.array else { return }
        self["headers"] = .array(
            headers.map { $0.array?.first?.string == "authorization" ? ["authorization", "(provider token)"] : $0 })
    }
}

extension RenderedCall {
    fileprivate var json: JSONValue {
        [
            "method": .string(method), "path": .string(path),
            "headers": .array(headers.map { .array([.string($0.name), .string($0.value)]) }),
            "body": (try? JSONValue(parsing: body)) ?? .string(body),
        ]
    }
}

extension Finding {
    fileprivate func line(of rule: RuleResult) -> String {
        let object: JSONValue = [
            "kind": "finding", "rule": .string(rule.id), "claims": .array(rule.claims.map { .string($0) }),
            "standing": .string(rule.standing.word), "message": .string(message), "expected": .string(expected),
            "seen": .string(seen), "session": session.map { .integer(Int64($0)) } ?? .null,
            "step": step.map { .integer(Int64($0)) } ?? .null, "entries": .array(entries.map { .integer(Int64($0)) }),
            "norm": .string(rule.norm), "change": .string(change ?? rule.advice),
        ]
        return object.text
    }
}
