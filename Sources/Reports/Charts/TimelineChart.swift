// What happened when: panels that share one time axis, with faults and relay outages as bands across all of them.
//
//   bands     |   [fault A]        [relay down]      |
//   events/s  |~~~~~~~~~~~~~\____/~~~~~~~~~~~~~~~~~~~|
//   pushes/s  |~~~~~~~~~~~~~\____/~~~~~~~~~~~~~~~~~~~|
//   errors/s  |___________/\______/\_________________|
//   latency   |~~~~~~~~~~~~~/\___/~~~~~~~~~~~~~~~~~~~|   p50 and p99 of pushes and of answers, and our lateness
//   sessions  |____/-----------------------\_________|
//             0            30 s           60 s

import Basics
import Metrics
import Verdicts

struct TimelineChart {
    var correlation: Correlation
    var phases: [RunRecord.Phase]
    var bands: [RunRecord.Band]
    var summary: String

    struct Line {
        var name: String
        var color: Int
        /// One for each place; no number where there is nothing to tell.
        var values: [Double]
        var isFilled = false
        var isDashed = false
    }

    struct Panel {
        var title: String
        var lines: [Line]
        var unit = Unit.rate

        enum Unit { case rate, count, nanoseconds }

        func text(_ value: Double) -> String {
            switch unit {
            case _ where value.isNaN: ""
            case .rate: Numbers.rate(value)
            case .count: Numbers.count(Int64(saturating: value.rounded()))
            case .nanoseconds: Numbers.duration(nanoseconds: value)
            }
        }

        /// On the axis, whose panel names the unit where it is a count.
        func tick(_ value: Double) -> String {
            unit == .nanoseconds ? Numbers.duration(nanoseconds: value) : Numbers.trimmed(value, places: 2)
        }
    }

    var isEmpty: Bool { correlation.series.isEmpty }

    /// The length of the axis in seconds, at least 1.
    private var total: Double { Double(max(correlation.series.count, 1)) }

    func markup(_ shape: Drawing.Shape) -> Markup {
        let buckets = Buckets(seconds: correlation.series.count, most: shape == .wide ? 320 : 120)
        let panels = self.panels(buckets)
        let lanes = BandLanes(bands, total: total, most: 3)
        let (panelHeight, gap) = shape == .wide ? (92.0, 34.0) : (84.0, 34.0)
        let top = 22 + Double(lanes.count) * 18
        let bottom = top - 8 + Double(panels.count) * (panelHeight + gap)
        var paper = Drawing(
            shape, name: "timeline", title: "Throughput, errors and active sessions over time", summary: summary,
            height: bottom + 26)
        let (left, right) = paper.isWide ? (64.0, 944.0) : (48.0, 390.0)
        let x = Scale(kind: .linear, domain: 0...total, start: left, end: right)
        drawPhases(on: &paper, x: x, top: top, bottom: bottom)
        lanes.draw(on: &paper, x: x, bottom: bottom)
        let centers = buckets.centers
        for (index, panel) in panels.enumerated() {
            let floor = top + gap - 8 + Double(index) * (panelHeight + gap) + panelHeight
            draw(panel, on: &paper, x: x, centers: centers, floor: floor, height: panelHeight)
        }
        drawAxis(on: &paper, x: x, bottom: bottom)
        paper.follow(
            HoverData(
                places: centers.map { x($0) }, heads: buckets.heads(of: total),
                rows: panels.flatMap { panel in
                    panel.lines.map { line in
                        HoverData.Row(
                            name: line.name, color: line.color,
                            values: line.values.map(panel.text))
                    }
                }, top: top, bottom: bottom))
        return paper.markup
    }

    private func panels(_ buckets: Buckets) -> [Panel] {
        let rows = correlation.series
        func line(_ name: String, _ color: Int, _ value: (SeriesRow) -> Int) -> Line {
            Line(name: name, color: color, values: buckets.means(rows.map(value)))
        }
        var planned = line("planned", 7) { $0.planned }
        planned.isFilled = true
        var answered = line("answered", 2) { $0.answered }
        answered.isDashed = true
        var arrived = line("arrived", 0) { $0.pushes }
        arrived.isFilled = true
        var accepted = line("accepted", 2) { $0.accepted }
        accepted.isDashed = true
        var errors = line("errors", 1) { $0.errors }
        errors.isFilled = true
        var active = Line(name: "sessions", color: 3, values: buckets.means(correlation.activeSeries))
        active.isFilled = true
        var mean = Line(
            name: "mean", color: 0, values: buckets.ratios(rows.map(\.deliveryMicroseconds), rows.map(\.deliveries), by: 1e3))
        mean.isFilled = true
        let slowest = Line(name: "slowest", color: 4, values: buckets.most(rows.map(\.slowestMicroseconds), by: 1e3))
        var age = Line(
            name: "mean age", color: 3, values: buckets.ratios(rows.map(\.cardAges), rows.map(\.cardMilliseconds), by: 1e9))
        age.isFilled = true
        let traffic = [
            Panel(title: "Events to the relay, per second", lines: [planned, line("sent", 0) { $0.sent }, answered]),
            Panel(title: "Pushes from the relay, per second", lines: [arrived, accepted]),
            Panel(title: "Errors, per second", lines: [errors]),
        ]
        let cards = [
            Panel(title: "Age of what cards show, mean", lines: [age], unit: .nanoseconds),
            Panel(title: "Active sessions", lines: [active], unit: .count),
        ]
        return traffic + latencies(buckets, mean: mean, slowest: slowest) + cards
    }

    /// Of records of older versions only means are known.
    private func latencies(_ buckets: Buckets, mean: Line, slowest: Line) -> [Panel] {
        let course = correlation.course
        guard !course.isEmpty else {
            return [Panel(title: "Delivery latency, by the second of the event", lines: [mean, slowest], unit: .nanoseconds)]
        }
        func panel(_ title: String, _ rows: [LatencyCourse.Row]) -> Panel {
            var half = Line(name: "p50", color: 0, values: buckets.greatest(rows, each: course.seconds) { $0.p50 })
            half.isFilled = true
            var most = Line(name: "p99", color: 4, values: buckets.greatest(rows, each: course.seconds) { $0.p99 })
            most.isDashed = true
            return Panel(title: title, lines: [half, most], unit: .nanoseconds)
        }
        return [
            panel("Delivery latency, by the instant of the event", course.delivery),
            panel("Answer latency, by the instant of the event", course.answer),
            panel("Our own lateness, by the instant of the event", course.lateness),
        ]
    }

    private func draw(
        _ panel: Panel, on paper: inout Drawing, x: Scale, centers: [Double], floor: Double, height: Double
    ) {
        let most = panel.lines.flatMap(\.values).filter { !$0.isNaN }.max() ?? 0
        let ticks = panel.unit == .nanoseconds ? Ticks.linear(upTo: most, count: 3) : Ticks.counts(upTo: most, count: 3)
        let y = Scale(kind: .linear, domain: 0...ticks[ticks.count - 1], start: floor, end: floor - height)
        for tick in ticks {
            paper.line(x.start, y(tick), x.end, y(tick), tick == 0 ? "axis" : "grid")
            paper.text(x.start - 8, y(tick) + 4, panel.tick(tick), "tick", anchor: "end")
        }
        paper.text(x.start, floor - height - 8, panel.title, "panel")
        for line in panel.lines where !line.values.isEmpty {
            let points = zip(centers, line.values).filter { !$0.1.isNaN }.map { (x: x($0), y: y($1)) }
            if points.isEmpty { continue }
            if line.isFilled { paper.area(points, floor: floor, "area c\(line.color)") }
            paper.path(points, "line thin c\(line.color)\(line.isDashed ? " dashed" : "")")
        }
        if paper.isWide { name(panel.lines, on: &paper, end: x.end, baseline: floor - height - 8) }
    }

    /// The names of a panel's lines, each behind a piece of its line, flush right beside the panel's title.
    private func name(_ lines: [Line], on paper: inout Drawing, end: Double, baseline: Double) {
        guard lines.count > 1 else { return }
        var place = end
        for line in lines.reversed() {
            paper.text(place, baseline, line.name, "label c\(line.color)", anchor: "end")
            place -= Double(line.name.count) * 8.4 + 6
            let sample = [(x: place - 22, y: baseline - 4), (x: place, y: baseline - 4)]
            paper.path(sample, "line thin c\(line.color)\(line.isDashed ? " dashed" : "")")
            place -= 38
        }
    }

    private func drawPhases(on paper: inout Drawing, x: Scale, top: Double, bottom: Double) {
        for phase in phases {
            let start = x(phase.start.seconds)
            let width = x(phase.end.seconds) - start
            if phase.start.seconds > 0.5 { paper.line(start, top - 4, start, bottom, "phase") }
            if width > Double(phase.name.count) * 7 + 8 { paper.text(start + 4, 12, phase.name, "tick") }
        }
    }

    private func drawAxis(on paper: inout Drawing, x: Scale, bottom: Double) {
        for tick in Ticks.elapsed(upTo: total, count: paper.isWide ? 10 : 5) {
            paper.line(x(tick), bottom, x(tick), bottom + 5, "axis")
            paper.text(x(tick), bottom + 19, Ticks.elapsedLabel(tick, of: total), "tick", anchor: "middle")
        }
    }
}

/// Seconds gathered into so many places as the paper can show.
struct Buckets {
    private let ranges: [Range<Int>]

    init(seconds: Int, most: Int) {
        let size = max(1, (seconds + most - 1) / most)
        ranges = stride(from: 0, to: seconds, by: size).map { $0..<min($0 + size, seconds) }
    }

    var centers: [Double] { ranges.map { Double($0.lowerBound + $0.upperBound) / 2 } }

    /// The mean of each place; places without values are left out at the end.
    func means(_ values: [Int]) -> [Double] {
        ranges.compactMap { range in
            guard range.upperBound <= values.count else { return nil }
            return Double(values[range].reduce(0, +)) / Double(range.count)
        }
    }

    /// Sum by sum of each place, times a factor; no number where there is nothing to divide by.
    func ratios(_ sums: [Int], _ counts: [Int], by factor: Double) -> [Double] {
        zip(means(sums), means(counts)).map { $1 > 0 ? $0 / $1 * factor : .nan }
    }

    /// The greatest of each place, times a factor; no number where that is 0.
    func most(_ values: [Int], by factor: Double) -> [Double] {
        ranges.compactMap { range in
            guard range.upperBound <= values.count, let most = values[range].max() else { return nil }
            return most > 0 ? Double(most) * factor : .nan
        }
    }

    /// The greatest of the intervals of so many seconds that each place has a part of: percentiles are not averaged. No number
    /// where nothing was measured.
    func greatest(_ rows: [LatencyCourse.Row], each seconds: Int, _ value: (LatencyCourse.Row) -> Int64) -> [Double] {
        ranges.map { range in
            let places = range.lowerBound / seconds...(range.upperBound - 1) / seconds
            let found = places.filter { rows.indices.contains($0) && rows[$0].count > 0 }.map { value(rows[$0]) }
            return found.max().map(Double.init) ?? .nan
        }
    }

    func heads(of total: Double) -> [String] {
        ranges.map { range in
            let from = Ticks.elapsedLabel(Double(range.lowerBound), of: total)
            let to = Ticks.elapsedLabel(Double(range.upperBound), of: total)
            return range.count == 1 && total < 7200 ? "at \(from)" : "\(from) to \(to)"
        }
    }
}
