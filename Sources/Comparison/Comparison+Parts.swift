// The parts of a comparison's record that need no test.

import Conformance
import Metrics
import Verdicts

extension Comparison {
    static func side(_ records: [RunRecord]) -> ComparisonRecord.Side {
        var side = ComparisonRecord.Side()
        for record in records {
            side.runs.append(
                ComparisonRecord.Run(
                    directory: record.directory, startedAt: record.startedAt, seed: record.seed, exit: record.exit.word))
            side.delivery.merge(record.correlation.delivery)
            side.answer.merge(record.correlation.answer)
            for row in record.correlation.series { side.add(row) }
        }
        return side
    }

    static func percentiles(_ record: ComparisonRecord) -> [ComparisonRecord.Percentile] {
        let histograms = [
            ("delivery", record.base.delivery, record.new.delivery), ("answer", record.base.answer, record.new.answer),
        ]
        return histograms.filter { $0.1.count > 0 || $0.2.count > 0 }.flatMap { name, base, new in
            [50, 90, 99, 99.9].map { percentile in
                ComparisonRecord.Percentile(
                    name: name, percentile: percentile, base: RankedPercentile(percentile, of: base),
                    new: RankedPercentile(percentile, of: new))
            }
        }
    }

    static func uses(_ base: [RunFigures], _ new: [RunFigures]) -> [ComparisonRecord.Use] {
        func middle(_ runs: [RunFigures], _ figure: (RunFigures) -> Double?) -> Double? {
            let figures = runs.compactMap(figure)
            return figures.isEmpty ? nil : Estimates.median(figures)
        }
        let processor: (RunFigures) -> Double? = { $0.processorPerPush }
        let memory: (RunFigures) -> Double? = { $0.memoryPeak }
        let memoryPerPush: (RunFigures) -> Double? = { run in
            let pushes = run.record.correlation.pushes
            return pushes > 0 ? run.memoryPeak.map { $0 / Double(pushes) } : nil
        }
        return [
            ComparisonRecord.Use(
                name: "processor per push", unit: .nanoseconds, base: middle(base, processor), new: middle(new, processor)),
            ComparisonRecord.Use(
                name: "memory per push", unit: .bytes, base: middle(base, memoryPerPush), new: middle(new, memoryPerPush)),
            ComparisonRecord.Use(name: "memory, most", unit: .bytes, base: middle(base, memory), new: middle(new, memory)),
        ]
    }

    static func remarks(_ record: ComparisonRecord) -> [String] {
        var remarks = record.remarks
        if record.design == .single {
            remarks.append(
                "within one run only: how two runs of the same relay differ is not known; drawn again "
                    + "\(BlockBootstrap.draws) times from blocks of \(BlockBootstrap.usualBlock) s, seed \(record.seed)")
        }
        let (base, new) = (record.base.runs.map(\.startedAt), record.new.runs.map(\.startedAt))
        if base.count > 1, new.count > 1, base.max()! < new.min()! || new.max()! < base.min()! {
            remarks.append(
                "all runs of one side came before those of the other: a machine that drifts looks like a relay that does; "
                    + "pushrig compare --live plays them in turn")
        }
        return remarks
    }

    /// 4: a new must is proven broken; 3: something is worse; 5: something is undecided; else 0.
    static func exit(_ record: ComparisonRecord) -> ComparisonRecord.Exit {
        let broken = record.rules.filter { $0.change == .broken && $0.level == .must }
        let musts = broken.filter(\.isProven)
        let worse = record.metrics.filter { $0.word == .worse }.map(\.name)
            + record.counts.filter { $0.word == .worse }.map(\.name)
        let open = record.metrics.filter { $0.word == .undecided }
        let better = record.metrics.filter { $0.word == .better }.map(\.name)
            + record.counts.filter { $0.word == .better }.map(\.name)
        if !musts.isEmpty {
            let reasons = musts.map { "\($0.id) is broken, and was not before" } + worse.map { "\($0) is worse" }
            return ComparisonRecord.Exit(code: 4, word: "a must is newly broken", reasons: reasons)
        }
        if !worse.isEmpty { return ComparisonRecord.Exit(code: 3, word: "worse", reasons: worse.map { "\($0) is worse" }) }
        guard open.isEmpty, broken.isEmpty, !record.metrics.isEmpty else {
            let noise = record.design == .single
                ? "its seconds differ too much among themselves" : "the runs differ too much among themselves"
            let doubtful = broken.map { "\($0.id) is broken, and not by sound evidence, or is known to be" }
            let reasons = doubtful + open.map { "\($0.name) is undecided: \($0.reason ?? noise)" }
            return ComparisonRecord.Exit(
                code: 5, word: "undecided", reasons: reasons.isEmpty ? ["nothing was measured"] : reasons)
        }
        return ComparisonRecord.Exit(
            code: 0, word: better.isEmpty ? "same" : "better", reasons: better.map { "\($0) is better" })
    }
}

extension ComparisonRecord.Side {
    fileprivate mutating func add(_ row: SeriesRow) {
        while series.count <= row.second { series.append(SeriesRow(second: series.count)) }
        let second = row.second
        series[second].planned += row.planned
        series[second].pushes += row.pushes
        series[second].errors += row.errors
        series[second].deliveries += row.deliveries
        series[second].deliveryMicroseconds += row.deliveryMicroseconds
        series[second].slowestMicroseconds = max(series[second].slowestMicroseconds, row.slowestMicroseconds)
    }
}
