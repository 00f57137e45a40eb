// Families of metrics as an export request of OTLP, in its JSON encoding.
// Source: opentelemetry-proto 1.7, metrics.proto; OTLP specification, "JSON Protobuf Encoding": 64-bit integers are texts,
// enumerations are numbers.

import Basics

struct OTLPMetrics: MetricSink {
    private let start: JSONValue
    private let now: JSONValue
    private var metrics: [JSONValue] = []

    /// AGGREGATION_TEMPORALITY_CUMULATIVE
    private static let cumulative: JSONValue = 2

    /// Counters count from `start`.
    init(from start: WallTime, at now: WallTime) {
        self.start = .string(String(start.nanoseconds))
        self.now = .string(String(now.nanoseconds))
    }

    mutating func add(
        _ name: String, _ kind: MetricKind, _ help: String, _ samples: [(labels: MetricLabels, value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        let points = samples.map { labels, value in
            JSONValue(
                dictionaryLiteral: ("attributes", Self.attributes(labels.map { ($0.key, $0.value) })),
                ("startTimeUnixNano", start), ("timeUnixNano", now), ("asDouble", .number(value)))
        }
        append(
            name, help,
            kind == .counter
                ? ("sum", ["dataPoints": .array(points), "aggregationTemporality": Self.cumulative, "isMonotonic": true])
                : ("gauge", ["dataPoints": .array(points)]))
    }

    mutating func addHistogram(
        _ name: String, _ help: String, buckets: [(bound: Double, count: Int64)], sum: Double, count: Int64
    ) {
        // Each of its own, and not of all up to it; the last of what is above all bounds.
        let counts = (buckets.map(\.count) + [count]).reduce(into: (own: [Int64](), before: Int64(0))) { result, upTo in
            result.own.append(upTo - result.before)
            result.before = upTo
        }
        let point: JSONValue = [
            "startTimeUnixNano": start, "timeUnixNano": now, "count": .string(String(count)), "sum": .number(sum),
            "bucketCounts": .array(counts.own.map { .string(String($0)) }),
            "explicitBounds": .array(buckets.map { .number($0.bound) }),
        ]
        append(name, help, ("histogram", ["dataPoints": [point], "aggregationTemporality": Self.cumulative]))
    }

    private mutating func append(_ name: String, _ help: String, _ data: (String, JSONValue)) {
        // The unit stands in the name, as Prometheus has it.
        let unit = name.contains("_seconds") ? "s" : name.contains("_bytes") ? "By" : "1"
        metrics.append(
            JSONValue(
                dictionaryLiteral: ("name", .string(name)), ("description", .string(help)), ("unit", .string(unit)), data))
    }

    /// The whole request; `resource` is what the metrics are of.
    func request(_ resource: [(String, String)], version: String) -> JSONValue {
        [
            "resourceMetrics": [
                [
                    "resource": ["attributes": Self.attributes(resource)],
                    "scopeMetrics": [
                        ["scope": ["name": "pushrig", "version": .string(version)], "metrics": .array(metrics)]
                    ],
                ]
            ]
        ]
    }

    private static func attributes(_ pairs: [(String, String)]) -> JSONValue {
        .array(pairs.map { ["key": .string($0.0), "value": ["stringValue": .string($0.1)]] })
    }
}
