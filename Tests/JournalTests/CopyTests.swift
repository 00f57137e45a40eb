// A journal copied into another: on another clock, with its numbers out of the way of others, and nothing lost.

import Basics
import HTTP
import Pushes
import Testing

@testable import Journal

@Suite struct CopyTests {
    private let wall = WallTime(seconds: 1_760_000_000)

    /// Copies what `write` wrote, and gives what is read back.
    private func copied(
        _ terms: CopyTerms, to clock: ManualTime? = nil, _ write: (JournalWriter, String) throws -> Void
    ) throws -> (tally: CopyTally, entries: [JournalEntry], bytes: Int) {
        try withDirectory { directory in
            try write(try JournalWriter(directory: directory + "/a", name: "apns-0", time: ManualTime(wall: wall)), directory + "/a")
            let target = try JournalWriter(directory: directory + "/b", name: "part", time: clock ?? ManualTime(wall: wall))
            let tally = try JournalReader(directory: directory + "/a").copy(into: target, terms)
            #expect(target.commit())
            return (tally, try JournalReader(directory: directory + "/b").all(), target.byteCount)
        }
    }

    @Test func `what was written is there, bodies and credentials once`() throws {
        let body = String(repeating: "x", count: 2_000)
        let copy = try copied(CopyTerms()) { writer, _ in
            for number in 1...50 { writer.push(at: Int64(number), body: body) }
            writer.append(event: EventDraft(
                session: 3, step: 4, kind: 1, plannedAt: Instant(nanoseconds: 60), status: 500, answer: Array("no".utf8)))
            writer.append(.other, ["some": "note"], at: Instant(nanoseconds: 70))
            #expect(writer.commit())
        }
        let pushes = copy.entries.compactMap(\.push)
        #expect(pushes.count == 50 && copy.tally.pushes == 50 && copy.tally.events == 1 && copy.tally.notes == 1)
        #expect(pushes.allSatisfy { String(decoding: $0.payload, as: UTF8.self) == body && $0.token == sampleToken })
        #expect(pushes.allSatisfy { $0.header("authorization") == "bearer aaaa.bbbb.cccc" && $0.outcome == .updated })
        #expect(copy.entries.compactMap(\.event).first?.answer == Array("no".utf8))
        #expect(copy.bytes < 2_000 + 50 * 400 + 1_000, "\(copy.bytes)")
    }

    @Test func `instants are on the other clock, and what never was stays so`() throws {
        var terms = CopyTerms()
        terms.ahead = .seconds(3)
        // Its instants begin an hour later than those of the copied one, at the same wall time.
        let clock = ManualTime(wall: wall - .seconds(3_600))
        clock.advance(by: .seconds(3_600))
        let copy = try copied(terms, to: clock) { writer, _ in
            writer.push(at: 5)
            writer.append(event: EventDraft(session: 0, step: 0, kind: 0, plannedAt: Instant(nanoseconds: 7)))
            let note = ReactionNote(
                session: 1, step: 1, reaction: 0, event: .token, cause: 1, plannedAt: Instant(nanoseconds: 9), phone: 0,
                token: "")
            writer.append(note, at: Instant(nanoseconds: 9))
            #expect(writer.commit())
        }
        let shift = Interval.seconds(3_603)
        #expect(copy.entries.compactMap(\.push).first?.arrivedAt == Instant(nanoseconds: 5) + shift)
        #expect(copy.entries.compactMap(\.push).first?.arrivedWall == wall + .seconds(3) + Interval(nanoseconds: 5))
        let event = try #require(copy.entries.compactMap(\.event).first)
        #expect(event.plannedAt == Instant(nanoseconds: 7) + shift)
        #expect(event.sentAt.nanoseconds == 0 && event.answeredAt.nanoseconds == 0)
        #expect(copy.entries.compactMap(\.note?.reaction).first?.plannedAt == Instant(nanoseconds: 9) + shift)
        #expect(copy.tally.span?.lowerBound == wall + .seconds(3) + Interval(nanoseconds: 5))
    }

    @Test func `numbers of connections, rules and pushes are moved, in notes as well`() throws {
        var terms = CopyTerms()
        terms.connections = 1 << 40
        terms.rules = 65_536
        let copy = try copied(terms) { writer, _ in
            var draft = draft(at: 1)
            (draft.connection, draft.faultRule) = (7, 2)
            // Another one before it, so that ids do not stay what they were by chance.
            writer.push(at: 0, body: "another")
            let id = withBytes(of: "{}") { writer.append(push: draft, head: sampleHead(), body: $0) }
            writer.append(.connectionClosed, ["connection": 7], at: Instant(nanoseconds: 2))
            writer.append(.fault, ["rule": 2, "connection": 0], at: Instant(nanoseconds: 3))
            writer.append(lateOutcome: .shown, of: id, at: Instant(nanoseconds: 4))
            #expect(writer.commit())
        }
        let push = try #require(copy.entries.compactMap(\.push).last)
        let moved: Int64 = 1 << 40 + 7
        #expect(push.connection == UInt64(moved) && push.faultRule == 65_538)
        let notes = copy.entries.compactMap(\.note)
        #expect(notes[0].json(of: .connectionClosed)?["connection"]?.int == moved)
        #expect(notes[1].json(of: .fault)?["rule"] == 65_538 && notes[1].json(of: .fault)?["connection"] == 0)
        #expect(notes[2].lateOutcome?.push == push.id)
    }

    @Test func `what lies beside the window is left out, and what still holds is told at its beginning`() throws {
        var terms = CopyTerms()
        terms.window = wall + Interval(nanoseconds: 100)...wall + Interval(nanoseconds: 200)
        terms.keepsMarked = { $0.session != 8 }
        let copy = try copied(terms) { writer, _ in
            writer.append(.connectionOpened, ["connection": 1], at: Instant(nanoseconds: 10))
            writer.append(.admin, ["act": "reset"], at: Instant(nanoseconds: 20))
            for instant: Int64 in [50, 150, 250] { writer.push(at: instant) }
            var marked = draft(at: 160)
            marked.marker = Marker(run: 1, session: 8, step: 0)
            _ = withBytes(of: "{}") { writer.append(push: marked, head: sampleHead(), body: $0) }
            #expect(writer.commit())
        }
        #expect(copy.entries.map(\.nanoseconds) == [100, 150])
        #expect(copy.tally.leftOut == 3 && copy.tally.pushes == 1)
    }

    @Test func `a file that was torn is copied up to there`() throws {
        let copy = try copied(CopyTerms()) { writer, directory in
            for number in 1...3 { writer.push(at: Int64(number)) }
            #expect(writer.commit())
            overwrite(directory + "/apns-0.journal", Array(contents(directory + "/apns-0.journal").dropLast(8)))
        }
        #expect(copy.tally.pushes == 2 && copy.tally.cuts == 1 && copy.entries.count == 2)
    }
}
