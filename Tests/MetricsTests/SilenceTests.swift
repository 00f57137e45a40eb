// States behind a push that a fault of ours never answered, or late.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A state behind a push without an answer")
struct SilenceTests {
    /// Step 1 meets the fault at 1050; step 2 is called for 500 later, and due at 2000.
    private func story(
        silent: Bool = true, answeredAt: Int64 = 1050, type: PushType = .liveactivity, token: TokenHash = .activity,
        _ turn: (inout Story) -> Void
    ) -> Story {
        Story.usual.with { story in
            story.circumstances.faults = [.init(rule: 4, label: "quiet", windows: [], isSilence: silent)]
            story.registers(0, token, role: type == .alert ? .device : .activity)
            story.registers(0)
            story.account.rows[0].type = type
            story.account.pushes = []
            story.push(1, type: type, token: token, status: silent ? 0 : 200) { push in
                (push.faultRule, push.answeredAt) = (4, instant(answeredAt))
            }
            story.call(2, at: 1500)
            story.expect(2, at: 1500)
            turn(&story)
        }
    }

    private func outcome(_ story: Story) -> DeliveryClass? { story.joined.deliveries.last?.outcome }

    @Test("has its deadline from when the relay went on")
    func goesOn() {
        #expect(outcome(story { $0.push(2, at: 6_000) }) == .delivered)
        #expect(outcome(story(type: .alert, token: .device) { $0.push(2, at: 6_000) }) == .delivered, "an alert goes first")
        let retried = story { story in
            story.push(1, at: 6_000)
            story.push(2, at: 6_501)
        }
        #expect(outcome(retried) == .late)
    }

    @Test("is lost where it never comes, half a minute and its deadline behind the silence")
    func never() {
        func heard(until end: Int64) -> DeliveryClass? {
            outcome(story { $0.circumstances.end = instant(end) })
        }
        #expect(heard(until: 31_549) == .undecided && heard(until: 31_550) == .lost)
    }

    @Test("gives way to a newer one while the relay waits for an answer, however late it was told", arguments: [
        (1_500, true), (20_000, true), (31_500, false),
    ] as [(Int64, Bool)])
    func replaced(told: Int64, isReplaced: Bool) {
        let story = story { story in
            story.account.calls[1].plannedAt = instant(told)
            story.account.calls[1].sentAt = instant(told)
            story.account.rows[1].plannedAt = instant(told)
            story.call(3, at: told + 300)
            story.expect(3, at: told + 300)
            story.push(3, at: max(told + 350, 31_000))
        }
        #expect(story.joined.deliveries[1].outcome == (isReplaced ? .superseded : .lost))
    }

    @Test("is given the network's half a minute where the relay's clock is faster")
    func faster() {
        func heard(until end: Int64) -> DeliveryClass? {
            outcome(story { story in
                story.circumstances.pace = 8
                story.circumstances.end = instant(end)
            })
        }
        #expect(heard(until: 200_000) == .undecided && heard(until: 300_000) == .lost)
    }

    @Test("is due when the answer has come, late as it was")
    func answersLate() {
        let slow = { (at: Int64) in outcome(story(silent: false, answeredAt: 4_000) { $0.push(2, at: at) }) }
        #expect(slow(4_500) == .delivered && slow(4_501) == .late)
        let never = story(silent: false, answeredAt: 4_000) { $0.circumstances.end = instant(100_000) }
        #expect(outcome(never) == .lost)
    }

    @Test("is not excused by another card's, another phone's, a newer one's or an answer that is no silence")
    func others() {
        func lost(_ turn: (inout Story) -> Void) -> Bool {
            outcome(story { story in
                story.push(2, at: 6_000)
                turn(&story)
            }) == .late
        }
        #expect(!lost { _ in })
        #expect(lost { $0.account.pushes[0].session = 2 })
        #expect(lost { $0.account.pushes[0].token = .other })
        #expect(lost { $0.account.pushes[0].step = 3 })
        #expect(lost { $0.account.pushes[0].faultRule = 0 })
        #expect(lost { $0.circumstances.faults[0].isSilence = false })
    }
}
