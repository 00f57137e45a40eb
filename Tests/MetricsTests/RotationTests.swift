// What the token is told that takes another's place.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("The new token of a card")
struct RotationTests {
    /// Steps 1 and 2 were shown, and then the token rotated; the new one is told that of `step`.
    private func told(_ step: UInt32, outcome: Outcome = .updated) -> Story {
        Story.usual.with { story in
            story.registers(0)
            story.call(2, at: 1100)
            story.expect(2, at: 1100)
            story.push(2, at: 1150)
            story.call(3, at: 1200)
            story.registers(3, .rotated)
            story.push(step, at: 1250, token: .rotated, outcome: outcome)
        }
    }

    @Test("may be told the newest state again, and no older one that the user then sees")
    func older() {
        #expect(told(2).classes == "delivered 2")
        #expect(told(1).classes == "delivered 2, reordered 1")
        #expect(told(1, outcome: .ignoredOlder).classes == "delivered 2")
    }
}
