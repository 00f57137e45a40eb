// How often the comparison would raise a false alarm on these very runs: one side is split at random, again and again.

import Basics
import Scenarios

package struct SelfCheck: Hashable, Sendable {
    /// How often the runs were split.
    package var splits: Int
    /// How many of these said worse or better.
    package var alarms: Int
    /// How many runs the smaller half has.
    package var half: Int
    /// What the first half of the runs is against the second, in order of time: a machine that drifts shows here.
    package var inOrder: ComparisonRecord.Word

    package static let most = 400

    package var rate: Double { splits == 0 ? 0 : Double(alarms) / Double(splits) }

    /// The greatest rate that `MetricTest.alpha` explains, three deviations up.
    package var limit: Double {
        MetricTest.alpha + 3 * (MetricTest.alpha * (1 - MetricTest.alpha) / Double(max(1, splits))).squareRoot()
    }

    /// `metrics` holds the figures of one side in `base`, in order of time; all of as many runs.
    init?(_ metrics: [ComparisonRecord.Metric], margin: Margin, seed: Seed) {
        let full = metrics.filter { !$0.base.isEmpty }
        guard let count = full.map(\.base.count).min(), count >= 4 else { return nil }
        half = count / 2
        splits = Self.most
        alarms = 0
        var generator = seed.child("self-check").generator()
        var test = MetricTest(design: .runs, declared: full.count, chance: seed)
        test.margin = margin
        func words(_ order: [Int]) -> [ComparisonRecord.Word] {
            var split = full.map { metric in
                var metric = metric
                metric.new = order[..<(count / 2)].map { metric.base[$0] }
                metric.base = order[(count / 2)...].map { metric.base[$0] }
                return metric
            }
            for index in split.indices { test.measure(&split[index]) }
            test.decide(&split)
            return split.map(\.word)
        }
        for _ in 0..<splits {
            let order = (0..<count).shuffled(using: &generator)
            if words(order).contains(where: { $0 == .worse || $0 == .better }) { alarms += 1 }
        }
        let inTime = words(Array((count / 2)..<count) + Array(0..<(count / 2)))
        inOrder = inTime.first { $0 == .worse } ?? inTime.first { $0 == .better } ?? inTime.first { $0 == .undecided } ?? .same
    }
}
