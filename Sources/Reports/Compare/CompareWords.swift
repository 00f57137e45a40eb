// A comparison in words and figures, the same for the terminal, Markdown and the page.

import Basics
import Comparison
import Conformance
import Glibc
import Verdicts

extension ComparisonRecord.Word {
    var tone: Tone {
        switch self {
        case .worse: .bad
        case .better, .same: .ok
        case .undecided: .warn
        }
    }
}

extension ComparisonRecord.Exit {
    var tone: Tone { code == 0 ? .ok : code == 5 ? .warn : .bad }
}

extension ComparisonRecord.Rule {
    var tone: Tone {
        switch change {
        case .broken: level == .must ? .bad : .warn
        case .healed: .ok
        case .differs: .warn
        }
    }

    var words: String {
        switch change {
        case .broken: "newly broken"
        case .healed: "healed"
        case .differs: "not as often"
        }
    }
}

extension ComparisonRecord.Metric {
    /// The middle one of a side's runs.
    func middle(_ figures: [Double]) -> String {
        figures.isEmpty ? "no data" : unit.text(of: Estimates.median(figures))
    }

    var change: String { shift.map(told) ?? "" }

    /// `+3.1 … +9.8 %`; an end that is not there is `?`.
    var interval: String {
        guard low != nil || high != nil else { return "" }
        return "\(low.map(told) ?? "?") … \(high.map(told) ?? "?")"
    }

    /// `p 0.016`, all declared metrics taken into account.
    var chanceText: String { adjustedChance.map { CompareWords.chance($0) } ?? "" }

    private func told(_ shift: Double) -> String {
        guard scale == .ratio else {
            let size = unit.text(of: abs(shift))
            return shift == 0 ? size : (shift < 0 ? "-" : "+") + size
        }
        return CompareWords.percent(exp(shift) - 1)
    }
}

enum CompareWords {
    /// A change with its sign: `+9.8 %`.
    static func percent(_ share: Double) -> String {
        guard share.isFinite else { return "–" }
        let percent = share * 100
        let text = Numbers.trimmed(abs(percent), places: abs(percent) >= 100 ? 0 : 1)
        return (text == "0" ? "" : percent < 0 ? "-" : "+") + text + " %"
    }

    static func chance(_ value: Double) -> String { value < 0.001 ? "< 0.001" : Numbers.trimmed(value, places: 3) }

    /// The counts of a side's runs: `0`, `3`, `2 to 5`.
    static func range(_ counts: [Int]) -> String {
        guard let least = counts.min(), let most = counts.max() else { return "–" }
        return least == most ? Numbers.count(least) : "\(Numbers.count(least)) to \(Numbers.count(most))"
    }

    static func ranked(_ ranked: RankedPercentile?) -> String {
        guard let ranked else { return "–" }
        let value = Numbers.duration(nanoseconds: ranked.value)
        return "\(value) (\(Numbers.duration(nanoseconds: ranked.low)) … \(Numbers.duration(nanoseconds: ranked.high)))"
    }

    /// A figure of both sides and how much more the new one is.
    static func change(_ base: Double?, _ new: Double?) -> String {
        guard let base, let new, base > 0 else { return "" }
        return percent(new / base - 1)
    }

    /// What came of it, in one sentence without its period.
    static func sentence(_ record: ComparisonRecord) -> String {
        let metrics = record.metrics.map { "\($0.name) \($0.word.rawValue)" + ($0.change.isEmpty ? "" : " (\($0.change))") }
        let counts = record.counts.filter { $0.word == .worse || $0.word == .better }.map { "\($0.name) \($0.word.rawValue)" }
        let broken = record.rules.count { $0.change == .broken }
        let healed = record.rules.count { $0.change == .healed }
        let rules = (broken > 0 ? ["\(Numbers.count(broken, "rule")) newly broken"] : [])
            + (healed > 0 ? ["\(Numbers.count(healed, "rule")) healed"] : [])
        let all = rules + counts + metrics
        return (all.isEmpty ? "nothing was measured" : all.joined(separator: ", ")) + "; " + design(record)
    }

    static func design(_ record: ComparisonRecord) -> String {
        switch record.design {
        case .pairs: "\(Numbers.count(record.base.runs.count, "pair")) in turn"
        case .runs: "\(record.base.runs.count) and \(Numbers.count(record.new.runs.count, "run"))"
        case .single: "one run each"
        }
    }

    static func rule(_ rule: ComparisonRecord.Rule, _ record: ComparisonRecord) -> String {
        "\(rule.level.rawValue), broken in \(rule.base) of \(Numbers.count(record.base.runs.count, "run")) before, "
            + "\(rule.new) of \(record.new.runs.count) now"
    }

    static func selfCheck(_ check: SelfCheck) -> String {
        let few = check.half < Comparison.leastRuns ? ", too few to tell anything apart" : ""
        return "self-check: \(Numbers.count(check.alarms)) of \(Numbers.count(check.splits)) random halves of one side "
            + "were told apart, \(Numbers.percent(check.rate)) (at most \(Numbers.percent(MetricTest.alpha)) is promised); "
            + "halves of \(Numbers.count(check.half, "run"))\(few); the later half against the earlier: "
            + check.inOrder.rawValue
    }
}
