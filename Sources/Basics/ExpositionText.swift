// The text format of Prometheus, version 0.0.4: families of samples, each with its help and its type.

/// A page of metrics as it grows. Families stand in the order in which they were given.
package struct ExpositionText: MetricSink, Sendable {
    /// The content type of the whole (https://prometheus.io/docs/instrumenting/exposition_formats/).
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    package mutating func add(
        _ name: String, _ kind: MetricKind, _ help: String, _ samples: [(labels: MetricLabels, value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        begin(name, kind, help)
        for (labels, value) in samples { addSample(name, labels, value) }
    }

    package mutating func addHistogram(
        _ name: String, _ help: String, buckets: [(bound: Double, count: Int64)], sum: Double, count: Int64
    ) {
        begin(name, .histogram, help)
        for bucket in buckets { addSample(name + "_bucket", ["le": Self.number(bucket.bound)], Double(bucket.count)) }
        addSample(name + "_bucket", ["le": "+Inf"], Double(count))
        addSample(name + "_sum", [:], sum)
        addSample(name + "_count", [:], Double(count))
    }

    private mutating func begin(_ name: String, _ kind: MetricKind, _ help: String) {
        let help = Self.escaped(help, quotes: false)
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func addSample(_ name: String, _ labels: MetricLabels, _ value: Double) {
        let words = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        text += name + (words.isEmpty ? "" : "{\(words)}") + " " + Self.number(value) + "\n"
    }

    /// A whole number without a point, as far as a double holds it exactly.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 9e15 ? String(Int64(value)) : "\(value)"
    }

    /// By scalar, for a line feed behind a carriage return is no character of its own.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\"" where quotes: result.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
