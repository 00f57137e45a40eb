// What is owed only where a token is not there, when that token has died.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A push that is owed unless a token is there")
struct UnlessTests {
    /// The card's token is registered at 500; a state of 3000 is an alert's, unless there is a card.
    private func story(_ turn: (inout Story) -> Void = { _ in }) -> Story {
        Story().with { story in
            story.call(0, at: 500)
            story.registers(0)
            story.call(1, at: 3_000)
            story.expect(1, at: 3_000, type: .alert, deadline: 5_000, token: .device)
            story.account.rows[0].unless = .activity
            turn(&story)
            story.account.pushes.sort { $0.arrivedAt < $1.arrivedAt }
        }
    }

    private func alert(_ story: inout Story) { story.push(1, at: 3_100, type: .alert, token: .device, outcome: .shown) }

    @Test("is not owed while it lives, and not allowed")
    func living() {
        #expect(story().classes == "")
        #expect(story(alert).classes == "unexpected 1")
    }

    @Test("is owed where the relay knew that it is dead", arguments: [(2_750, "lost 1"), (2_751, "")] as [(Int64, String)])
    func dead(at instant: Int64, silent: String) {
        func story(_ turn: (inout Story) -> Void = { _ in }) -> Story {
            self.story { story in
                story.push(9, at: instant, status: 410)
                turn(&story)
            }
        }
        // A quarter of a second is granted: in that time it may have decided either way.
        #expect(story().classes == silent)
        #expect(story(alert).classes == "delivered 1")
    }

    @Test("may come where the token turns out to be dead by that very call, and need not")
    func deadMeanwhile() {
        func story(at instant: Int64, _ turn: (inout Story) -> Void = { _ in }) -> Story {
            self.story { story in
                story.push(1, at: instant, status: 410)
                turn(&story)
            }
        }
        #expect(story(at: 3_050).classes == "" && story(at: 3_050, alert).classes == "delivered 1")
        #expect(story(at: 8_000, alert).classes == "delivered 1" && story(at: 8_001, alert).classes == "unexpected 1")
    }

    @Test("is not owed where it was registered again, nor for what leaves a doubt")
    func doubts() {
        let again = Story().with { story in
            story.call(0, at: 500)
            story.registers(0)
            story.push(9, at: 1_000, status: 410)
            story.call(1, at: 2_000)
            story.registers(1)
            story.call(2, at: 3_000)
            story.expect(2, at: 3_000, type: .alert, deadline: 5_000, token: .device)
            story.account.rows[0].unless = .activity
        }
        #expect(again.classes == "")
        #expect(again.with { $0.account.tokenCalls.removeLast() }.classes == "lost 1")
        let unheard = story { story in
            story.push(9, at: 1_000, status: 410) { $0.flags.insert(.isAnswerUndelivered) }
        }
        #expect(unheard.classes == "")
    }
}
