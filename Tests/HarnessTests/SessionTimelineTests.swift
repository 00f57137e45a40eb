// The timeline of one session, against a journal of which everything is known: a start, a phone that is woken late, a state
// that waits for the card's next drawing, and the end.

import Basics
import HTTP
import Journal
import Planning
import Pushes
import Scenarios
import Testing

@testable import Harness

private let origin = Instant(nanoseconds: 5_000_000_000)
private func at(_ seconds: Double) -> Instant { origin + .milliseconds(Int64((seconds * 1_000).rounded())) }

/// Session 0 of `conformance/phones`, as a run would have put it on record.
private struct PhoneHistory {
    static let run: UInt32 = 0x1a2b_3c4d
    let directory: String
    let plan: Plan
    var update: String { PhoneToken(.activity, phone: "phone-0-1", app: app).text(plan.mockSeed) }
    private var app: String { plan.scenario.relay.profile.topic }

    init(_ folder: String, settings: [(path: String, value: String)] = []) throws {
        directory = folder
        let scenario = try Place.scenario("conformance/phones", settings)
        plan = Plan(scenario: scenario, seed: Seed(5), run: Self.run)
        let time = ManualTime()
        let run = try JournalWriter(directory: folder + "/journal", name: "run", time: time)
        let load = try JournalWriter(directory: folder + "/journal", name: "load-0", time: time)
        let mock = try JournalWriter(directory: folder + "/journal", name: "apns-0", time: time)
        var note = PlanNote(
            files: scenario.sources.map { .init(path: $0.path, text: $0.text) }, seed: 5, run: Self.run, digest: "d")
        note.overrides = settings.map { [$0.path, $0.value] }
        run.append(.plan(note), at: at(-1))
        run.append(.phase("measure"), at: at(0))
        load.append(note: .kinds, text: JSONValue.array(plan.kinds.map { .string($0) }).text, at: at(-0.5))
        event(load, "start", step: 1, 1, answered: 1.004)
        let start = push(mock, plan.token(.startToken, session: 0), 1.002, step: 1, .started, "start", "Thinking")
        mock.append(note: .phone, text: #"{"push":\#(start),"reason":"not awake: no token was sent"}"#, at: at(1.002))
        phone(mock, 1, "started", 1.003)
        phone(mock, 2, "token", 2, update)
        // Another session's.
        phone(mock, 3, "token", 2, marker: "[pr:1a2b3c4d:1:1]")
        load.append(
            ReactionNote(
                session: 0, step: EventNumber.reaction(1, after: 2), reaction: 0, event: .token, cause: 2, plannedAt: at(2.1),
                phone: 0, token: update), at: at(2.1))
        event(load, "registerActivity", step: EventNumber.reaction(1, after: 2), 2.1, answered: 2.101)
        event(load, "progress", step: 2, 3, answered: 3.002)
        _ = push(mock, update, 3.5, step: 2, .coalesced, "update", "Reading")
        event(load, "complete", step: 3, 20, answered: 20.002)
        _ = push(mock, update, 20.001, step: 3, .ended, "end", "Done it", status: "complete")
        guard run.commit(), load.commit(), mock.commit() else { throw Failure(.run, "cannot write") }
    }

    private func event(_ load: JournalWriter, _ call: String, step: UInt32, _ sent: Double, answered: Double) {
        load.append(
            event: EventDraft(
                session: 0, step: step, kind: UInt16(plan.kinds.firstIndex(of: call)!), plannedAt: at(sent), sentAt: at(sent),
                answeredAt: at(answered), status: 200))
    }

    func phone(
        _ mock: JournalWriter, _ number: Int, _ kind: String, _ seconds: Double, _ token: String? = nil,
        marker: String = "[pr:1a2b3c4d:0:1]"
    ) {
        let text: JSONValue = [
            "event": .integer(Int64(number)), "kind": .string(kind), "at": "2026-11-20T10:00:00Z", "phone": "phone-0-1",
            "app": .string(app), "activity": 1, "token": token.map { .string($0) } ?? .null, "marker": .string(marker),
        ]
        mock.append(note: .phone, text: text.text, at: at(seconds))
    }

    private func push(
        _ mock: JournalWriter, _ token: String, _ seconds: Double, step: UInt32, _ outcome: Outcome, _ event: String,
        _ message: String, status: String = "working"
    ) -> UInt64 {
        let head = HeaderBlock()
        head.append(":path", "/3/device/" + token)
        head.append("apns-push-type", "liveactivity")
        let state: JSONValue = [
            "status": .string(status), "sessionTitle": "Parser",
            "lastMessage": .string("[pr:1a2b3c4d:0:\(step)] \(message)"), "retryInfo": .null,
        ]
        let body: JSONValue = ["aps": ["event": .string(event), "content-state": state, "attributes": ["sessionId": "s"]]]
        var draft = PushDraft(arrivedAt: at(seconds), status: 200, outcome: outcome)
        draft.marker = Marker(run: Self.run, session: 0, step: step)
        return mock.append(push: draft, head: head, body: body.encoded().span)
    }

    func lines(_ turn: (inout JournalCommand) -> Void = { _ in }) throws -> [String] {
        var command = JournalCommand(directory: directory)
        command.session = 0
        turn(&command)
        var text = ""
        var output = LineOutput(showsFullTokens: false) { text += $0 }
        try command.write(to: &output)
        output.flush()
        return text.split(separator: "\n").map(String.init)
    }

    /// Of the pushes, in the order of their lines; `-` for none.
    func reasons(_ command: JournalCommand) throws -> [String] {
        var command = command
        command.printsJSON = true
        var text = ""
        var output = LineOutput(showsFullTokens: false) { text += $0 }
        try command.write(to: &output)
        output.flush()
        let objects = try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        return objects.filter { $0["kind"] == "push" }.map { $0["outcomeReason"]?.string ?? "-" }
    }

    /// What happened, without the numbers of entries, and without what was owed.
    func words() throws -> [String] {
        try lines().prefix { $0 != "owed" }.map { line in
            var parts = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            parts.remove(at: 3)
            return parts.joined(separator: " ")
        }
    }
}

private func withHistory(_ settings: [(path: String, value: String)] = [], _ body: (PhoneHistory) throws -> Void) throws {
    try Place.withFolder { try body(PhoneHistory($0, settings: settings)) }
}

@Suite("The timeline of a session")
struct SessionTimelineTests {
    @Test("tells calls, answers, pushes, what happened on the phone and what its card showed, in order of time")
    func text() throws {
        try withHistory { history in
            let short = history.update.prefix(8) + "…"
            let start = history.plan.token(.startToken, session: 0).prefix(8) + "…"
            let words = try history.words()
            let marker = "[pr:1a2b3c4d:0:"
            #expect(words[0] == "+1.000 s offered start, step 1")
            #expect(try history.lines().prefix(2).map { $0.prefix(21) } == ["+1.000 s  offered    ", "+1.002 s  push       "])
            #expect(words[1] == "+1.002 s push liveactivity, token \(start), session 0 step 1 → 200, started (not awake: no token was sent)")
            #expect(words[2] == "+1.002 s card phone 1 shows Parser · Working · \(marker)1] Thinking, told 2 ms ago")
            #expect(words[3] == "+1.003 s phone phone-0-1, activity 1: started")
            #expect(words[4] == "+1.004 s answered start, step 1 → 200 in 4 ms")
            #expect(words[5] == "+2.000 s phone phone-0-1, activity 1: token, token \(short)")
            #expect(words[6] == "+2.100 s offered registerActivity, step 1048577, for `token` of phone 1")
            #expect(words[8] == "+3.000 s offered progress, step 2")
            #expect(words[11] == "+3.500 s card phone 1, activity 1 shows Parser · Working · \(marker)1] Thinking, told 2.5 s ago; a newer state waits to be drawn")
            // Once in 15 s a card is drawn.
            #expect(words[12] == "+16.002 s card phone 1, activity 1 shows Parser · Working · \(marker)2] Reading, told 13 s ago")
            #expect(words[15] == "+20.001 s card phone 1, activity 1 shows Parser · Done · \(marker)3] Done it, told 1 ms ago")
            #expect(words.count == 17, "\(words)")
        }
    }

    @Test("gives each push the same reason, however it is looked for")
    func reasons() throws {
        try withHistory { history in
            // One may be told long after its push.
            let pushes = try history.lines { $0.session = nil }.filter { $0.contains("liveactivity") }
            let second = try #require(pushes.dropFirst().first)
            let id = second.split(separator: " ", omittingEmptySubsequences: true).compactMap { UInt64($0) }.first ?? 0
            let mock = try JournalWriter(directory: history.directory + "/journal", name: "apns-1", time: ManualTime())
            mock.append(note: .phone, text: #"{"push":\#(id),"reason":"told late"}"#, at: at(25))
            #expect(mock.commit())
            let all = ["not awake: no token was sent", "told late", "-"]
            var command = JournalCommand(directory: history.directory)
            #expect(try history.reasons(command) == all)
            command.around = .offset(.zero)
            #expect(try history.reasons(command) == all)
            command.around = nil
            command.session = 0
            #expect(try history.reasons(command) == all)
            command.session = nil
            let line = try #require(try history.lines { $0.session = nil }.first { $0.contains("liveactivity") })
            command.entry = line.split(separator: " ", omittingEmptySubsequences: true).compactMap { UInt64($0) }.first
            #expect(try history.reasons(command) == [all[0]])
            let (entry, device) = (command.entry, "device     started: not awake: no token was sent")
            let text = try history.lines { ($0.session, $0.entry) = (nil, entry) }
            #expect(text.contains { $0.contains(device) }, "\(text)")
        }
    }

    @Test("a card that its user has dismissed shows nothing any more")
    func dismissed() throws {
        try withHistory { history in
            let mock = try JournalWriter(directory: history.directory + "/journal", name: "apns-1", time: ManualTime())
            history.phone(mock, 4, "dismissed", 10)
            #expect(mock.commit())
            let words = try history.words()
            let gone = try #require(words.firstIndex { $0.contains("activity 1: dismissed") })
            #expect(words[..<gone].contains { $0.contains(" card ") })
            // One that waits to be drawn is not, and what the phone would draw of the end neither.
            #expect(words[gone...].allSatisfy { !$0.contains(" card phone 1, activity 1 shows Parser · Working") }, "\(words)")
        }
    }

    @Test("says of a call that was never made that it was not sent, and why, and tells of no answer")
    func withheld() throws {
        try withHistory { history in
            let load = try JournalWriter(directory: history.directory + "/journal", name: "load-1", time: ManualTime())
            let step = EventNumber.reaction(2, after: 3)
            load.append(
                ReactionNote(
                    session: 0, step: step, reaction: 0, event: .ended, cause: 9, plannedAt: at(21.25), phone: 0, token: ""),
                at: at(21.5))
            load.append(
                event: EventDraft(
                    session: 0, step: step, kind: UInt16(history.plan.kinds.firstIndex(of: "registerActivity")!),
                    plannedAt: at(21.25), failure: EventFailure.withheld.rawValue,
                    answer: Array("the phone has no token of that activity".utf8)))
            #expect(load.commit())
            let words = try history.words().suffix(1)
            let number = "step \(step)"
            let lack = "not sent (withheld): the phone has no token of that activity"
            #expect(words == ["+21.250 s unsent registerActivity, \(number), for `ended` of phone 1: \(lack)"])
            let all = try history.lines { ($0.session, $0.limit) = (nil, 1_000) }
            #expect(all.contains { $0.hasSuffix("session 0 \(number), a reaction → \(lack)") }, "\(all)")
            // A reaction was due at the instant at which its event was.
            let objects = try history.lines { $0.printsJSON = true }.map { try JSONValue(parsing: $0) }
                .filter { $0["kind"] != "owed" }.suffix(2)
            let planned = objects.map { ($0["text"] ?? $0)["plannedNanoseconds"]?.int }
            #expect(Set(planned) == [21_250_000_000] && objects.contains { $0["failure"] == "withheld" }, "\(objects)")
        }
    }

    @Test("draws cards as often as the scenario's mock does")
    func period() throws {
        try withHistory([("mock.settings", "{ cardDrawingInterval: 3s }")]) { history in
            let words = try history.words()
            #expect(words.contains { $0.hasPrefix("+4.002 s card") && $0.hasSuffix("Reading, told 1 s ago") }, "\(words)")
        }
    }

    @Test("tells the same as JSON, each call once")
    func json() throws {
        try withHistory { history in
            let all = try history.lines { $0.printsJSON = true }.map { try JSONValue(parsing: $0) }
            let objects = all.filter { $0["kind"] != "owed" }
            #expect(objects.count < all.count)
            let kinds = objects.map { $0["kind"]?.string ?? "" }
            #expect(kinds == ["event", "push", "card", "note", "note", "note", "event", "event", "push", "card", "card", "event", "push", "card"])
            let card = try #require(objects.last)
            #expect(card["title"] == "Parser" && card["status"] == "Done" && card["phone"] == 1 && card["activity"] == 1)
            #expect(card["ageNanoseconds"]?.int == 1_000_000 && card["newerWaits"] == false)
            #expect(card["push"] == objects[12]["entry"] && card["offsetNanoseconds"]?.int == 20_001_000_000)
            #expect(objects[10]["push"] == .null, "drawn later")
            let pushes = objects.filter { $0["kind"] == "push" }
            #expect(pushes.map { $0["outcomeReason"] } == ["not awake: no token was sent", .null, .null])
        }
    }

    @Test("shows as many lines as it is asked for, and as before what stands around something")
    func limits() throws {
        try withHistory { history in
            let few = try history.lines { $0.limit = 3 }
            #expect(few.count == 4 && few[3] == "14 more: --limit N shows more of them", "\(few)")
            let around = try history.lines { $0.around = .offset(.seconds(3)) }
            #expect(!around.contains { $0.contains("card") })
            #expect(throws: Failure.self) { try history.lines { $0.session = 9 } }
        }
    }
}
