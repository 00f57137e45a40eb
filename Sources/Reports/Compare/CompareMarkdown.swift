// A comparison on half a page of GitHub-flavoured Markdown, for a pull request.

package import Comparison
import Verdicts

package struct CompareMarkdown {
    let record: ComparisonRecord

    package init(record: ComparisonRecord) { self.record = record }

    package var text: String {
        let exit = record.exit
        var text = "## \(exit.tone.sign) \(escaped(record.name)), compared: \(escaped(exit.word))\n\n"
        text += "\(escaped(CompareWords.sentence(record))). The same is within ± \(escaped(record.margin.description)).\n\n"
        for remark in record.remarks { text += "- Note: \(escaped(remark))\n" }
        for reason in exit.reasons { text += "- \(escaped(reason))\n" }
        if !record.remarks.isEmpty || !exit.reasons.isEmpty { text += "\n" }
        text += table(
            ["Metric", "base", "new", "change", "95 % interval", "p", "verdict"], figures: 1...5,
            record.metrics.map { metric in
                [
                    escaped(metric.name), metric.middle(metric.base), metric.middle(metric.new), metric.change,
                    metric.interval, escaped(metric.chanceText), word(metric.word),
                ]
            })
        let counts = record.counts.filter { $0.word != .same || $0.base.contains { $0 > 0 } }
        text += table(
            ["Count, by run", "base", "new", "verdict"], figures: 1...2,
            counts.map { [escaped($0.name), CompareWords.range($0.base), CompareWords.range($0.new), word($0.word)] })
        text += table(
            ["Rule", "what became of it", "runs", "first finding"], figures: 9...9,
            record.rules.map { rule in
                [
                    escaped(rule.id), rule.tone == .bad ? "**\(rule.words)**" : rule.words,
                    escaped(CompareWords.rule(rule, record)), escaped(rule.finding),
                ]
            })
        text += table(
            ["Of the relay", "base", "new", "change"], figures: 1...3,
            record.uses.filter { $0.base != nil || $0.new != nil }.map { use in
                [
                    use.name, use.base.map { use.unit.text(of: $0) } ?? "–",
                    use.new.map { use.unit.text(of: $0) } ?? "–", CompareWords.change(use.base, use.new),
                ]
            })
        if let difference = record.firstDifference { text += "The first push that differs: \(escaped(difference)).\n\n" }
        if let check = record.selfCheck { text += "\(escaped(CompareWords.selfCheck(check))).\n\n" }
        guard !record.command.isEmpty else { return text }
        return text + "Again:\n\n" + Escaping.markdownBlock(record.command, language: "sh")
    }

    private func word(_ word: ComparisonRecord.Word) -> String { word == .worse ? "**worse**" : word.rawValue }
    private func escaped(_ text: String) -> String { Escaping.markdown(text) }

    private func table(_ heads: [String], figures: ClosedRange<Int>, _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let rule = heads.indices.map { figures.contains($0) ? "---:" : ":---" }
        return ([heads, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined() + "\n"
    }
}
