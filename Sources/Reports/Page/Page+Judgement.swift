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
        let articles = loud.markup { RuleArticle(result: $0, directory: record.directory).markup }
        if !loud.isEmpty { markup += "<div class=\"card\">\(articles)</div>\n" }
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
