// The latency section: percentile spectra of delivery and of the relay's answers.

import Metrics
import Verdicts

/// The usual percentiles of several histograms.
enum LatencyTable {
    static let percentiles: [Double] = [50, 90, 99, 99.9]

    static func markup(caption: String, rows: [(name: String, histogram: Histogram)]) -> Markup {
        Table(
            caption: caption,
            heads: ["Kind", "#samples"] + percentiles.map { "#" + Numbers.percentile($0) } + ["#max"],
            rows: rows.map { row in
                (
                    "\(row.name)",
                    [Cell.number(Numbers.count(row.histogram.count))]
                        + percentiles.map { Cell.number(row.histogram.text(at: $0)) } + [
                            Cell.number(row.histogram.text(at: 100))
                        ]
                )
            }
        ).markup
    }
}

extension ReportPage {
    /// Colours for kinds, in order; vermilion comes last, since it means trouble elsewhere.
    private static let colors = [0, 2, 3, 4, 5, 6, 7, 1]
    private static let mostCurves = 7

    var latency: Markup { closed + cards }

    private var closed: Markup { record.closedWords.map { "<div class=\"card\"><p>Closed load: \($0).</p></div>\n" } ?? "" }

    private var cards: Markup { [deliveryLatency, answerLatency, staleness].markup { "<div class=\"card\">\($0)</div>\n" } }

    private var staleness: Markup {
        let histogram = record.correlation.staleness
        let text =
            "How long cards have been out of date, weighted by time: 0 while one shows the newest state that was offered to "
            + "the relay. For half of their life they were at most \(histogram.text(at: 50)) old, "
            + "for 99 % of it at most \(histogram.text(at: 99))."
        let curves = [SpectrumChart.Curve(name: "cards", histogram: histogram, color: 3)]
        let chart = SpectrumChart(
            name: "staleness", title: "Age of what cards show, by percentile of their life", summary: text, curves: curves,
            limits: limits(on: "staleness"))
        return """
            <h3>Staleness: how old a card is</h3>
            \(figure(text, isEmpty: chart.isEmpty, legend: lineLegend(curves), chart.markup))
            """
    }

    private var deliveryLatency: Markup {
        let c = record.correlation
        let kinds = c.deliveryByKind.filter { $0.value.count > 0 }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        var curves = kinds.prefix(Self.mostCurves).enumerated().map { index, kind in
            SpectrumChart.Curve(name: kind.key, histogram: kind.value, color: Self.colors[index])
        }
        if kinds.count > Self.mostCurves {
            var others = Histogram()
            for kind in kinds.dropFirst(Self.mostCurves) { others.merge(kind.value) }
            curves.append(
                SpectrumChart.Curve(
                    name: "\(kinds.count - Self.mostCurves) others", histogram: others, color: Self.colors[7]))
        }
        let text =
            "From the planned instant of an event to the arrival of the push it calls for, by kind of event. "
            + "Half arrived within \(c.delivery.text(at: 50)), 99 % within \(c.delivery.text(at: 99))."
        let chart = SpectrumChart(
            name: "delivery", title: "Delivery latency by percentile", summary: text, curves: curves,
            limits: limits(on: "delivery"))
        let rows = kinds.map { (name: $0.key, histogram: $0.value) }
        let all = rows.count > 1 ? [(name: "all", histogram: c.delivery)] : []
        return """
            <h3>Delivery: event to push</h3>
            \(figure(text, isEmpty: chart.isEmpty, legend: lineLegend(curves), chart.markup))\
            \(rows.isEmpty ? "" : LatencyTable.markup(caption: "Delivery latency", rows: all + rows))
            """
    }

    private var answerLatency: Markup {
        let c = record.correlation
        let curves = [
            SpectrumChart.Curve(name: "from planned instant", histogram: c.answer, color: 0),
            SpectrumChart.Curve(name: "from sending", histogram: c.answerUncorrected, color: 7, isDashed: true),
        ]
        let text =
            "From the planned instant of a call to the relay’s answer; the dashed curve counts from the instant of "
            + "sending, as uncorrected tools do. Where they part, calls were waiting to be sent."
        let chart = SpectrumChart(
            name: "answer", title: "Answer latency by percentile, corrected and uncorrected", summary: text,
            curves: curves, limits: limits(on: "answer"))
        let kinds = c.answerByKind.filter { $0.value.count > 0 }.sorted { $0.key < $1.key }
        let rows =
            curves.map { (name: $0.name, histogram: $0.histogram) }
            + (kinds.count > 1 ? kinds.map { (name: $0.key, histogram: $0.value) } : [])
        return """
            <h3>Answer: call to response</h3>
            \(figure(text, isEmpty: chart.isEmpty, legend: lineLegend(curves), chart.markup))\
            \(chart.isEmpty ? "" : LatencyTable.markup(caption: "Answer latency", rows: rows))
            """
    }

    private func lineLegend(_ curves: [SpectrumChart.Curve]) -> Markup {
        legend(
            curves.filter { $0.histogram.count > 0 }.map { ($0.name, "stroke c\($0.color)") }, onlyNarrow: true)
    }

    /// Gates on percentiles of this metric, or of it for one kind, such as `delivery.p99` and `delivery.complete.p99`.
    private func limits(on metric: String) -> [SpectrumChart.Limit] {
        record.gates.compactMap { gate in
            let parts = gate.metric.split(separator: ".").map(String.init)
            guard gate.unit == .nanoseconds, parts.contains(metric), let last = parts.last,
                let percentile = Self.percentile(last), gate.threshold > 0, gate.threshold < 0x1p63
            else { return nil }
            return SpectrumChart.Limit(
                percentile: percentile, nanoseconds: gate.threshold, label: gate.text,
                shortLabel: "\(Numbers.percentile(percentile)), \(gate.text(of: gate.threshold))",
                passed: gate.passed != false)
        }
    }

    /// `p50`, `p99`, and `p999` for 99.9.
    private static func percentile(_ word: String) -> Double? {
        guard word.hasPrefix("p"), let digits = Int(word.dropFirst()), digits > 0 else { return nil }
        var value = Double(digits)
        while value > 100 { value /= 10 }
        return value < 100 ? value : nil
    }
}
