// Activities that a relay ends of itself when they grow too old.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("Activities that are ended for their age")
struct AgedEndsTests {
    private static let start = TokenHash("51")

    /// Registered at 1000, shown at 2000, ended at 9000 for its age of 8000; a state at 12000 has no card to go to.
    private func aged(at end: Int64 = 9_000) -> Story {
        Story().with { story in
            story.circumstances.ageing = AgeTerms(after: .seconds(8), within: .milliseconds(500))
            story.call(0, at: 500)
            story.registers(0, Self.start, role: .start)
            story.call(1, at: 1_000)
            story.registers(1)
            story.call(2, at: 2_000)
            story.expect(2, at: 2_000)
            story.push(2, at: 2_050)
            story.push(2, at: end, event: .end, outcome: .ended) { $0.flags = [] }
            story.call(3, at: 12_000)
            story.expect(3, at: 12_000, flags: .isFinal)
        }
    }

    @Test("are over with that end, which nobody had to call for")
    func ended() throws {
        let life = try #require(aged().joined.aged)
        #expect(life.activities.map(\.born) == [instant(1_000)...instant(1_010)])
        #expect(life.activities.map(\.endedAt) == [instant(9_000)])
        #expect(aged().classes == "delivered 1, excused 1")
        #expect(aged().correlation().excuses == ["activity ended for its age": 1])
    }

    @Test("may be ended with the marker of the state that they show")
    func marked() {
        let story = aged().with { $0.account.pushes[1].flags = .isMarked }
        #expect(story.classes == "delivered 1, excused 1")
    }

    @Test("are not ended before their age")
    func early() throws {
        let story = aged(at: 8_400)
        #expect(try #require(story.joined.aged).activities.map(\.endedAt) == [nil])
        #expect(story.classes == "delivered 1, lost 1, unexpected 1")
    }

    @Test("owe nothing to a profile that says nothing of it")
    func unasked() {
        let story = aged().with { $0.circumstances.ageing = nil }
        #expect(story.joined.aged == nil && story.classes == "delivered 1, lost 1, unexpected 1")
    }

    @Test("are followed by another one, which a start begins and which owes what comes behind it")
    func next() throws {
        let story = aged().with { story in
            story.push(3, at: 12_050, event: .start, token: Self.start, outcome: .started)
            story.call(4, at: 13_000)
            story.registers(4, .rotated)
            story.call(5, at: 14_000)
            story.expect(5, at: 14_000, token: .rotated)
        }
        let life = try #require(story.joined.aged)
        #expect(life.activities.map(\.tokens) == [[.activity], [.rotated]])
        #expect(life.activities.map(\.born.lowerBound) == [instant(1_000), instant(12_050)])
        #expect(story.classes == "delivered 1, lost 1, excused 1")
    }

    @Test("do not come back by a start that a call owes for the session's next life")
    func nextLife() {
        let story = aged().with { story in
            story.account.calls.removeLast()
            story.account.rows.removeLast()
            story.call(3, at: 10_000)
            story.registers(3, isRegistration: false)
            story.call(4, at: 12_000)
            story.account.rows.append(
                Expectation(
                    session: 1, step: 4, kind: 0, type: .liveactivity, event: .start, lane: Lane(role: .start, phone: 0), flags: [],
                    plannedAt: instant(12_000), deadline: .milliseconds(500), token: Self.start))
            story.push(4, at: 12_050, event: .start, token: Self.start, outcome: .started)
        }
        #expect(story.classes == "delivered 2")
        let unregistered = story.with { $0.account.tokenCalls.removeLast() }
        #expect(unregistered.classes == "delivered 2", "whether or not its token was taken back")
    }

    @Test("are no other ones because their token rotates")
    func rotated() throws {
        let story = aged().with { story in
            story.call(4, at: 6_000)
            story.registers(4, .rotated)
            story.account.pushes[1].token = .rotated
        }
        let life = try #require(story.joined.aged)
        #expect(life.activities.map(\.tokens) == [[.activity, .rotated]])
        #expect(life.activities.map(\.endedAt) == [instant(9_000)])
    }

    @Test("end with their session, where that is over first")
    func sessionOver() throws {
        let story = aged().with { story in
            story.call(4, at: 5_000)
            story.registers(4, isRegistration: false)
        }
        #expect(try #require(story.joined.aged).activities.map(\.endedAt) == [nil])
        // By then its token had been taken back.
        #expect(story.classes == "delivered 1, excused 1, unexpected 1")
    }

    @Test("show nothing old afterwards")
    func staleness() {
        #expect(aged().correlation().staleness.max == 0)
    }

    @Test("are watched until then, where nobody takes them back")
    func watched() {
        let terms = AgeTerms(after: .seconds(8), within: .seconds(1))
        #expect(aged().account.agesUntil(terms) == instant(10_000))
        let ended = aged().with { story in
            story.call(4, at: 5_000)
            story.registers(4, isRegistration: false)
        }
        #expect(ended.account.agesUntil(terms) == nil)
    }
}
