// From values to places on paper, and where the ticks stand.

import Glibc

/// Maps a domain of values onto a range of coordinates, evenly or by logarithm.
struct Scale {
    enum Kind { case linear, logarithmic }

    var kind: Kind
    var domain: ClosedRange<Double>
    var start: Double
    var end: Double

    func callAsFunction(_ value: Double) -> Double {
        let (low, high, at) =
            kind == .linear
            ? (domain.lowerBound, domain.upperBound, value)
            : (log10(domain.lowerBound), log10(domain.upperBound), log10(Swift.max(value, domain.lowerBound)))
        guard high > low else { return start }
        return start + (end - start) * Swift.min(Swift.max((at - low) / (high - low), 0), 1)
    }
}

enum Ticks {
    /// Round values from 0 to at least `max`, about `count` of them. The last one is the end of the axis.
    static func linear(upTo max: Double, count: Int) -> [Double] {
        guard max > 0, max.isFinite else { return [0, 1] }
        let step = roundUp(max / Double(count))
        let last = (max / step - 1e-9).rounded(.up)
        return (0...Int(last)).map { Double($0) * step }
    }

    /// For counts per second: as `linear`, but never finer than 1 when the values are whole.
    static func counts(upTo max: Double, count: Int) -> [Double] {
        max <= 1 ? [0, 1] : linear(upTo: max, count: count)
    }

    /// 1-2-5 steps that enclose the range; only powers of ten when it spans more than three decades.
    static func logarithmic(_ low: Double, _ high: Double) -> [Double] {
        var ticks: [Double] = []
        var decade = pow(10, log10(low).rounded(.down))
        while decade <= high * 10 {
            for factor in [1.0, 2, 5] { ticks.append(decade * factor) }
            decade *= 10
        }
        let first = ticks.lastIndex { $0 <= low * 1.0001 } ?? 0
        let last = ticks.firstIndex { $0 >= high * 0.9999 } ?? ticks.count - 1
        let enclosing = Array(ticks[first...Swift.max(first, last)])
        guard enclosing.count > 10 else { return enclosing }
        return enclosing.enumerated().filter { index, tick in
            index == 0 || index == enclosing.count - 1 || isPowerOfTen(tick)
        }.map(\.element)
    }

    /// Seconds since the start of the run, about `count` of them, on whole seconds, minutes or hours.
    static func elapsed(upTo seconds: Double, count: Int) -> [Double] {
        let steps: [Double] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
        ]
        let step =
            steps.first { seconds / $0 <= Double(count) } ?? (seconds / Double(count) / 86_400).rounded(.up) * 86_400
        return stride(from: 0, through: seconds, by: step).map { $0 }
    }

    /// `0`, `30 s`, `1:30`, `2:05:00`: as short as the whole axis allows.
    static func elapsedLabel(_ seconds: Double, of total: Double) -> String {
        let whole = Int(seconds)
        if total < 120 { return whole == 0 ? "0" : "\(whole) s" }
        if total < 7200 { return "\(whole / 60):\(padded(whole % 60))" }
        return "\(whole / 3600):\(padded(whole / 60 % 60))"
    }

    private static func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }

    private static func roundUp(_ value: Double) -> Double {
        let decade = pow(10, log10(value).rounded(.down))
        for factor in [1.0, 2, 5] where value <= decade * factor * 1.0001 { return decade * factor }
        return decade * 10
    }

    private static func isPowerOfTen(_ value: Double) -> Bool {
        let exponent = log10(value)
        return abs(exponent - exponent.rounded()) < 1e-9
    }
}

/// Moves labels apart so that none covers another, and keeps them within the paper.
enum LabelLayout {
    static func spread(_ wanted: [Double], gap: Double, within bounds: ClosedRange<Double>) -> [Double] {
        let order = wanted.indices.sorted { wanted[$0] < wanted[$1] }
        var places = wanted
        var least = bounds.lowerBound
        for index in order {
            places[index] = max(places[index], least)
            least = places[index] + gap
        }
        var most = bounds.upperBound
        for index in order.reversed() {
            places[index] = min(places[index], most)
            most = places[index] - gap
        }
        return places
    }
}
