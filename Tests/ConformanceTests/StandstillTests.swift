// Two states that carry one second: whoever builds the first push late and the second early has read a clock, and whoever was
// told the second when that second was long over has not.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("Two states of one second")
struct StandstillTests {
    /// Step 3, told at 13, is refused, and built anew at 15.6; step 4 is told then, and leaves at 18.2 behind the answer of the
    /// first, which a fault holds back.
    private func history(told seconds: Double, stamp: Int64 = 15, _ turn: (inout History) -> Void = { _ in }) -> History {
        History.honest.with { history in
            history.pushes[1].arrivedAt = at(15.6)
            history.pushes[1].arrivedWall = WallTime(seconds: epoch) + .seconds(15.6)
            history.calls[4].sentAt = at(seconds)
            history.pushes[4].arrivedAt = at(18.2)
            history.pushes[4].arrivedWall = WallTime(seconds: epoch) + .seconds(18.2)
            for index in [1, 4] { history.pushes[index].stamp = epoch + stamp }
            turn(&history)
        }
    }

    private func found(_ history: History) -> Int? { history.findings("timestamp-seconds-rising") }

    @Test("may leave two seconds apart, where the second was told by the end of the next one", arguments: [
        (15.87, 0), (16.999, 0), (17, 1), (18, 1),
    ] as [(Double, Int)])
    func told(seconds: Double, expected: Int) {
        #expect(found(history(told: seconds)) == expected)
    }

    @Test("a second that is ahead of the first push was read from no clock, unless we set that meanwhile")
    func ahead() {
        let constant = history(told: 17, stamp: 20)
        #expect(found(constant) == 1 && found(history(told: 16.9, stamp: 20)) == 0)
        #expect(found(constant.with { $0.run.circumstances.isWallTimeSet = true }) == 0)
        #expect(found(history(told: 17).with { $0.run.circumstances.isWallTimeSet = true }) == 1)
    }

    @Test("whichever clock it is, the mock's or the host's", arguments: [5_400, -5_400], [true, false])
    func skew(seconds: Double, goesByMock: Bool) {
        func found(told: Double) -> Int? {
            self.found(history(told: told) { history in
                history.run.circumstances.clockSkew = .seconds(seconds)
                for index in history.pushes.indices {
                    history.pushes[index].arrivedWall = history.pushes[index].arrivedWall + .seconds(seconds)
                    if goesByMock, let stamp = history.pushes[index].stamp { history.pushes[index].stamp = stamp + Int64(seconds) }
                }
            })
        }
        #expect(found(told: 16.9) == 0 && found(told: 17) == 1)
    }

    @Test("by the lesser of both, where the clock was set on in between")
    func set() {
        let setOn = history(told: 15.87) { history in
            history.run.circumstances.isWallTimeSet = true
            history.pushes[4].arrivedWall = history.pushes[4].arrivedWall + .seconds(600)
        }
        #expect(found(setOn) == 0)
        #expect(found(setOn.with { $0.calls[4].sentAt = at(17) }) == 1)
    }
}
