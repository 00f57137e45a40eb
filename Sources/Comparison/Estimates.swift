// Small figures of statistics: Hodges and Lehmann's estimate, medians, Holm's correction.

package enum Estimates {
    /// The middle one; the mean of the two in the middle. Not a number when there is none.
    package static func median(_ figures: [Double]) -> Double {
        guard !figures.isEmpty else { return .nan }
        let sorted = figures.sorted()
        let half = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
    }

    /// The shift of pairs: the median of the means of any two, each with itself included (J. L. Hodges, E. L. Lehmann, 1963).
    package static func shift(pairs: [Double]) -> Double {
        median(pairs.indices.flatMap { one in pairs[one...].map { (pairs[one] + $0) / 2 } })
    }

    /// The shift from one sample to another: the median of all differences between them.
    package static func shift(base: [Double], new: [Double]) -> Double {
        median(new.flatMap { one in base.map { one - $0 } })
    }

    /// Chances of several tests, so that any of them is at most a given one without a difference no more often than that
    /// (S. Holm, 1979). In the order of `chances`.
    package static func holm(_ chances: [Double]) -> [Double] {
        var adjusted = chances
        var least = 0.0
        for (rank, index) in chances.indices.sorted(by: { chances[$0] < chances[$1] }).enumerated() {
            least = max(least, min(1, chances[index] * Double(chances.count - rank)))
            adjusted[index] = least
        }
        return adjusted
    }
}
