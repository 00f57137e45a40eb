// One metric of both sides: how far it moved, how sure that is, and the word for it.

package import Basics
package import Scenarios
import Verdicts

/// What is to be compared: a metric as gates name it.
package struct DeclaredMetric: Hashable, Sendable {
    package var name: String
    package var measure: GateMeasure

    /// What is compared where nobody says: the usual and the slow delivery, and the slow answer.
    package static let usual: [DeclaredMetric] = [
        DeclaredMetric(name: "delivery.p50", measure: .latency(.delivery, kind: nil, .p50)),
        DeclaredMetric(name: "delivery.p99", measure: .latency(.delivery, kind: nil, .p99)),
        DeclaredMetric(name: "answer.p99", measure: .latency(.answer, kind: nil, .p99)),
    ]

    package init(name: String, measure: GateMeasure) { (self.name, self.measure) = (name, measure) }

    /// Throws a usage `Failure` for a word that is no metric, and for what says nothing of a relay.
    package init(parsing name: String) throws(Failure) {
        measure = try GateMeasure(parsing: name, kinds: nil)
        self.name = name
        func refuse(_ why: String) -> Failure {
            Failure(.usage, "`\(name)` cannot be compared: \(why)", hint: "such as --metric delivery.p99 or --metric relay.cpu")
        }
        switch measure {
        case .latency(.lateness, _, _): throw refuse("it is our own lateness, not the relay's")
        case .latency(_, _, .count), .peakSessions: throw refuse("the plan alone decides it")
        case .deliveries(.excused, _, _), .deliveries(.unsent, _, _), .deliveries(.undecided, _, _):
            throw refuse("it is neither better nor worse for a relay")
        default: break
        }
    }

    var isBetterWhenMore: Bool {
        switch measure {
        case .eventRate, .pushRate, .deliveries(.delivered, _, _): true
        default: false
        }
    }
}

/// Makes `ComparisonRecord.Metric` of figures. Pure.
package struct MetricTest: Sendable {
    /// How often any metric may be called worse or better where there is no difference.
    package static let alpha = 0.05

    package var design: ComparisonRecord.Design
    package var margin = Margin()
    /// How many metrics are declared.
    package var declared = 1
    package var chance: Seed
    /// Of one run a side: both have one plan, second by second.
    package var isOnePlan = true

    package init(design: ComparisonRecord.Design, declared: Int, chance: Seed) {
        (self.design, self.declared, self.chance) = (design, declared, chance)
    }

    /// Estimate, interval and chance of a metric whose figures stand in it; in pairs the same places belong together. The
    /// word is given by `decide`.
    package func measure(_ metric: inout ComparisonRecord.Metric) {
        guard !metric.base.isEmpty, !metric.new.isEmpty else {
            metric.reason = "there is no data"
            return
        }
        scale(&metric)
        let base = metric.base.map(metric.scale.figure)
        let new = metric.new.map(metric.scale.figure)
        let rearrangements: Rearrangements
        if design == .pairs {
            let pairs = zip(new, base).map { $0 - $1 }
            rearrangements = Rearrangements(pairs: pairs, chance: chance)
            metric.shift = Estimates.shift(pairs: pairs)
        } else {
            rearrangements = Rearrangements(base: base, new: new, chance: chance)
            metric.shift = Estimates.shift(base: base, new: new)
        }
        let interval = rearrangements.interval(alpha: Self.alpha)
        metric.low = interval.lowerBound.isFinite ? interval.lowerBound : nil
        metric.high = interval.upperBound.isFinite ? interval.upperBound : nil
        metric.chance = rearrangements.pValue
    }

    /// The same of one run a side, by its seconds. There is no chance to tell: how two runs differ is not known.
    func measure(_ metric: inout ComparisonRecord.Metric, _ base: IntervalFigures?, _ new: IntervalFigures?) {
        guard let one = metric.base.first, let other = metric.new.first else {
            metric.reason = "there is no data"
            return
        }
        scale(&metric)
        metric.shift = metric.scale.shift(from: one, to: other)
        guard let base, let new else {
            metric.reason = "one run a side, and it is not known by the second"
            return
        }
        let bootstrap = BlockBootstrap(seed: chance)
        let alpha = Self.alpha / Double(max(1, declared))
        let found = bootstrap.interval(
            base: base, new: new, scale: metric.scale, isOnePlan: isOnePlan, alpha: alpha)
        guard let interval = found else {
            metric.reason = "the runs are too short"
            return
        }
        (metric.low, metric.high) = (interval.lowerBound, interval.upperBound)
    }

    private func scale(_ metric: inout ComparisonRecord.Metric) {
        metric.scale = ShiftScale(metric.base + metric.new)
        metric.margin = margin.reach(
            metric.scale, base: Estimates.median(metric.base), isDuration: metric.unit == .nanoseconds)
    }

    /// Gives each its word, all declared ones taken into account.
    package func decide(_ metrics: inout [ComparisonRecord.Metric]) {
        let tested = metrics.indices.filter { metrics[$0].chance != nil }
        let adjusted = Estimates.holm(tested.map { metrics[$0].chance! })
        for (place, index) in tested.enumerated() { metrics[index].adjustedChance = adjusted[place] }
        for index in metrics.indices { metrics[index].word = word(metrics[index]) }
    }

    private func word(_ metric: ComparisonRecord.Metric) -> ComparisonRecord.Word {
        let (low, high) = (metric.low ?? -.infinity, metric.high ?? .infinity)
        guard let shift = metric.shift, metric.reason == nil else { return .undecided }
        if low >= -metric.margin, high <= metric.margin { return .same }
        // One run a side knows too little to be worse within the margin.
        let isCertain = design == .single
            ? low > metric.margin || high < -metric.margin : metric.adjustedChance ?? 1 <= Self.alpha
        guard isCertain else { return .undecided }
        return (shift > 0) == metric.isBetterWhenMore ? .better : .worse
    }

    /// Whether so many runs can show a difference at all, with every figure of one side above all of the other.
    package func canShow(base: Int, new: Int) -> Bool {
        let least = design == .pairs ? Rearrangements.leastP(pairs: base) : Rearrangements.leastP(base: base, new: new)
        return least * Double(max(1, declared)) <= Self.alpha
    }
}
