// The first finding of a rule on the terminal, so that a person can check it.

import Basics
import Conformance
import Verdicts

enum RuleEvidence {
    private static let widest = 400
    /// A body is what the reader has to compare.
    private static let widestBody = 1_000

    /// For whoever sees findings for the first time.
    static let legend =
        "words ▸: the lines that prove the finding. `step N`: a session's call of that number. "
        + "`[pr:RUN:SESSION:STEP]` in a text: PushRig's marker, in base 36."

    /// `directory` is where the run's journal stands.
    static func lines(_ result: RuleResult, in directory: String) -> [String] {
        guard let finding = result.verdict.findings.first else { return [] }
        if result.isConsequence {
            return ["follows from \(safe(result.causeWords))", "more    \(safe(finding.more(in: directory)))"]
        }
        var lines = [safe(finding.line)]
        if let session = finding.session {
            let call = finding.call.map { ", \($0.kind) planned at \($0.moment) → \($0.answer)" } ?? ""
            lines.append("event   session \(session)\(finding.step.map { " step \($0)" } ?? "")\(safe(clipped(call)))")
        }
        if let sent = finding.call?.sent, !sent.isEmpty { lines.append("sent    " + safe(clipped(sent))) }
        lines += history(finding.history)
        for exchange in finding.exchanges.prefix(2) {
            let device = exchange.device.isEmpty ? "" : ", \(exchange.device)"
            lines.append("push    \(safe("\(exchange.entry) at \(exchange.moment) → \(exchange.answer)\(device)"))")
            let fields = exchange.request.filter { field in
                ![":scheme", ":authority", ":method"].contains { field.hasPrefix($0) }
            }
            lines.append("        " + safe(clipped(fields.joined(separator: "; "))))
            lines.append("        " + safe(clipped(exchange.payload, to: widestBody)))
        }
        lines.append("norm    \(safe(result.norm))")
        lines.append("change  \(safe(result.change))")
        if case .broken(_, let count) = result.verdict, count > 1 {
            lines.append("found   \(Numbers.count(count)) times in all; the report shows more of them")
        }
        lines.append("more    \(safe(finding.more(in: directory)))")
        if let replay = finding.replay(in: directory) { lines.append("replay  \(safe(replay))") }
        return lines
    }

    /// What happened around it; an arrow points to what the finding speaks of.
    static func history(_ history: [HistoryLine]) -> [String] {
        var lines: [String] = []
        for line in history {
            if line.skipped > 0 { lines.append("          … \(Numbers.count(line.skipped)) more") }
            let label = lines.isEmpty ? "history" : "       "
            lines.append("\(label) \(line.isMeant ? "▸" : " ") \(Numbers.offset(line.at))  \(safe(clipped(line.words)))")
        }
        return lines
    }

    private static func clipped(_ text: String, to widest: Int = widest) -> String {
        text.count > widest ? text.prefix(widest) + "…" : text
    }

    private static func safe(_ text: String) -> String { Escaping.terminal(text) }
}
