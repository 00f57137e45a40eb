// The percentile spectrum: how long the slowest tenth, hundredth, thousandth took.
//
//   latency |                    ____/   x: percentile, each decade of "nines" as wide as the last
//           |         _____/----/        y: latency, by logarithm when it spans more than one and a half decades
//           |___/----/
//           +----|------|------|------
//               90 %   99 %   99.9 %

import Glibc
import Metrics
import Verdicts

struct SpectrumChart {
    struct Curve {
        var name: String
        var histogram: Histogram
        var color: Int
        var isDashed = false
    }

    /// A gate on one percentile, drawn as a mark that the curve must stay below.
    struct Limit {
        var percentile: Double
        var nanoseconds: Double
        var label: String
        /// For narrow paper.
        var shortLabel: String
        var passed: Bool
    }

    var name: String
    var title: String
    var summary: String
    var curves: [Curve]
    var limits: [Limit] = []

    /// Nothing to draw.
    var isEmpty: Bool { curves.allSatisfy { $0.histogram.count == 0 } }

    func markup(_ shape: Drawing.Shape) -> Markup {
        let drawn = curves.filter { $0.histogram.count > 0 }
        var paper = Drawing(shape, name: name, title: title, summary: summary, height: shape == .wide ? 400 : 340)
        let (left, right) = paper.isWide ? (64.0, 780.0) : (54.0, 388.0)
        let (top, bottom) = (14.0, paper.height - 44)
        let mostSamples = drawn.map(\.histogram.count).max() ?? 1
        let reach = min(max(log10(Double(mostSamples)), 1), 6)
        let x = Scale(kind: .linear, domain: 0...reach, start: left, end: right)
        let y = latencyScale(drawn, top: top, bottom: bottom, paper: &paper, left: left, right: right)
        percentileAxis(on: &paper, x: x, reach: reach, top: top, bottom: bottom)
        var ends: [(x: Double, y: Double)] = []
        for curve in drawn {
            let points = samples(of: curve.histogram, reach: reach).map { (x: x($0.nines), y: y(Double($0.value))) }
            paper.path(points, "line c\(curve.color)\(curve.isDashed ? " dashed" : "")")
            if let end = points.last {
                paper.circle(end.x, end.y, 3, "dot c\(curve.color)")
                ends.append(end)
            }
        }
        // Last, so that no curve crosses their labels.
        limitMarks(on: &paper, x: x, y: y, reach: reach, right: right)
        if paper.isWide {
            let places = LabelLayout.spread(ends.map(\.y), gap: 17, within: top + 6...bottom)
            for (index, curve) in drawn.enumerated() {
                paper.line(ends[index].x, ends[index].y, right + 10, places[index], "leader c\(curve.color)")
                paper.text(right + 14, places[index] + 4, curve.name, "label c\(curve.color)")
            }
        }
        paper.follow(hover(drawn, x: x, reach: reach, top: top, bottom: bottom))
        return paper.markup
    }

    /// Places along a curve, up to its own last sample: beyond it a histogram only repeats its maximum.
    private func samples(of histogram: Histogram, reach: Double) -> [(nines: Double, value: Int64)] {
        let end = min(log10(Double(max(histogram.count, 1))), reach)
        guard end > 0 else { return [(0, histogram.max)] }
        return histogram.percentileSpectrum(ticksPerHalfDistance: 16).map { point in
            (min(-log10(max(1 - point.percentile / 100, 1e-12)), end), point.value)
        }
    }

    private func latencyScale(
        _ drawn: [Curve], top: Double, bottom: Double, paper: inout Drawing, left: Double, right: Double
    ) -> Scale {
        let limitsHigh = limits.map(\.nanoseconds).max() ?? 0
        let high = max(Double(drawn.map(\.histogram.max).max() ?? 1), limitsHigh, 1_000)
        let low = max(Double(drawn.map { $0.histogram.value(at: 1) }.min() ?? 1), high / 1e6, 1_000)
        let isLogarithmic = high / low > 30
        let ticks = isLogarithmic ? Ticks.logarithmic(low, high) : Ticks.linear(upTo: high, count: 5)
        let y = Scale(
            kind: isLogarithmic ? .logarithmic : .linear, domain: ticks[0]...ticks[ticks.count - 1], start: bottom,
            end: top)
        for (index, tick) in ticks.enumerated() {
            paper.line(left, y(tick), right, y(tick), "grid")
            // The ends of a logarithmic axis may come close to the decade beside them.
            let isCrowded = index == 0 && ticks.count > 1 && y(tick) - y(ticks[1]) < 20
            if isCrowded { continue }
            paper.text(left - 8, y(tick) + 4, Numbers.duration(nanoseconds: tick), "tick", anchor: "end")
        }
        return y
    }

    private func percentileAxis(on paper: inout Drawing, x: Scale, reach: Double, top: Double, bottom: Double) {
        let marks: [(nines: Double, label: String)] = [
            (0, "0 %"), (log10(2), "50 %"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %"), (5, "99.999 %"),
            (6, "99.9999 %"),
        ]
        for mark in marks where mark.nines <= reach + 1e-9 {
            let isCrowded = !paper.isWide && reach > 3 && (mark.nines == log10(2) || mark.nines > 4)
            if mark.nines > 0 { paper.line(x(mark.nines), top, x(mark.nines), bottom, "grid") }
            if !isCrowded { paper.text(x(mark.nines), bottom + 18, mark.label, "tick", anchor: "middle") }
        }
        paper.line(x.start, bottom, x.end, bottom, "axis")
        paper.text((x.start + x.end) / 2, bottom + 37, "percentile of samples", "tick", anchor: "middle")
    }

    private func limitMarks(on paper: inout Drawing, x: Scale, y: Scale, reach: Double, right: Double) {
        for limit in limits {
            let nines = min(-log10(max(1 - limit.percentile / 100, 1e-9)), reach)
            let (px, py) = (x(nines), y(limit.nanoseconds))
            let style = limit.passed ? "limit ok" : "limit bad"
            paper.line(px - 16, py, px + 16, py, style)
            paper.line(px, py, px, py - 6, style)
            let label = paper.isWide ? limit.label : limit.shortLabel
            let isAtEdge = px + 20 + 7.4 * Double(label.count) > right
            paper.text(
                isAtEdge ? px - 20 : px + 20, py - 5, label, "label \(limit.passed ? "ok" : "bad")",
                anchor: isAtEdge ? "end" : "start")
        }
    }

    private func hover(_ drawn: [Curve], x: Scale, reach: Double, top: Double, bottom: Double) -> HoverData {
        let percentiles = [
            0.0, 25, 50, 75, 80, 90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.99, 99.995, 99.999, 99.9999,
        ]
        let shown = percentiles.filter { -log10(1 - $0 / 100) <= reach + 1e-9 }
        return HoverData(
            places: shown.map { x(-log10(1 - $0 / 100)) },
            heads: shown.map { Numbers.trimmed($0, places: 4) + " % were faster than" },
            rows: drawn.map { curve in
                HoverData.Row(
                    name: curve.name, color: curve.color,
                    values: shown.map { percentile in
                        let isKnown = Double(curve.histogram.count) * (1 - percentile / 100) >= 0.999
                        return isKnown ? Numbers.duration(nanoseconds: curve.histogram.value(at: percentile)) : ""
                    })
            }, top: top, bottom: bottom)
    }
}
