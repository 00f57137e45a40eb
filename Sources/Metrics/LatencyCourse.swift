// Latency over time: p50 and p99 of each interval of a run. Histograms of single seconds would take more memory than a run's
// judging may, so these are coarse and few: intervals grow with the run.

import Basics

/// Percentiles of each interval, by the instant at which its calls were planned.
package struct LatencyCourse: Hashable, Sendable {
    /// One interval. Nanoseconds, to within a sixty-fourth, and never too low; nothing where `count` is 0.
    package struct Row: Hashable, Sendable {
        package var count = 0
        package var p50: Int64 = 0
        package var p99: Int64 = 0

        package init(count: Int = 0, p50: Int64 = 0, p99: Int64 = 0) {
            self.count = count
            self.p50 = p50
            self.p99 = p99
        }
    }

    /// Whole seconds, at least 1: a power of two.
    package var seconds = 1
    /// From the planned instant of a call to the first accepted arrival of its push.
    package var delivery: [Row] = []
    /// From the planned instant of a call to its answer.
    package var answer: [Row] = []
    /// By which calls left later than they could: ours alone.
    package var lateness: [Row] = []

    package init() {}

    package var isEmpty: Bool { delivery.isEmpty && answer.isEmpty && lateness.isEmpty }
}

/// Counts by interval as a run goes by, in whatever order. Memory: a few kilobytes for each interval.
struct LatencyCourseBuilder: Sendable {
    /// Beyond this two intervals become one.
    static let mostIntervals = 512

    private(set) var seconds = 1
    private var delivery: [CoarseHistogram] = []
    private var answer: [CoarseHistogram] = []
    private var lateness: [CoarseHistogram] = []

    mutating func add(delivery latency: Interval, second: Int) { add(latency, second, \.delivery) }
    mutating func add(answer latency: Interval, second: Int) { add(latency, second, \.answer) }
    mutating func add(lateness: Interval, second: Int) { add(lateness, second, \.lateness) }

    private mutating func add(
        _ value: Interval, _ second: Int, _ column: WritableKeyPath<LatencyCourseBuilder, [CoarseHistogram]>
    ) {
        while second / seconds >= Self.mostIntervals { widen() }
        let place = second / seconds
        while self[keyPath: column].count <= place { self[keyPath: column].append(CoarseHistogram()) }
        self[keyPath: column][place].record(value.nanoseconds)
    }

    private mutating func widen() {
        seconds *= 2
        for column in [\LatencyCourseBuilder.delivery, \.answer, \.lateness] {
            let fine = self[keyPath: column]
            self[keyPath: column] = stride(from: 0, to: fine.count, by: 2).map { place in
                place + 1 < fine.count ? fine[place].merged(with: fine[place + 1]) : fine[place]
            }
        }
    }

    var course: LatencyCourse {
        var course = LatencyCourse()
        course.seconds = seconds
        course.delivery = delivery.map(\.row)
        course.answer = answer.map(\.row)
        course.lateness = lateness.map(\.row)
        return course
    }
}

/// Microseconds in buckets of a sixty-fourth: 64 of one each, then 64 for each further power of two, as far as there was
/// something to count.
private struct CoarseHistogram: Sendable {
    private static let part = 64
    private static let partBits = 6
    /// An hour, as `Histogram` has it.
    private static let highest: Int64 = 3_600_000_000

    private var counts: [UInt32] = []
    private var count = 0

    mutating func record(_ nanoseconds: Int64) {
        let place = Self.place(of: min(max(nanoseconds, 0) / 1_000, Self.highest))
        if place >= counts.count { counts += [UInt32](repeating: 0, count: place + 1 - counts.count) }
        counts[place] = counts[place] &+ 1
        count += 1
    }

    func merged(with other: CoarseHistogram) -> CoarseHistogram {
        var (sum, less) = (self, other)
        if sum.counts.count < less.counts.count { swap(&sum, &less) }
        for place in less.counts.indices { sum.counts[place] = sum.counts[place] &+ less.counts[place] }
        sum.count += less.count
        return sum
    }

    private static func place(of microseconds: Int64) -> Int {
        let shift = max(0, Int64.bitWidth - microseconds.leadingZeroBitCount - partBits - 1)
        return shift * part + Int(microseconds >> Int64(shift))
    }

    /// The first value of the next bucket, in nanoseconds: all in this one are below.
    private static func end(of place: Int) -> Int64 {
        let shift = max(0, place / part - 1)
        return ((Int64(place - shift * part) + 1) << Int64(shift)) * 1_000
    }

    private func value(at share: Double) -> Int64 {
        let wanted = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (place, count) in counts.enumerated() where count > 0 {
            seen += Int(count)
            if seen >= wanted { return Self.end(of: place) }
        }
        return 0
    }

    var row: LatencyCourse.Row { LatencyCourse.Row(count: count, p50: value(at: 0.5), p99: value(at: 0.99)) }
}
