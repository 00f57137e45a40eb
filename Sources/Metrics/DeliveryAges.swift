// How long deliveries took by the second of their events and by kind. Kinds differ, and a run has more of one at its beginning
// and of another at its end: compared is each with its own.

import Basics

package struct DeliveryAges: Hashable, Sendable {
    private struct Cell: Hashable, Sendable {
        var count = 0
        var microseconds = 0
        var oldest = 0
    }

    /// By second, then by kind.
    private var seconds: [[Cell]] = []

    package init() {}

    /// `microseconds` in all, of `count` deliveries that are alike.
    package mutating func add(microseconds: Int, count: Int = 1, kind: Int, second: Int) {
        while seconds.count <= second { seconds.append([]) }
        while seconds[second].count <= kind { seconds[second].append(Cell()) }
        seconds[second][kind].count += count
        seconds[second][kind].microseconds += microseconds
        seconds[second][kind].oldest = max(seconds[second][kind].oldest, microseconds / max(1, count))
    }

    /// So many kinds, by their numbers.
    func kinds(in range: Range<Int>) -> Int { range.clamped(to: 0..<seconds.count).reduce(0) { max($0, seconds[$1].count) } }

    /// Each second with the mean age of what it had of that kind.
    func means(of kind: Int, in range: Range<Int>) -> [(x: Double, y: Double)] {
        cells(of: kind, in: range).map { (Double($0.second), Double($0.cell.microseconds) / Double($0.cell.count) / 1e6) }
    }

    /// Each second with the oldest.
    func oldest(of kind: Int, in range: Range<Int>) -> [(x: Double, y: Double)] {
        cells(of: kind, in: range).map { (Double($0.second), Double($0.cell.oldest) / 1e6) }
    }

    private func cells(of kind: Int, in range: Range<Int>) -> [(second: Int, cell: Cell)] {
        range.clamped(to: 0..<seconds.count).compactMap { second in
            guard kind < seconds[second].count, seconds[second][kind].count > 0 else { return nil }
            return (second, seconds[second][kind])
        }
    }

    /// The mean second (`x`) and age in seconds (`y`) of each second's deliveries, both beside the means of their kinds: what
    /// is left is what time alone did (a regression with a constant for each kind). None for a second without deliveries.
    func points(in range: Range<Int>) -> [(x: Double, y: Double)] {
        let within = range.clamped(to: 0..<seconds.count)
        var means = [(count: Double, x: Double, y: Double)](repeating: (0, 0, 0), count: kinds(in: range))
        for second in within {
            for (kind, cell) in seconds[second].enumerated() {
                means[kind].count += Double(cell.count)
                means[kind].x += Double(cell.count) * Double(second)
                means[kind].y += Double(cell.microseconds) / 1e6
            }
        }
        for kind in means.indices where means[kind].count > 0 {
            means[kind].x /= means[kind].count
            means[kind].y /= means[kind].count
        }
        return within.compactMap { second in
            var (count, x, y) = (0.0, 0.0, 0.0)
            for (kind, cell) in seconds[second].enumerated() {
                count += Double(cell.count)
                x += Double(cell.count) * (Double(second) - means[kind].x)
                y += Double(cell.microseconds) / 1e6 - Double(cell.count) * means[kind].y
            }
            return count > 0 ? (x / count, y / count) : nil
        }
    }
}
