// What becomes of a push: duplicated, reordered, altered, and the border to what is right.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A push is")
struct PushClassTests {
    private var twice: Story { Story.usual.with { $0.push(1, at: 1100) } }

    @Test("duplicated when it had its 200 and the relay knew")
    func duplicated() {
        #expect(twice.classes == "delivered 1, duplicated 1")
        #expect(twice.with { $0.push(1, at: 1200) }.classes == "delivered 1, duplicated 2")
        #expect(twice.with { $0.account.pushes[1].status = 503 }.classes == "delivered 1, duplicated 1", "whatever came of it")
        #expect(twice.with { $0.account.pushes[0].status = 503 }.classes == "delivered 1")
    }

    @Test("duplicated when a later attempt had its 200 at once, while the answer to an earlier one is held back")
    func heldBack() {
        let held = twice.with { story in
            (story.account.pushes[0].faultRule, story.account.pushes[0].answeredAt) = (4, instant(30_000))
        }
        #expect(held.classes == "delivered 1", "it had no answer yet")
        #expect(held.with { $0.push(1, at: 1200) }.classes == "delivered 1, duplicated 1")
    }

    @Test("no duplicate of one that had its 200 right before we ended the relay", arguments: [(500, 1), (5_000, 2)] as [(Int64, Int)])
    func cut(killed: Int64, duplicates: Int) {
        let story = Story.usual.with { story in
            story.circumstances.outages = [.init(from: instant(1_050 + killed), until: instant(8_000))]
            story.push(1, at: 9_000)
            story.push(1, at: 9_500)
        }
        #expect(story.classes == "delivered 1, duplicated \(duplicates)")
    }

    /// J2.
    @Test("no duplicate of one whose answer never arrived, nor where we posted the event twice")
    func repeated() {
        #expect(twice.with { $0.undelivered = [1] }.classes == "delivered 1")
        #expect(twice.with { $0.undelivered = [2] }.classes == "delivered 1, duplicated 1")
        let third = twice.with {
            $0.undelivered = [1]
            $0.push(1, at: 1200)
        }
        #expect(third.classes == "delivered 1, duplicated 1")
        #expect(twice.with { $0.account.calls[0].attempts = 2 }.classes == "delivered 1")
    }

    /// The second state came at 1050, the first at `arrival` after it.
    private func inverted(_ arrival: Int64, connection: UInt64 = 1, outcome: Outcome = .ignoredOlder) -> Story {
        Story.usual.with {
            $0.account.pushes = []
            $0.call(2, at: 1010)
            $0.expect(2, at: 1010)
            $0.push(2, at: 1050)
            $0.push(1, at: arrival, outcome: outcome) { $0.connection = connection }
        }
    }

    @Test("reordered when the relay put it behind a newer one")
    func reordered() {
        #expect(inverted(1051).classes == "delivered 2, reordered 1")
        #expect(inverted(1100, connection: 2).classes == "delivered 2")
        #expect(inverted(1101, connection: 2).classes == "delivered 2, reordered 1")
        #expect(inverted(1051, connection: 2, outcome: .updated).classes == "delivered 2, reordered 1")
        #expect(inverted(1051).with { $0.circumstances.isOrdered = false }.classes == "delivered 2")
        // Another phone's, or an alert, is of no order with it.
        #expect(inverted(1051, outcome: .updated).with { $0.account.rows[1].lane.phone = 1 }.classes == "delivered 2")
        // An older state that the device passes over is received only where it is older.
        #expect(Story.usual.with { $0.account.pushes[0].outcome = .ignoredOlder }.classes == "lost 1")
        // The third behind the second is not behind the first.
        let third = inverted(1051).with {
            $0.call(3, at: 1060)
            $0.expect(3, at: 1060)
            $0.push(3, at: 1070)
        }
        #expect(third.classes == "delivered 3, reordered 1")
    }

    @Test("unexpected where the plan knows nothing of it")
    func unexpected() {
        #expect(Story.usual.with { $0.push(9) }.classes == "delivered 1, unexpected 1")
        #expect(Story.usual.with { $0.push(9, status: 400) }.classes == "delivered 1")
        let unmarked = Story.usual.with { $0.push(9) { $0.flags = [] } }
        #expect(unmarked.classes == "delivered 1, unexpected 1")
        #expect(unmarked.with { $0.circumstances.isRelayOurs = false }.classes == "delivered 1")
        // Without a plan nothing is expected, and nothing unexpected.
        #expect(unmarked.with { $0.account.rows = [] }.with { $0.account.pushes.removeFirst() }.classes == "")
        #expect(Story.usual.with { $0.push(9) }.with { $0.call(0, status: 500); $0.registers(0) }.classes == "delivered 1")
    }

    @Test("shown by what a device did with it once it was back")
    func stored() {
        let story = Story.usual.with { $0.account.pushes[0].outcome = .stored }
        #expect(story.classes == "delivered 1")
        #expect(story.with { $0.late = [1: .updated] }.classes == "delivered 1")
        #expect(story.with { $0.late = [1: .undecodable] }.classes == "lost 1, altered 1")
        #expect(story.with { $0.late = [2: .undecodable] }.classes == "delivered 1")
        #expect(Story.usual.with { $0.late = [1: .undecodable] }.classes == "delivered 1")
    }
}
