// Gates against what was measured.

import Basics
import Journal
import Metrics
import Scenarios

/// What gates are held against.
struct Measure {
    var correlation: Correlation
    /// Length of the measured load.
    var seconds: Double
    /// What the relay's process used, in order of time.
    /// The same on the host's clock, by which processors work.
    var realSeconds: Double
    var samples: [RelaySample]
    /// Of what was planned in the measured load; nil: too few seconds of it.
    var slope: BacklogSlope?
    /// The share of pushes that may be missing for what did come to tell of all: one in a hundred (our choice), or what a gate
    /// allows.
    var mayMiss = Tolerances.missing
}

extension Gate {
    /// `bar`: how far the clocks of the run's machines may be apart. Of a latency from one machine to another nothing is said
    /// where that decides.
    func result(_ run: Measure, bar: Interval = .zero) -> RunRecord.GateResult {
        let value = measure.value(run)
        let isWithinBar = value.map { measure.spansMachines && abs($0 - threshold) < Double(bar.nanoseconds) } ?? false
        return RunRecord.GateResult(
            text: text, metric: metric, unit: measure.reportUnit, value: value, threshold: threshold,
            passed: isWithinBar ? nil : passes(value, run))
    }

    /// Nil when there is nothing to compare. A percentile that rests on too few samples still holds where the greatest
    /// of them does, and fails where the least does.
    private func passes(_ value: Double?, _ run: Measure) -> Bool? {
        guard let value else { return nil }
        if measure == .backlogSlope { return run.slope.flatMap { passes($0, run) } }
        guard case .latency(let latency, let kind, let statistic) = measure, let percentile = statistic.percentile,
            let histogram = latency.histogram(kind, run.correlation),
            Double(histogram.count) * (100 - percentile) < 100
        else { return comparison.holds(value, threshold) }
        let bounds = [Double(histogram.min), Double(histogram.max)].map { comparison.holds($0, threshold) }
        return bounds[0] == bounds[1] ? bounds[0] : nil
    }
}

extension Gate {
    /// The share of all pushes that it lets be lost; nil: it is no gate on that.
    var allowedLoss: Double? {
        if case .deliveries(.lost, nil, isRate: true) = measure { threshold } else { nil }
    }

    /// A growth that chance alone may have made, beyond what the gate allows, is not told; and where many never came, what did
    /// come tells nothing of how old they would be.
    private func passes(_ slope: BacklogSlope, _ run: Measure) -> Bool? {
        if comparison.holds(slope.slope, threshold) {
            let missing = run.correlation.count(.lost) + run.correlation.count(.undecided)
            return Double(missing) > run.mayMiss * Double(run.correlation.expected) ? nil : true
        }
        switch comparison {
        case .less, .lessOrEqual: return comparison.holds(slope.least, threshold) ? nil : false
        default: return false
        }
    }
}

extension GateMeasure.Latency {
    func histogram(_ kind: String?, _ correlation: Correlation) -> Histogram? {
        switch self {
        case .delivery: kind.map { correlation.deliveryByKind[$0] } ?? correlation.delivery
        case .answer: correlation.answer
        case .lateness: correlation.lateness
        case .staleness: correlation.staleness
        }
    }
}

extension GateMeasure {
    /// A time that begins on the clock of the load and ends on that of a mock.
    fileprivate var spansMachines: Bool {
        guard case .latency(let latency, _, let statistic) = self else { return false }
        if case .count = statistic { return false }
        return latency == .delivery || latency == .staleness
    }

    /// What a busy machine makes worse.
    var isOfTime: Bool {
        switch self {
        case .latency, .eventRate, .pushRate, .backlogSlope, .deliveries(.late, _, _): true
        case .deliveries, .lastStateMissing, .deadPushesAfter, .errorRate, .peakSessions, .relay: false
        }
    }

    /// Nil when there was nothing to measure: no data is never a pass.
    func value(_ run: Measure) -> Double? {
        let correlation = run.correlation
        switch self {
        case .latency(let latency, let kind, let statistic):
            return latency.histogram(kind, correlation).flatMap { statistic.value(of: $0) }
        case .deliveries(let word, let kind, let isRate):
            guard correlation.expected > 0, let wanted = Metrics.DeliveryClass(rawValue: word.rawValue) else { return nil }
            // A call that nothing was expected of is no data.
            guard let counts = kind.map({ correlation.classes[$0] }) ?? correlation.totals else { return nil }
            let count = Double(counts[wanted] ?? 0)
            let classes = Metrics.DeliveryClass.ofExpectations
            let expected = classes.reduce(0) { $0 + (counts[$1] ?? 0) }
            if isRate { return expected > 0 ? count / Double(expected) : nil }
            return expected > 0 || !classes.contains(wanted) ? count : nil
        case .eventRate: return run.seconds > 0 ? Double(correlation.answered) / run.seconds : nil
        case .backlogSlope: return run.slope?.slope
        case .pushRate: return run.seconds > 0 ? Double(correlation.pushes) / run.seconds : nil
        case .lastStateMissing:
            return correlation.lastState.sessions > 0 ? Double(correlation.lastState.missingCount) : nil
        case .deadPushesAfter:
            return correlation.deadTokens.died > 0 ? Double(correlation.deadTokens.pushesAfterDeath) : nil
        case .errorRate:
            guard correlation.events > 0 else { return nil }
            return Double(correlation.failed + correlation.dropped) / Double(correlation.events)
        case .peakSessions: return correlation.events > 0 ? Double(correlation.peakSessions) : nil
        case .relay(let measure): return measure.value(run)
        }
    }

    var reportUnit: RunRecord.GateResult.Unit {
        switch self {
        case .latency(_, _, .count), .deliveries(_, _, false), .lastStateMissing, .deadPushesAfter, .peakSessions,
            .relay(.descriptors):
            .count
        case .latency: .nanoseconds
        case .deliveries(_, _, true), .errorRate, .relay(.processor): .ratio
        case .eventRate, .pushRate: .perSecond
        case .backlogSlope: .slope
        case .relay(.memoryPeak), .relay(.memoryGrowth): .bytes
        }
    }
}

extension GateMeasure.Relay {
    fileprivate func value(_ run: Measure) -> Double? {
        let samples = run.samples
        guard let first = samples.first, let last = samples.last else { return nil }
        switch self {
        case .memoryPeak: return samples.map { Double($0.residentBytes) }.max()
        case .descriptors: return samples.map { Double($0.descriptors) }.max()
        case .processor: return run.realSeconds > 0 ? (last.cpu - first.cpu).seconds / run.realSeconds : nil
        case .memoryGrowth:
            let quarter = samples.count / 4
            guard quarter > 0, run.correlation.events > 0 else { return nil }
            func mean(_ part: ArraySlice<RelaySample>) -> Double {
                part.reduce(0) { $0 + Double($1.residentBytes) } / Double(part.count)
            }
            return max(0, mean(samples.suffix(quarter)) - mean(samples.prefix(quarter))) / Double(run.correlation.events)
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
