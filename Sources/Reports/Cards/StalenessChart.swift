// How old cards were over the time of the run, with the worst sessions at their worst moments.

import Basics
import Metrics
import Sessions
import Verdicts

struct StalenessChart {
    var sessions: SessionsSeen

    var isEmpty: Bool { sessions.places.allSatisfy { $0.most == nil } }

    var summary: String {
        let length = Numbers.duration(sessions.placeLength)
        let worst = sessions.worst.first.map { worst in
            "The oldest was \(Numbers.duration(worst.age)) old, of session \(worst.session) at \(Numbers.offset(worst.at))."
        }
        return "Age of all cards that lived, weighted by time, in stretches of \(length). " + (worst ?? "None was ever behind.")
    }

    static var lines: [(name: String, style: String, path: KeyPath<StalenessPlace, Interval?>)] {
        [("oldest", "c1 dashed", \.most), ("p95", "c4", \.p95), ("median", "c0", \.median)]
    }

    func markup(_ shape: Drawing.Shape) -> Markup {
        var paper = Drawing(
            shape, name: "card-ages", title: "Age of what cards showed over time", summary: summary,
            height: shape == .wide ? 260 : 240)
        let (left, right) = paper.isWide ? (64.0, 944.0) : (54.0, 390.0)
        let (top, bottom) = (26.0, paper.height - 34)
        let length = sessions.placeLength.seconds
        let total = max(length * Double(sessions.places.count), length)
        let x = Scale(kind: .linear, domain: 0...total, start: left, end: right)
        let most = sessions.places.compactMap { $0.most?.nanoseconds }.max() ?? 0
        let ticks = Ticks.linear(upTo: Double(most) * 1.1, count: 4)
        let y = Scale(kind: .linear, domain: 0...ticks[ticks.count - 1], start: bottom, end: top)
        for tick in ticks {
            paper.line(left, y(tick), right, y(tick), tick == 0 ? "axis" : "grid")
            paper.text(left - 8, y(tick) + 4, Numbers.duration(nanoseconds: tick), "tick", anchor: "end")
        }
        for tick in Ticks.elapsed(upTo: total, count: paper.isWide ? 10 : 5) {
            paper.line(x(tick), bottom, x(tick), bottom + 5, "axis")
            paper.text(x(tick), bottom + 19, Ticks.elapsedLabel(tick, of: total), "tick", anchor: "middle")
        }
        let centers = sessions.places.indices.map { (Double($0) + 0.5) * length }
        for line in Self.lines {
            for piece in pieces(line.path, centers) {
                paper.path(piece.map { (x($0.0), y($0.1)) }, "line thin \(line.style)")
            }
        }
        drawWorst(on: &paper, x: x, y: y)
        paper.follow(
            HoverData(
                places: centers.map { x($0) },
                heads: sessions.places.indices.map { "from \(Ticks.elapsedLabel(Double($0) * length, of: total))" },
                rows: Self.lines.enumerated().map { index, line in
                    HoverData.Row(
                        name: line.name, color: index,
                        values: sessions.places.map { $0[keyPath: line.path].map(Numbers.duration) ?? "" })
                }, top: top, bottom: bottom))
        return paper.markup
    }

    /// Without lines through times in which no card lived.
    private func pieces(
        _ path: KeyPath<StalenessPlace, Interval?>, _ centers: [Double]
    ) -> [[(Double, Double)]] {
        var pieces: [[(Double, Double)]] = [[]]
        for (place, center) in zip(sessions.places, centers) {
            if let age = place[keyPath: path] {
                pieces[pieces.count - 1].append((center, Double(age.nanoseconds)))
            } else if pieces.last?.isEmpty == false {
                pieces.append([])
            }
        }
        return pieces.filter { !$0.isEmpty }
    }

    /// A ring with the session's place in the list, from the last to the first, which is to be seen whole.
    private func drawWorst(on paper: inout Drawing, x: Scale, y: Scale) {
        for (index, worst) in sessions.worst.enumerated().reversed() {
            let (px, py) = (x(worst.at.seconds), y(Double(worst.age.nanoseconds)))
            paper.circle(px, py, 9, "ring")
            paper.text(px, py + 4, "\(index + 1)", "ring-number", anchor: "middle")
        }
    }
}
