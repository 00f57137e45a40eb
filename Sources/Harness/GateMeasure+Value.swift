// Gates against what was measured.

import Basics
import Metrics
import Reports
import Scenarios

extension Gate {
    func result(_ correlation: Correlation, loadSeconds: Double) -> RunRecord.GateResult {
        let value = measure.value(correlation, loadSeconds: loadSeconds)
        return RunRecord.GateResult(
            text: text, metric: metric, unit: measure.reportUnit, value: value, threshold: threshold,
            passed: value.map { comparison.holds($0, threshold) })
    }
}

extension GateMeasure {
    /// Nil when there was nothing to measure.
    func value(_ correlation: Correlation, loadSeconds: Double) -> Double? {
        switch self {
        case .latency(let latency, let kind, let statistic):
            let histogram: Histogram? =
                switch latency {
                case .delivery: kind.map { correlation.deliveryByKind[$0] } ?? correlation.delivery
                case .answer: correlation.answer
                case .lateness: correlation.lateness
                }
            return histogram.flatMap { statistic.value(of: $0) }
        case .deliveries(let word, let kind, let isRate):
            guard correlation.expected > 0, let deliveryClass = Metrics.DeliveryClass(rawValue: word.rawValue) else {
                return nil
            }
            // A call that nothing was expected of is no data, and no data is never a pass.
            guard let counts = kind.map({ correlation.classes[$0] }) ?? correlation.totals else { return nil }
            let count = Double(counts[deliveryClass] ?? 0)
            guard isRate else { return count }
            let all = counts.values.reduce(0, +)
            return all > 0 ? count / Double(all) : nil
        case .eventRate: return loadSeconds > 0 ? Double(correlation.answered) / loadSeconds : nil
        case .pushRate: return loadSeconds > 0 ? Double(correlation.pushes) / loadSeconds : nil
        case .lastStateMissing:
            return correlation.lastState.sessions > 0 ? Double(correlation.lastState.missingCount) : nil
        case .deadPushesAfter: return correlation.pushes > 0 ? Double(correlation.deadTokens.pushesAfterDeath) : nil
        case .errorRate:
            guard correlation.events > 0 else { return nil }
            return Double(correlation.failed + correlation.dropped) / Double(correlation.events)
        case .peakSessions: return correlation.events > 0 ? Double(correlation.peakSessions) : nil
        }
    }

    var reportUnit: RunRecord.GateResult.Unit {
        switch self {
        case .latency(_, _, .count), .deliveries(_, _, false), .lastStateMissing, .deadPushesAfter, .peakSessions:
            .count
        case .latency: .nanoseconds
        case .deliveries(_, _, true), .errorRate: .ratio
        case .eventRate, .pushRate: .perSecond
        }
    }
}

extension GateMeasure.Statistic {
    func value(of histogram: Histogram) -> Double? {
        if case .count = self { return Double(histogram.count) }
        guard histogram.count > 0 else { return nil }
        switch self {
        case .max: return Double(histogram.max)
        case .mean: return histogram.mean
        default: return percentile.map { Double(histogram.value(at: $0)) }
        }
    }
}
