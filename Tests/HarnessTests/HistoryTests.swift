// `pushrig journal`, against a journal of which everything is known.

import Basics
import Glibc
import HTTP
import Journal
import OperatingSystem
import Pushes
import Reports
import Testing
import Verdicts

@testable import Harness

private let living = String(repeating: "a1", count: 32)
private let other = String(repeating: "b2", count: 32)
private let origin = Instant(nanoseconds: 5_000_000_000)

private func at(_ seconds: Double) -> Instant { origin + .milliseconds(Int64((seconds * 1_000).rounded())) }

/// A run of two sessions that was killed, or with no plan a mock's own journal.
private struct History {
    let directory: String
    var ids: [String: UInt64] = [:]

    init(_ folder: String, isRun: Bool = true) throws {
        directory = folder
        let time = ManualTime()
        let run = try JournalWriter(directory: folder + "/journal", name: "run", time: time)
        let load = try JournalWriter(directory: folder + "/journal", name: "load-0", time: time)
        let mock = try JournalWriter(directory: folder + "/journal", name: "apns-0", time: time)
        if isRun {
            let plan = PlanNote(
                files: [.init(path: "Scenarios/some.yaml", text: "name: some")], seed: 7, run: 0x1a2b_3c4d, digest: "d")
            run.append(.plan(plan), at: at(-1))
            run.append(.phase("measure"), at: at(0))
            load.append(note: .kinds, text: #"["register","progress"]"#, at: at(-0.5))
            run.append(.faultGiven(FaultNote(number: 0, rule: 3, label: "410 Unregistered")), at: at(0.5))
            load.append(
                event: EventDraft(session: 1, step: 0, kind: 1, plannedAt: at(1), sentAt: at(1), answeredAt: at(1.002), status: 200))
            load.append(
                event: EventDraft(
                    session: 2, step: 0, kind: 1, plannedAt: at(2), sentAt: at(2), answeredAt: at(2.004), status: 500,
                    failure: EventFailure.unexpectedStatus.rawValue, answer: Array("no\u{202E} \(other)".utf8)))
        }
        ids["marked"] = push(mock, living, at(1.001), payload: #"{"aps":{"alert":"one [pr:1a2b3c4d:1:0]"},"device":"\#(living)"}"#)
        mock.append(undelivered: ids["marked"]!, at: at(1.5))
        ids["unmarked"] = push(mock, living.uppercased(), at(3), payload: #"{"aps":{"alert":"two"}}"#)
        ids["dead"] = push(mock, other, at(4), status: 410, reason: "Unregistered", rule: 3, payload: "no JSON")
        guard run.commit(), load.commit(), mock.commit() else { throw Failure(.run, "cannot write") }
    }

    private func push(
        _ mock: JournalWriter, _ token: String, _ instant: Instant, status: UInt16 = 200, reason: StaticString? = nil,
        rule: UInt32 = 0, payload: String
    ) -> UInt64 {
        let head = HeaderBlock()
        head.append(":method", "POST")
        head.append(":path", "/3/device/" + token)
        head.append("authorization", "bearer eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNIn0.c2lnbmF0dXJl")
        head.append("apns-push-type", "alert")
        var draft = PushDraft(
            arrivedAt: instant, status: status, reason: reason, outcome: status == 200 ? .shown : nil, faultRule: rule)
        let body = Array(payload.utf8)
        draft.marker = Marker.find(in: body.span)
        return mock.append(push: draft, head: head, body: body.span)
    }

    func lines(_ turn: (inout JournalCommand) -> Void = { _ in }) throws -> [String] {
        var command = JournalCommand(directory: directory)
        turn(&command)
        var text = ""
        var output = LineOutput(showsFullTokens: command.showsFullTokens) { text += $0 }
        try command.write(to: &output)
        output.flush()
        return text.split(separator: "\n").map(String.init)
    }
}

private func withHistory(isRun: Bool = true, _ body: (History) throws -> Void) throws {
    try Place.withFolder { try body(History($0, isRun: isRun)) }
}

@Suite("pushrig journal")
struct HistoryTests {
    @Test("tells in a few lines what there is, then the entries in order, also of a run that was killed")
    func beginning() throws {
        try withHistory { history in
            let lines = try history.lines()
            #expect(lines.contains { $0.hasPrefix("run ") && $0.contains("some.yaml, seed 7; it was killed") })
            #expect(lines.contains("events    2: 200 × 1, 500 × 1"))
            #expect(lines.contains("pushes    3: 200 × 2, 410 Unregistered × 1"))
            let event = try #require(lines.firstIndex { $0.hasPrefix("+1.002 s  event") })
            let push = try #require(lines.firstIndex { $0.hasPrefix("+1.001 s  push") })
            #expect(push < event)
            #expect(lines[event].hasSuffix("progress, session 1 step 0 → 200 in 2 ms"))
            #expect(lines[push].hasSuffix("alert, token a1a1a1a1…, session 1 step 0 → 200, shown"))
            #expect(lines.last?.hasSuffix("→ 410 Unregistered, by fault 410 Unregistered") == true)
            // What the relay answered may hold anything.
            #expect(lines.contains { $0.hasSuffix("500 in 4 ms: no\u{FFFD} b2b2b2b2…") })
            let few = try history.lines { $0.limit = 2 }
            #expect(few.last?.hasPrefix("8 more: --limit") == true, "\(few)")
            #expect(try history.lines { $0.directory += "/journal" } == lines)
        }
    }

    @Test("tells the same of a mock's own journal, by the time of day")
    func mock() throws {
        try withHistory(isRun: false) { history in
            let lines = try history.lines()
            #expect(lines.contains("run       none: a mock's own journal"))
            #expect(lines.last?.hasPrefix("08:53:29.000Z  push") == true, "\(lines.last ?? "")")
            #expect(try history.lines { $0.around = .offset(.seconds(2.9)) }.count == 4)
            // Counted from its first entry.
            func near(_ seconds: Double) throws -> [String] {
                try history.lines { ($0.around, $0.limit) = (.offset(.seconds(seconds)), 2) }
            }
            #expect(try near(0) != near(2.9))
        }
    }

    @Test("says why a provider token was refused, in a line, in full and as JSON")
    func refusedCredential() throws {
        try Place.withFolder { folder in
            let mock = try JournalWriter(directory: folder + "/journal", name: "apns-0", time: ManualTime())
            let head = HeaderBlock()
            head.append(":path", "/3/device/" + living)
            let header = withBytes(of: #"{"alg":"ES256","kid":"ABCDE12345\n"}"#) { Base64URL.encode($0) }
            head.append(name: "authorization", value: "bearer \(header).e30.AAAA")
            var draft = PushDraft(arrivedAt: at(1), status: 403, reason: "InvalidProviderToken")
            draft.credentialCause = .keyWithLineEnd
            let id = withBytes(of: "{}") { mock.append(push: draft, head: head, body: $0) }
            guard mock.commit() else { throw Failure(.run, "cannot write") }
            func text(_ turn: (inout JournalCommand) -> Void = { _ in }) throws -> String {
                var command = JournalCommand(directory: folder)
                turn(&command)
                var text = ""
                var output = LineOutput(showsFullTokens: false) { text += $0 }
                try command.write(to: &output)
                output.flush()
                return text
            }
            let words = #"kid "ABCDE12345\n" is unknown; it would be known without its line's end"#
            #expect(try text().contains("→ 403 InvalidProviderToken: \(words)\n"))
            #expect(try text { $0.entry = id }.contains("because    \(words)\n"))
            let json = try JSONValue(parsing: String(try text { $0.printsJSON = true }.split(separator: "\n").last ?? ""))
            #expect(json["cause"] == "kid-with-line-end" && json["causeText"]?.string == words)
        }
    }

    @Test("passes over what is torn, and says so")
    func torn() throws {
        try withHistory { history in
            let file = try #require(fopen(history.directory + "/journal/apns-0.journal", "a"))
            fputs("half a record, as a kill leaves it", file)
            fclose(file)
            #expect(try history.lines().contains { $0.hasPrefix("cut       apns-0.journal at byte") })
        }
    }

    @Test("shows one session: its calls, its pushes, those to its token, and what is told of them later")
    func session() throws {
        try withHistory { history in
            let lines = try history.lines { $0.session = 1 }
            #expect(lines.map { $0.split(separator: " ")[2] } == ["offered", "push", "answered", "note", "push"])
            // Ids stand below each other, two places behind the longest of the words.
            for line in lines.map(Array.init) { #expect(line[19...20].allSatisfy { $0 == " " } && line[21] != " ", "\(String(line))") }
            #expect(lines[3].contains("undelivered") && lines[2].hasSuffix("progress, step 0 → 200 in 2 ms"))
            #expect(try history.lines { $0.session = 2 }.count == 2)
            let around = try history.lines { ($0.session, $0.around) = (1, .offset(.seconds(1))) }
            #expect(around.map { $0.split(separator: " ")[2] } == ["push", "event", "note", "push"])
        }
    }

    @Test("a broadcast is no session's, even with a marker of one")
    func broadcast() throws {
        try withHistory { history in
            let writer = try JournalWriter(directory: history.directory + "/journal", name: "apns-1", time: ManualTime())
            let body = Array(#"{"aps":{"alert":"one [pr:1a2b3c4d:1:0]"}}"#.utf8)
            var draft = PushDraft(arrivedAt: at(1.1), kind: .broadcast, status: 200)
            draft.marker = Marker.find(in: body.span)
            _ = writer.append(push: draft, head: HeaderBlock(), body: body.span)
            #expect(writer.commit())
            #expect(try history.lines { $0.session = 1 }.count == 5)
            #expect(try history.lines { $0.limit = 100 }.contains { $0.hasPrefix("+1.100 s  broadcast") })
        }
    }

    @Test("shows the pushes to one token, by its beginning or that of its hash, in any case of letters")
    func token() throws {
        try withHistory { history in
            let hash = TokenHash(living).text
            for text in ["a1a1a1a1", "A1A1", "a1a1a1a1…", living, String(hash.prefix(10))] {
                let lines = try history.lines { $0.token = text }
                #expect(lines.count == 3, "\(text)")
            }
            #expect(throws: Failure.self) { try history.lines { $0.token = "a2" } }
        }
    }

    @Test("shows one entry in full, with what is told of it later")
    func entry() throws {
        try withHistory { history in
            let lines = try history.lines { $0.entry = history.ids["marked"] }
            #expect(lines[0].hasPrefix("+1.001 s  push"))
            #expect(lines.contains("  :path: /3/device/a1a1a1a1…"))
            #expect(lines.contains("  authorization: bearer eyJhbGci…"))
            #expect(lines.contains { $0.hasPrefix(#"  {"aps":{"alert":"one [pr:1a2b3c4d:1:0]"},"device":"a1a1a1a1…"#) })
            #expect(lines.contains { $0.contains("hash \(TokenHash(living).text)") })
            #expect(lines.last?.contains("undelivered") == true)
            // A phone that was out of reach for hours.
            let writer = try JournalWriter(directory: history.directory + "/journal", name: "apns-1", time: ManualTime())
            writer.append(lateOutcome: .updated, of: history.ids["unmarked"]!, at: at(7_204))
            #expect(writer.commit())
            let late = try history.lines { $0.entry = history.ids["unmarked"] }
            #expect(late.last?.hasPrefix("+7204.000 s") == true, "\(late.last ?? "")")
            let full = try history.lines {
                $0.entry = history.ids["marked"]
                $0.showsFullTokens = true
            }
            #expect(full.contains("  :path: /3/device/" + living) && full.contains { $0.contains(#""device":"\#(living)""#) })
        }
    }

    @Test("shows what stands around an entry, an offset or an instant, and no more than the limit")
    func around() throws {
        try withHistory { history in
            let id = try #require(history.ids["unmarked"])
            let lines = try history.lines {
                $0.around = .entry(id)
                $0.limit = 2
            }
            #expect(lines.count == 3)
            #expect(lines[0].hasPrefix("  +2.004 s  event") && lines[1].hasPrefix("> +3.000 s  push"))
            #expect(lines[2].hasPrefix("  +4.000 s  push"))
            let near = try history.lines {
                $0.around = .offset(.seconds(2.5))
                $0.limit = 2
            }
            #expect(near.count == 2 && near[0].hasPrefix("  +2.004 s") && near[1].hasPrefix("  +3.000 s"))
            // Half of them on either side.
            let more = try history.lines {
                $0.around = .offset(.seconds(2.5))
                $0.limit = 4
            }
            #expect(more.count == 4 && more[1] == near[0] && more[2] == near[1])
            // What came at that very instant counts as behind it.
            let exact = try history.lines {
                $0.around = .offset(.seconds(3))
                $0.limit = 2
            }
            #expect(exact == near)
            let center = try JournalCommand.Center(parsing: "2025-10-09T08:53:28Z")
            let then = try history.lines {
                $0.around = center
                $0.limit = 2
            }
            #expect(then == near)
            // The entry is shown beside those of the session, also when it is not one of them.
            let dead = try #require(history.ids["dead"])
            let both = try history.lines {
                $0.around = .entry(dead)
                $0.session = 1
            }
            #expect(both.count == 5 && both.last?.hasPrefix("> +4.000 s") == true)
        }
    }

    @Test("is one object of JSON a line")
    func json() throws {
        try withHistory { history in
            let lines = try history.lines { $0.printsJSON = true }
            let objects = try lines.map { try JSONValue(parsing: $0) }
            #expect(objects.count == 10)
            let push = try #require(objects.first { $0["kind"] == "push" })
            #expect(push["token"] == "a1a1a1a1…" && push["session"] == 1 && push["status"] == 200)
            #expect(push["tokenHash"]?.string == TokenHash(living).text)
            #expect(push["payload"]?["aps"]?["alert"]?.string?.hasPrefix("one") == true)
            #expect(push["offsetNanoseconds"] == 1_001_000_000)
            #expect(objects.last?["payload"] == "no JSON" && objects.last?["fault"] == "410 Unregistered")
            let event = try #require(objects.last { $0["kind"] == "event" })
            #expect(event["call"] == "progress" && event["status"] == 500 && event["answeredNanoseconds"] == 2_004_000_000)
            let few = try history.lines {
                $0.printsJSON = true
                $0.limit = 2
            }
            #expect(few.count == 2)
        }
    }

    @Test("has one clear line for what is not there")
    func nothing() throws {
        try withHistory { history in
            let turns: [(inout JournalCommand) -> Void] = [
                { $0.session = 99 }, { $0.entry = 12 }, { $0.around = .entry(12) }, { $0.directory = "/tmp/pushrig-no-run" },
                { $0.directory = history.directory + "/journal/apns-0.journal" },
            ]
            for turn in turns {
                #expect { try history.lines(turn) } throws: { error in
                    (error as? Failure)?.kind == .usage && "\(error)".split(separator: "\n").count == 1
                }
            }
            #expect(throws: Failure.self) { try JournalCommand.Center(parsing: "yesterday") }
        }
    }

    @Test("a report is the same however its run is named, and says where the run lies")
    func named() throws {
        try withHistory(isRun: false) { history in
            let record = try ReportCommand.record(of: history.directory, fullTokens: false).record
            let home = try #require(FileSystem.realPath(history.directory))
            #expect(record.directory == home)
            try ReportFiles.writeAll(record, to: history.directory)
            let cut = try #require(home.lastIndex(of: "/"))
            let odd = home[..<cut] + "/." + home[cut...] + "/"
            let up = "../" + String(repeating: "../", count: 20) + home.dropFirst()
            for name in [home, String(odd), up, up + "/run.json"] {
                #expect(try ReportCommand.record(of: name, fullTokens: false).record.directory == home, "\(name)")
            }
        }
    }

    @Test("a report with tokens in full is made from the journal, if that is the journal of the saved run")
    func fullTokens() throws {
        try withHistory(isRun: false) { history in
            var record = try ReportCommand.record(of: history.directory, fullTokens: false).record
            try ReportFiles.writeAll(record, to: history.directory)
            #expect(try ReportCommand.record(of: history.directory, fullTokens: true).record.mock == record.mock)
            record.planDigest = "d"
            try ReportFiles.writeAll(record, to: history.directory)
            #expect(throws: Failure.self) { try ReportCommand.record(of: history.directory, fullTokens: true) }
            #expect(try ReportCommand.record(of: history.directory, fullTokens: false).record.planDigest == "d")
        }
    }
}
