// What can be told of a gate while a run goes on: what it would come to by now, and whether it can still hold, whatever else
// comes. The same is asked of what is known during a run and of what the judge makes of its journal.

import Basics
package import Journal
package import Metrics
package import Scenarios

/// How much there can be in a whole run.
package struct GateWhole: Hashable, Sendable {
    /// Calls of the plan.
    package var events: Int
    /// Pushes that calls may owe, by the call's name.
    package var pushes: [String: Int]

    package init(events: Int, pushes: [String: Int]) {
        self.events = events
        self.pushes = pushes
    }
}

extension Gate {
    /// What it would come to if the run were over now; nil: only the judge can tell.
    package func soFar(_ correlation: Correlation, samples: [RelaySample]) -> RunRecord.GateResult? {
        switch measure {
        case .latency(.staleness, _, _): nil
        case .latency, .errorRate, .peakSessions, .relay(.memoryPeak), .relay(.descriptors):
            result(Self.measure(correlation, samples))
        default: nil
        }
    }

    /// In words, by what it is known that it can hold no more: neither now nor when all that is still to come has come. Nil: it
    /// may, or nobody can know.
    package func excess(_ correlation: Correlation, samples: [RelaySample], of whole: GateWhole) -> String? {
        switch measure {
        case .latency(let latency, let kind, let statistic):
            guard latency != .staleness, let histogram = latency.histogram(kind, correlation) else { return nil }
            let pushes = kind.map { whole.pushes[$0] ?? 0 } ?? whole.pushes.values.reduce(0, +)
            return excess(in: histogram, statistic, of: Int64(latency == .delivery ? pushes : whole.events))
        case .errorRate: return excess(of: correlation.failed + correlation.dropped, among: whole.events)
        case .relay(.memoryPeak), .relay(.descriptors):
            guard let result = soFar(correlation, samples: samples), let value = result.value, fails(atLeast: value) else {
                return nil
            }
            return "\(result.valueText) was measured"
        default: return nil
        }
    }

    /// A percentile needs so many values by now that the judge tells it at all: see `Gate.result`.
    private func excess(in histogram: Histogram, _ statistic: GateMeasure.Statistic, of most: Int64) -> String? {
        guard let bound = highest else { return nil }
        let over = histogram.count - histogram.count(upTo: bound)
        if statistic == .max { return over > 0 ? "\(Numbers.duration(nanoseconds: histogram.max)) was measured" : nil }
        guard let percentile = statistic.percentile, Double(histogram.count) * (100 - percentile) >= 100 else { return nil }
        let whole = max(most, histogram.count)
        // As `Histogram.value(at:)` finds the value of that rank.
        let allowed = whole - max(Int64((percentile.nextDown * Double(whole) / 100).rounded(.up)), 1)
        return over > allowed ? words(over, allowed, of: whole) : nil
    }

    private func excess(of count: Int, among most: Int) -> String? {
        let whole = max(most, count)
        guard count > 0, fails(atLeast: Double(count) / Double(whole)) else { return nil }
        return words(Int64(count), Int64(threshold * Double(whole)), of: Int64(whole))
    }

    /// Whether it fails with that, and with all that is more.
    private func fails(atLeast value: Double) -> Bool {
        switch comparison {
        case .less, .lessOrEqual: !comparison.holds(value, threshold)
        case .equal: value > threshold
        case .notEqual, .greater, .greaterOrEqual: false
        }
    }

    /// The highest latency that holds, in nanoseconds; nil: more may be better.
    private var highest: Int64? {
        switch comparison {
        case .less: Int64(saturating: threshold.rounded(.up)) - 1
        case .lessOrEqual, .equal: Int64(saturating: threshold.rounded(.down))
        case .notEqual, .greater, .greaterOrEqual: nil
        }
    }

    private func words(_ over: Int64, _ allowed: Int64, of most: Int64) -> String {
        "\(Numbers.count(over)) of at most \(Numbers.count(most)) are beyond it, and \(Numbers.count(allowed)) may be"
    }

    private static func measure(_ correlation: Correlation, _ samples: [RelaySample]) -> Measure {
        Measure(correlation: correlation, seconds: 0, realSeconds: 0, samples: samples, slope: nil)
    }
}
