// The section about time: throughput, errors, sessions, and what was done to the relay meanwhile.

import Metrics
import Verdicts

extension ReportPage {
    var timeline: Markup {
        let c = record.correlation
        let summary =
            "\(Numbers.count(c.series.count)) seconds; at most \(Numbers.rate(most(\.sent))) events sent, "
            + "\(Numbers.rate(most(\.pushes))) pushes and \(Numbers.rate(most(\.errors))) errors; "
            + "\(Numbers.count(c.peakSessions)) sessions at the peak."
        let chart = TimelineChart(correlation: c, phases: record.phases, bands: record.bands, summary: summary)
        let names = [
            ("planned", "stroke c7"), ("sent, arrived", "stroke c0"), ("answered, accepted", "stroke c2"),
            ("errors", "stroke c1"), ("p50", "stroke c0"), ("p99", "stroke c4"), ("sessions, age of cards", "stroke c3"),
        ]
        let kinds = RunRecord.Band.Kind.allCases.filter { kind in record.bands.contains { $0.kind == kind } }
        let bandNames = kinds.map { ($0 == .fault ? "scripted fault" : "relay restart", $0.rawValue) }
        let keys = legend(names, onlyNarrow: true) + (kinds.isEmpty ? "" : legend(bandNames, onlyNarrow: false))
        return """
            <div class="card">\(figure(summary, isEmpty: chart.isEmpty, legend: keys, chart.markup))\
            \(bandTable)\(chart.isEmpty ? "" : seriesTable)</div>

            """
    }

    private func most(_ figure: KeyPath<SeriesRow, Int>) -> Double {
        Double(record.correlation.series.map { $0[keyPath: figure] }.max() ?? 0)
    }

    private var bandTable: Markup {
        guard !record.bands.isEmpty else { return "" }
        let table = Table(
            caption: "In the order in which they began", heads: ["What", "Kind", "#from", "#to"],
            rows: record.bands.sorted { $0.start < $1.start }.map { band in
                (
                    "\(band.label)",
                    [
                        Cell.text("\(band.word)"), Cell.number(Numbers.duration(band.start)),
                        Cell.number(Numbers.duration(band.end)),
                    ]
                )
            })
        return "<details><summary>Faults and restarts as a table</summary>\(table.markup)</details>\n"
    }

    private var seriesTable: Markup {
        let rows = record.correlation.series
        let buckets = Buckets(seconds: rows.count, most: 30)
        func column(_ figure: KeyPath<SeriesRow, Int>) -> [Double] { buckets.means(rows.map { $0[keyPath: figure] }) }
        let course = record.correlation.course
        func greatest(_ rows: [LatencyCourse.Row], _ value: (LatencyCourse.Row) -> Int64) -> [Double] {
            buckets.greatest(rows, each: course.seconds, value)
        }
        let percentiles =
            course.isEmpty
            ? []
            : [
                greatest(course.delivery, \.p50), greatest(course.delivery, \.p99), greatest(course.answer, \.p50),
                greatest(course.answer, \.p99), greatest(course.lateness, \.p99),
            ]
        let latency = buckets.ratios(rows.map(\.deliveryMicroseconds), rows.map(\.deliveries), by: 1e3)
        let slowest = buckets.most(rows.map(\.slowestMicroseconds), by: 1e3)
        let age = buckets.ratios(rows.map(\.cardAges), rows.map(\.cardMilliseconds), by: 1e9)
        let columns = [
            column(\.planned), column(\.sent), column(\.answered), column(\.pushes), column(\.accepted),
            column(\.errors), buckets.means(record.correlation.activeSeries),
        ]
        let table = Table(
            caption: "Means per second; of percentiles the highest of each time",
            heads: ["Time", "#planned", "#sent", "#answered", "#pushes", "#accepted", "#errors", "#sessions"] + [
                "#latency", "#slowest", "#card age",
            ] + (course.isEmpty ? [] : ["#push p50", "#push p99", "#answer p50", "#answer p99", "#lateness p99"]),
            rows: buckets.heads(of: Double(rows.count)).enumerated().map { index, head in
                (
                    "\(head)",
                    columns.map { Cell.number(index < $0.count ? Numbers.trimmed($0[index], places: 1) : "–") }
                        + ([latency, slowest, age] + percentiles).map { Cell.number(Numbers.duration(nanoseconds: $0[index])) }
                )
            })
        return "<details><summary>Figures as a table</summary>\(table.markup)</details>\n"
    }
}
