// A rule with its findings, each with its exchange folded behind it.

import Conformance
import Verdicts

struct RuleArticle {
    let result: RuleResult
    /// Where the run's journal stands.
    let directory: String
    /// Of the element.
    let id: String

    init(result: RuleResult, directory: String, id: String? = nil) {
        self.result = result
        self.directory = directory
        self.id = id ?? RuleAnchor.id(result.id)
    }

    var markup: Markup {
        let findings = result.verdict.findings
        let shown = findings.prefix(3).markup(item)
        let rest: Markup =
            findings.count <= 3
            ? ""
            : """
            <details><summary>\(findings.count - 3) more</summary>\
            <ul class="findings">\(findings.dropFirst(3).markup(item))</ul></details>
            """
        let healed: Markup =
            result.standing == .healed
            ? "<p>Listed as a known break, but kept in this run: strike it from the list.</p>" : ""
        let follows: Markup = result.isConsequence ? "<p>Follows from \(result.causeWords).</p>" : ""
        return """
            <article class="rule" id="\(id)"><header>\(result.standing.tone.badge(result.standing.word))\
            <h3>\(result.requirement)</h3></header>
            <p class="dim"><code>\(result.id)</code>, \(result.claims.joined(separator: ", ")) (\(result.level.rawValue)). \
            \(result.norm).</p><p><b>What to change:</b> \(result.advice).</p>\
            \(healed)\(follows)\(findings.isEmpty ? "" : "<ul class=\"findings\">\(shown)</ul>")\(rest)</article>

            """
    }

    private func item(_ finding: Finding) -> Markup {
        let entries = finding.entries.map(String.init).joined(separator: ", ")
        let evidence: Markup = entries.isEmpty ? "" : "<dt>journal</dt><dd>entries \(entries)</dd>"
        let call: Markup = finding.call.map { ": \($0.kind), planned at \($0.moment), answered \($0.answer)" } ?? ""
        let whose: Markup =
            finding.session.map { session in
                "<dt>event</dt><dd>session \(String(session))\(finding.step.map { ", step \($0)" } ?? "")\(call)</dd>"
            } ?? ""
        let change: Markup = finding.change.map { "<dt>change</dt><dd>\($0)</dd>" } ?? ""
        return """
            <li>\(finding.message)<dl>\(whose)<dt>expected</dt><dd>\(finding.expected)</dd><dt>seen</dt>\
            <dd>\(finding.seen)</dd>\(change)\(evidence)\(more(finding.more(in: directory)))\(replay(finding))</dl>\
            \(sent(finding))\(history(finding))\(finding.exchanges.markup(exchange))</li>
            """
    }

    private func sent(_ finding: Finding) -> Markup {
        guard let sent = finding.call?.sent, !sent.isEmpty else { return "" }
        return "<details><summary>what was sent to the relay</summary><pre>\(sent)</pre></details>"
    }

    /// What happened around it; what the finding speaks of is set in bold.
    private func history(_ finding: Finding) -> Markup {
        guard !finding.history.isEmpty else { return "" }
        return "<ol class=\"history\">\(finding.history.markup(line))</ol>"
    }

    private func line(_ line: HistoryLine) -> Markup {
        let skipped: Markup = line.skipped > 0 ? "<li class=\"dim\">… \(String(line.skipped)) more</li>" : ""
        let words: Markup = line.isMeant ? "<b>\(line.words)</b>" : "\(line.words)"
        return "\(skipped)<li><span class=\"dim\">\(Numbers.offset(line.at))</span> \(words)</li>"
    }

    private func more(_ command: String) -> Markup { "<dt>more</dt><dd><code>\(command)</code></dd>" }

    private func replay(_ finding: Finding) -> Markup {
        finding.replay(in: directory).map { "<dt>replay</dt><dd><code>\($0)</code></dd>" } ?? ""
    }

    /// A push and its answer, folded.
    private func exchange(_ exchange: Exchange) -> Markup {
        let device: Markup = exchange.device.isEmpty ? "" : ", \(exchange.device) on the device"
        return """
            <details><summary>entry \(String(exchange.entry)) at \(exchange.moment): \(exchange.answer)\
            \(device)</summary><pre>\(exchange.request.joined(separator: "\n"))

            \(exchange.payload)</pre></details>
            """
    }
}
