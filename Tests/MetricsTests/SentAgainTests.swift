// What is sent again because its answer never came, and what a relay may have read of one that broke off.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("What is sent again for want of an answer")
struct SentAgainTests {
    /// The end's answer broke off when the phone had it; the same comes again.
    private func ended(first: Outcome?, second: Outcome = .ignoredEnded) -> Story {
        Story().with { story in
            story.call(0, at: 100)
            story.registers(0)
            story.call(1)
            story.expect(1, event: .end)
            story.push(1, at: 1050, event: .end, status: 0) { ($0.faultRule, $0.outcome) = (1, first) }
            story.push(1, at: 1250, event: .end, outcome: second)
        }
    }

    @Test("is delivered, though the phone passes it over, where the phone had it the first time")
    func again() {
        #expect(ended(first: .ended).classes == "delivered 1")
        #expect(ended(first: .updated, second: .ignoredOlder).classes == "delivered 1")
        #expect(ended(first: nil).classes.contains("lost 1"), "it ended otherwise, and nobody saw this one")
        #expect(ended(first: .ended).with { $0.account.pushes[0].step = 7 }.classes.contains("lost 1"))
    }

    /// A 410 at 1050, whose connection broke before anybody can tell whether it was read; a state of 5000 never comes.
    private func dead(undelivered: Set<UInt64>) -> Story {
        Story().with { story in
            story.call(0, at: 100)
            story.registers(0)
            story.call(1)
            story.expect(1)
            story.push(1, at: 1050, status: 410)
            story.call(2, at: 5000)
            story.expect(2, at: 5000)
            story.undelivered = undelivered
        }
    }

    @Test("a 410 that may not have been read excuses who drops the token")
    func unread() {
        #expect(dead(undelivered: []).classes == "excused 2")
        #expect(dead(undelivered: [1]).classes == "excused 2")
    }

    /// A question of session 2 goes to the phone that session 1 registered.
    private func shared(_ turn: (inout Story) -> Void = { _ in }) -> Story {
        Story().with { story in
            story.call(0, at: 100)
            story.registers(0, .device, role: .device)
            story.call(1)
            story.expect(1, type: .alert, token: .device)
            story.account.rows[0].lane.role = .device
            story.push(1, type: .alert, token: .device)
            story.call(1, at: 2000, session: 2)
            story.push(1, at: 2050, type: .alert, token: .device) { $0.session = 2 }
            turn(&story)
        }
    }

    @Test("a user's phone may be told of each of the user's sessions, whichever of them registered it")
    func byUser() {
        #expect(shared().classes == "delivered 1")
        #expect(shared { $0.account.calls[2].kind = 1 }.classes.contains("unexpected 1"), "such calls owe no phone anything")
        #expect(shared { $0.account.tokenCalls[0].lane.role = .activity }.classes.contains("1, unexpected 1"))
    }
}
