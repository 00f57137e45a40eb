// Chance that can be replayed: every random draw descends from one printed seed by name, so that adding a draw
// in one place does not change the others.

import Glibc

/// The root of a run's randomness, or of a named part of it.
package struct Seed: Hashable, Sendable, CustomStringConvertible {
    package let value: UInt64

    package init(_ value: UInt64) { self.value = value }

    /// An independent seed for a named part, such as `seed.child("sessions")`.
    package func child(_ name: String) -> Seed {
        var hash = value ^ 0x9E37_79B9_7F4A_7C15
        for byte in name.utf8 { hash = Self.mix(hash ^ UInt64(byte)) }
        return Seed(Self.mix(hash))
    }

    /// An independent seed for a numbered part, such as one session.
    package func child(_ number: UInt64) -> Seed { Seed(Self.mix(value &+ Self.mix(number ^ 0xD1B5_4A32_D192_ED03))) }

    package func generator() -> Generator { Generator(state: value) }

    /// A number in [0, 1) that depends on nothing but the seed: chance for an identity, not for an order of arrival.
    package var unit: Double { Double(Self.mix(value) >> 11) * 0x1p-53 }

    package var description: String { String(value) }

    static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// SplitMix64: small, fast, and the same on every machine.
package struct Generator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    fileprivate init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Seed.mix(state)
    }

    /// A number in [0, 1).
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A draw from the standard normal distribution (Box–Muller).
    package mutating func normal() -> Double {
        let radius = (-2 * log(1 - unit())).squareRoot()
        return radius * cos(2 * .pi * unit())
    }
}

/// A distribution of non-negative numbers (seconds, counts) as scenario files name them.
package enum Distribution: Hashable, Sendable {
    case constant(Double)
    case uniform(Double, Double)
    /// `mean` greater than 0.
    case exponential(mean: Double)
    /// Cut off at 0; `deviation` at least 0.
    case normal(mean: Double, deviation: Double)
    /// Given by its median and 95th percentile, as traffic figures usually are; `p95 >= median > 0`.
    case logNormal(median: Double, p95: Double)
    /// Values of a file, each divided by `divisor`, which is greater than 0.
    case measured(MeasuredValues, divisor: Double = 1)

    package func sample(_ generator: inout Generator) -> Double {
        switch self {
        case .constant(let value): return value
        case .uniform(let low, let high): return low + (high - low) * generator.unit()
        case .exponential(let mean): return -mean * log(1 - generator.unit())
        case .normal(let mean, let deviation): return max(0, mean + deviation * generator.normal())
        case .logNormal(let median, let p95):
            let sigma = log(p95 / median) / 1.6448536269514722
            return median * exp(sigma * generator.normal())
        case .measured(let values, let divisor): return values.draw(&generator) / divisor
        }
    }

    package var mean: Double {
        switch self {
        case .constant(let value): return value
        case .uniform(let low, let high): return (low + high) / 2
        case .exponential(let mean): return mean
        case .normal(let mean, _): return mean
        case .logNormal(let median, let p95):
            let sigma = log(p95 / median) / 1.6448536269514722
            return median * exp(sigma * sigma / 2)
        case .measured(let values, let divisor): return values.mean / divisor
        }
    }

    /// The same with all it draws divided by `factor`, which is greater than 0.
    package func divided(by factor: Double) -> Distribution {
        switch self {
        case .constant(let value): .constant(value / factor)
        case .uniform(let low, let high): .uniform(low / factor, high / factor)
        case .exponential(let mean): .exponential(mean: mean / factor)
        case .normal(let mean, let deviation): .normal(mean: mean / factor, deviation: deviation / factor)
        case .logNormal(let median, let p95): .logNormal(median: median / factor, p95: p95 / factor)
        case .measured(let values, let divisor): .measured(values, divisor: divisor * factor)
        }
    }
}
