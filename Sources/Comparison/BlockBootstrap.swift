// What one run tells of itself: pieces of it drawn again, whole blocks at a time, since a slow second seldom comes alone.

package import Basics
import Glibc

/// Draws both runs again and again from blocks of their seconds, and sees how far the difference wanders. It says nothing
/// of how two runs of the same relay differ.
package struct BlockBootstrap: Sendable {
    /// Seconds that stay together. Simulated with noise that lasts a few seconds: 6 halve the false alarms of 1.
    package static let usualBlock = 6
    package static let draws = 1_000

    package let seed: Seed

    package init(seed: Seed) { self.seed = seed }

    /// The interval that holds the difference with `1 - alpha` within these two runs, as logarithm of the ratio or as
    /// difference; nil where the seconds hold too little. `isOnePlan`: in the same second both were asked the same, so the
    /// same seconds are drawn of both, and what the plan does to them is no noise.
    func interval(
        base: IntervalFigures, new: IntervalFigures, scale: ShiftScale, isOnePlan: Bool, alpha: Double
    ) -> ClosedRange<Double>? {
        var generator = seed.child("block bootstrap").generator()
        var shifts: [Double] = []
        for _ in 0..<Self.draws {
            let drawn = Self.draw(base.count, &generator)
            let others = isOnePlan && base.count == new.count ? drawn : Self.draw(new.count, &generator)
            guard let one = base.value(over: drawn), let other = new.value(over: others),
                let shift = scale.shift(from: one, to: other)
            else { continue }
            shifts.append(shift)
        }
        guard shifts.count > Self.draws / 2 else { return nil }
        shifts.sort()
        let cut = Int(alpha / 2 * Double(shifts.count))
        return shifts[cut]...shifts[shifts.count - 1 - cut]
    }

    /// So many seconds of a run that has as many: blocks that begin anywhere and go on from the end at the beginning.
    private static func draw(_ count: Int, _ generator: inout Generator) -> [Int] {
        let block = max(1, min(usualBlock, count / 4))
        var seconds: [Int] = []
        while seconds.count < count {
            let start = Int(generator.unit() * Double(count))
            seconds += (0..<min(block, count - seconds.count)).map { (start + $0) % count }
        }
        return seconds
    }
}
