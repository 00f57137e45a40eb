// A distribution that somebody measured: the values themselves, of which each draw is one.

/// Numbers of 0 or more that were measured, such as seconds between two events. Shared and immutable. A draw is one of them,
/// never between two: each value comes as often as it stands here.
package final class MeasuredValues: Hashable, Sendable {
    /// In the order of the file; never empty, at most `most`.
    package let values: [Double]
    package let mean: Double
    package let least: Double
    package let greatest: Double

    package static let most = 100_000

    package init(_ values: [Double]) {
        precondition(!values.isEmpty && values.count <= Self.most, "there are 1 to 100,000 measured values")
        self.values = values
        mean = values.reduce(0, +) / Double(values.count)
        least = values.min()!
        greatest = values.max()!
    }

    package func draw(_ generator: inout Generator) -> Double { values[Self.place(of: values.count, &generator)] }

    /// One place of `count`, each as likely as the others; takes one draw.
    package static func place(of count: Int, _ generator: inout Generator) -> Int {
        min(count - 1, Int(generator.unit() * Double(count)))
    }

    package static func == (left: MeasuredValues, right: MeasuredValues) -> Bool {
        left === right || left.values == right.values
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(values.count)
        hasher.combine(mean)
    }
}
