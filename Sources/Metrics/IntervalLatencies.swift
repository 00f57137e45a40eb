// Latencies by the second they were planned in, one by one: kept only where somebody asks, since they grow with the run.

import Basics

/// Nanoseconds of each measured delivery and answer, by second since the origin.
package struct IntervalLatencies: Sendable {
    /// By the kind of the event.
    private var deliveries: [String: [[Int64]]] = [:]
    package private(set) var answers: [[Int64]] = []

    package init() {}

    /// Those of one kind; nil: of all.
    package func deliveries(of kind: String?) -> [[Int64]] {
        if let kind { return deliveries[kind] ?? [] }
        var all: [[Int64]] = []
        for seconds in deliveries.values {
            for (second, samples) in seconds.enumerated() { Self.add(samples, at: second, to: &all) }
        }
        return all
    }

    mutating func add(delivery latency: Interval, kind: String, second: Int) {
        Self.add([latency.nanoseconds], at: second, to: &deliveries[kind, default: []])
    }

    mutating func add(answer latency: Interval, second: Int) { Self.add([latency.nanoseconds], at: second, to: &answers) }

    private static func add(_ samples: [Int64], at second: Int, to seconds: inout [[Int64]]) {
        while seconds.count <= second { seconds.append([]) }
        seconds[second] += samples
    }
}
