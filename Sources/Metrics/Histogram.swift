// How often which duration was seen: exact counts in buckets of a thousandth, so that histograms add up without loss
// and no percentile is ever averaged.

/// Durations in nanoseconds, bucket for bucket as HdrHistogram keeps them with three significant digits from 1 ns to
/// 1 h. Memory: 270 KB, taken at once; recording never takes more. Statistics are those of HdrHistogram: a value read
/// back is the end of the bucket it fell into.
package struct Histogram: Sendable, Equatable {
    typealias Layout = HistogramLayout

    var counts = [Int64](repeating: 0, count: Layout.countsLength)

    /// How many values were recorded.
    package internal(set) var count: Int64 = 0

    package init() {}

    /// Negative durations count as 0, those above one hour as one hour. `count` is 0 or more.
    package mutating func record(_ nanoseconds: Int64, count: Int64 = 1) {
        precondition(count >= 0, "a value is recorded a number of times")
        let value = Swift.min(Swift.max(nanoseconds, 0), Layout.highestTrackable)
        counts[Layout.index(of: value)] += count
        self.count += count
    }

    package mutating func merge(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
    }

    /// Takes away what `other` holds, which must have been recorded here before: what came in between two snapshots.
    package mutating func subtract(_ other: Histogram) {
        for index in counts.indices { counts[index] -= other.counts[index] }
        count -= other.count
    }

    package var isEmpty: Bool { count == 0 }

    /// The lowest value of the first bucket in use; 0 when empty.
    package var min: Int64 { counts.firstIndex { $0 != 0 }.map(Layout.lowestValue) ?? 0 }

    /// The highest value of the last bucket in use; 0 when empty.
    package var max: Int64 { lastIndex.map(Layout.highestValue) ?? 0 }

    /// By the middles of the buckets; 0 when empty.
    package var mean: Double {
        guard count > 0 else { return 0 }
        var total = 0.0
        for index in counts.indices where counts[index] != 0 {
            total += Double(Layout.medianValue(at: index)) * Double(counts[index])
        }
        return total / Double(count)
    }

    var lastIndex: Int? { counts.lastIndex { $0 != 0 } }
}
