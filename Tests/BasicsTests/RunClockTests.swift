// The clock of a run: the host's, faster, or standing.

import Basics
import Synchronization
import Testing

@Suite struct RunClockTests {
    let base = ManualTime(wall: WallTime(seconds: 1_000))

    @Test func itIsItsBaseUntilItIsToldOtherwise() {
        let clock = RunClock(base: base)
        base.advance(by: .seconds(5))
        #expect(clock.isPlain && clock.now() == base.now() && clock.wall() == base.wall())
        #expect(clock.stamp() == base.now() && clock.base(of: base.now() + .seconds(3)) == base.now() + .seconds(3))
        #expect(clock.span(ofReal: .seconds(2)) == .seconds(2) && clock.real(.seconds(2)) == .seconds(2))
    }

    @Test func aNewScaleDoesNotMakeItJump() {
        let clock = RunClock(base: base)
        base.advance(by: .seconds(10))
        clock.set(.running(60))
        #expect(clock.wall() == WallTime(seconds: 1_010) && clock.now() == base.now())
        base.advance(by: .seconds(2))
        #expect(clock.wall() == WallTime(seconds: 1_130) && clock.now() == Instant(nanoseconds: 130_000_000_000))
        #expect(clock.base(of: clock.now() + .seconds(60)) == base.now() + .seconds(1))
        clock.set(.running(1))
        base.advance(by: .seconds(2))
        #expect(clock.wall() == WallTime(seconds: 1_132) && !clock.isPlain)
    }

    @Test func aClockThatStandsMovesWhenItIsToldAndNeverBack() {
        let clock = RunClock(base: base, mode: .stepped)
        let start = clock.now()
        base.advance(by: .seconds(10))
        #expect(clock.now() == start && clock.wall() == WallTime(seconds: 1_000) && clock.isStepped)
        #expect(clock.base(of: start + .nanoseconds(1)) == .distantFuture)
        clock.step(to: start + .seconds(8 * 3_600))
        #expect(clock.now() == start + .seconds(8 * 3_600) && clock.wall() == WallTime(seconds: 29_800))
        clock.step(to: start)
        #expect(clock.now() == start + .seconds(8 * 3_600))
        clock.step(to: .distantFuture)
        #expect(clock.now() == .distantFuture && clock.wall() > WallTime(seconds: 1_000_000))
    }

    @Test func whatIsNotedWhileItStandsIsInOrder() {
        let clock = RunClock(base: base, mode: .stepped)
        let stamps = (0..<3).map { _ in clock.stamp() }
        #expect(stamps == stamps.sorted() && Set(stamps).count == 3 && stamps[0] > clock.now())
        clock.step(to: stamps[0])
        #expect(clock.stamp() > stamps[2], "also where a step is shorter than what was noted")
        let last = clock.stamp()
        clock.set(.running(20))
        #expect(clock.now() >= last)
        base.advance(by: .seconds(1))
        #expect(clock.now() - last == .seconds(20))
    }

    /// Once it cost a little more each time, in time and in stack: a run of hours ended in neither.
    @Test func ringingCostsTheSameHoweverOftenItRang() {
        let clock = RunClock(base: base, mode: .stepped)
        let depths = Depths()
        clock.onRest { depths.note() }
        for _ in 0..<1_000 { clock.ring() }
        #expect(depths.all.count == 1_000 && Set(depths.all).count == 1)
    }

    @Test func noSettingMakesItTrap() {
        for scale in [Double.leastNonzeroMagnitude, 1e-9, 1, ClockBounds.largestScale] {
            let clock = RunClock(base: base, mode: .running(scale))
            base.advance(by: .seconds(1_000_000))
            #expect(clock.now() >= Instant(nanoseconds: 0) && clock.base(of: .distantFuture) > base.now())
            #expect(clock.base(of: Instant(nanoseconds: .min)) < base.now())
            #expect(clock.real(.seconds(1)) > .zero && clock.span(ofReal: Interval(nanoseconds: .max)) >= .zero)
        }
        for scale in [0, -1, .nan, .infinity, 1e308, 3_600.000_001] { #expect(!ClockBounds.admits(scale: scale)) }
    }

    @Test func readersNeverSeeAMixtureOfTwoSettings() async {
        let clock = RunClock(base: base, mode: .stepped)
        await withTaskGroup(of: Int.self) { group in
            group.addTask {
                for turn in 1...20_000 { clock.step(to: Instant(nanoseconds: Int64(turn) * 1_000_000_000)) }
                return 0
            }
            for _ in 0..<2 {
                group.addTask {
                    var last = Instant(nanoseconds: 0)
                    return (0..<20_000).filter { _ in
                        let now = clock.now()
                        defer { last = now }
                        return now < last || now.nanoseconds % 1_000_000_000 != 0
                    }.count
                }
            }
            for await strangers in group { #expect(strangers == 0) }
        }
    }

    @Test func whoFollowsItIsWokenWhenItIsSet() {
        let clock = RunClock(base: base)
        let woken = ManualTime()
        let follower = ClockFollower(wake: { woken.advance(by: .seconds(1)) })
        clock.add(follower)
        clock.set(.running(2))
        clock.remove(follower)
        clock.set(.running(3))
        #expect(woken.now() == Instant(nanoseconds: 1_000_000_000))
    }
}

/// How deep the stack was at each call.
private final class Depths: Sendable {
    private let places = Mutex<[UInt]>([])
    var all: [UInt] { places.withLock { $0 } }

    func note() {
        var here = 0
        let place = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
        places.withLock { $0.append(place) }
    }
}
