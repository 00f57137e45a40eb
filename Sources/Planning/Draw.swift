// A distribution of the schedule, without references: loops on several threads draw from the same steps, and a reference that
// each of them counts would slow all of them down.

import Basics

enum Draw: Sendable {
    case constant(Double)
    case uniform(Double, Double)
    case exponential(mean: Double)
    case normal(mean: Double, deviation: Double)
    case logNormal(median: Double, p95: Double)
    /// Of so many measured values from a place on in `Workload.MoveTable.measured`.
    case measured(from: UInt32, count: UInt32, divisor: Double)

    /// Puts measured values behind those that are in `table`, each file's once.
    init(_ distribution: Distribution, _ table: inout MeasuredTable) {
        self =
            switch distribution {
            case .constant(let value): .constant(value)
            case .uniform(let low, let high): .uniform(low, high)
            case .exponential(let mean): .exponential(mean: mean)
            case .normal(let mean, let deviation): .normal(mean: mean, deviation: deviation)
            case .logNormal(let median, let p95): .logNormal(median: median, p95: p95)
            case .measured(let values, let divisor):
                .measured(from: table.place(of: values), count: UInt32(values.values.count), divisor: divisor)
            }
    }

    /// The same draws as `Distribution.sample`, one for one.
    func sample(_ generator: inout Generator, _ workload: Workload) -> Double {
        switch self {
        case .constant(let value): return value
        case .uniform(let low, let high): return Distribution.uniform(low, high).sample(&generator)
        case .exponential(let mean): return Distribution.exponential(mean: mean).sample(&generator)
        case .normal(let mean, let deviation):
            return Distribution.normal(mean: mean, deviation: deviation).sample(&generator)
        case .logNormal(let median, let p95): return Distribution.logNormal(median: median, p95: p95).sample(&generator)
        case .measured(let from, let count, let divisor):
            return workload.table.measured[Int(from) + MeasuredValues.place(of: Int(count), &generator)] / divisor
        }
    }
}

/// Measured values of all files, one behind the other.
struct MeasuredTable {
    private(set) var values: [Double] = []
    private var places: [ObjectIdentifier: UInt32] = [:]

    fileprivate mutating func place(of measured: MeasuredValues) -> UInt32 {
        if let known = places[ObjectIdentifier(measured)] { return known }
        let place = UInt32(values.count)
        places[ObjectIdentifier(measured)] = place
        values += measured.values
        return place
    }
}
