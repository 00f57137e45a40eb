// A token that is taken back while a state waits for its window (R0.7 against R0.19).

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A state in its window")
struct WindowGoodbyeTests {
    /// Its card was pushed to at 800, the window is of two seconds, and its call comes at 1000.
    private func returned(_ taken: Int64, _ turn: (inout Story) -> Void = { _ in }) -> String {
        Story().with { story in
            story.call(0, at: 100)
            story.registers(0)
            story.call(1)
            story.expect(1, flags: .isThrottled, deadline: 5_000)
            story.push(0, at: 800) { $0.flags = [] }
            story.circumstances.throttle = .seconds(2)
            story.circumstances.isRelayOurs = false
            story.call(2, at: taken)
            story.registers(2, isRegistration: false)
            turn(&story)
        }.classes
    }

    @Test("need not come once its token is taken back, until its window is over and a moment")
    func takenBack() {
        #expect(returned(3_050).contains("excused 1") && returned(3_051).contains("lost 1"))
        #expect(returned(3_050) { $0.account.rows[0].flags = [] }.contains("lost 1"), "not throttled")
        #expect(returned(3_050) { $0.account.pushes[0].token = .other }.contains("lost 1"), "another card's push")
        for later in [2_000, 3_060] as [Int64] {
            let begun = returned(3_050) { story in
                story.account.pushes[0].arrivedAt = instant(later)
                story.account.pushes[0].answeredAt = instant(later)
            }
            #expect(begun.contains("lost 1"), "no window was open when it came")
        }
    }
}
