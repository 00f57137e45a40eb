// Where the start that was owed was refused: what may begin the card in its place, what that shows, and until when.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A card whose start was refused")
struct BeginningTests {
    private static let start = TokenHash("51")

    /// A start at 1000 that is answered so, another state at 2000, which begins the card at so many milliseconds.
    private func refused(
        _ status: UInt16 = 410, begun: Int64? = 2_010, _ turn: (inout Story) -> Void = { _ in }
    ) -> Story {
        Story().with { story in
            story.call(0, at: 500)
            story.registers(0, Self.start, role: .start)
            story.call(1)
            story.expect(1, event: .start, token: Self.start)
            story.account.rows[0].lane = Lane(role: .start)
            story.push(1, at: 1_050, event: .start, token: Self.start, status: status) { $0.faultRule = 4 }
            story.call(2, at: 2_000)
            if let begun { begin(2, at: begun, &story) }
            turn(&story)
        }
    }

    private func begin(_ step: UInt32, at milliseconds: Int64, _ story: inout Story) {
        story.push(step, at: milliseconds, event: .start, token: Self.start, outcome: .started)
    }

    @Test("is begun by what is said next, once")
    func begun() {
        #expect(refused().classes == "excused 1")
        let again = refused { story in
            story.call(3, at: 3_000)
            begin(3, at: 3_010, &story)
        }
        #expect(again.classes == "excused 1, unexpected 1")
        #expect(refused(200).classes == "delivered 1, unexpected 1")
        #expect(refused { $0.account.calls[2].state = .planned }.classes == "excused 1, unexpected 1")
    }

    @Test("is not begun where the activity has a token, or the session is over")
    func notBegun() {
        let known = { (milliseconds: Int64) in
            refused { story in
                story.call(3, at: milliseconds)
                story.registers(3)
            }.classes
        }
        #expect(known(1_900) == "excused 1, unexpected 1")
        #expect(known(2_005) == "excused 1", "the relay had not answered yet")
        let over = { (step: UInt32) in
            refused { story in
                story.account.rows[0].step = 0
                story.account.pushes[0].step = 0
                story.call(3, at: 1_500)
                story.registers(step, isRegistration: false)
            }.classes
        }
        #expect(over(1) == "excused 1, unexpected 1" && over(2) == "excused 1, unexpected 1" && over(3) == "excused 1")
    }

    @Test("has shown what was held for its token until then")
    func shown() {
        func held(_ story: Story, step: UInt32 = 2) -> String {
            story.with { story in
                story.call(step + 2, at: 3_000)
                story.registers(step + 2)
                if step > 2 { story.call(step, at: 2_500) }
                story.expect(step, at: 2_000, flags: [.wasHeld, .mayWait], deadline: 1_500)
            }.classes
        }
        #expect(held(refused()) == "superseded 1, excused 1")
        #expect(held(refused(begun: nil)) == "lost 1, excused 1")
        #expect(held(refused(), step: 3) == "lost 1, excused 1", "it came behind the start")
    }

    @Test("waits for its start, answered 429, as long as the profile has a relay wait")
    func paused() {
        func story(_ restarts: Bool = true, begun: Int64? = nil, again: Int64? = nil) -> String {
            refused(429, begun: begun) { story in
                if let again { begin(1, at: again, &story) }
                guard restarts else { return }
                story.circumstances.restart = RestartTerms(
                    after: .seconds(30), within: .seconds(1), before: .seconds(50), adoptWithin: .seconds(2),
                    pause: .seconds(10), longestPause: .seconds(15))
            }.classes
        }
        #expect(story(again: 11_500) == "delivered 1" && story(again: 11_501) == "late 1")
        #expect(story(begun: 11_500) == "superseded 1" && story() == "lost 1")
        #expect(story(false, again: 11_550) == "late 1")
    }

    @Test("whose start token was dead is due when the phone tells of one again")
    func toldAgain() {
        func told(_ token: TokenHash, at arrival: Int64) -> String {
            refused(begun: nil) { story in
                story.call(3, at: 8_000)
                story.registers(3, token, role: .start)
                story.push(1, at: arrival, event: .start, token: token, outcome: .started)
            }.classes
        }
        #expect(told(Self.start, at: 8_500) == "delivered 1" && told(.other, at: 8_500) == "delivered 1")
        #expect(told(Self.start, at: 8_501) == "late 1")
    }

    @Test("whose start token had died before waits for one without a try")
    func knownDead() {
        func told(_ toldAt: Int64, at arrival: Int64) -> String {
            refused(begun: nil) { story in
                story.account.calls[2].plannedAt = instant(5_000)
                story.account.calls[2].sentAt = instant(5_000)
                story.expect(2, at: 5_000, event: .start, token: Self.start)
                story.account.rows[1].lane = Lane(role: .start)
                story.call(3, at: toldAt)
                story.registers(3, Self.start, role: .start)
                story.push(2, at: arrival, event: .start, token: Self.start, outcome: .started)
            }.classes
        }
        #expect(told(8_000, at: 8_500) == "delivered 1, excused 1" && told(8_000, at: 8_501) == "late 1, excused 1")
        #expect(told(4_000, at: 5_501) == "late 1, excused 1", "it was told before")
    }

    @Test("and one that has taken another's place may be told what the session began with")
    func successor() {
        func told(_ token: TokenHash) -> String {
            Story().with { story in
                story.circumstances.restart = RestartTerms(
                    after: .seconds(3), within: .seconds(1), before: .seconds(5), adoptWithin: .seconds(2),
                    pause: .seconds(1), longestPause: .seconds(8))
                story.call(0, at: 500)
                story.registers(0, Self.start, role: .start)
                story.call(1)
                story.expect(1, event: .start, token: Self.start)
                story.account.rows[0].lane = Lane(role: .start)
                begin(1, at: 1_050, &story)
                for (step, instant, token) in [(2, 2_000, .activity), (3, 5_000, .rotated)] as [(UInt32, Int64, TokenHash)] {
                    story.call(step, at: instant)
                    story.registers(step, token)
                }
                begin(1, at: 4_000, &story)
                story.push(1, at: 5_050, token: token)
            }.classes
        }
        #expect(told(.rotated) == "delivered 1")
        #expect(told(.activity) == "delivered 1, misdirected 1")
    }

    @Test("whose start never came tells its state once, whatever tokens there were")
    func toldOnce() {
        func told(_ tokens: TokenHash...) -> String {
            refused(begun: nil) { story in
                story.call(3, at: 3_000)
                story.registers(3)
                story.call(4, at: 4_000)
                story.registers(4, .rotated)
                for token in tokens { story.push(1, at: 4_050, token: token) }
            }.classes
        }
        let older = refused(begun: nil) { story in
            story.registers(0)
            story.push(1, at: 4_050)
        }
        #expect(older.classes == "excused 1, misdirected 1", "it was known before")
        #expect(told(.activity) == "excused 1" && told(.activity, .rotated) == "excused 1, misdirected 1")
    }
}
