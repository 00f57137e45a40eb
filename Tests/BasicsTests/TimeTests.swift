// Intervals, instants and wall time: text both ways, rounding, and clocks turned by hand.

import Basics
import Testing

struct TimeTests {
    @Test(
        arguments: [
            ("250ms", 250_000_000), ("1.5s", 1_500_000_000), ("10m", 600_000_000_000), ("8h", 28_800_000_000_000),
            ("1m30s", 90_000_000_000), ("2d", 172_800_000_000_000), ("15us", 15_000), ("15µs", 15_000), ("7ns", 7),
            ("0", 0), ("0s", 0), ("0.3s", 300_000_000), ("1.001s", 1_001_000_000),
        ] as [(String, Int64)])
    func aDurationIsRead(text: String, nanoseconds: Int64) {
        #expect(Interval(parsing: text)?.nanoseconds == nanoseconds)
    }

    @Test(arguments: ["", "5", "s", "5 s", "-5s", "5x", "1..5s", "1e3s", "five", "1s5", "99999999999d", "5sm"])
    func whatIsNoDurationIsRefused(text: String) {
        #expect(Interval(parsing: text) == nil)
    }

    @Test(
        arguments: [
            (0, "0ns"), (999, "999ns"), (1_530, "1.53µs"), (1_530_000, "1.53ms"), (20_000_000, "20ms"),
            (12_340_000, "12.3ms"), (90_000_000_000, "90s"), (600_000_000_000, "10m"), (28_800_000_000_000, "8h"),
            (-1_500_000, "-1.5ms"),
        ] as [(Int64, String)])
    func anIntervalDescribesItselfWithThreeDigits(nanoseconds: Int64, text: String) {
        #expect(Interval(nanoseconds: nanoseconds).description == text)
    }

    @Test func aDescriptionReadsBackWithinItsPrecision() throws {
        var generator = Seed(7).generator()
        for _ in 0..<2_000 {
            let interval = Interval(nanoseconds: Int64(generator.next() >> (1 + generator.next() % 62)))
            let back = try #require(Interval(parsing: interval.description))
            let error = abs(Double(back.nanoseconds - interval.nanoseconds))
            #expect(error <= 0.0051 * Double(interval.nanoseconds), "\(interval.nanoseconds) is \(interval)")
        }
    }

    @Test func secondsGivenAsADoubleAreRoundedAndNotCut() {
        #expect(Interval.seconds(1.001).nanoseconds == 1_001_000_000)
        #expect((Interval.milliseconds(10) * 0.3).nanoseconds == 3_000_000)
    }

    @Test(
        arguments: [
            (1_760_000_000_999_999_999, 1_760_000_000, 1_760_000_000_999), (-1, -1, -1), (0, 0, 0),
            (-1_000_000_000, -1, -1_000), (-1_000_000_001, -2, -1_001),
        ] as [(Int64, Int64, Int64)])
    func wallTimeIsRoundedDownToSecondsAndMilliseconds(nanoseconds: Int64, seconds: Int64, millis: Int64) {
        #expect(WallTime(nanoseconds: nanoseconds).seconds == seconds)
        #expect(WallTime(nanoseconds: nanoseconds).milliseconds == millis)
    }

    @Test func manualTimeStandsStillUntilItIsAdvanced() {
        let time = ManualTime(wall: WallTime(seconds: 100))
        let start = time.now()
        #expect(time.now() == start)
        time.advance(by: .seconds(5))
        #expect(time.now() - start == .seconds(5))
        #expect(time.wall() == WallTime(seconds: 105))
    }

    @Test func arithmeticStopsAtTheEndsOfTheRangeAndNeverTraps() {
        let (last, first) = (WallTime(nanoseconds: .max), WallTime(nanoseconds: .min))
        let (long, back) = (Interval(nanoseconds: .max), Interval(nanoseconds: .min))
        #expect(last + .seconds(1) == last && first - .seconds(1) == first && last - back == last && first + back == first)
        #expect(last - first == long && first - last == back)
        #expect(long + long == long && back + back == back && back - long == back && -back == long && -long < .zero)
        #expect(long * 2 == long && long * -2 == back && long * .nan == .zero && long * .infinity == long)
        #expect(Instant.distantFuture + long == .distantFuture && Instant(nanoseconds: .min) - long < .distantFuture)
        #expect(Instant.distantFuture - Instant(nanoseconds: .min) == long)
        #expect(WallTime(seconds: .max) == last && WallTime(seconds: .min) == first && WallTime(milliseconds: .max) == last)
        #expect(Interval.milliseconds(.max) == long && Interval.microseconds(.min) == back)
        #expect(Interval.seconds(1e300) == long && Interval.seconds(-.infinity) == back && Interval.seconds(.nan) == .zero)
        #expect(last.next(.seconds(3_600)) == last && last.next(long) == last)
    }

    @Test(arguments: [(0, 10), (1, 10), (9_999_999_999, 10), (10_000_000_000, 20), (-1, 0), (-10_000_000_000, 0)] as [(Int64, Int64)])
    func theNextMultipleOfAPeriodIsLater(nanoseconds: Int64, seconds: Int64) {
        #expect(WallTime(nanoseconds: nanoseconds).next(.seconds(10)) == WallTime(seconds: seconds))
    }

    @Test func aClockThatRunsTooFastStopsAtTheEndOfTime() {
        let base = ManualTime(wall: WallTime(seconds: 1_760_000_000))
        let run = RunClock(base: base, mode: .running(ClockBounds.largestScale))
        let clock = AdjustableTime(base: run, skew: ClockBounds.largestSkew)
        clock.set(wall: WallTime(seconds: 9_000_000_000))
        base.advance(by: .seconds(2_000_000))
        #expect(clock.wall() == WallTime(nanoseconds: .max) && clock.offset >= .zero)
        run.set(.running(1))
        base.advance(by: .seconds(7_200))
        #expect(clock.wall() == WallTime(nanoseconds: .max))
        clock.set(wall: WallTime(seconds: 1_760_000_000))
        #expect(clock.wall() == WallTime(seconds: 1_760_000_000))
    }

    @Test func aClockIsAHundredYearsOffAtMostInEitherDirection() {
        let most = ClockBounds.largestSkew
        #expect([-most, .zero, most].allSatisfy { ClockBounds.admits(skew: $0) })
        #expect(!ClockBounds.admits(skew: most + .nanoseconds(1)) && !ClockBounds.admits(skew: -most - .nanoseconds(1)))
    }
}
