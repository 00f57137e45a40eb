// Activities of one session that take each other's place: which there were, and when.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("Activities that take each other's place")
struct RestartLifeTests {
    private static let start = TokenHash("51")

    /// Registered at 1000, replaced at 5000 by a start at 4000, and that one at 9000 by one at 8000; both calls take 10 ms.
    private func replaced() -> Story {
        Story().with { story in
            story.circumstances.restart = RestartTerms(
                after: .seconds(3), within: .seconds(1), before: .seconds(5), adoptWithin: .seconds(2), pause: .seconds(1),
                longestPause: .seconds(8))
            story.call(0, at: 500)
            story.registers(0, Self.start, role: .start)
            for (step, instant, token) in [(1, 1_000, .activity), (2, 5_000, .rotated), (3, 9_000, .other)]
                as [(UInt32, Int64, TokenHash)]
            {
                story.call(step, at: instant)
                story.registers(step, token)
                if step > 1 { story.push(1, at: instant - 1_000, event: .start, token: Self.start, outcome: .started) }
            }
        }
    }

    @Test("one lives until its successor's token is registered")
    func chain() throws {
        let life = try #require(replaced().joined.restarts)
        #expect(life.activities.map(\.tokens) == [[.activity], [.rotated], [.other]])
        #expect(life.activities.map(\.born) == [
            instant(1_000)...instant(1_000), instant(4_000)...instant(4_000), instant(8_000)...instant(8_000),
        ])
        #expect(life.activities.map(\.registeredAt) == [instant(1_000), instant(5_000), instant(9_000)])
        #expect(life.activities.map(\.replacedAt) == [instant(5_000), instant(9_000), nil])
        #expect(life.activities.map(\.replacedFor) == [instant(5_010), instant(9_010), nil])
        #expect(life.activities.map(\.endedAt) == [instant(5_000), instant(9_000), .distantFuture])
        #expect(life.activities.map(\.starts.count) == [1, 1, 0])
    }

    /// A stranger's relay that was slow: the start of the first call left behind the registration.
    @Test("what a call owes is no successor's start, however late it left; what bears its marker behind that is")
    func planned() throws {
        let story = replaced().with { story in
            story.expect(0, at: 500, event: .start, token: Self.start)
            story.push(0, at: 1_100, event: .start, token: Self.start, outcome: .started)
            story.push(0, at: 4_500, event: .start, token: Self.start, outcome: .started)
        }
        let life = try #require(story.joined.restarts)
        #expect(life.activities[0].starts.map { story.joined.account.pushes[$0].arrivedAt } == [instant(4_000), instant(4_500)])
    }

    @Test("a token that no start lies before is the same activity under another name")
    func rotation() throws {
        let story = replaced().with { $0.account.pushes.removeFirst() }
        let life = try #require(story.joined.restarts)
        #expect(life.activities.map(\.tokens) == [[.activity, .rotated], [.other]])
    }

    @Test("two starts before one token leave open by which of them its card began")
    func births() throws {
        let story = replaced().with { $0.push(1, at: 3_000, event: .start, token: Self.start, outcome: .started) }
        let life = try #require(story.joined.restarts)
        #expect(life.activities.map(\.born) == [
            instant(1_000)...instant(1_000), instant(3_000)...instant(4_000), instant(8_000)...instant(8_000),
        ])
    }

    @Test("a start that a call behind the end asked for is not the old life's, which was under way")
    func beganAtOnce() {
        func isExplained(calledAt: Int64) -> Bool {
            let story = replaced().with { story in
                story.call(6, at: 9_500)
                story.registers(6, .other, isRegistration: false)
                story.call(7, at: calledAt)
                story.push(7, at: 9_700, event: .start, token: Self.start, outcome: .started)
            }
            return story.joined.restarts?.explained.contains(story.account.pushes.last?.id ?? 0) ?? false
        }
        #expect(isExplained(calledAt: 9_400) && !isExplained(calledAt: 9_600))
    }

    @Test("none where the profile says nothing of it")
    func unasked() {
        #expect(replaced().with { $0.circumstances.restart = nil }.joined.restarts == nil)
    }

    // MARK: What a phone tells

    /// The same, and the phone tells whose the tokens are.
    private func told(_ cards: [(startedAt: Int64, tokens: [TokenHash])]) -> Story {
        replaced().with { story in
            for (number, card) in cards.enumerated() {
                story.account.cards.append(SeenCard(phone: 0, number: UInt32(number + 1), startedAt: instant(card.startedAt)))
                story.account.cards[number].tokens = card.tokens
            }
        }
    }

    @Test("a phone's word decides whether two tokens are one activity's")
    func cards() throws {
        let one = try #require(told([(4_000, [.rotated, .other])]).joined.restarts)
        #expect(one.activities.map(\.tokens) == [[.activity], [.rotated, .other]])
        // Both of one replacement's starts were adopted, one after the other.
        let rivals = told([(4_000, [.rotated]), (4_500, [.other])]).with { story in
            story.account.pushes[1].arrivedAt = instant(4_500)
        }
        let two = try #require(rivals.joined.restarts)
        #expect(two.activities.map(\.tokens) == [[.activity], [.rotated], [.other]])
        #expect(two.activities.map(\.hasRival) == [false, true, false])
        #expect(two.activities.map(\.isRival) == [false, false, true])
        #expect(two.activities[2].born == instant(4_500)...instant(4_500))
    }

    @Test("one that was begun in one life of the session and registered in the next may be of either")
    func eitherLife() throws {
        let again = told([(4_000, [.rotated]), (8_000, [.other])]).with { story in
            story.call(6, at: 4_500)
            story.registers(6, isRegistration: false)
            story.call(7, at: 4_700)
            story.expect(7, at: 4_700, event: .start, token: Self.start)
        }
        #expect(try #require(again.joined.restarts).activities.map(\.isOfEitherLife) == [false, true, false])
        let over = again.with { $0.account.rows.removeLast() }
        #expect(try #require(over.joined.restarts).activities.allSatisfy { !$0.isOfEitherLife })
    }

    /// The first card has a further token, first told at that instant; its successor is started at 4000 and told of at 5000.
    private func rotated(at milliseconds: Int64, _ turn: (inout Story) -> Void = { _ in }) -> Story {
        told([(900, [.activity, .device]), (4_000, [.rotated]), (8_000, [.other])]).with { story in
            story.call(7, at: milliseconds)
            story.registers(7, .device)
            turn(&story)
        }
    }

    @Test("one whose further token is told behind its successor's start is not to be told from that one", arguments: [
        (3_999, [false, false, false]), (4_001, [true, true, false]), (5_500, [true, true, false]),
        (8_500, [true, true, true]),
    ] as [(Int64, [Bool])])
    func blurred(at milliseconds: Int64, expected: [Bool]) throws {
        let life = try #require(rotated(at: milliseconds).joined.restarts)
        #expect(life.activities.map(\.isBlurred) == expected && life.activities.map(\.isDoubtful) == expected)
    }

    @Test("what is sent to a token of two such cards is not lost; what is not sent is", arguments: [
        (3_000, true, "lost 1"), (5_500, true, "excused 1"), (5_500, false, "lost 1"),
    ] as [(Int64, Bool, String)])
    func blurredState(at milliseconds: Int64, isSent: Bool, expected: String) {
        let story = rotated(at: milliseconds) { story in
            story.account.tokenCalls.removeAll { $0.token == .other }
            story.call(8, at: 12_000)
            story.expect(8, at: 12_000, token: .rotated)
            if isSent { story.push(8, at: 12_010, token: .device, outcome: .ignoredEnded) }
        }
        #expect(story.classes == expected)
    }

    /// The session's end is taken for that of the card that was replaced.
    @Test("the end of a session may go to either of two such cards", arguments: [
        (3_000, Outcome.ended, 200, "lost 1"), (5_500, .ended, 200, "excused 1"), (5_500, .ignoredEnded, 200, "excused 1"),
        (5_500, nil, 400, "lost 1"),
    ] as [(Int64, Outcome?, UInt16, String)])
    func blurredEnd(at milliseconds: Int64, outcome: Outcome?, status: UInt16, expected: String) {
        let story = rotated(at: milliseconds) { story in
            story.account.tokenCalls.removeAll { $0.token == .other }
            story.call(8, at: 12_000)
            story.expect(8, at: 12_000, event: .end, flags: .isFinal, token: .rotated)
            story.push(8, at: 12_010, event: .end, token: .device, status: status, outcome: outcome)
        }
        #expect(story.classes == expected)
    }

    @Test("of a phone's events the first end counts, and tokens are those of their card")
    func events() {
        var account = Account(number: 0)
        func event(_ kind: PhoneEvent.Kind, _ activity: UInt32, _ token: String? = nil) -> PhoneEvent {
            PhoneEvent(
                number: 1, kind: kind, at: WallTime(seconds: 0), phone: "phone-0-1", app: "a", activity: activity, token: token)
        }
        // Nothing is known of one that did not begin here.
        account.note(event(.token, 7, "aa"), phone: 0, at: instant(1))
        account.note(event(.started, 1), phone: 0, at: instant(2))
        account.note(event(.started, 1), phone: 0, at: instant(3))
        account.note(event(.started, 1), phone: 1, at: instant(4))
        account.note(event(.token, 1, "a1"), phone: 0, at: instant(5))
        account.note(event(.rotated, 1, "a2"), phone: 0, at: instant(6))
        account.note(event(.dismissed, 1), phone: 0, at: instant(7))
        account.note(event(.ended, 1), phone: 0, at: instant(8))
        #expect(account.cards.map(\.startedAt) == [instant(2), instant(4)])
        #expect(account.cards[0].tokens == [TokenHash("a1"), TokenHash("a2")] && account.cards[0].endedAt == instant(7))
        #expect(account.card(of: TokenHash("a2"))?.phone == 0 && account.card(of: TokenHash("b")) == nil)
    }

    // MARK: Sessions that are over

    /// The session is over at 4500, while a start is under way.
    private func ended() -> Story {
        replaced().with { story in
            story.call(4, at: 4_500)
            story.registers(4, .activity, isRegistration: false)
        }
    }

    @Test("what turns up when its session is over takes nobody's place")
    func late() throws {
        let life = try #require(ended().joined.restarts)
        #expect(life.activities.map(\.replacedAt) == [nil, nil, nil])
        #expect(life.activities[0].endedAt == instant(4_500) && life.activities[1].endedAt == instant(4_500))
        #expect(life.activities.map(\.starts.count) == [1, 0, 0])
    }

    @Test("a session that begins again has lives of its own")
    func again() throws {
        let story = ended().with { story in
            story.call(5, at: 4_600)
            story.expect(5, at: 4_600)
        }
        let life = try #require(story.joined.restarts)
        #expect(life.activities.map(\.replacedAt) == [nil, instant(9_000), nil])
        #expect(life.activities.map(\.endedAt) == [instant(4_500), instant(9_000), .distantFuture])
    }
}
