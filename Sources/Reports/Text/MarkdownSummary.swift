// The run on half a page of GitHub-flavoured Markdown, for a pull request or a job summary.

import Basics
import Conformance
import Metrics
import Verdicts

struct MarkdownSummary {
    let record: RunRecord

    static func bytes(_ record: RunRecord) -> [UInt8] { Array(MarkdownSummary(record: record).text.utf8) }

    var text: String {
        let exit = record.exit
        var text = "## \(exit.tone.sign) \(escaped(record.name)): \(escaped(exit.word))\n\n"
        text += "\(escaped(record.verdictSentence)) "
        text += "Relay profile \(escaped(record.profile)), \(Numbers.count(record.correlation.sent)) events, "
        text += "\(Numbers.count(record.correlation.pushes)) pushes in \(Numbers.duration(record.duration)).\n\n"
        for reason in exit.reasons { text += "- \(escaped(reason))\n" }
        if !exit.reasons.isEmpty { text += "\n" }
        text += wrongAnswers + latency + classes + examples + gates + rules + soundness
        text += "Replay with seed \(record.seed):\n\n" + Escaping.markdownBlock(record.replayCommand, language: "sh")
        return text
    }

    private func escaped(_ text: String) -> String { Escaping.markdown(text) }

    /// The first column holds names, all others figures or words; `figures` columns are set flush right.
    private func table(_ heads: [String], figures: ClosedRange<Int>, _ rows: [[String]]) -> String {
        let rule = heads.indices.map { figures.contains($0) ? "---:" : ":---" }
        let lines = [heads, rule] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined() + "\n"
    }

    private var wrongAnswers: String {
        let c = record.correlation
        guard !c.wrongAnswers.isEmpty else { return "" }
        return table(
            ["Wrong answer of the relay", "calls", "body, or why there is none"], figures: 1...1,
            c.wrongAnswers.prefix(5).map { answer in
                [answer.status == 0 ? "none" : "\(answer.status)", Numbers.count(answer.count), escaped(answer.body)]
            })
    }

    private var examples: String {
        let lines = DeliveryClass.allCases.filter(\.isTrouble).compactMap { word in
            record.correlation.examples[word]?.first.map { example in
                "- \(word.rawValue), e.g. \(escaped(example.words)): \(escaped(example.more(in: record.directory)))\n"
            }
        }
        return lines.isEmpty ? "" : lines.joined() + "\n"
    }

    private var latency: String {
        let c = record.correlation
        let kinds = c.deliveryByKind.filter { $0.value.count > 0 }.sorted { $0.key < $1.key }
        var rows = kinds.map { ("delivery, " + $0.key, $0.value) }
        if kinds.count != 1, c.delivery.count > 0 { rows.append(("delivery, all", c.delivery)) }
        if c.answer.count > 0 { rows.append(("answer", c.answer)) }
        if c.lateness.count > 0 { rows.append(("our lateness", c.lateness)) }
        guard !rows.isEmpty else { return "No latency was measured.\n\n" }
        return (record.closedWords.map { "Closed load: \(escaped($0)).\n\n" } ?? "") + table(
            ["Latency", "samples", "p50", "p90", "p99", "p99.9", "max"], figures: 1...6,
            rows.map { name, histogram in
                [escaped(name), Numbers.count(histogram.count)]
                    + [50, 90, 99, 99.9, 100].map { histogram.text(at: $0) }
            })
    }

    private var classes: String {
        let c = record.correlation
        guard !c.classes.isEmpty else { return "" }
        let kinds = c.kindsInOrder + (c.classes.count > 1 ? [(key: "all", value: c.totals)] : [])
        return table(
            ["Pushes"] + DeliveryClass.allCases.map(\.rawValue), figures: 1...DeliveryClass.allCases.count,
            kinds.map { kind, counts in
                [escaped(kind)]
                    + DeliveryClass.allCases.map { Numbers.count(counts[$0] ?? 0) }
            })
    }

    private var gates: String {
        guard !record.gates.isEmpty else { return "" }
        return table(
            ["Gate", "measured", "result"], figures: 1...1,
            record.gates.map { [escaped($0.text), $0.valueText, $0.passed == false ? "**\($0.word)**" : $0.word] })
    }

    /// Only the rules that say something; the others are counted.
    private var rules: String {
        let loud = record.verdicts.filter { ![.kept, .notExercised].contains($0.standing) }
        guard !loud.isEmpty else { return "" }
        return table(
            ["Rule", "claims", "verdict", "first finding"], figures: 9...9,
            loud.map { result in
                let standing = result.standing
                return [
                    escaped(result.id), escaped(result.claims.joined(separator: ", ")),
                    standing.failsTheRun ? "**\(standing.word)**" : standing.word,
                    escaped(result.verdict.findings.first?.line ?? ""),
                ]
            })
            + loud.map { result in
                let finding = result.verdict.findings.first
                let more = finding.map { ". More: " + escaped($0.more(in: record.directory)) } ?? ""
                let replay = finding?.replay(in: record.directory).map { ". Replay: " + escaped($0) } ?? ""
                let call = finding?.call.map { ". Call: \(escaped($0.kind)) → \(escaped($0.answer))" } ?? ""
                let norm = "\(escaped(result.requirement)) Norm: \(escaped(result.norm))"
                return "- \(escaped(result.id)): \(norm)\(call). Change: \(escaped(result.change))\(more)\(replay)\n"
            }.joined() + "\n"
    }

    private var soundness: String {
        let failed = record.soundness.filter { !$0.passed }
        guard !failed.isEmpty else { return "" }
        return "Our own measuring is not sound:\n\n"
            + failed.map { "- \(escaped($0.name)): \(escaped($0.detail))\n" }.joined() + "\n"
    }
}
