// The section about ourselves, before anything is said about the relay.

import Basics
import Metrics
import Verdicts

extension ReportPage {
    var soundness: Markup {
        let c = record.correlation
        let isLate = c.lateness.count > 0 && c.lateness.value(at: 99) > record.latenessBudget.nanoseconds
        let figures = [
            Tile(
                name: "Our lateness, p99", value: c.lateness.text(at: 99),
                remark: "budget \(Numbers.duration(record.latenessBudget))", tone: isLate ? .bad : nil),
            Tile(name: "Our lateness, worst", value: c.lateness.text(at: 100)),
            Tile(
                name: "Dropped by us", value: Numbers.count(c.dropped), remark: "planned, never sent",
                tone: c.dropped > 0 ? .bad : nil),
            Tile(
                name: "Failed events", value: Numbers.count(c.failed), remark: "sent, no usable answer",
                tone: c.failed > 0 ? .warn : nil),
            Tile(
                name: "Excused", value: Numbers.count(c.excused + c.unsent + c.undecided),
                remark: excusedRemark(c)),
            Tile(
                name: "Lost by the relay", value: Numbers.count(c.count(.lost) - c.lostUnaccepted),
                remark: "taken by the relay, not delivered",
                tone: c.count(.lost) > c.lostUnaccepted ? .bad : nil),
        ]
        let checks = Table(
            caption: "All of these must hold, or the run is inconclusive.", heads: ["Check", "Result", "Measured"],
            rows: record.soundness.map { check in
                (
                    "\(check.name)",
                    [
                        Cell.text((check.passed ? Tone.ok : .bad).badge(check.passed ? "holds" : "fails")),
                        Cell.text("\(check.detail)"),
                    ]
                )
            })
        return tiles(figures) + (record.soundness.isEmpty ? "" : "<div class=\"card\">\(checks.markup)</div>\n")
    }

    private func excusedRemark(_ c: Correlation) -> String {
        let parts = [
            ("explained by what we did", c.excused), ("not sent by us", c.unsent), ("still due at the end", c.undecided),
        ]
        let named = parts.filter { $0.1 > 0 }.map { "\(Numbers.count($0.1)) \($0.0)" }
        return named.isEmpty ? "not held against the relay" : named.joined(separator: ", ")
    }

    var lateness: Markup {
        let chart = LatenessChart(
            histogram: record.correlation.lateness, budgetNanoseconds: Double(record.latenessBudget.nanoseconds))
        let figures = LatencyTable.markup(
            caption: "Lateness in figures", rows: [("all events", record.correlation.lateness)])
        return """
            <div class="card">\(figure(chart.isEmpty ? "" : chart.summary, isEmpty: chart.isEmpty, chart.markup))\
            <details><summary>Figures as a table</summary>\(figures)</details></div>

            """
    }
}
