// What a gate can name, in words: for `pushrig list metrics`.

extension GateMeasure {
    /// Every measure as it is written for all calls together, in the order of docs/scenarios.md; of the statistics of a
    /// latency the 99th percentile only.
    package static let vocabulary: [(name: String, measure: GateMeasure)] =
        Latency.allCases.map { ("\($0.rawValue).p99", .latency($0, kind: nil, .p99)) }
        + DeliveryClass.allCases.map { ($0.rawValue, .deliveries($0, kind: nil, isRate: false)) }
        + DeliveryClass.allCases.map { ("\($0.rawValue).rate", .deliveries($0, kind: nil, isRate: true)) }
        + single.map { ($0.key, $0.value) } + Relay.allCases.map { ($0.rawValue, .relay($0)) }

    /// What is measured, as a phrase without a period.
    package var meaning: String {
        switch self {
        case .latency(let latency, let kind, let statistic):
            "\(statistic.meaning) \(latency.meaning)" + Self.suffix(kind)
        case .deliveries(let deliveryClass, let kind, let isRate):
            "pushes that \(deliveryClass.meaning)" + (isRate ? ", as a share of all that were expected" : "")
                + Self.suffix(kind)
        case .eventRate: "planned events that the relay answered, for each second of load"
        case .pushRate: "pushes that arrived, for each second of load"
        case .lastStateMissing: "sessions whose last state never arrived"
        case .deadPushesAfter: "pushes to tokens that had been reported dead"
        case .errorRate: "share of the planned events that failed or were dropped"
        case .peakSessions: "most sessions at once"
        case .backlogSlope:
            "growth of the time from planned instant to arrival, in seconds for each second of load: 0 where the relay keeps up"
        case .relay(let relay): relay.meaning
        }
    }

    private static func suffix(_ kind: String?) -> String { kind.map { ", for the call `\($0)` alone" } ?? "" }
}

extension GateMeasure.Latency {
    fileprivate var meaning: String {
        switch self {
        case .delivery: "from the planned instant of an event to the first accepted arrival of its push"
        case .answer: "from the planned instant of an event to the relay's answer"
        case .lateness: "by which we sent an event too late: ourselves, not the relay"
        case .staleness: "that a card has been out of date, weighted by time"
        }
    }
}

extension GateMeasure.Relay {
    fileprivate var meaning: String {
        switch self {
        case .memoryPeak: "most resident memory of the relay's process"
        case .memoryGrowth:
            "resident memory that the relay gained for each event, from the first quarter of the run to the last"
        case .descriptors: "most open descriptors of the relay's process"
        case .processor: "processor time of the relay's process over wall time, where 1 is one core"
        }
    }
}

extension GateMeasure.DeliveryClass {
    fileprivate var meaning: String {
        switch self {
        case .delivered, .superseded, .lost, .excused, .duplicated, .reordered, .misdirected, .altered:
            "were \(rawValue)"
        case .late: "came late"
        case .unsent: "could not come, as their event was never sent"
        case .undecided: "were due after the end of the run, and had not come"
        case .unexpected: "nobody expected"
        }
    }
}

extension GateMeasure.Statistic {
    fileprivate var meaning: String {
        switch self {
        case .p50: "50th percentile of the time"
        case .p90: "90th percentile of the time"
        case .p95: "95th percentile of the time"
        case .p99: "99th percentile of the time"
        case .p999: "99.9th percentile of the time"
        case .max: "longest time"
        case .mean: "mean time"
        case .count: "number of samples of the time"
        }
    }
}
