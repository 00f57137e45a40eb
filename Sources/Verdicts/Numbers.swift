// Numbers as people read them. One place, so that every report says the same thing in the same way.

package import Basics
import Glibc

package enum Numbers {
    /// `1,234,567`.
    package static func count(_ value: Int64) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    package static func count(_ value: Int) -> String { count(Int64(value)) }

    /// `1 rule`, `2 rules`.
    package static func count(_ value: Int, _ noun: String) -> String { "\(count(value)) \(noun)\(value == 1 ? "" : "s")" }

    /// Three significant digits and a unit: `1.53 ms`, `420 µs`, `2.5 min`.
    package static func duration(nanoseconds: Double) -> String {
        guard nanoseconds.isFinite else { return "–" }
        let size = abs(nanoseconds)
        let (unit, divisor): (String, Double) =
            switch size {
            case ..<999.5: ("ns", 1)
            case ..<999.5e3: ("µs", 1e3)
            case ..<999.5e6: ("ms", 1e6)
            case ..<119.5e9: ("s", 1e9)
            case ..<7195e9: ("min", 60e9)
            default: ("h", 3600e9)
            }
        return size == 0 ? "0 ms" : significant(nanoseconds / divisor) + " " + unit
    }

    /// A time since the origin, to the millisecond: `+1.234 s`, `-0.900 s`.
    package static func offset(_ interval: Interval) -> String {
        let milliseconds = (interval.nanoseconds / 1_000_000).magnitude
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        return (interval < .zero ? "-" : "+") + "\(milliseconds / 1_000).\(fraction) s"
    }

    package static func duration(nanoseconds: Int64) -> String { duration(nanoseconds: Double(nanoseconds)) }
    package static func duration(_ interval: Interval) -> String { duration(nanoseconds: Double(interval.nanoseconds)) }

    /// A share as `12.3 %`; very small ones are not shown as nothing.
    package static func percent(_ ratio: Double) -> String {
        guard ratio.isFinite else { return "–" }
        let percent = ratio * 100
        if percent == 0 { return "0 %" }
        if abs(percent) < 0.01 { return "< 0.01 %" }
        if percent > 99.99, percent < 100 { return "> 99.99 %" }
        return trimmed(percent, places: abs(percent) < 1 ? 2 : 1) + " %"
    }

    package static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "–" : percent(Double(part) / Double(whole))
    }

    /// Events per second: `1,240/s`, `3.5/s`.
    package static func rate(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        return (abs(value) >= 100 ? count(Int64(saturating: value.rounded())) : trimmed(value, places: 1)) + "/s"
    }

    /// `64 ms a second`, of seconds a second.
    package static func slope(_ value: Double) -> String {
        value.isFinite ? duration(nanoseconds: value * 1e9) + " a second" : "–"
    }

    /// `1.9 GB` in powers of 1000.
    package static func bytes(_ value: Int64) -> String {
        var size = Double(value)
        for unit in ["B", "KB", "MB", "GB", "TB"] {
            if abs(size) < 999.5 { return significant(size) + " " + unit }
            size /= 1000
        }
        return significant(size) + " PB"
    }

    /// A percentile as it is named: `p50`, `p99`, `p99.9`.
    package static func percentile(_ value: Double) -> String { "p" + trimmed(value, places: 4) }

    /// A number with at most `places` decimals and no trailing zeros.
    package static func trimmed(_ value: Double, places: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        let scale = pow(10, Double(places))
        let scaled = Int64(saturating: (abs(value) * scale).rounded())
        var text = count(scaled / Int64(scale))
        var fraction = String(scaled % Int64(scale))
        fraction = String(repeating: "0", count: max(0, places - fraction.count)) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        if places > 0, !fraction.isEmpty { text += "." + fraction }
        return value < 0 && scaled != 0 ? "-" + text : text
    }

    /// A coordinate for a drawing: at most two decimals, no grouping.
    package static func coordinate(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let scaled = Int64(saturating: (value * 100).rounded())
        if scaled % 100 == 0 { return String(scaled / 100) }
        let cents = scaled.magnitude % 100
        let fraction = cents % 10 == 0 ? String(cents / 10) : (cents < 10 ? "0" : "") + String(cents)
        return (scaled < 0 ? "-" : "") + String(scaled.magnitude / 100) + "." + fraction
    }

    private static func significant(_ value: Double) -> String {
        let size = abs(value)
        return trimmed(value, places: size >= 99.95 ? 0 : (size >= 9.995 ? 1 : 2))
    }
}

extension RunRecord.GateResult.Unit {
    /// A value as it is written.
    package func text(of value: Double) -> String {
        switch self {
        case .nanoseconds: Numbers.duration(nanoseconds: value)
        case .ratio: Numbers.percent(value)
        case .perSecond: Numbers.rate(value)
        case .slope: Numbers.slope(value)
        case .count: Numbers.trimmed(value, places: 2)
        case .bytes: Numbers.bytes(Int64(saturating: value))
        }
    }
}

extension RunRecord.GateResult {
    /// The measured value in the gate's own unit.
    package var valueText: String { value.map(text(of:)) ?? "no data" }

    package func text(of value: Double) -> String { unit.text(of: value) }
    /// The word for how it went.
    package var word: String {
        switch passed {
        case true?: "passed"
        case false?: "breached"
        case nil: value == nil ? "no data" : "undecided"
        }
    }
}
