// What a dead token keeps from its card: whom that excuses, until when, and what is owed to the token that follows.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A state whose token was dead")
struct RenewalTests {
    /// Registered at 1000; two states at 2000 and 3000, of which the first is answered 410 and the second not sent.
    private func died(since milliseconds: Int64 = 1_500, faultRule: UInt32 = 0) -> Story {
        Story().with { story in
            story.call(0, at: 1_000)
            story.registers(0)
            story.call(1, at: 2_000)
            story.expect(1, at: 2_000, flags: .mayWait)
            story.push(1, at: 2_010, status: 410) { push in
                push.diedMilliseconds = 1_760_000_000_000 + milliseconds
                push.faultRule = faultRule
            }
            story.call(2, at: 3_000)
            story.expect(2, at: 3_000, flags: .mayWait)
        }
    }

    /// The next token is registered at 4000.
    private func renewed(_ turn: (inout Story) -> Void = { _ in }) -> Story {
        died().with { story in
            story.call(5, at: 4_000)
            story.registers(5, .rotated)
            turn(&story)
        }
    }

    @Test("is excused, also where the token had died before it was registered")
    func excused() {
        #expect(died().classes == "excused 2")
        #expect(died(since: -100).classes == "excused 2")
        #expect(died(since: -100).correlation().excuses == ["dead token": 2])
        #expect(died(since: -100).correlation().deadTokens.died == 0)
        // What a fault of ours says of another time leaves the token alive.
        #expect(died(since: -100, faultRule: 4).classes == "lost 1, excused 1")
        // Nor does it die before anybody was told.
        #expect(died(since: -100).with { $0.account.pushes[0].arrivedAt = instant(2_501) }.classes == "lost 1, excused 1")
    }

    @Test("counts from the registration of the next token", arguments: [
        (4_010, "delivered 1, excused 1"), (4_500, "delivered 1, excused 1"), (4_501, "late 1, excused 1"),
    ] as [(Int64, String)])
    func deadline(arrival: Int64, expected: String) {
        #expect(renewed { $0.push(2, at: arrival, token: .rotated) }.classes == expected)
        let held = renewed { story in
            story.account.rows[1].flags = [.mayWait, .wasHeld]
            story.account.rows[1].plannedAt = instant(800)
            story.account.rows[1].deadline = .milliseconds(700)
            story.account.rows.removeFirst()
            story.push(2, at: 1_010, status: 410)
            story.push(2, at: arrival, token: .rotated)
        }
        #expect(held.classes == String(expected.dropLast(11)))
        #expect(renewed().joined.wasRenewed(0) && !Story.usual.joined.wasRenewed(0))
    }

    @Test("is owed to the next token, where it is the newest and of a kind that waits")
    func newest() {
        #expect(renewed().classes == "lost 1, excused 1")
        #expect(renewed { $0.push(1, at: 4_010, token: .rotated) }.classes == "delivered 1, lost 1")
        #expect(renewed { $0.account.rows[1].flags = [] }.classes == "excused 2")
        // Both may come, the older one as late as the newer one.
        let both = renewed { story in
            story.push(1, at: 4_010, token: .rotated)
            story.push(2, at: 4_020, token: .rotated)
        }
        #expect(both.classes == "delivered 2")
        // What comes when the token is known is owed to it, and nothing to do with what was before.
        let later = renewed { story in
            story.push(2, at: 4_010, token: .rotated)
            story.call(6, at: 6_000)
            story.expect(6, at: 6_000, token: .rotated)
        }
        #expect(later.classes == "delivered 1, lost 1, excused 1")
    }

    @Test("is owed to no token behind a goodbye or a start that shows it, nor to one that came too early or not at all")
    func notOwed() {
        let returned = renewed { story in
            story.call(3, at: 3_500)
            story.registers(3, isRegistration: false)
        }
        #expect(returned.classes == "excused 2")
        #expect(renewed { $0.account.calls[3].wasTaken = false }.classes == "excused 2")
        #expect(renewed { $0.account.pushes[0].answeredAt = instant(4_000) }.classes == "excused 2")
        #expect(renewed { $0.account.tokenCalls[1].lane.phone = 1 }.classes == "excused 2")
        let restarted = { (step: UInt32) in
            self.renewed { story in
                story.registers(0, .other, role: .start)
                story.push(step, at: 3_600, event: .start, token: .other, outcome: .started)
            }
        }
        #expect(restarted(2).classes.contains("excused 2"))
        #expect(restarted(1).classes.contains("lost 1"))
    }

    @Test("a fault that told of the death explains nothing once another token is known; what meets that one does")
    func faults() {
        let told = died(since: 2_000, faultRule: 4).with { story in
            story.call(5, at: 4_000)
            story.registers(5, .rotated)
            story.account.rows.removeLast()
        }
        #expect(told.classes == "lost 1")
        #expect(told.with { $0.push(1, at: 4_010, token: .rotated, status: 410) { $0.faultRule = 4 } }.classes == "excused 1")
        #expect(told.with { $0.push(1, at: 4_010, token: .rotated) }.classes == "delivered 1")
    }

    @Test("is owed to the token behind one that had died as well")
    func chain() {
        let twice = renewed { story in
            story.push(2, at: 4_010, token: .rotated, status: 410)
            story.call(6, at: 5_000)
            story.registers(6, .other)
        }
        #expect(twice.classes == "lost 1, excused 1")
        #expect(twice.with { $0.push(2, at: 5_400, token: .other) }.classes == "delivered 1, excused 1")
        #expect(twice.with { $0.push(2, at: 5_600, token: .other) }.classes == "late 1, excused 1")
        #expect(renewed { $0.push(2, at: 4_010, token: .rotated, status: 410) }.classes == "excused 2")
    }

    /// The same at FCM, where nothing is held for a registration.
    private func registered(_ turn: (inout Story) -> Void = { _ in }) -> String {
        renewed { story in
            turn(&story)
            for index in story.account.rows.indices {
                story.account.rows[index].provider = .fcm
                story.account.rows[index].lane.role = .registration
                story.account.rows[index].flags = []
            }
            for index in story.account.tokenCalls.indices { story.account.tokenCalls[index].lane.role = .registration }
            for index in story.account.pushes.indices {
                story.account.pushes[index].provider = .fcm
                guard story.account.pushes[index].status == 410 else { continue }
                (story.account.pushes[index].status, story.account.pushes[index].diedMilliseconds) = (400, 0)
                story.account.pushes[index].reason = Story.badToken
            }
        }.classes
    }

    @Test("counts from its app's next registration, at FCM as well, and need not be told to that", arguments: [
        (4_010, "delivered 1, excused 1"), (4_500, "delivered 1, excused 1"), (4_501, "excused 2"),
    ] as [(Int64, String)])
    func registrations(arrival: Int64, expected: String) {
        #expect(registered { $0.push(2, at: arrival, token: .rotated) } == expected)
        #expect(registered() == "excused 2")
        let alive = registered { story in
            (story.account.pushes[0].status, story.account.pushes[0].outcome) = (200, .handedOver)
            story.push(2, at: arrival, token: .rotated)
        }
        #expect(alive == "delivered 1, late 1", "it had not died")
        let ofAnother = registered { story in
            story.account.tokenCalls[1].lane.phone = 1
            story.push(2, at: arrival, token: .rotated)
        }
        #expect(!ofAnother.contains("delivered"), "another phone's app")
    }

    /// The same where activities take each other's place, on a phone that tells of them: one, or two.
    private func restarting(_ tokens: [[TokenHash]], _ turn: (inout Story) -> Void = { _ in }) -> String {
        renewed { story in
            story.circumstances.restart = RestartTerms(
                after: .seconds(3), within: .seconds(1), before: .seconds(5), adoptWithin: .seconds(2), pause: .seconds(1),
                longestPause: .seconds(8))
            for (number, own) in tokens.enumerated() {
                let startedAt = instant(number == 0 ? 500 : 1_500)
                story.account.cards.append(SeenCard(phone: 0, number: UInt32(number + 1), startedAt: startedAt))
                story.account.cards[number].tokens = own
            }
            turn(&story)
        }.classes
    }

    @Test("counts from the next token's registration also where activities are replaced, and is owed to its own card only")
    func restarts() {
        #expect(restarting([[.activity, .rotated]]) == "lost 1, excused 1")
        #expect(restarting([[.activity, .rotated]]) { $0.push(2, at: 4_400, token: .rotated) } == "delivered 1, excused 1")
        #expect(restarting([[.activity], [.rotated]]) == "excused 2")
        #expect(restarting([[.activity], [.rotated]]) { $0.push(2, at: 4_400, token: .rotated) } == "delivered 1, excused 1")
        // Told late, it is late to its own card only.
        #expect(restarting([[.activity, .rotated]]) { $0.push(2, at: 6_000, token: .rotated) } == "late 1, excused 1")
        #expect(restarting([[.activity], [.rotated]]) { $0.push(2, at: 6_000, token: .rotated) } == "excused 2")
    }

    // MARK: Starts

    /// Two starts before a token is known, the second's state held for it.
    private func startedTwice(_ turn: (inout Story) -> Void) -> String {
        Story().with { story in
            for (step, at) in [(1, 1_000), (2, 2_000)] as [(UInt32, Int64)] {
                story.call(step, at: at)
                story.expect(step, at: at, event: .start, flags: step == 2 ? .isAgain : [], token: .other)
                story.account.rows[story.account.rows.count - 1].lane = Lane(role: .start)
            }
            story.registers(0, .other, role: .start)
            story.call(3, at: 4_000)
            story.registers(3)
            story.expect(2, at: 2_000, flags: [.insteadOfStart, .wasHeld], deadline: 2_500)
            turn(&story)
        }.classes
    }

    @Test("a further start is owed where none before it was accepted, else its state")
    func again() {
        func start(_ step: UInt32, _ story: inout Story, status: UInt16 = 200) {
            story.push(step, at: Int64(step) * 1_000 + 10, event: .start, token: .other, status: status, outcome: .started)
        }
        let held = { (story: inout Story) in story.push(2, at: 4_010) }
        #expect(startedTwice { start(1, &$0); held(&$0) } == "delivered 2")
        #expect(startedTwice { start(1, &$0) } == "delivered 1, lost 1")
        #expect(startedTwice { start(1, &$0, status: 400); start(2, &$0) } == "delivered 1, lost 1")
        #expect(startedTwice { start(2, &$0) } == "delivered 1, lost 1")
        #expect(startedTwice { start(1, &$0); start(2, &$0) } == "delivered 1, lost 1, misdirected 1")
        // The relay was not told, and started again.
        let untold = startedTwice { story in
            start(1, &story)
            start(2, &story)
            story.undelivered = [1]
        }
        #expect(untold == "delivered 2")
    }
}
