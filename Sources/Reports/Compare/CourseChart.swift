// Two courses over one time axis: how long deliveries took by the second of their event, base and new.

import Basics
import Comparison
import Metrics
import Verdicts

struct CourseChart {
    var base: ComparisonRecord.Side
    var new: ComparisonRecord.Side
    var summary: String

    private struct Line {
        var name: String
        var color: Int
        var isDashed = false
        /// By place; no number where there is nothing to tell.
        var values: [Double]
    }

    var isEmpty: Bool { !(base.series + new.series).contains { $0.deliveries > 0 } }

    func markup(_ shape: Drawing.Shape) -> Markup {
        let seconds = max(base.series.count, new.series.count, 1)
        let buckets = Buckets(seconds: seconds, most: shape == .wide ? 240 : 90)
        var paper = Drawing(
            shape, name: "course", title: "Delivery latency over time, base and new", summary: summary, height: 320)
        let (left, right) = paper.isWide ? (64.0, 944.0) : (54.0, 390.0)
        let (top, bottom) = (30.0, 280.0)
        let lines = lines(buckets, seconds)
        let most = lines.flatMap(\.values).filter { !$0.isNaN }.max() ?? 0
        let ticks = Ticks.linear(upTo: most, count: 5)
        let y = Scale(kind: .linear, domain: 0...ticks[ticks.count - 1], start: bottom, end: top)
        let x = Scale(kind: .linear, domain: 0...Double(seconds), start: left, end: right)
        for tick in ticks {
            paper.line(left, y(tick), right, y(tick), tick == 0 ? "axis" : "grid")
            paper.text(left - 8, y(tick) + 4, Numbers.duration(nanoseconds: tick), "tick", anchor: "end")
        }
        for tick in Ticks.elapsed(upTo: Double(seconds), count: paper.isWide ? 10 : 5) {
            paper.line(x(tick), bottom, x(tick), bottom + 5, "axis")
            paper.text(x(tick), bottom + 19, Ticks.elapsedLabel(tick, of: Double(seconds)), "tick", anchor: "middle")
        }
        let centers = buckets.centers
        for line in lines {
            let points = zip(centers, line.values).filter { !$0.1.isNaN }.map { (x: x($0), y: y($1)) }
            if !points.isEmpty { paper.path(points, "line thin c\(line.color)\(line.isDashed ? " dashed" : "")") }
        }
        paper.follow(
            HoverData(
                places: centers.map { x($0) }, heads: buckets.heads(of: Double(seconds)),
                rows: lines.map { line in
                    HoverData.Row(
                        name: line.name, color: line.color,
                        values: line.values.map { $0.isNaN ? "" : Numbers.duration(nanoseconds: $0) })
                }, top: top, bottom: bottom))
        return paper.markup
    }

    static let legend = [
        ("base, mean", "stroke c0"), ("new, mean", "stroke c1"), ("base, slowest", "stroke c0 dashed"),
        ("new, slowest", "stroke c1 dashed"),
    ]

    private func lines(_ buckets: Buckets, _ seconds: Int) -> [Line] {
        func padded(_ side: ComparisonRecord.Side, _ value: (SeriesRow) -> Int) -> [Int] {
            side.series.map(value) + [Int](repeating: 0, count: seconds - side.series.count)
        }
        return [("base", 0, base), ("new", 1, new)].flatMap { name, color, side in
            [
                Line(
                    name: "\(name), mean", color: color,
                    values: buckets.ratios(padded(side, \.deliveryMicroseconds), padded(side, \.deliveries), by: 1e3)),
                Line(
                    name: "\(name), slowest", color: color, isDashed: true,
                    values: buckets.most(padded(side, \.slowestMicroseconds), by: 1e3)),
            ]
        }
    }
}
