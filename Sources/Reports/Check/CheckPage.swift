// A check as one page: a matrix of cases and rules, and behind each cell its evidence.

import Basics
import Conformance
import Verdicts

struct CheckPage {
    let record: CheckRecord
    /// Where the page will stand: links lead from there.
    let directory: String

    /// Rules that some case put to the test, in the order of the rule book.
    private var rules: [CheckRecord.RuleSum] {
        record.rules.filter { !$0.keptIn.isEmpty || !$0.brokenIn.isEmpty }
    }

    var text: String {
        let exit = record.exit
        let started = "\(record.startedAt.iso8601.prefix(10)) \(record.startedAt.iso8601.dropFirst(11).prefix(8)) UTC"
        let facts = [
            "profile \(record.profile)", "started \(started)", "lasted \(Numbers.duration(record.duration))",
            "seed \(record.seed)",
        ]
        let body: Markup = """
            <header><p class="kicker">PushRig check</p><h1>\(record.subject)</h1>
            <p class="meta">\(facts.markup { "<span>\($0)</span>" })</p></header>
            <div class="verdict \(exit.tone.rawValue)" role="status">\(exit.tone.glyph)<div><h2>\(exit.heading)</h2>
            <p>\(CheckText.sentence(record)).</p>\(list(exit.reasons))</div></div>
            <section id="cases" aria-labelledby="cases-h"><h2 id="cases-h">Cases</h2>
            <p class="dim">Each is a small scenario of its own, which can be run again by itself.</p>
            \(cases)</section>
            <section id="matrix" aria-labelledby="matrix-h"><h2 id="matrix-h">Rules</h2>
            <p class="dim">Which case put which rule to the test, and what came of it. What is broken leads to its
            evidence, what is kept to the report of its run.</p>
            \(matrix)</section>
            <section id="evidence" aria-labelledby="evidence-h"><h2 id="evidence-h">Evidence</h2>
            \(evidence)</section>
            <section id="untested" aria-labelledby="untested-h"><h2 id="untested-h">Put to the test by no case</h2>
            \(untested)</section>
            <section id="again" aria-labelledby="again-h"><h2 id="again-h">Again</h2>
            <pre class="command">\(record.command)</pre></section>
            <footer>Written by PushRig \(record.toolVersion). The same stands in check.json.</footer>

            """
        return HTMLDocument(
            title: "\(record.profile): \(exit.word)", version: record.toolVersion, style: Style.check, body: body
        ).text
    }

    private func list(_ items: [String]) -> Markup {
        items.isEmpty ? "" : "<ul>\(items.markup { "<li>\($0)</li>" })</ul>"
    }

    /// From this page, where it lies below it.
    private func link(_ path: String?, _ words: String) -> Markup {
        guard let path, path.hasPrefix(directory + "/") else { return "" }
        return "<a href=\"\(String(path.dropFirst(directory.count + 1)))\">\(words)</a>"
    }

    /// The worst first.
    private var cases: Markup {
        let sorted = CaseResult.Verdict.allCases.flatMap { verdict in record.cases.filter { $0.verdict == verdict } }
        return Table(
            caption: "Cases", heads: ["Case", "Verdict", "What is asked", "#Lasted", "Files"],
            rows: sorted.map { item in
                let words = item.verdict == .kept || !item.broken.isEmpty ? "" : item.reasons.prefix(2).joined(separator: "; ")
                let remark: Markup = words.isEmpty ? "" : "<br><small class=\"dim\">\(words)</small>"
                return (
                    "<span id=\"case-\(item.name)\">\(item.name)</span>",
                    [
                        Cell.text(item.verdict.tone.badge(item.verdict.rawValue)), Cell.text("\(item.question)\(remark)"),
                        Cell.number(item.directory == nil ? "" : Numbers.duration(item.duration)),
                        Cell.text(
                            "\(link(item.directory.map { $0 + "/report.html" }, "report")) \(link(item.scenario, "scenario"))"),
                    ]
                )
            }
        ).markup
    }

    private var matrix: Markup {
        let ran = record.cases.filter { !$0.rules.isEmpty }
        guard !ran.isEmpty else { return "<p class=\"empty\">No data.</p>\n" }
        let table = Table(
            caption: "Rules by case", heads: ["Rule"] + ran.map(\.name), hasLongNames: true,
            rows: rules.map { sum in
                let cells = ran.map { item -> Markup in
                    guard let result = item.rules.first(where: { $0.id == sum.rule.id }), result.standing != .notExercised
                    else { return Cell.text("") }
                    // What is kept in one case is not healed: another may break it.
                    let standing = result.standing == .healed ? .kept : result.standing
                    let mark: Markup = """
                        <span class="cell \(standing.tone.rawValue)">\(standing.tone.glyph)\
                        <span class="off">\(standing.word)</span></span>
                        """
                    guard item.broken.contains(where: { $0.id == result.id }) else {
                        guard item.directory != nil else { return Cell.text(mark) }
                        return Cell.text("<a href=\"\(item.name)/report.html#conformance\">\(mark)</a>")
                    }
                    return Cell.text("<a href=\"#\(anchor(item, result))\">\(mark)</a>")
                }
                return ("\(sum.rule.id)<br><small class=\"dim\">\(sum.rule.claims.joined(separator: ", "))</small>", cells)
            })
        return "<div class=\"matrix\">\(table.markup)</div>"
    }

    private var untested: Markup {
        let idle = record.rules.filter { $0.standing == .notExercised }
        guard !idle.isEmpty else { return "<p class=\"empty\">Every rule was.</p>\n" }
        return Table(
            caption: "Nothing is said of these", heads: ["Rule", "Level", "What it asks"], hasLongNames: true,
            rows: idle.map { sum in
                (
                    "\(sum.rule.id)<br><small class=\"dim\">\(sum.rule.claims.joined(separator: ", "))</small>",
                    [Cell.text("\(sum.rule.level.rawValue)"), Cell.text("\(sum.rule.requirement)")]
                )
            }
        ).markup
    }

    private func anchor(_ item: CaseResult, _ rule: RuleResult) -> String { "\(item.name)--\(rule.id)" }

    private var evidence: Markup {
        let loud = record.cases.filter { !$0.broken.isEmpty }
        guard !loud.isEmpty else { return "<p class=\"empty\">Nothing is broken.</p>\n" }
        return loud.markup { item in
            let articles = item.broken.markup {
                RuleArticle(result: $0, directory: item.directory ?? "", id: anchor(item, $0)).markup
            }
            return """
                <div class="card"><h3>\(item.name)</h3><p class="dim">\(item.question)</p>\(articles)
                <pre class="command">\(item.command ?? "")</pre></div>

                """
        }
    }
}
