// Wall time that is set while it is read.

import Basics
import Testing

@Suite struct AdjustableTimeTests {
    let base = ManualTime(wall: WallTime(seconds: 1_000))

    @Test func itRunsWithItsBaseUntilItIsSet() {
        let time = AdjustableTime(base: base)
        base.advance(by: .seconds(5))
        #expect(time.wall() == WallTime(seconds: 1_005))
        #expect(time.now() == base.now())
        #expect(time.offset == .zero)
    }

    @Test func itGoesOnFromWhereItIsSet() {
        let time = AdjustableTime(base: base)
        time.set(wall: WallTime(seconds: 5_000))
        base.advance(by: .seconds(5))
        #expect(time.wall() == WallTime(seconds: 5_005))
        #expect(time.offset == .seconds(4_000))
    }

    @Test func itBeginsAheadOfItsBase() {
        let time = AdjustableTime(base: base, skew: .seconds(-90))
        #expect(time.wall() == WallTime(seconds: 910) && time.offset == .seconds(-90))
    }

    @Test func itCanBeSetOverAClockThatIsScaled() {
        let time = AdjustableTime(base: RunClock(base: base, mode: .running(10)))
        time.set(wall: WallTime(seconds: 5_000))
        base.advance(by: .seconds(1))
        #expect(time.wall() == WallTime(seconds: 5_010))
    }

    @Test func readersNeverSeeAMixtureOfTwoSettings() async {
        let time = AdjustableTime(base: base)
        await withTaskGroup(of: Int.self) { group in
            group.addTask {
                for turn in 0..<20_000 { time.set(wall: WallTime(seconds: turn.isMultiple(of: 2) ? 1_000 : 9_000)) }
                return 0
            }
            for _ in 0..<2 {
                group.addTask {
                    (0..<20_000).filter { _ in
                        let seconds = time.wall().seconds
                        return seconds != 1_000 && seconds != 9_000
                    }.count
                }
            }
            for await strangers in group { #expect(strangers == 0) }
        }
    }
}
