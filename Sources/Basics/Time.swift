// Time as values. Two kinds that never mix: `Instant` for measuring (monotonic), `WallTime` for what is written
// on the wire. Where time comes from is a `TimeSource`, so that a test can turn it by hand and a run can scale it.
// Times come from outside as well, so no arithmetic on them traps: it stops at the ends of the range.

import Synchronization

/// A span of time in nanoseconds; may be negative. Range: about ±292 years, at whose ends all arithmetic stops.
package struct Interval: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = Interval(nanoseconds: 0)
    package static func nanoseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count) }
    package static func microseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count.saturating(times: 1_000)) }
    package static func milliseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: count.saturating(times: 1_000_000))
    }
    package static let second = Interval.seconds(1)
    package static let minute = Interval.seconds(60)
    /// Zero for what is no number.
    package static func seconds(_ count: Double) -> Interval { Interval(nanoseconds: Int64(saturating: count * 1e9)) }

    package var seconds: Double { Double(nanoseconds) / 1e9 }
    package var milliseconds: Double { Double(nanoseconds) / 1e6 }
    /// Without the fraction, towards zero.
    package var wholeSeconds: Int64 { nanoseconds / 1_000_000_000 }

    package static func < (a: Interval, b: Interval) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturating(plus: b.nanoseconds))
    }
    package static func - (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturating(minus: b.nanoseconds))
    }
    package static prefix func - (a: Interval) -> Interval { .zero - a }
    package static func * (a: Interval, factor: Double) -> Interval {
        Interval(nanoseconds: Int64(saturating: Double(a.nanoseconds) * factor))
    }
    package static func += (a: inout Interval, b: Interval) { a = a + b }
}

extension Interval: CustomStringConvertible {
    private static let units: [(suffix: String, nanoseconds: Double)] = [
        ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9), ("d", 86400e9),
    ]

    /// Reads `250ms`, `1.5s`, `10m`, `8h`, also sums such as `1m30s`. Nil when the text is not a duration.
    package init?(parsing text: String) {
        var total = 0.0
        var rest = Substring(text)
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let number = Double(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            let suffix = rest.prefix { !($0.isNumber || $0 == ".") }
            if suffix.isEmpty, number == 0 {
                rest = ""
                break
            }
            guard let unit = Self.units.first(where: { $0.suffix == suffix }) else { return nil }
            total += number * unit.nanoseconds
            rest = rest.dropFirst(suffix.count)
        }
        guard total.isFinite, total < 9.2e18 else { return nil }
        self.init(nanoseconds: Int64(total.rounded()))
    }

    /// The shortest exact-looking form with three significant digits, such as `1.53ms`.
    package var description: String {
        let size = abs(Double(nanoseconds))
        let (suffix, divisor): (String, Double) =
            switch size {
            case ..<1e3: ("ns", 1)
            case ..<1e6: ("µs", 1e3)
            case ..<1e9: ("ms", 1e6)
            case ..<120e9: ("s", 1e9)
            case ..<7200e9: ("m", 60e9)
            default: ("h", 3600e9)
            }
        return significant(Double(nanoseconds) / divisor) + suffix
    }

    private func significant(_ value: Double) -> String {
        let size = abs(value)
        let places = size >= 100 || value == value.rounded() ? 0 : (size >= 10 ? 1 : 2)
        let scale = [1.0, 10.0, 100.0][places]
        let scaled = Int64((value * scale).rounded())
        guard places > 0 else { return String(scaled) }
        var fraction = String(abs(scaled) % Int64(scale))
        while fraction.count < places { fraction = "0" + fraction }
        while fraction.hasSuffix("0") { fraction.removeLast() }
        let whole = (scaled < 0 ? "-" : "") + String(abs(scaled) / Int64(scale))
        return fraction.isEmpty ? whole : whole + "." + fraction
    }
}

/// A point on the monotonic clock of this host, in nanoseconds since an arbitrary epoch. Never on the wire.
package struct Instant: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let distantFuture = Instant(nanoseconds: .max)
    package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: Instant, b: Interval) -> Instant {
        Instant(nanoseconds: a.nanoseconds.saturating(plus: b.nanoseconds))
    }
    package static func - (a: Instant, b: Interval) -> Instant {
        Instant(nanoseconds: a.nanoseconds.saturating(minus: b.nanoseconds))
    }
    package static func - (a: Instant, b: Instant) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturating(minus: b.nanoseconds))
    }
}

/// Civil time in nanoseconds since 1970-01-01T00:00:00Z, from the year 1677 to 2262, where all arithmetic stops.
package struct WallTime: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    package init(seconds: Int64) { nanoseconds = seconds.saturating(times: 1_000_000_000) }
    package init(milliseconds: Int64) { nanoseconds = milliseconds.saturating(times: 1_000_000) }

    /// Whole Unix seconds, rounded down.
    package var seconds: Int64 { floored(by: 1_000_000_000) }
    /// Whole Unix milliseconds, rounded down.
    package var milliseconds: Int64 { floored(by: 1_000_000) }

    private func floored(by unit: Int64) -> Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? quotient - 1 : quotient
    }

    package static func < (a: WallTime, b: WallTime) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: WallTime, b: Interval) -> WallTime {
        WallTime(nanoseconds: a.nanoseconds.saturating(plus: b.nanoseconds))
    }
    package static func - (a: WallTime, b: Interval) -> WallTime {
        WallTime(nanoseconds: a.nanoseconds.saturating(minus: b.nanoseconds))
    }
    package static func - (a: WallTime, b: WallTime) -> Interval {
        Interval(nanoseconds: a.nanoseconds.saturating(minus: b.nanoseconds))
    }

    /// The next whole multiple of `period` after this time, counted from 1970. `period` is longer than zero.
    package func next(_ period: Interval) -> WallTime {
        let rest = nanoseconds % period.nanoseconds
        return self + (period - Interval(nanoseconds: rest < 0 ? rest + period.nanoseconds : rest))
    }
}

/// Where time comes from.
package protocol TimeSource: Sendable {
    func now() -> Instant
    func wall() -> WallTime
}

extension TimeSource {
    /// One moment on both clocks, within half of `closeEnough` where the host allows. Whoever is put aside between the two
    /// readings would take its absence for a difference of the clocks: they are read again, and the closest count.
    package func moment() -> (instant: Instant, wall: WallTime) {
        var closest = reading()
        for _ in 1..<readingsAtMost where closest.span > closeEnough {
            let next = reading()
            if next.span < closest.span { closest = next }
        }
        return (closest.instant, closest.wall)
    }

    private func reading() -> (instant: Instant, wall: WallTime, span: Interval) {
        let before = now()
        let wall = wall()
        let span = now() - before
        return (before + span * 0.5, wall, span)
    }
}

private let readingsAtMost = 10
private let closeEnough = Interval.microseconds(10)

/// What may be asked of a clock that is not the world's.
package enum ClockBounds {
    /// And above 0. A day passes in 24 s.
    package static let largestScale = 3_600.0
    /// Of a span that comes to less of the host's time nothing can be said: machines are that uneven.
    package static let leastSpan = Interval.milliseconds(50)
    /// A hundred years, ahead or behind.
    package static let largestSkew = Interval.seconds(36_500 * 86_400)

    package static func admits(scale: Double) -> Bool { scale > 0 && scale <= largestScale }
    package static func admits(skew: Interval) -> Bool { skew <= largestSkew && skew >= -largestSkew }
}

/// Time that stands still until it is told to go on. For tests, from any thread.
package final class ManualTime: TimeSource {
    private let elapsed = Mutex(Interval.zero)
    private let wallOrigin: WallTime

    package init(wall: WallTime = WallTime(seconds: 1_760_000_000)) { wallOrigin = wall }

    package func now() -> Instant { Instant(nanoseconds: 0) + elapsed.withLock { $0 } }
    package func wall() -> WallTime { wallOrigin + elapsed.withLock { $0 } }
    package func advance(by interval: Interval) { elapsed.withLock { $0 += interval } }
}
