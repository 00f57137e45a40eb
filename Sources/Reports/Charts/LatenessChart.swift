// Our own lateness as a histogram: how many events left how long after their planned instant.

import Basics
import Glibc
import Metrics
import Verdicts

struct LatenessChart {
    var histogram: Histogram
    /// Above 0.
    var budgetNanoseconds: Double

    var isEmpty: Bool { histogram.count == 0 }

    /// Four bars per decade, from the decade of the smallest value to that of the largest.
    private struct Bar {
        var low: Double
        var high: Double
        var count: Int64
    }

    func markup(_ shape: Drawing.Shape) -> Markup {
        let bars = self.bars
        var paper = Drawing(
            shape, name: "lateness", title: "Lateness of planned events", summary: summary, height: 240)
        let (left, right) = paper.isWide ? (64.0, 944.0) : (48.0, 390.0)
        let (top, bottom) = (26.0, 196.0)
        let low = min(bars.first?.low ?? 1, budgetNanoseconds)
        let high = max(bars.last?.high ?? 10, budgetNanoseconds * 1.2)
        let x = Scale(kind: .logarithmic, domain: low...max(high, low * 10), start: left, end: right)
        let most = bars.map { Double($0.count) / Double(histogram.count) }.max() ?? 1
        let ticks = Ticks.linear(upTo: most, count: 3)
        let y = Scale(kind: .linear, domain: 0...ticks[ticks.count - 1], start: bottom, end: top)
        for tick in ticks {
            paper.line(left, y(tick), right, y(tick), tick == 0 ? "axis" : "grid")
            paper.text(left - 8, y(tick) + 4, Numbers.percent(tick), "tick", anchor: "end")
        }
        for bar in bars where bar.count > 0 {
            let share = Double(bar.count) / Double(histogram.count)
            let tip =
                "\(Numbers.duration(nanoseconds: bar.low)) to \(Numbers.duration(nanoseconds: bar.high)): "
                + "\(Numbers.count(bar.count)) events, \(Numbers.percent(share))"
            let barHeight = max(bottom - y(share), 1)
            paper.rect(
                x(bar.low) + 0.5, bottom - barHeight, x(bar.high) - x(bar.low) - 1, barHeight,
                bar.low >= budgetNanoseconds ? "column c1" : "column c0", tip: tip)
        }
        for tick in Ticks.logarithmic(low, high) where tick >= low && tick <= high && isLabelled(tick, of: high / low) {
            paper.text(x(tick), bottom + 18, Numbers.duration(nanoseconds: tick), "tick", anchor: "middle")
        }
        paper.text((left + right) / 2, bottom + 37, "lateness (log scale)", "tick", anchor: "middle")
        let edge = x(budgetNanoseconds)
        paper.line(edge, top - 8, edge, bottom, "limit dim")
        paper.text(
            edge + (edge > right - 150 ? -5 : 5), top - 2,
            "budget \(Numbers.duration(nanoseconds: budgetNanoseconds)) at p99", "label",
            anchor: edge > right - 150 ? "end" : "start")
        return paper.markup
    }

    var summary: String {
        "Half of the events left within \(Numbers.duration(nanoseconds: histogram.value(at: 50))) of their planned "
            + "instant, 99 % within \(Numbers.duration(nanoseconds: histogram.value(at: 99))), "
            + "the latest after \(Numbers.duration(nanoseconds: histogram.max))."
    }

    private func isLabelled(_ tick: Double, of ratio: Double) -> Bool {
        let exponent = log10(tick)
        return ratio < 100 || abs(exponent - exponent.rounded()) < 1e-9
    }

    private var bars: [Bar] {
        let perDecade = 4.0
        let least = max(Double(histogram.min), 1_000)
        let first = (log10(least) * perDecade).rounded(.down)
        let last = (log10(max(Double(histogram.max), least)) * perDecade).rounded(.down)
        var below: Int64 = 0
        return stride(from: first, through: last, by: 1).map { step in
            let high = pow(10, (step + 1) / perDecade)
            let upTo = step == last ? histogram.count : samples(upTo: Int64(saturating: high))
            defer { below = upTo }
            return Bar(low: pow(10, step / perDecade), high: high, count: upTo - below)
        }
    }

    private func samples(upTo value: Int64) -> Int64 {
        Int64(saturating: (histogram.share(upTo: value) * Double(histogram.count)).rounded())
    }
}
