// One session as lanes over time, around the moment at which its card was oldest.
//
//     calls    |  v   v        v    v     |
//     pushes   |   []   x          []     |
//     card     |   | Reading ////| Done   |   hatched: behind
//              | a mark under the pointer or the focus, in words

import Basics
import Sessions
import Verdicts

struct SessionLanes {
    /// Marks of which each is drawn; the table holds them all.
    private static let mostDrawn = 100
    /// Lines of words under the lanes.
    private static let lines = 3

    var session: SessionSeen
    /// From 1: the place among the worst.
    var rank: Int

    /// What is drawn: twice the worst age before it and once behind, at least two seconds; not more than there is.
    var window: Range<Interval> {
        let room = max(session.age, .seconds(1))
        let first = session.marks.first?.at ?? session.offeredAt
        let last = max(session.marks.last?.at ?? session.at, session.at)
        let start = max(min(first, session.offeredAt), session.offeredAt - room * 2)
        let end = min(last, session.at + room)
        let margin = max((end - start) * 0.03, .milliseconds(5))
        return start - margin..<max(end, start + .milliseconds(10)) + margin
    }

    var drawn: [LaneMark] { Array(session.marks.filter { window.contains($0.at) }.prefix(Self.mostDrawn)) }

    var summary: String {
        let state = "the state of step \(session.newerStep), offered at \(Numbers.offset(session.offeredAt)), was not shown yet"
        return "At \(Numbers.offset(session.at)) the card of phone \(session.phone + 1) was "
            + "\(Numbers.duration(session.age)) old: \(state); it showed step \(session.shownStep). "
            + "Hatched: the card is behind."
    }

    func markup(_ shape: Drawing.Shape) -> Markup {
        let isWide = shape == .wide
        let (left, right, laneHeight) = isWide ? (8.0, 952.0, 62.0) : (4.0, 396.0, 62.0)
        let top = 22.0
        let bottom = top + 3 * laneHeight
        var paper = Drawing(
            shape, name: "lanes-\(rank)", title: "Session \(session.session) around its worst moment", summary: summary,
            height: bottom + 34 + Double(Self.lines) * 17)
        paper.role = "group"
        let window = window
        let x = Scale(
            kind: .linear, domain: window.lowerBound.seconds...window.upperBound.seconds, start: left, end: right)
        drawAxis(on: &paper, x: x, bottom: bottom)
        for lane in LaneMark.Lane.allCases {
            let floor = top + Double(lane.rawValue + 1) * laneHeight
            paper.line(left, floor, right, floor, "axis")
            paper.text(left, floor - laneHeight + 15, lane.word, "panel")
        }
        drawStates(on: &paper, x: x, top: bottom - laneHeight + 22, height: laneHeight - 28)
        drawWorst(on: &paper, x: x, top: top, bottom: bottom)
        let rows = Self.lines
        for mark in drawn {
            let place = (x: x(mark.at.seconds), y: top + Double(mark.kind.lane.rawValue) * laneHeight + 38)
            paper.add(focusable(mark, place, paper, bottom: bottom + 38, columns: isWide ? 118 : 50, rows: rows))
        }
        paper.text(left, bottom + 38, "Point at a mark, or go from one to the next with the Tab key.", "tick hint")
        return paper.markup
    }

    // MARK: Parts

    private func drawAxis(on paper: inout Drawing, x: Scale, bottom: Double) {
        let (start, end) = (x.domain.lowerBound, x.domain.upperBound)
        let ticks = Ticks.linear(upTo: end - start, count: paper.isWide ? 8 : 4)
        guard ticks.count > 1 else { return }
        let step = ticks[1] - ticks[0]
        var tick = (start / step).rounded(.up) * step
        while tick <= end {
            paper.line(x(tick), 20, x(tick), bottom, "grid")
            let isAtEdge = x(tick) > x.end - 24 || x(tick) < x.start + 24
            let words = (tick < 0 ? "-" : "+") + Numbers.duration(nanoseconds: abs(tick) * 1e9)
            if !isAtEdge { paper.text(x(tick), bottom + 16, words, "tick", anchor: "middle") }
            tick += step
        }
    }

    /// What the card showed, as bars with their words, and hatched where it was behind.
    private func drawStates(on paper: inout Drawing, x: Scale, top: Double, height: Double) {
        let end = x.domain.upperBound
        let shown = session.marks.filter { $0.kind == .shown }
        for (index, mark) in shown.enumerated() {
            let until = index + 1 < shown.count ? shown[index + 1].at.seconds : end
            guard until > x.domain.lowerBound, mark.at.seconds < end else { continue }
            let (from, to) = (x(mark.at.seconds), x(until))
            paper.rect(from, top, to - from, height, "state")
            let room = Int((to - from - 10) / 7.2)
            if room >= 4 {
                paper.text(from + 6, top + 20, mark.words.count > room ? mark.words.prefix(room - 1) + "…" : mark.words, "state-words")
            }
        }
        let name = "hatch-\(rank)-\(paper.shape.rawValue)"
        paper.add(
            """
            <defs><pattern id="\(name)" width="7" height="7" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="7" class="hatch"/></pattern></defs>
            """)
        for stretch in session.stale {
            let (from, to) = (x(stretch.lowerBound.seconds), x(stretch.upperBound.seconds))
            guard to - from > 0.2 else { continue }
            let width = max(to - from, 1)
            paper.add(
                """
                <rect x="\(from)" y="\(top)" width="\(width)" height="\(height)" fill="url(#\(name))" class="stale"/>
                """)
        }
    }

    private func drawWorst(on paper: inout Drawing, x: Scale, top: Double, bottom: Double) {
        let (from, to) = (x(session.offeredAt.seconds), x(session.at.seconds))
        paper.line(from, top, from, bottom, "phase")
        paper.line(to, top - 4, to, bottom, "limit dim")
        let words = "\(Numbers.duration(session.age)) old"
        let isLeft = to - 7.5 * Double(words.count) > x.start
        paper.text(isLeft ? to - 6 : to + 6, top - 8, words, "label", anchor: isLeft ? "end" : "start")
    }

    /// A mark that the keyboard reaches; its words stand below while it has the focus or the pointer.
    private func focusable(
        _ mark: LaneMark, _ place: (x: Double, y: Double), _ paper: Drawing, bottom: Double, columns: Int, rows: Int
    ) -> Markup {
        let lines = Self.wrap(mark.line, columns: columns, rows: rows)
        let spans = lines.enumerated().map { ($0.offset, $0.element) }.markup { index, line in
            "<tspan x=\"\(paper.isWide ? 8.0 : 4.0)\" dy=\"\(index == 0 ? 0.0 : 17.0)\">\(line)</tspan>"
        }
        return """
            <g class="mark" tabindex="0" role="img" aria-label="\(mark.line)">\
            <circle cx="\(place.x)" cy="\(place.y)" r="11" class="reach"/>\(mark.kind.shape(place.x, place.y))\
            <text y="\(bottom)" class="told" aria-hidden="true">\(spans)</text></g>
            """
    }

    static func wrap(_ text: String, columns: Int, rows: Int) -> [String] {
        var lines: [String] = []
        var rest = text[...]
        while !rest.isEmpty, lines.count < rows {
            guard rest.count > columns else {
                lines.append(String(rest))
                rest = ""
                break
            }
            let piece = rest.prefix(columns)
            let cut = piece.lastIndex(of: " ").map { $0 > piece.index(piece.startIndex, offsetBy: columns / 2) ? $0 : piece.endIndex }
            let end = cut ?? piece.endIndex
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        if !rest.isEmpty, let last = lines.popLast() { lines.append(String(last.dropLast()) + "…") }
        return lines
    }
}
