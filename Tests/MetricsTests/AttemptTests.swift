// How often a push was tried says nothing of whether it could have come; what the relay can mend itself excuses nothing.

import Basics
import Testing

@testable import Metrics

@Suite("A push that was tried is excused by")
struct AttemptTests {
    private func faulted(
        _ status: UInt16, until end: Int64 = 1100, due: Int64 = 9_000, attempts: Int = 1
    ) -> Story { ExcuseTests().faulted(status, until: end, due: due, attempts: attempts) }

    /// Whoever gives up within a fault that is soon over loses what it had to send.
    @Test("no number of attempts, where the fault was over in time", arguments: [
        (503, 2), (503, 3), (503, 30), (0, 1), (0, 2), (0, 30),
    ] as [(UInt16, Int)])
    func attempts(status: UInt16, attempts: Int) {
        #expect(faulted(status, attempts: attempts).classes == "lost 1")
        #expect(faulted(status, until: 9_000, attempts: attempts).classes == "excused 1")
    }

    @Test("a fault that its relay can mend, only as long as that takes from when it was told", arguments: [
        (403, 0, 3_050, "excused 1"), (403, 0, 3_051, "lost 1"), (503, 0, 3_051, "lost 1"), (503, 4, 7_050, "excused 1"),
        (503, 4, 7_051, "lost 1"),
    ] as [(UInt16, Int64, Int64, String)])
    func ownCure(status: UInt16, takes: Int64, due: Int64, expected: String) {
        let story = faulted(status, until: 99_000, due: due, attempts: 1).with { story in
            story.circumstances.faults[0].cureTakes = .seconds(Double(takes))
            // It goes on as it was, up to the end.
            for instant in stride(from: 1_500, to: due, by: 500) {
                story.push(1, at: instant, status: status) { $0.faultRule = 4 }
            }
        }
        #expect(story.classes == expected)
    }

    @Test("a fault that stands and lets some pass, only while there was no time to try again")
    func letsSomePass() {
        func partial(_ due: Int64, attempts: Int = 1) -> Story {
            faulted(503, until: 99_000, due: due, attempts: attempts).with { $0.circumstances.faults[0].letsSomePass = true }
        }
        #expect(partial(3_050).classes == "excused 1" && partial(3_051).classes == "lost 1")
        #expect(partial(9_000, attempts: 3).classes == "lost 1", "how often it was tried does not count")
        // Who waits longer each time has as long again as it tried.
        let doubling = partial(9_000).with { story in
            for at in [2_050, 5_050] as [Int64] { story.push(1, at: at, status: 503) { $0.faultRule = 4 } }
        }
        #expect(doubling.classes == "excused 1")
        // From 0 and 4 s on the next is at 12 s.
        let two = partial(9_000).with { $0.push(1, at: 5_050, status: 503) { $0.faultRule = 4 } }
        #expect(two.classes == "excused 1")
        // A fault that is over leaves as long again as it lasted, whatever the relay's pauses were.
        let over = faulted(503, until: 4_050, due: 9_000).with { $0.push(1, at: 3_900, status: 503) { $0.faultRule = 4 } }
        #expect(over.classes == "lost 1")
        let even = partial(9_000).with { story in
            for at in [1_550, 2_050, 2_550] as [Int64] { story.push(1, at: at, status: 503) { $0.faultRule = 4 } }
        }
        #expect(even.classes == "lost 1", "who waits as long each time has had time")
    }
}
