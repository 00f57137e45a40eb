// What a user does to a card on purpose is held against nobody, and explains nothing else.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A card that its user dismissed")
struct DismissalTests {
    /// Registered at 500, and dismissed then; a state at 1000, due at 1500.
    private func dismissed(at milliseconds: Int64, token: TokenHash = .activity) -> Story {
        Story().with { story in
            story.call(0, at: 500)
            story.registers(0)
            story.call(1)
            story.expect(1)
            story.card(token: token, from: 100)
            story.tell(.dismissed, at: milliseconds)
        }
    }

    @Test("excuses what reached it, or was not sent, and was due behind that", arguments: [
        (700, 1_050, "excused 1"), (1_050, 1_050, "excused 1"), (1_051, 1_050, "lost 1"), (1_500, 0, "excused 1"),
        (1_501, 0, "lost 1"), (700, 0, "excused 1"),
    ] as [(Int64, Int64, String)])
    func excuses(at: Int64, arrival: Int64, expected: String) {
        let story = dismissed(at: at).with { story in
            if arrival > 0 { story.push(1, at: arrival, outcome: .nothingShown) }
        }
        #expect(story.classes == expected)
        if expected == "excused 1" { #expect(story.correlation().excuses == ["dismissed by the user": 1]) }
    }

    @Test("was passed over by the phone, or would have been when it is asked to come again")
    func passedOver() {
        #expect(dismissed(at: 700).with { $0.push(1, outcome: .ignoredEnded) }.classes == "excused 1")
        #expect(dismissed(at: 1_200).with { $0.push(1, outcome: .ignoredEnded) }.classes == "delivered 1", "stored meanwhile")
        #expect(dismissed(at: 1_200).with { $0.push(1, status: 503) }.classes == "excused 1")
        #expect(dismissed(at: 1_200).with { $0.push(1, status: 413) }.classes == "lost 1", "refused for good before")
        #expect(dismissed(at: 1_200).with { $0.push(1) }.classes == "delivered 1")
    }

    @Test("excuses nothing of another activity, of another phone, or of a card that had ended")
    func others() {
        #expect(dismissed(at: 700, token: .other).classes == "lost 1")
        let alert = dismissed(at: 700).with { $0.expect(1, type: .alert, token: .device) }
        #expect(alert.classes == "lost 1, excused 1")
        let second = dismissed(at: 700).with { story in
            story.registers(0, .rotated, phone: 1)
            story.expect(1, token: .rotated, phone: 1)
        }
        #expect(second.classes == "lost 1, excused 1")
        let ended = dismissed(at: 700).with { story in
            story.account.cards = []
            story.card(token: .activity, from: 100)
            story.tell(.ended, at: 600)
            story.tell(.dismissed, at: 700)
        }
        #expect(ended.with { $0.push(0, at: 590, event: .end) { $0.flags = [] } }.classes == "lost 1, unexpected 1")
    }

    @Test("excuses what is told to another card, and too late therefore")
    func late() {
        func late(_ story: Story) -> String {
            story.with { story in
                story.push(1, outcome: .ignoredEnded)
                story.call(2, at: 1_600)
                story.registers(2, .rotated)
                story.push(1, at: 1_650, token: .rotated)
            }.classes
        }
        #expect(late(dismissed(at: 700)) == "excused 1")
        #expect(late(dismissed(at: 700, token: .other)) == "late 1")
    }

    @Test("is like one that the system ended for its age: no push has ended it")
    func ended() {
        let ended = dismissed(at: 700).with { story in
            story.account.cards = []
            story.card(token: .activity, from: 100)
            story.tell(.ended, at: 600)
        }
        #expect(ended.classes == "excused 1")
        #expect(ended.with { $0.push(1, outcome: .ignoredEnded) }.correlation().excuses == ["ended on its phone": 1])
        #expect(ended.with { $0.push(1, at: 550, status: 413) }.classes == "lost 1")
        // Who replaces activities has time to before the system ends them, if the phone has a start token.
        let terms = RestartTerms(
            after: .seconds(3), within: .seconds(1), before: .seconds(5), adoptWithin: .milliseconds(2),
            pause: .milliseconds(10), longestPause: .milliseconds(80))
        let replacing = ended.with { $0.circumstances.restart = terms }
        #expect(replacing.classes == "excused 1")
        let start = TokenHash("51")
        let idle = replacing.with { $0.registers(0, start, role: .start) }
        #expect(idle.classes == "lost 1")
        let tried = { (instants: [Int64]) in
            idle.with { story in
                for at in instants { story.push(1, at: at, event: .start, token: start, status: 429) }
            }.classes
        }
        #expect(tried([578]) == "excused 1" && tried([577]) == "lost 1", "it gave up")
        #expect(tried([540, 558]) == "excused 1" && tried([540, 557]) == "lost 1")
        #expect(idle.with { $0.push(1, at: 450, event: .start, token: start, status: 410) }.classes == "lost 1", "told again")
        #expect(idle.with { $0.push(1, at: 505, event: .start, token: start, status: 410) }.classes == "excused 1")
        let told = ended.with { $0.push(0, at: 590, event: .end) { $0.flags = [] } }
        #expect(told.classes == "lost 1, unexpected 1")
    }

    @Test("grows no older")
    func staleness() {
        func oldest(_ story: Story) -> Int64 {
            story.with { story in
                story.call(2, at: 1_100)
                story.expect(2, at: 1_100)
                story.call(3, at: 9_000)
                story.expect(3, at: 9_000)
                story.push(1)
            }.correlation().staleness.max
        }
        #expect(oldest(dismissed(at: 1_200)) < 200_000_000)
        #expect(oldest(dismissed(at: 1_200, token: .other)) > 5_000_000_000)
    }
}
