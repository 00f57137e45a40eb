// What a journal tells of sessions, against runs of which every figure is known.

import Basics
import HTTP
import Journal
import Metrics
import Planning
import Pushes
import Scenarios
import Schemas
import Testing
import Verdicts

@testable import Sessions

@Suite("What a journal tells of sessions")
struct SessionsReaderTests {
    /// Seven sessions. In that of number i the first update, offered at 20 s, is shown i seconds late, the second, of 40 s,
    /// half a second late; the end, of 60 s, a fifth.
    private func writeUsual(_ played: Played) throws {
        var happenings: [(at: Double, act: () throws -> Void)] = []
        for session in UInt32(0)..<7 {
            let steps = played.steps(session)
            let (start, end) = (steps[0], steps[steps.count - 1])
            let offers = [(start, 10.0), (steps[1], 20), (steps[2], 40), (end, 60)]
            happenings.append((11.002, { played.register(session, 11) }))
            for (step, sent) in offers { happenings.append((sent + 0.002, { played.call(session, step, sent) })) }
            let shown: [(UInt32, Double, ActivityEvent)] = [
                (start, 10.1, .start), (steps[1], 20 + Double(session), .update), (steps[2], 40.5, .update), (end, 60.2, .end),
            ]
            for (step, seconds, event) in shown {
                happenings.append((seconds, { try played.push(session, step, seconds, event) }))
            }
        }
        for happening in happenings.sorted(by: { $0.at < $1.at }) { try happening.act() }
    }

    private func usual(_ turn: (Played) throws -> Void = { _ in }, _ check: (SessionsSeen, RunRecord) throws -> Void) throws {
        try withFolder { folder in
            let played = try Played(folder)
            try writeUsual(played)
            try turn(played)
            try played.close(200)
            let record = try Verdicts.judge(folder)
            try check(try #require(try SessionsReader.read(record)), record)
        }
    }

    @Test("names the worst by the greatest age, and says when and for how long they were behind")
    func worst() throws {
        try usual { seen, _ in
            #expect(seen.shown == 7 && seen.behind == 7)
            #expect(seen.worst.map(\.session) == [6, 5, 4, 3, 2])
            #expect(seen.worst.map(\.age) == [6, 5, 4, 3, 2].map { .seconds($0) })
            let first = seen.worst[0]
            #expect(first.at == .seconds(26) && first.offeredAt == .seconds(20))
            #expect(first.behind == .milliseconds(6_700) && first.phone == 0)
            #expect(first.stale == [.seconds(20)..<(.seconds(26)), .seconds(40)..<(.seconds(40.5)), .seconds(60)..<(.seconds(60.2))])
            // From the first showing, at 10.1, to the end, at 60.2.
            #expect(seen.lived == .milliseconds(7 * 50_100) && seen.behindFor == .milliseconds(21_000 + 7 * 700))
        }
    }

    @Test("counts what the judge counts")
    func agreesWithTheJudge() throws {
        try usual { seen, record in
            let staleness = record.correlation.staleness
            #expect(staleness.count == 7 * 50_100, "milliseconds of cards' life")
            #expect(abs(seen.lived.nanoseconds / 1_000_000 - staleness.count) < 10)
            let most = staleness.max
            #expect(abs(most - seen.worst[0].age.nanoseconds) < 6_000_000, "\(most)")
            let mean = staleness.mean / 1e9
            // 0 + 0.5 + 2 + 4.5 + 8 + 12.5 + 18 square seconds of the first updates, and what the others add.
            let byHand = (45.5 + 7 * (0.125 + 0.02)) / 350.7
            #expect(abs(mean - byHand) < 0.002, "\(mean) is not \(byHand)")
        }
    }

    @Test("tells ages over time, weighted by time")
    func places() throws {
        try usual { seen, _ in
            // 201 seconds in at most 200 places.
            #expect(seen.placeLength == .seconds(2) && seen.places.count == 101)
            #expect(seen.places[4] == StalenessPlace())
            let tenth = seen.places[5]
            #expect(abs(tenth.cards - 7 * 1.9 / 2) < 1e-6 && tenth.most == .zero)
            let late = seen.places[12]
            // 24 to 26: one card is behind all the time, 4 to 6 s old, and one until 25.
            #expect(late.most == .seconds(6) && late.median == .zero && late.p95! > .seconds(5))
            #expect(seen.places[30].most == .milliseconds(200) && seen.places[31] == StalenessPlace())
        }
    }

    @Test("leaves out what is no card's: foreign runs, other tokens, refusals, and states that a phone passed over")
    func foreign() throws {
        try withFolder { folder in
            let played = try Played(folder)
            let steps = played.steps(3)
            played.register(3, 9)
            played.call(3, steps[0], 10)
            try played.push(3, steps[0], 10.1, .start)
            played.call(3, steps[1], 20)
            try played.push(3, steps[1], 20.1, .update, run: 7)
            try played.push(3, steps[1], 20.2, .update, token: String(repeating: "ab", count: 32))
            try played.push(3, steps[1], 20.3, .update, status: 503)
            try played.push(3, steps[1], 20.4, .update, .ignoredOlder)
            try played.push(3, steps[1], 20.5, .update, .undecodable)
            try played.push(3, steps[1], 22, .update)
            // Never sent, so never offered.
            played.call(3, steps[2], 30) { draft in
                (draft.sentAt, draft.answeredAt, draft.status) = (Instant(nanoseconds: 0), Instant(nanoseconds: 0), 0)
                draft.failure = EventFailure.dropped.rawValue
            }
            try played.close(200)
            let seen = try #require(try SessionsReader.read(Verdicts.judge(folder)))
            try #require(seen.worst.count == 1)
            #expect(seen.worst[0].age == .seconds(2) && seen.worst[0].at == .seconds(22))
            let kinds = seen.worst[0].marks.map(\.kind)
            #expect(kinds.filter { $0 == .refused }.count == 1 && kinds.filter { $0 == .passed }.count == 2)
            #expect(kinds.filter { $0 == .failed }.count == 1)
            let words = seen.worst[0].marks.map(\.words)
            #expect(words.contains("update: 503 ServiceUnavailable, by a fault of ours"), "\(words)")
        }
    }

    @Test("counts up to the end what was never shown, and leaves out our own outages")
    func outage() throws {
        try withFolder { folder in
            let played = try Played(folder)
            let steps = played.steps(1)
            played.call(1, steps[0], 10)
            try played.push(1, steps[0], 10.1, .start)
            played.register(1, 11)
            played.call(1, steps[1], 20)
            played.note(.relayStopping(signal: "TERM"), 30)
            played.note(.relayStarted(restart: 1, arguments: ["relay"]), 40)
            played.note(.relayReady(restart: 1), 50)
            try played.close(100)
            let record = try Verdicts.judge(folder)
            let seen = try #require(try SessionsReader.read(record))
            #expect(seen.worst.first?.age == .seconds(80) && seen.worst.first?.at == .seconds(100))
            // 80 s less the twenty of the outage.
            #expect(seen.behindFor == .seconds(60) && seen.worst.first?.behind == .seconds(60))
            #expect(abs(seen.lived.nanoseconds / 1_000_000 - record.correlation.staleness.count) < 5)
            #expect(seen.worst.first?.next == nil)
        }
    }

    @Test("draws what the card showed at its oldest and next, without our marker")
    func cards() throws {
        try withFolder { folder in
            let played = try Played(folder)
            let steps = played.steps(2)
            played.register(2, 9)
            played.call(2, steps[0], 10)
            try played.push(2, steps[0], 10.1, .start, message: "Thinking")
            played.call(2, steps[1], 20)
            played.call(2, steps[2], 30)
            try played.push(2, steps[2], 33, .update, message: "Reading")
            try played.close(200)
            let seen = try #require(try SessionsReader.read(Verdicts.judge(folder)))
            #expect(seen.cardsLack == nil)
            let session = try #require(seen.worst.first)
            #expect(session.age == .seconds(13) && session.shownStep == steps[0] && session.newerStep == steps[1])
            #expect(session.card?.text.body == "Thinking" && session.card?.text.title == "Parser")
            #expect(session.card?.text.status == "Working" && session.card?.since == .seconds(10.1))
            #expect(session.next?.text.body == "Reading" && session.next?.since == .seconds(33))
            let told = session.marks.filter { $0.at > .seconds(9.5) }.map { "\($0.kind) \($0.at.seconds) \($0.step ?? 99)" }
            #expect(
                told == [
                    "offered 10.0 \(steps[0])", "answered 10.002 \(steps[0])", "taken 10.1 \(steps[0])", "shown 10.1 \(steps[0])",
                    "offered 20.0 \(steps[1])", "answered 20.002 \(steps[1])", "offered 30.0 \(steps[2])",
                    "answered 30.002 \(steps[2])", "taken 33.0 \(steps[2])", "shown 33.0 \(steps[2])",
                ])
        }
    }

    @Test("tells of a push that was stored once the phone has it")
    func stored() throws {
        try withFolder { folder in
            let played = try Played(folder)
            let steps = played.steps(2)
            played.register(2, 9)
            played.call(2, steps[0], 10)
            try played.push(2, steps[0], 10.1, .start, message: "Thinking")
            played.call(2, steps[1], 20)
            let push = try played.push(2, steps[1], 21, .update, .stored, message: "Reading")
            played.note(late: .updated, of: push, 90)
            try played.close(200)
            let session = try #require(try SessionsReader.read(Verdicts.judge(folder))?.worst.first)
            // What the phone's absence adds is not the relay's.
            #expect(session.age == .seconds(1))
            #expect(session.card?.text.body == "Thinking" && session.next?.text.body == "Reading")
            #expect(session.next?.since == .seconds(90))
            #expect(session.marks.contains { $0.kind == .phone && $0.words == "what was stored for the phone: updated" })
        }
    }

    @Test("counts nothing of a card that its user has dismissed, but of the one that takes its place", arguments: [1, 2])
    func dismissed(newest: UInt32) throws {
        try withFolder { folder in
            let played = try Played(folder)
            let steps = played.steps(2)
            played.register(2, 9)
            played.call(2, steps[0], 10)
            try played.push(2, steps[0], 10.1, .start, message: "Thinking")
            for activity in 1...newest { played.phone(.started, 2, activity: activity, 10.2) }
            played.phone(.token, 2, activity: newest, hasToken: true, 10.3)
            played.call(2, steps[1], 20)
            played.phone(.dismissed, 2, activity: 1, 22)
            try played.push(2, steps[1], 30, .update, newest == 1 ? .ignoredEnded : .updated)
            try played.close(200)
            let seen = try #require(try SessionsReader.read(Verdicts.judge(folder)))
            #expect(seen.behindFor == .seconds(newest == 1 ? 2 : 10), "the second took the first one's place")
            #expect(seen.worst.first?.age == .seconds(newest == 1 ? 2 : 10))
            #expect(seen.worst.first?.stale.last == .seconds(20)..<(.seconds(newest == 1 ? 22 : 30)))
        }
    }

    @Test("bounds marks and texts, whatever a relay sends")
    func bounds() throws {
        try withFolder { folder in
            let played = try Played(folder)
            let steps = played.steps(0)
            played.register(0, 9)
            played.call(0, steps[0], 10)
            try played.push(0, steps[0], 10.1, .start, message: String(repeating: "e\u{301}\u{202E}", count: 300))
            played.call(0, steps[1], 20)
            for number in 0..<2_000 { try played.push(0, steps[0], 21 + Double(number) / 100, .update, message: "\(number)") }
            try played.push(0, steps[1], 50, .update)
            for number in 0..<500 { try played.push(0, steps[1], 51 + Double(number) / 100, .update, message: "\(number)") }
            try played.close(200)
            let session = try #require(try SessionsReader.read(Verdicts.judge(folder))?.worst.first)
            #expect(session.age == .seconds(30))
            #expect(session.marks.count <= LaneMarks.most && session.left > 4_500)
            #expect(session.marks.allSatisfy { $0.words.unicodeScalars.count <= LaneMarks.mostText + 1 })
            #expect(session.marks == session.marks.sorted { $0.at < $1.at }, "in order of time")
            // The moments around the worst are kept.
            #expect(session.marks.contains { $0.at == .seconds(20) } && session.marks.contains { $0.at == .seconds(50) })
        }
    }

    @Test("invents nothing where there is no card, no schema or no plan")
    func nothing() throws {
        try withFolder { folder in
            let played = try Played(folder)
            played.call(0, played.steps(0)[0], 10)
            try played.close(200)
            let seen = try #require(try SessionsReader.read(Verdicts.judge(folder)))
            #expect(seen.shown == 0 && seen.behind == 0 && seen.worst.isEmpty && seen.lived == .zero)
            #expect(seen.places.allSatisfy { $0 == StalenessPlace() })
        }
        try withFolder { folder in
            var scenario = try Played.scenario()
            scenario.relay.profile.content.contentState = nil
            let plan = Plan(scenario: scenario, seed: Seed(5), run: Played.run)
            #expect(CardHistory(plan, session: 0) == nil)
            #expect(SessionsReader.cardsLack(plan)?.contains("schemas.contentState") == true)
            let mock = try JournalWriter(directory: folder + "/journal", name: "apns-0", time: ManualTime())
            let head = HeaderBlock()
            head.append(":path", "/3/device/" + String(repeating: "ab", count: 32))
            let body: JSONValue = ["aps": ["alert": "x"]]
            _ = mock.append(push: PushDraft(arrivedAt: at(1), status: 200, outcome: .shown), head: head, body: body.encoded().span)
            #expect(mock.commit())
            #expect(try SessionsReader.read(Verdicts.judge(folder)) == nil, "a mock's own journal")
        }
    }

    @Test("comes through run.json unharmed")
    func json() throws {
        try usual { seen, record in
            let json = try JSONValue(parsing: seen.json(in: record.directory).encoded().span)
            #expect(try SessionsSeen(JSONReading(json, of: "test")) == seen)
            // A stretch may be over as soon as it begins.
            var short = seen
            short.worst[0].stale = [.seconds(3)..<(.seconds(3))]
            #expect(try SessionsSeen(JSONReading(short.json(in: ""), of: "test")).worst[0].stale == short.worst[0].stale)
            let turned = try JSONValue(
                parsing: Array(short.json(in: "").text.replacing("\"endNanoseconds\":3", with: "\"endNanoseconds\":2").utf8).span)
            #expect(throws: Failure.self) { try SessionsSeen(JSONReading(turned, of: "test")) }
            var broken = try #require(json.object)
            broken["placeNanoseconds"] = 0
            #expect(throws: Failure.self) { try SessionsSeen(JSONReading(.object(broken), of: "test")) }
        }
    }
}
