// A comparison as one page: the words, what they rest on, and both sides laid over each other.

import Basics
import Comparison
import Verdicts

struct ComparePage {
    let record: ComparisonRecord

    var text: String {
        let exit = record.exit
        let facts = [
            "profile \(record.profile)", CompareWords.design(record), "the same is within ± \(record.margin)",
            "seed of chance \(record.seed)",
        ]
        let heading = exit.word.prefix(1).uppercased() + exit.word.dropFirst()
        let remarks = record.remarks.markup { "<p class=\"dim\">Note: \($0).</p>\n" }
        let reasons: Markup = exit.reasons.isEmpty ? "" : "<ul>\(exit.reasons.markup { "<li>\($0)</li>" })</ul>"
        let body: Markup = """
            <header><p class="kicker">PushRig comparison</p><h1>\(record.name)</h1>
            <p class="meta">\(facts.markup { "<span>\($0)</span>" })</p></header>
            <div class="verdict \(exit.tone.rawValue)" role="status">\(exit.tone.glyph)<div><h2>\(heading)</h2>
            <p>\(CompareWords.sentence(record)).</p>\(reasons)</div></div>
            \(remarks)\(section("metrics", "Metrics", metrics))\
            \(section("exact", "Rules and counts", rules + counts))\
            \(section("latency", "Latency, base and new", charts))\
            \(section("relay", "What the relay used", uses))\
            \(section("runs", "Runs", runs))\
            <footer>Written by PushRig \(record.toolVersion). The same figures stand in compare.json.</footer>

            """
        return HTMLDocument(title: "\(record.name): \(exit.word)", version: record.toolVersion, body: body).text
    }

    private func section(_ id: String, _ title: String, _ body: Markup) -> Markup {
        """
        <section id="\(id)" aria-labelledby="\(id)-h"><h2 id="\(id)-h">\(title)</h2>
        \(body)</section>

        """
    }

    private var metrics: Markup {
        guard !record.metrics.isEmpty else { return "<p class=\"empty\">No data.</p>\n" }
        let check: Markup = record.selfCheck.map { "<p class=\"dim\">\(CompareWords.selfCheck($0)).</p>\n" } ?? ""
        return Table(
            caption: "Declared metrics, the middle of each side's runs",
            heads: ["Metric", "Verdict", "#base", "#new", "#change", "#95 % interval", "#p"],
            rows: record.metrics.map { metric in
                (
                    "\(metric.name)",
                    [
                        Cell.text("\(metric.word.tone.badge(metric.word.rawValue)) \(metric.reason ?? "")"),
                        Cell.number(metric.middle(metric.base)), Cell.number(metric.middle(metric.new)),
                        Cell.number(metric.change), Cell.number(metric.interval), Cell.number(metric.chanceText),
                    ]
                )
            }
        ).markup + check
    }

    private var rules: Markup {
        guard !record.rules.isEmpty else { return "<p class=\"empty\">Every rule is judged alike.</p>\n" }
        return Table(
            caption: "Rules that are not judged alike", heads: ["Rule", "Change", "Runs", "First finding"], hasLongNames: true,
            rows: record.rules.map { rule in
                (
                    "\(rule.id)<br><small class=\"dim\">\(rule.requirement)</small>",
                    [
                        Cell.text(rule.tone.badge(rule.words)), Cell.text("\(CompareWords.rule(rule, record))"),
                        Cell.text("\(rule.finding)<br><small class=\"dim\">\(rule.directory)</small>"),
                    ]
                )
            }
        ).markup
    }

    private var counts: Markup {
        let difference: Markup = record.firstDifference.map { "<p>The first push that differs: \($0).</p>\n" } ?? ""
        return Table(
            caption: "Counts by run", heads: ["Count", "Verdict", "#base", "#new"],
            rows: record.counts.map { count in
                (
                    "\(count.name)",
                    [
                        Cell.text(count.word.tone.badge(count.word.rawValue)), Cell.number(CompareWords.range(count.base)),
                        Cell.number(CompareWords.range(count.new)),
                    ]
                )
            }
        ).markup + difference
    }

    private var charts: Markup {
        let latencies = [
            ("delivery", record.base.delivery, record.new.delivery), ("answer", record.base.answer, record.new.answer),
        ]
        let spectra = latencies.markup { name, base, new in
            let curves = [
                SpectrumChart.Curve(name: "base", histogram: base, color: 0),
                SpectrumChart.Curve(name: "new", histogram: new, color: 1),
            ]
            let text = "\(name == "delivery" ? "Event to push" : "Call to answer"), all runs of a side together."
            let chart = SpectrumChart(
                name: name, title: "\(name) latency by percentile, base and new", summary: text, curves: curves)
            let key = legend(curves.map { ($0.name, "stroke c\($0.color)") }, onlyNarrow: true)
            return "<div class=\"card\">\(figure(text, isEmpty: chart.isEmpty, legend: key, chart.markup))</div>\n"
        }
        let text = "Deliveries by the second of their event: the mean of all runs of a side, and the slowest of any."
        let course = CourseChart(base: record.base, new: record.new, summary: text)
        let key = legend(CourseChart.legend, onlyNarrow: false)
        let rows = Table(
            caption: "Percentiles of all runs together, with their interval by rank (95 %)",
            heads: ["Latency", "#base", "#new"],
            rows: record.percentiles.map { row in
                (
                    "\(row.name) \(Numbers.percentile(row.percentile))",
                    [Cell.number(CompareWords.ranked(row.base)), Cell.number(CompareWords.ranked(row.new))]
                )
            })
        return spectra
            + "<div class=\"card\">\(figure(text, isEmpty: course.isEmpty, legend: key, course.markup))</div>\n" + rows.markup
    }

    private var uses: Markup {
        let known = record.uses.filter { $0.base != nil || $0.new != nil }
        guard !known.isEmpty else { return "<p class=\"empty\">The relay was not started by these runs.</p>\n" }
        return Table(
            caption: "The middle of each side's runs", heads: ["Of the relay", "#base", "#new", "#change"],
            rows: known.map { use in
                (
                    "\(use.name)",
                    [
                        Cell.number(use.base.map { use.unit.text(of: $0) } ?? "–"),
                        Cell.number(use.new.map { use.unit.text(of: $0) } ?? "–"),
                        Cell.number(CompareWords.change(use.base, use.new)),
                    ]
                )
            }
        ).markup
    }

    private var runs: Markup {
        let command: Markup = record.command.isEmpty ? "" : "<pre class=\"command\">\(record.command)</pre>"
        return Table(
            caption: "In order of time", heads: ["Run", "Side", "Started", "Seed", "Its own verdict"], hasLongNames: true,
            rows: (record.base.runs.map { ($0, "base") } + record.new.runs.map { ($0, "new") })
                .sorted { $0.0.startedAt < $1.0.startedAt }.map { run, side in
                    (
                        "\(run.directory)",
                        [
                            Cell.text("\(side)"), Cell.text("\(run.startedAt.iso8601)"), Cell.text("\(String(run.seed))"),
                            Cell.text("\(run.exit)"),
                        ]
                    )
                }
        ).markup + command
    }
}
