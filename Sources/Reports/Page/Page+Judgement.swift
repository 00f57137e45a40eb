// Gates, rules with their findings, dead tokens and last states.

import Conformance
import Metrics
import Verdicts

extension ReportPage {
    var gates: Markup {
        guard !record.gates.isEmpty else { return "<p class=\"empty\">This scenario sets no gates.</p>\n" }
        let table = Table(
            caption: "Thresholds as the scenario or the command line gave them",
            heads: ["Gate", "Result", "#measured", "#threshold"],
            rows: record.gates.map { gate in
                (
                    "<code>\(gate.text)</code>",
                    [
                        Cell.text(gate.tone.badge(gate.word)), Cell.number(gate.valueText),
                        Cell.number(gate.text(of: gate.threshold)),
                    ]
                )
            })
        return "<div class=\"card\">\(table.markup)</div>\n"
    }

    var conformance: Markup {
        guard !record.verdicts.isEmpty else { return "<p class=\"empty\">No rule was judged.</p>\n" }
        let loud = record.verdicts.filter { !$0.verdict.findings.isEmpty || $0.standing == .healed }
            .enumerated().sorted {
                (Self.weight($0.element.standing), $0.offset) < (Self.weight($1.element.standing), $1.offset)
            }.map(\.element)
        let kept = record.verdicts.filter { $0.standing == .kept }
        let idle = record.verdicts.filter { $0.standing == .notExercised }
        var markup: Markup = ""
        if !loud.isEmpty { markup += "<div class=\"card\">\(loud.markup(article))</div>\n" }
        if !kept.isEmpty {
            markup += "<div class=\"card\">\(quiet(kept, caption: "Kept", evidence: true))</div>\n"
        }
        if !idle.isEmpty {
            let table = quiet(idle, caption: "Nothing in this run put these to the test", evidence: false)
            let number = Numbers.count(idle.count, "rule")
            markup += "<details class=\"card\"><summary>Not exercised: \(number)</summary>\(table)</details>\n"
        }
        return markup
    }

    private static func weight(_ standing: RuleResult.Standing) -> Int {
        switch standing {
        case .broken: 0
        case .healed: 1
        case .warning: 2
        case .knownBroken: 3
        case .environment: 4
        case .kept, .notExercised: 5
        }
    }

    private func article(_ result: RuleResult) -> Markup {
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
        return """
            <article class="rule" id="\(RuleAnchor.id(result.id))"><header>\(result.standing.tone.badge(result.standing.word))\
            <h3>\(result.requirement)</h3></header>
            <p class="dim"><code>\(result.id)</code>, \(result.claims.joined(separator: ", ")) (\(result.level.rawValue)). \
            \(result.norm).</p><p><b>What to change:</b> \(result.advice).</p>\
            \(healed)\(findings.isEmpty ? "" : "<ul class=\"findings\">\(shown)</ul>")\(rest)</article>

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
        return """
            <li>\(finding.message)<dl>\(whose)<dt>expected</dt><dd>\(finding.expected)</dd><dt>seen</dt>\
            <dd>\(finding.seen)</dd>\(evidence)\(more(finding.more(in: record.directory)))</dl>\
            \(finding.exchanges.markup(exchange))</li>
            """
    }

    private func more(_ command: String) -> Markup { "<dt>more</dt><dd><code>\(command)</code></dd>" }

    /// A push and its answer, folded.
    private func exchange(_ exchange: Exchange) -> Markup {
        let device: Markup = exchange.device.isEmpty ? "" : ", \(exchange.device) on the device"
        return """
            <details><summary>entry \(String(exchange.entry)) at \(exchange.moment): \(exchange.answer)\
            \(device)</summary><pre>\(exchange.request.joined(separator: "\n"))

            \(exchange.payload)</pre></details>
            """
    }

    private func quiet(_ results: [RuleResult], caption: String, evidence: Bool) -> Markup {
        Table(
            caption: caption, heads: ["Requirement"] + (evidence ? ["#times shown"] : []), hasLongNames: true,
            rows: results.map { result in
                let details: Markup =
                    """
                    <small><code>\(result.id)</code>, \(result.claims.joined(separator: ", ")) \
                    (\(result.level.rawValue))\(result.hindrance.map { "; \($0)" } ?? "")</small>
                    """
                var cells: [Markup] = []
                if case .kept(let count) = result.verdict { cells.append(Cell.number(Numbers.count(count))) }
                return ("\(result.requirement)\(details)", cells)
            }
        ).markup
    }

    var tokens: Markup {
        let dead = record.correlation.deadTokens
        let last = record.correlation.lastState
        let figures = [
            Tile(name: "Tokens that died", value: Numbers.count(dead.died)),
            Tile(
                name: "Pushes after death", value: Numbers.count(dead.pushesAfterDeath),
                remark: dead.worstDeath == nil ? "" : "worst: \(Numbers.count(dead.worstPushes)) to one token",
                tone: dead.pushesAfterDeath > 0 ? .bad : nil),
            Tile(name: "Sessions judged", value: Numbers.count(last.sessions)),
            Tile(
                name: "Last states delivered", value: Numbers.count(last.delivered),
                remark: Numbers.share(last.delivered, of: last.sessions)),
            Tile(
                name: "Last states missing", value: Numbers.count(last.missingCount),
                tone: last.missingCount > 0 ? .bad : nil),
        ]
        return tiles(figures)
    }
}
