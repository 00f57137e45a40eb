// Independent points of an interval in rising order, any of which costs the logarithm of how many there are. With a count that
// is drawn from Poisson's distribution they are a Poisson process.

import Basics
import Glibc

/// The order statistics of `count` uniform numbers. The middle one of n is of a beta distribution; those to either side of
/// it are again uniform, on their part of the interval. So a walk down a tree whose nodes each have a seed comes to every
/// point.
struct RandomPoints: Sendable {
    let count: Int
    let seed: Seed

    /// So few are drawn at once.
    private static let fewest = 16

    /// The point of that place, `0..<count`, in 0…1; never falls as `place` grows.
    func share(of place: Int) -> Double {
        var (low, high) = (0.0, 1.0)
        var (place, size) = (place, count)
        var node: UInt64 = 1
        while size > Self.fewest {
            let middle = size / 2
            var generator = seed.child(node).generator()
            let share = generator.beta(Double(middle + 1), Double(size - middle))
            let point = min(high, low + (high - low) * share)
            if place == middle { return point }
            if place < middle {
                (high, size, node) = (point, middle, node * 2)
            } else {
                (low, place, size, node) = (point, place - middle - 1, size - middle - 1, node * 2 + 1)
            }
        }
        // Gaps of a Poisson process, over all that they span.
        var generator = seed.child(node).generator()
        var (sum, reached) = (0.0, 0.0)
        for gap in 0...size {
            sum -= log(1 - generator.unit())
            if gap == place { reached = sum }
        }
        return sum > 0 ? min(high, low + (high - low) * (reached / sum)) : low
    }
}

extension Generator {
    /// A draw from the gamma distribution; `shape` at least 1, scale 1 (Marsaglia and Tsang, 2000).
    mutating func gamma(_ shape: Double) -> Double {
        let size = shape - 1.0 / 3
        let width = 1 / (9 * size).squareRoot()
        while true {
            let normal = normal()
            let root = 1 + width * normal
            guard root > 0 else { continue }
            let cube = root * root * root
            if log(1 - unit()) < normal * normal / 2 + size * (1 - cube + log(cube)) { return size * cube }
        }
    }

    /// A draw from the beta distribution; both at least 1.
    mutating func beta(_ first: Double, _ second: Double) -> Double {
        let draw = gamma(first)
        return draw / (draw + gamma(second))
    }

    /// A draw from Poisson's distribution, a whole number: from 10 on by Hörmann's transformed rejection (PTRS, 1993).
    mutating func poisson(mean: Double) -> Double {
        guard mean >= 10 else { return fewEvents(mean) }
        let b = 0.931 + 2.53 * mean.squareRoot()
        let a = -0.059 + 0.02483 * b
        let inverseAlpha = 1.1239 + 1.1328 / (b - 3.4)
        let quick = 0.9277 - 3.6224 / (b - 2)
        while true {
            let u = unit() - 0.5
            let v = 1 - unit()
            let distance = 0.5 - abs(u)
            let count = ((2 * a / distance + b) * u + mean + 0.43).rounded(.down)
            if distance >= 0.07, v <= quick { return count }
            guard count >= 0, distance >= 0.013 || v <= distance else { continue }
            let bound = count * log(mean) - mean - logFactorial(count)
            if log(v * inverseAlpha / (a / (distance * distance) + b)) <= bound { return count }
        }
    }

    /// Gaps of mean 1 until they are longer than `mean`.
    private mutating func fewEvents(_ mean: Double) -> Double {
        var count = 0.0
        var passed = -log(1 - unit())
        while passed < mean {
            count += 1
            passed -= log(1 - unit())
        }
        return count
    }
}

/// Of a whole number, 0 or more; by Stirling's series from 10 on, right to ten digits.
private func logFactorial(_ count: Double) -> Double {
    if count < 10 { return log(stride(from: 2.0, through: count, by: 1).reduce(1, *)) }
    let inverse = 1 / count
    return (count + 0.5) * log(count) - count + 0.918_938_533_204_672_7
        + inverse * (1.0 / 12 - inverse * inverse * (1.0 / 360 - inverse * inverse / 1260))
}
