// Families of metrics, whatever they are written as.

/// Name and value, in the order in which they are shown. Values may hold anything.
package typealias MetricLabels = KeyValuePairs<String, String>

/// What a family is. A counter never goes down, and its name ends in `_total`.
package enum MetricKind: String, Sendable { case counter, gauge, histogram }

/// Takes families in their order.
package protocol MetricSink {
    /// A family without samples is left out.
    mutating func add(_ name: String, _ kind: MetricKind, _ help: String, _ samples: [(labels: MetricLabels, value: Double)])

    /// A histogram: `buckets` are upper bounds in order, each with the count of all values up to it.
    mutating func addHistogram(
        _ name: String, _ help: String, buckets: [(bound: Double, count: Int64)], sum: Double, count: Int64)
}

extension MetricSink {
    /// A family of one sample without labels.
    package mutating func add(_ name: String, _ kind: MetricKind, _ help: String, _ value: Double) {
        let none: MetricLabels = [:]
        add(name, kind, help, [(labels: none, value: value)])
    }
}
