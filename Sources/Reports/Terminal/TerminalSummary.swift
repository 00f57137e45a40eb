// The text at the end of `pushrig run`: a screenful, with the verdict last, where the eye is.

import Basics
package import Conformance
import Metrics
package import Sessions
package import Verdicts

package enum TerminalSummary {
    /// What happened; `color` adds ANSI colours. `directory` is named as the place of the full report.
    /// `sessions` nil: nothing is known of them.
    package static func renderText(
        _ record: RunRecord, _ sessions: SessionsSeen? = nil, color: Bool, directory: String? = nil
    ) -> String {
        TerminalText(record: record, sessions: sessions, ink: Ink(isOn: color), directory: directory).text
    }

    /// What happened around something, as findings have it; an arrow points to what is meant.
    package static func history(_ lines: [HistoryLine]) -> [String] { RuleEvidence.history(lines) }
}

/// ANSI colours, or nothing.
struct Ink {
    var isOn: Bool

    func bold(_ text: String) -> String { wrap("1", text) }
    func dim(_ text: String) -> String { wrap("2", text) }
    func tone(_ tone: Tone, _ text: String) -> String {
        switch tone {
        case .ok: wrap("32", text)
        case .bad: wrap("31", text)
        case .warn: wrap("33", text)
        case .calm: dim(text)
        }
    }

    private func wrap(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

private struct TerminalText {
    let record: RunRecord
    let sessions: SessionsSeen?
    let ink: Ink
    let directory: String?

    var text: String {
        // What could not run has nothing to show but why.
        let parts =
            record.exit.code == 1 && record.correlation.sent == 0
            ? [verdict] : [wrongAnswers, head, latency, deliveries + cards, gates, rules, soundness, verdict]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// First of all: they often explain what follows.
    private var wrongAnswers: String {
        let c = record.correlation
        let ends = record.relayEnds.prefix(3).map { ink.tone(.bad, safe($0)) + "\n" }.joined()
        let lines = c.wrongAnswers.prefix(3).map { answer in
            ink.tone(.bad, "the relay answered") + " \(Numbers.count(answer.count)) of \(Numbers.count(c.sent)) calls with "
                + (answer.status == 0 ? "nothing" : "\(answer.status)") + (answer.body.isEmpty ? "" : ": \(safe(answer.body))")
                + "\n"
        }
        let others = c.wrongAnswers.count - lines.count
        return ends + lines.joined() + (others > 0 ? "and \(Numbers.count(others, "other wrong answer"))\n" : "")
    }

    private var head: String {
        let c = record.correlation
        return ink.bold(safe(record.name)) + "  "
            + ink.dim("profile \(safe(record.profile)), seed \(record.seed), \(Numbers.duration(record.duration))")
            + "\n"
            + "\(Numbers.count(c.sent)) events sent, \(Numbers.count(c.answered)) answered, "
            + "\(Numbers.count(c.failed)) failed; \(Numbers.count(c.pushes)) requests reached the mock; "
            + "\(Numbers.count(c.peakSessions)) sessions at the peak\n"
    }

    private var latency: String {
        let c = record.correlation
        let kinds = c.deliveryByKind.filter { $0.value.count > 0 }.sorted { $0.key < $1.key }
        let rows =
            kinds.map { ("delivery " + $0.key, $0.value) }
            + [("answer", c.answer), ("answer, from sending", c.answerUncorrected), ("our lateness", c.lateness)]
            .filter { $0.1.count > 0 }
        guard !rows.isEmpty else { return "No latency was measured.\n" }
        let closed = record.closedWords.map { ink.tone(.warn, "closed") + "      \($0)\n" } ?? ""
        return closed + grid(
            ["latency", "samples", "p50", "p90", "p99", "p99.9", "max"],
            rows.map { name, histogram in
                [name, Numbers.count(histogram.count)] + [50, 90, 99, 99.9, 100].map { histogram.text(at: $0) }
            })
    }

    private var deliveries: String {
        let c = record.correlation
        guard c.expected > 0 || !c.totals.isEmpty else { return "" }
        var lines =
            "deliveries  \(Numbers.count(c.expected)) expected: "
            + words(DeliveryClass.ofExpectations, always: [.delivered, .lost]) + "\n"
        let beside = words(DeliveryClass.ofPushes, always: [])
        if !beside.isEmpty { lines += "beside      \(beside)\n" }
        for (excuse, count) in c.excuses.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(4) {
            lines += "excused     \(Numbers.count(count)) by \(safe(excuse))\n"
        }
        for (lack, count) in c.withheldFor.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(4) {
            lines += "unsent      \(Numbers.count(count)) calls: \(safe(lack))\n"
        }
        if c.retired > 0 {
            lines += "unsent      \(Numbers.count(c.retired)) calls: the relay had told that their token is dead\n"
        }
        if c.throttled > 0 {
            let tries = Numbers.count(c.triedAgain)
            lines += "throttled   \(Numbers.count(c.throttled)) answers of the relay; \(tries) tries again\n"
        }
        let errors = c.reasons.filter { $0.key != "200" }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !errors.isEmpty {
            let named = errors.prefix(4).map { "\(safe($0.key)) × \(Numbers.count($0.value))" }
            lines += "refusals    " + named.joined(separator: ", ") + (errors.count > 4 ? ", …" : "") + "\n"
        }
        return lines + examples
    }

    /// The session whose card was oldest.
    private var cards: String {
        guard let sessions, let worst = sessions.worst.first else { return "" }
        return "cards       the oldest was \(Numbers.duration(worst.age)) old, of session \(worst.session) at "
            + "\(Numbers.offset(worst.at)): "
            + ink.dim(safe(worst.more(in: record.directory))) + "\n"
    }

    private func words(_ classes: [DeliveryClass], always: Set<DeliveryClass>) -> String {
        classes.compactMap { word -> String? in
            let value = record.correlation.count(word)
            guard value > 0 || always.contains(word) else { return nil }
            let text = "\(Numbers.count(value)) \(word.rawValue)"
            return word.isTrouble && value > 0 ? ink.tone(.bad, text) : text
        }.joined(separator: ", ")
    }

    /// One of each class that the relay has to answer for.
    private var examples: String {
        DeliveryClass.allCases.filter(\.isTrouble).compactMap { word in
            record.correlation.examples[word]?.first.map { example in
                let fill = padded(word.rawValue, 11)
                return "\(fill) e.g. \(safe(example.words)): \(ink.dim(safe(example.more(in: record.directory))))\n"
            }
        }.joined()
    }

    private var gates: String {
        record.gates.map { gate in
            "gate  \(ink.tone(gate.tone, padded(gate.word, 9)))  \(safe(gate.text))  "
                + ink.dim("measured \(gate.valueText)") + "\n"
        }.joined()
    }

    private var rules: String {
        let loud = record.verdicts.filter { ![.kept, .notExercised].contains($0.standing) }
        return (loud.isEmpty ? "" : ink.dim(RuleEvidence.legend) + "\n") + loud.map { result in
            "rule  \(ink.tone(result.standing.tone, padded(result.standing.word, 11)))  "
                + "\(safe(result.id)) (\(safe(result.claims.joined(separator: ", "))))\n"
                + RuleEvidence.lines(result, in: record.directory).map { "        \($0)\n" }.joined()
        }.joined()
    }

    private var soundness: String {
        record.soundness.filter { !$0.passed }.map { check in
            "own   \(ink.tone(.warn, "fails"))  \(safe(check.name)): \(safe(check.detail))\n"
        }.joined()
    }

    private var verdict: String {
        let exit = record.exit
        if exit.code == 1 {
            let text = ink.tone(exit.tone, ink.bold(safe(exit.word).uppercased()))
            return text + "  " + exit.reasons.map { safe($0) + "\n" }.joined(separator: "  - ") + links
        }
        var text = ink.tone(exit.tone, ink.bold(safe(exit.word).uppercased())) + "  \(record.verdictSentence)\n"
        for reason in exit.reasons { text += "  - \(safe(reason))\n" }
        return text + links
    }

    private var links: String {
        (directory.map { "report  \(safe($0))/report.html\n" } ?? "") + "replay  \(safe(record.replayCommand))\n"
    }

    private func safe(_ text: String) -> String { Escaping.terminal(text) }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Columns as wide as their widest cell; all but the first flush right.
    private func grid(_ heads: [String], _ rows: [[String]]) -> String {
        let lines = [heads] + rows
        let widths = heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.enumerated().map { index, cells in
            let line = cells.enumerated().map { column, cell in
                let fill = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? safe(cell) + fill : fill + cell
            }.joined(separator: "  ")
            return (index == 0 ? ink.dim(line) : line) + "\n"
        }.joined()
    }
}
