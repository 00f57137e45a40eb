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
            story.expect(1, at: 2_000)
            story.push(1, at: 2_010, status: 410) { push in
                push.diedMilliseconds = 1_760_000_000_000 + milliseconds
                push.faultRule = faultRule
            }
            story.call(2, at: 3_000)
            story.expect(2, at: 3_000)
        }
    }

    @Test("is excused, also where the token had died before it was registered")
    func excused() {
        #expect(died().classes == "excused 2")
        #expect(died(since: 500).classes == "excused 2")
        #expect(died(since: 500).correlation().excuses == ["dead token": 2])
        #expect(died(since: 500).correlation().deadTokens.died == 0)
        // What a fault of ours says of another time leaves the token alive.
        #expect(died(since: 500, faultRule: 4).classes == "lost 1, excused 1")
        // Nor does it die before anybody was told.
        #expect(died(since: 500).with { $0.account.pushes[0].arrivedAt = instant(2_501) }.classes == "lost 1, excused 1")
    }
}
