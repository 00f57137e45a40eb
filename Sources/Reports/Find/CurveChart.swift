// Load against one figure, a point for each trial.

import Capacity
import Verdicts

struct CurveChart {
    struct Point {
        enum Look { case good, bad, void }

        var rate: Double
        var value: Double
        var look: Look
        var series: Int
    }

    var name: String
    var title: String
    /// How a value is written.
    var text: (Double) -> String
    var points: [Point]
    /// Loads at which the lower and upper bounds are.
    var bounds: [Double]
    var series: [String]
    var axis: FindRecord.Axis
    var isLogarithmic = false

    var isEmpty: Bool { points.isEmpty }

    static func panels(_ record: FindRecord) -> [CurveChart] {
        let bounds = record.goals.flatMap { [$0.result.lower, $0.result.upper].compactMap { $0 } }
        func panel(
            _ name: String, _ title: String, _ text: @escaping (Double) -> String, log: Bool = false,
            _ figures: [(String, (FindRecord.Figures) -> Double?)]
        ) -> CurveChart {
            let points = figures.enumerated().flatMap { number, figure in
                record.trials.filter { $0.kind != .warmUp }.compactMap { trial -> Point? in
                    guard let value = figure.1(trial.figures) else { return nil }
                    let look: Point.Look = trial.void != nil ? .void : trial.words.contains(.bad) ? .bad : .good
                    return Point(rate: trial.rate, value: value, look: look, series: number)
                }
            }
            return CurveChart(
                name: name, title: title, text: text, points: points, bounds: bounds, series: figures.map(\.0),
                axis: record.axis, isLogarithmic: log)
        }
        let duration: (Double) -> String = { Numbers.duration(nanoseconds: $0) }
        return [
            panel("delivery", "Delivery, from the planned instant", duration, log: true, [("p50", \.p50), ("p99", \.p99)]),
            panel("slope", "How much later each second's pushes came", Numbers.slope, [("slope", \.slope)]),
            panel("staleness", "Staleness of cards, p99", duration, log: true, [("p99", \.staleness)]),
            panel(
                "lost", "Lost and refused", Numbers.percent,
                [("lost", \.lostShare), ("events refused or failed", \.errorShare)]),
            panel("processor", "The relay's processor, of one core", Numbers.percent, [("processor", \.processor)]),
            panel(
                "memory", "The relay's memory, at most", { Numbers.bytes(Int64($0)) },
                [("memory", { $0.memoryBytes.map(Double.init) })]),
        ]
    }

    private var summary: String {
        let rates = points.map(\.rate)
        let (least, most) = (FindText.rate(rates.min() ?? 0, axis), FindText.rate(rates.max() ?? 0, axis))
        return "\(points.count) points from \(least) to \(most); "
            + "values from \(text(points.map(\.value).min() ?? 0)) to \(text(points.map(\.value).max() ?? 0))."
    }

    func markup(_ shape: Drawing.Shape) -> Markup {
        var paper = Drawing(shape, name: "curve-\(name)", title: title, summary: summary, height: 240)
        let (left, right) = paper.isWide ? (76.0, 944.0) : (62.0, 390.0)
        let (top, bottom) = (26.0, 196.0)
        let rates = points.map(\.rate)
        let least = rates.min() ?? 1
        let x = Scale(
            kind: .logarithmic, domain: least...max(rates.max() ?? 1, least * 1.1), start: left, end: right)
        let y = scale(&paper, left: left, right: right, top: top, bottom: bottom)
        for tick in Ticks.logarithmic(x.domain.lowerBound, x.domain.upperBound) where x.domain.contains(tick) {
            paper.text(x(tick), bottom + 18, FindText.rate(tick, axis), "tick", anchor: "middle")
        }
        for bound in bounds {
            paper.line(x(bound), top, x(bound), bottom, "limit dim")
            paper.text(x(bound), top - 6, FindText.rate(bound, axis), "label", anchor: "middle")
        }
        for point in points {
            let (px, py) = (x(point.rate), y(point.value))
            switch point.look {
            case .good: paper.circle(px, py, 4, "dot c\(point.series)")
            case .void: paper.circle(px, py, 4, "hollow")
            case .bad:
                paper.path([(px - 4, py - 4), (px + 4, py + 4)], "line c\(point.series)")
                paper.path([(px - 4, py + 4), (px + 4, py - 4)], "line c\(point.series)")
            }
        }
        if series.count > 1 {
            for (number, name) in series.enumerated() {
                paper.circle(left + 8 + Double(number) * 140, 232, 4, "dot c\(number)")
                paper.text(left + 18 + Double(number) * 140, 236, name, "label")
            }
        }
        return paper.markup
    }

    private func scale(_ paper: inout Drawing, left: Double, right: Double, top: Double, bottom: Double) -> Scale {
        let values = points.map(\.value)
        let (least, most) = (values.min() ?? 0, values.max() ?? 1)
        let isLog = isLogarithmic && least > 0
        let ticks = isLog ? Ticks.logarithmic(least, most) : Ticks.linear(upTo: max(most, 1e-9), count: 4)
        let low = isLog ? ticks[0] : min(0, least)
        let scale = Scale(
            kind: isLog ? .logarithmic : .linear, domain: low...max(ticks[ticks.count - 1], low + 1e-9), start: bottom,
            end: top)
        for tick in ticks {
            paper.line(left, scale(tick), right, scale(tick), tick == 0 ? "axis" : "grid")
            paper.text(left - 8, scale(tick) + 4, text(tick), "tick", anchor: "end")
        }
        return scale
    }
}
