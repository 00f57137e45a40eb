// A gate: one comparison that fails the run when it does not hold.

/// `delivery.complete.p99 < 2s`, `lost == 0`, `late.rate <= 1%`.
package struct Gate: Hashable, Sendable {
    package var text: String
    /// The left side as written.
    package var metric: String
    /// The left side as a value.
    package var measure: GateMeasure
    package var comparison: GateComparison
    /// Durations in nanoseconds, percentages as ratios (1 % is 0.01), all else as it is.
    package var threshold: Double
    /// The load ends as soon as it can hold no more.
    package var aborts = false

    package init(text: String, metric: String, measure: GateMeasure, comparison: GateComparison, threshold: Double) {
        self.text = text
        self.metric = metric
        self.measure = measure
        self.comparison = comparison
        self.threshold = threshold
    }
}

package enum GateComparison: String, CaseIterable, Hashable, Sendable {
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case greater = ">"

    package func holds(_ value: Double, _ threshold: Double) -> Bool {
        switch self {
        case .lessOrEqual: value <= threshold
        case .greaterOrEqual: value >= threshold
        case .equal: value == threshold
        case .notEqual: value != threshold
        case .less: value < threshold
        case .greater: value > threshold
        }
    }
}

/// What a gate compares.
package enum GateMeasure: Hashable, Sendable {
    /// Nanoseconds (`count`: a number). `kind` only with `delivery`.
    case latency(Latency, kind: String?, Statistic)
    /// A count, or its share of all expectations of the kind (`.rate`); nil: over all kinds.
    case deliveries(DeliveryClass, kind: String?, isRate: Bool)
    /// Planned events answered per second of load.
    case eventRate
    /// Pushes that arrived per second of load.
    case pushRate
    /// Sessions whose last state never arrived.
    case lastStateMissing
    /// Pushes to tokens that were dead.
    case deadPushesAfter
    /// Failed and dropped events over planned events.
    case errorRate
    case peakSessions
    /// Growth of the delivery age over the sending time, seconds a second.
    case backlogSlope
    /// Of the relay's process, as the system tells.
    case relay(Relay)

    /// Known of a few seconds by themselves while a run goes on.
    package var isKnownByTheSecond: Bool {
        switch self {
        case .latency(.delivery, kind: nil, let statistic), .latency(.answer, _, let statistic),
            .latency(.lateness, _, let statistic):
            statistic.percentile != nil
        default: false
        }
    }

    package enum Relay: String, CaseIterable, Hashable, Sendable {
        /// Most resident memory, in bytes.
        case memoryPeak = "relay.rss.max"
        /// Resident memory gained from the first to the last quarter of the run, in bytes per event.
        case memoryGrowth = "relay.rss.growth"
        /// Most open descriptors.
        case descriptors = "relay.fds.max"
        /// Processor time over wall time: 1 is one core.
        case processor = "relay.cpu"
    }

    package enum Latency: String, CaseIterable, Hashable, Sendable {
        case delivery, answer, lateness, staleness
    }

    package enum DeliveryClass: String, CaseIterable, Hashable, Sendable {
        case delivered, superseded, late, lost, excused, unsent, undecided
        case duplicated, reordered, unexpected, misdirected, altered
    }

    package enum Statistic: String, CaseIterable, Hashable, Sendable {
        case p50, p90, p95, p99, p999, max, mean, count

        /// 0…100, for the percentiles.
        package var percentile: Double? {
            switch self {
            case .p50: 50
            case .p90: 90
            case .p95: 95
            case .p99: 99
            case .p999: 99.9
            case .max, .mean, .count: nil
            }
        }
    }
}
