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
        let (shown, newer) = (SessionSeen.words(session.shownStep), SessionSeen.words(session.newerStep))
        return "At \(Numbers.offset(session.at)) the card of phone \(session.phone + 1) was "
            + "\(Numbers.duration(session.age)) old: it showed the state of \(shown), and that of "
            + "\(newer), offered at \(Numbers.offset(session.offeredAt)), had not reached it. Hatched: the card is behind. "
            + "The axis counts from that offer."
    }

    private static let top = 22.0
    private static let bottom = top + LaneMark.Lane.card.edges.upperBound

    func markup(_ shape: Drawing.Shape) -> Markup {
        let (left, right) = shape == .wide ? (8.0, 952.0) : (4.0, 396.0)
        let (columns, rows) = shape == .wide ? (118, 2) : (50, 4)
        var paper = Drawing(
            shape, name: "lanes-\(rank)", title: "Session \(session.session) around its worst moment", summary: summary,
            height: Self.bottom + 30 + Double(rows) * 17)
        paper.role = "group"
        let window = window
        let x = Scale(
            kind: .linear, domain: window.lowerBound.seconds...window.upperBound.seconds, start: left, end: right)
        drawAxis(on: &paper, x: x)
        for lane in LaneMark.Lane.allCases {
            paper.line(left, Self.top + lane.edges.upperBound, right, Self.top + lane.edges.upperBound, "axis")
            paper.text(left, Self.top + lane.edges.lowerBound + 14, lane.word, "panel")
        }
        drawStates(on: &paper, x: x)
        drawWorst(on: &paper, x: x)
        for mark in drawn {
            let place = (x: x(mark.at.seconds), y: Self.top + mark.height)
            let lines = Self.wrap(mark.line, columns: columns, rows: rows)
            paper.add(focusable(mark, place, lines, left: left))
        }
        let hint = paper.isWide ? "Point at a mark, or go from one to the next with the Tab key." : "Tap a mark for its words."
        paper.text(left, Self.bottom + 38, hint, "tick hint")
        return paper.markup
    }

    // MARK: Parts

    /// Counts from the offer of the state that was missing.
    private func drawAxis(on paper: inout Drawing, x: Scale) {
        let (start, end) = (x.domain.lowerBound, x.domain.upperBound)
        let offered = session.offeredAt.seconds
        let ticks = Ticks.linear(upTo: end - start, count: paper.isWide ? 8 : 4)
        guard ticks.count > 1 else { return }
        let step = ticks[1]
        for number in Int(((start - offered) / step).rounded(.up))...max(0, Int((end - offered) / step)) {
            let tick = Double(number) * step
            let place = x(offered + tick)
            if number != 0 { paper.line(place, 20, place, Self.bottom, "grid") }
            guard place < x.end - 24, place > x.start + 24 else { continue }
            let words = number == 0 ? "offered" : (tick < 0 ? "-" : "+") + Numbers.duration(nanoseconds: abs(tick) * 1e9)
            paper.text(place, Self.bottom + 16, words, number == 0 ? "panel" : "tick", anchor: "middle")
        }
    }

    /// What the card showed, as bars with their words, and hatched where it was behind.
    private func drawStates(on paper: inout Drawing, x: Scale) {
        let (top, height) = (Self.top + LaneMark.Lane.card.edges.lowerBound + 46, 32.0)
        let end = x.domain.upperBound
        let shown = session.marks.filter { $0.kind == .shown }
        let bars = shown.indices.compactMap { index -> (from: Double, to: Double, words: String)? in
            let until = index + 1 < shown.count ? shown[index + 1].at.seconds : end
            guard until > x.domain.lowerBound, shown[index].at.seconds < end else { return nil }
            return (x(shown[index].at.seconds), x(until), shown[index].words)
        }
        for bar in bars { paper.rect(bar.from, top, bar.to - bar.from, height, "state") }
        let name = "hatch-\(rank)-\(paper.shape.rawValue)"
        paper.add(
            """
            <defs><pattern id="\(name)" width="7" height="7" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="7" class="hatch"/></pattern></defs>
            """)
        for stretch in session.stale where x(stretch.upperBound.seconds) - x(stretch.lowerBound.seconds) > 0.2 {
            let (from, to) = (x(stretch.lowerBound.seconds), x(stretch.upperBound.seconds))
            paper.add(
                """
                <rect x="\(from)" y="\(top)" width="\(max(to - from, 1))" height="\(height)" fill="url(#\(name))" \
                class="stale"/>
                """)
        }
        for bar in bars {
            let room = Int((bar.to - bar.from - 12) / 7.2)
            guard room >= 4 else { continue }
            let words = bar.words.count > room ? bar.words.prefix(room - 1) + "…" : bar.words
            paper.text(bar.from + 8, top + 20, words, "state-words")
        }
    }

    private func drawWorst(on paper: inout Drawing, x: Scale) {
        let (from, to) = (x(session.offeredAt.seconds), x(session.at.seconds))
        paper.line(from, Self.top, from, Self.bottom, "limit dim")
        paper.line(to, Self.top - 4, to, Self.bottom, "limit dim")
        let words = "\(Numbers.duration(session.age)) old"
        let isLeft = to - 7.5 * Double(words.count) > x.start
        paper.text(isLeft ? to - 6 : to + 6, Self.top - 8, words, "label", anchor: isLeft ? "end" : "start")
    }

    /// A mark that the keyboard reaches; its words stand below while it has the focus or the pointer.
    private func focusable(
        _ mark: LaneMark, _ place: (x: Double, y: Double), _ lines: [String], left: Double
    ) -> Markup {
        let spans = lines.enumerated().map { ($0.offset, $0.element) }.markup { index, line in
            "<tspan x=\"\(left)\" dy=\"\(index == 0 ? 0.0 : 17.0)\">\(line)</tspan>"
        }
        return """
            <g class="mark" tabindex="0" role="img" aria-label="\(mark.line)">\
            <circle cx="\(place.x)" cy="\(place.y)" r="10" class="reach"/>\(mark.kind.shape(place.x, place.y))\
            <text y="\(Self.bottom + 38)" class="told" aria-hidden="true">\(spans)</text></g>
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
            let middle = piece.index(piece.startIndex, offsetBy: columns / 2)
            let end = piece.lastIndex(of: " ").flatMap { $0 > middle ? $0 : nil } ?? piece.endIndex
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        if !rest.isEmpty, let last = lines.popLast() { lines.append(String(last.dropLast()) + "…") }
        return lines
    }
}
