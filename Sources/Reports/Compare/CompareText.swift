// A comparison on the terminal: a table, and a sentence last, where the eye is.

package import Comparison
import Verdicts

package enum CompareText {
    package static func text(_ record: ComparisonRecord, color: Bool) -> String {
        let ink = Ink(isOn: color)
        var text = ink.bold(safe(record.name)) + "  "
            + ink.dim(
                "profile \(safe(record.profile)), \(CompareWords.design(record)), the same is within ± \(record.margin)") + "\n"
        for remark in record.remarks { text += ink.tone(.warn, "note") + "  \(safe(remark))\n" }
        text += "\n" + table(
            ["metric", "base", "new", "change", "95 % interval", "p", ""],
            record.metrics.map { metric in
                [
                    safe(metric.name), metric.middle(metric.base), metric.middle(metric.new), metric.change, metric.interval,
                    metric.chanceText, metric.word.rawValue + (metric.reason.map { ": " + $0 } ?? ""),
                ]
            })
        let counts = record.counts.filter { $0.word != .same || $0.base.contains { $0 > 0 } }
        let zero = record.counts.filter { count in !counts.contains(count) }
        if !counts.isEmpty {
            text += "\n" + table(
                ["count", "base", "new", ""],
                counts.map { [$0.name, CompareWords.range($0.base), CompareWords.range($0.new), $0.word.rawValue] })
        }
        if !zero.isEmpty { text += ink.dim("none on either side: \(zero.map(\.name).joined(separator: ", "))") + "\n" }
        for rule in record.rules {
            text += "\n" + ink.tone(rule.tone, rule.words) + "  \(safe(rule.id)) (\(CompareWords.rule(rule, record))): "
                + "\(safe(rule.requirement))\n"
            if !rule.finding.isEmpty { text += "  \(safe(rule.finding))\n" }
            text += "  pushrig report \(safe(rule.directory))\n"
        }
        text += "\n" + table(
            ["all runs together", "base (95 % by rank)", "new (95 % by rank)"],
            record.percentiles.map { row in
                [
                    "\(row.name) \(Numbers.percentile(row.percentile))", CompareWords.ranked(row.base),
                    CompareWords.ranked(row.new),
                ]
            })
        let uses = record.uses.filter { $0.base != nil || $0.new != nil }
        if !uses.isEmpty {
            text += "\n" + table(
                ["of the relay", "base", "new", "change"],
                uses.map { use in
                    [
                        use.name, use.base.map { use.unit.text(of: $0) } ?? "–",
                        use.new.map { use.unit.text(of: $0) } ?? "–", CompareWords.change(use.base, use.new),
                    ]
                })
        }
        if let difference = record.firstDifference { text += "\nthe first push that differs: \(safe(difference))\n" }
        if let check = record.selfCheck { text += "\n\(CompareWords.selfCheck(check))\n" }
        text += "\n" + ink.tone(record.exit.tone, ink.bold(record.exit.word.uppercased()))
            + "  \(safe(CompareWords.sentence(record)))\n"
        for reason in record.exit.reasons { text += "  - \(safe(reason))\n" }
        return text
    }

    /// What a self-check of one side came to.
    package static func text(_ check: SelfCheck) -> String { CompareWords.selfCheck(check) + "\n" }

    /// Columns flush left, as wide as their widest cell.
    private static func table(_ heads: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let all = [heads] + rows
        let widths = heads.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    private static func safe(_ text: String) -> String { Escaping.terminal(text) }
}
