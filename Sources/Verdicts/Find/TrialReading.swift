// What a trial's run says: whether it counts, and whether each goal held.

import Basics
package import Capacity
import Conformance
import Metrics
package import Scenarios

package struct TrialReading: Sendable {
    /// Why it says nothing of the relay; nil: it does.
    package private(set) var void: String?
    package private(set) var words: [TrialWord] = []
    /// Why a goal did not hold, or is not known to, in words.
    package private(set) var reasons: [String] = []
    package private(set) var figures = FindRecord.Figures()

    /// The least share of the plan that has to be offered.
    private static let leastOffered = 0.999
    /// What of ours that is not sound spoils a trial. That the relay left something open, or was not steady, is its doing.
    private static let spoiling: Set<String> = [
        "our lateness", "our queues", "our order", "the history is whole", "the plan is the same",
        "the run came to its end", "nothing of ours failed", "processors to spare",
    ]

    /// `goals` are the gates of each goal, by their texts, which the run had; `common` those that every load has to hold.
    /// `demandsMusts`: the confirmation asks for all rules that must be kept. `waits`: those of a relay that lives through all
    /// trials, which the run does not know.
    package init(
        _ record: RunRecord, goals: [[Gate]], common: [Gate], demandsMusts: Bool = false, waits: ProcessorWaits? = nil
    ) {
        read(record)
        void = Self.void(record)
        guard void == nil else { return }
        let results = Dictionary(record.gates.map { ($0.text, $0) }) { first, _ in first }
        var badReasons = 0
        // What a goal that was missed rests on.
        var blame: Rule.Basis = []
        func word(_ gate: Gate) -> TrialWord {
            let result = results[gate.text]
            let word = result.map { Self.word(gate, $0, record) } ?? .undecided
            guard word != .good else { return word }
            if word == .bad { blame.formUnion(gate.measure.isOfTime ? .timing : .absence) }
            let measured = result?.value == nil ? "without data" : "measured \(result?.valueText ?? "")"
            let reason = "\(gate.text), \(measured)" + (word == .undecided ? result?.doubt.map { ": \($0)" } ?? "" : "")
            guard !reasons.contains(reason) else { return word }
            reasons.insert(reason, at: word == .bad ? badReasons : reasons.count)
            if word == .bad { badReasons += 1 }
            return word
        }
        let shared = common.map(word)
        for goal in goals {
            let all = goal.map(word) + shared
            words.append(all.contains(.bad) ? .bad : all.contains(.undecided) ? .undecided : .good)
        }
        if demandsMusts, !figures.broken.isEmpty {
            words = words.map { _ in .bad }
            reasons += figures.broken.map { "\($0) is broken" }
            for rule in record.verdicts where figures.broken.contains(rule.id) { blame.formUnion(rule.basis) }
        }
        guard let waits, !waits.costs().isDisjoint(with: blame) else { return }
        (void, words, reasons) = ("processors to spare: \(waits.words(isInDoubt: true))", [], [])
    }

    private static func void(_ record: RunRecord) -> String? {
        if let check = record.soundness.first(where: { !$0.passed && spoiling.contains($0.name) }) {
            return "\(check.name): \(check.detail)"
        }
        let busiest = record.load.busiestThread
        if busiest >= Soundness.mostUse { return "a thread of ours was busy for \(busiest / 10) % of the load" }
        if record.exit.code == 1 { return record.exit.reasons.first ?? record.exit.word }
        let planned = record.load.planned
        guard Double(record.load.sent) >= leastOffered * Double(planned) else {
            return "\(record.load.sent) of \(planned) planned events were offered"
        }
        return planned == 0 ? "nothing was planned" : nil
    }

    /// A percentile that chance may have put on this side of its threshold tells nothing, and so does a gate without data.
    private static func word(_ gate: Gate, _ result: RunRecord.GateResult, _ record: RunRecord) -> TrialWord {
        guard let passed = result.passed else { return .undecided }
        // Of staleness the counts are time, and no samples.
        guard case .latency(let latency, let kind, let statistic) = gate.measure, latency != .staleness,
            let percentile = statistic.percentile, let histogram = latency.histogram(kind, record.correlation),
            histogram.count > 0
        else { return passed ? .good : .bad }
        let above = Int((1 - histogram.share(upTo: Int64(gate.threshold))) * Double(histogram.count) + 0.5)
        let allowed = 1 - percentile / 100
        let bounds = BinomialBounds(above, of: Int(histogram.count))
        if passed { return bounds.upper <= allowed ? .good : .undecided }
        return bounds.lower > allowed ? .bad : .undecided
    }

    private mutating func read(_ record: RunRecord) {
        let c = record.correlation
        figures.planned = record.load.planned
        figures.sent = record.load.sent
        func value(_ histogram: Histogram, _ percentile: Double) -> Double? {
            histogram.count > 0 ? Double(histogram.value(at: percentile)) : nil
        }
        figures.p50 = value(c.delivery, 50)
        figures.p99 = value(c.delivery, 99)
        figures.staleness = value(c.staleness, 99)
        figures.lateness = value(c.lateness, 99)
        figures.slope = record.gates.first { $0.unit == .slope }?.value
        if c.expected > 0 { figures.lostShare = Double(c.count(.lost)) / Double(c.expected) }
        if c.events > 0 { figures.errorShare = Double(c.failed + c.dropped) / Double(c.events) }
        figures.broken = record.proof.broken
    }
}
