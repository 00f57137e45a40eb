// Two sides of runs in, the record of their comparison out. Pure: it reads no file and draws from one seed.

package import Basics
import Metrics
import Scenarios
package import Verdicts

package enum Comparison {
    package struct Options: Sendable {
        package var metrics: [DeclaredMetric]
        package var margin = Margin()
        package var seed: UInt64 = 1
        package var checksItself = false

        /// `metrics` empty: the usual ones.
        package init(metrics: [DeclaredMetric] = []) { self.metrics = metrics }
    }

    /// Pairs are fewer than this never significant, and are then taken as runs.
    static let leastPairs = 6
    /// So many runs a side can show a difference.
    package static let leastRuns = 5

    /// Throws a usage `Failure` where the runs cannot be compared. Both sides have at least one run.
    package static func compare(
        _ base: [RunFigures], _ new: [RunFigures], _ options: Options
    ) throws(Failure) -> ComparisonRecord {
        precondition(!base.isEmpty && !new.isEmpty, "two sides")
        let base = base.sorted { $0.record.startedAt < $1.record.startedAt }
        let new = new.sorted { $0.record.startedAt < $1.record.startedAt }
        try Comparability.check(base.map(\.record), new.map(\.record))
        var record = ComparisonRecord()
        let first = base[0].record
        (record.name, record.profile, record.toolVersion) = (first.name, first.profile, first.toolVersion)
        (record.seed, record.margin) = (options.seed, options.margin)
        record.design = design(base.map(\.record), new.map(\.record))
        record.base = side(base.map(\.record))
        record.new = side(new.map(\.record))
        let declared = options.metrics.isEmpty ? DeclaredMetric.usual : options.metrics
        measure(declared, base, new, isUsual: options.metrics.isEmpty, &record)
        record.counts = ExactFacts.counts(base.map(\.record), new.map(\.record))
        record.rules = ExactFacts.rules(base.map(\.record), new.map(\.record))
        record.percentiles = percentiles(record)
        record.uses = uses(base, new)
        record.remarks = remarks(record)
        if options.checksItself {
            record.selfCheck = SelfCheck(record.metrics, margin: options.margin, seed: Seed(options.seed))
            if record.selfCheck == nil { record.remarks.append("the base has too few runs to be split: at least 4, better 10") }
        }
        record.exit = exit(record)
        return record
    }

    /// How often the comparison raises a false alarm on one side alone; nil where there are too few runs.
    package static func selfCheck(_ runs: [RunFigures], _ options: Options) throws(Failure) -> SelfCheck? {
        let runs = runs.sorted { $0.record.startedAt < $1.record.startedAt }
        try Comparability.check(runs.map(\.record), runs.map(\.record))
        let declared = options.metrics.isEmpty ? DeclaredMetric.usual : options.metrics
        let metrics = declared.map { figures($0, runs, []) }
        return SelfCheck(metrics, margin: options.margin, seed: Seed(options.seed))
    }

    private static func measure(
        _ declared: [DeclaredMetric], _ base: [RunFigures], _ new: [RunFigures], isUsual: Bool, _ record: inout ComparisonRecord
    ) {
        var metrics = declared.map { (declared: $0, metric: figures($0, base, new)) }
        // What the scenario has none of need not be decided, unless somebody asks.
        if isUsual { metrics.removeAll { $0.metric.base.isEmpty && $0.metric.new.isEmpty } }
        var test = MetricTest(design: record.design, declared: metrics.count, chance: Seed(record.seed))
        test.margin = record.margin
        var measured: [ComparisonRecord.Metric] = []
        for item in metrics {
            var metric = item.metric
            if metric.base.count < base.count || metric.new.count < new.count, !metric.base.isEmpty || !metric.new.isEmpty {
                metric.reason = "not every run has data"
            } else if record.design == .single {
                test.measure(
                    &metric, IntervalFigures(item.declared.measure, base[0].record),
                    IntervalFigures(item.declared.measure, new[0].record))
            } else {
                test.measure(&metric)
            }
            measured.append(metric)
        }
        test.decide(&measured)
        record.metrics = measured
        if record.design != .single, !measured.isEmpty, !test.canShow(base: base.count, new: new.count) {
            record.remarks = [tooFew(record, test)]
        }
    }

    private static func tooFew(_ record: ComparisonRecord, _ test: MetricTest) -> String {
        var count = record.design == .pairs ? leastPairs : leastRuns
        while !test.canShow(base: count, new: count) { count += 1 }
        let what = record.design == .pairs ? Numbers.count(record.base.runs.count, "pair")
            : "\(record.base.runs.count) and \(Numbers.count(record.new.runs.count, "run"))"
        return "\(what) of \(Numbers.count(test.declared, "metric")) cannot show any difference, however great: at least "
            + "\(count) \(record.design == .pairs ? "pairs" : "runs a side") can, or fewer metrics"
    }

    private static func figures(
        _ metric: DeclaredMetric, _ base: [RunFigures], _ new: [RunFigures]
    ) -> ComparisonRecord.Metric {
        ComparisonRecord.Metric(
            name: metric.name, unit: RunFigures.unit(of: metric.measure),
            base: base.compactMap { $0.value(of: metric.measure) }, new: new.compactMap { $0.value(of: metric.measure) },
            isBetterWhenMore: metric.isBetterWhenMore)
    }

    /// Pairs are runs of one seed that followed each other, one of each side.
    static func design(_ base: [RunRecord], _ new: [RunRecord]) -> ComparisonRecord.Design {
        if base.count == 1, new.count == 1 { return .single }
        guard base.count == new.count, base.count >= leastPairs else { return .runs }
        let all = (base.map { ($0, false) } + new.map { ($0, true) }).sorted { $0.0.startedAt < $1.0.startedAt }
        let isPaired = stride(from: 0, to: all.count, by: 2).allSatisfy { place in
            all[place].1 != all[place + 1].1 && all[place].0.seed == all[place + 1].0.seed
        }
        return isPaired ? .pairs : .runs
    }
}
