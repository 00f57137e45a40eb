// What a terminal shows while a run goes on: a panel redrawn in place, or plain lines.

import Basics
import Verdicts

/// Turns frames into text; the caller writes it to the terminal.
package struct LivePanel {
    package enum Style: Hashable, Sendable {
        /// Redrawn in place, at most `columns` wide.
        case panel(columns: Int, color: Bool)
        /// One line per frame, for logs.
        case lines
        case quiet

        /// What fits a standard output: a panel on a terminal, lines elsewhere. `noColor` tells whether NO_COLOR is set
        /// to anything but nothing.
        package static func fitting(
            isTerminal: Bool, columns: Int, noColor: Bool, plain: Bool, quiet: Bool
        ) -> Style {
            if quiet { return .quiet }
            guard isTerminal, !plain, columns >= 40 else { return .lines }
            return .panel(columns: columns, color: !noColor)
        }
    }

    private let title: String
    private let style: Style
    private var linesDrawn = 0
    private var previous: LiveFrame?
    private static let widest = 96

    package init(title: String, style: Style) {
        self.title = Escaping.terminal(title)
        self.style = style
    }

    /// What to write for this frame; empty when the style is quiet.
    package mutating func text(for frame: LiveFrame) -> String {
        defer { previous = frame }
        switch style {
        case .quiet: return ""
        case .lines: return line(frame) + "\n"
        case .panel(let columns, let color):
            let rows = panel(frame, width: min(columns - 1, Self.widest), ink: Ink(isOn: color))
            // Up to the panel's first line, then each line anew, cleared to its end; the cursor is hidden meanwhile.
            let home = linesDrawn > 0 ? "\r\u{1B}[\(linesDrawn)A" : "\u{1B}[?25l"
            linesDrawn = rows.count
            return home + rows.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
        }
    }

    /// What leaves the terminal as it was found: the panel is wiped and the cursor shown.
    package mutating func finish() -> String {
        guard case .panel = style, linesDrawn > 0 else { return "" }
        defer { linesDrawn = 0 }
        return "\r\u{1B}[\(linesDrawn)A\u{1B}[J\u{1B}[?25h"
    }

    private func line(_ frame: LiveFrame) -> String {
        var parts = [
            "\(whole(frame.elapsed))/\(whole(frame.total)) \(Escaping.terminal(frame.phase))",
            "sent \(Numbers.count(frame.sent)) (\(Numbers.rate(rate(frame, \.sent))))",
            "answered \(Numbers.count(frame.answered))",
            "pushes \(Numbers.count(frame.pushes)) (\(Numbers.rate(rate(frame, \.pushes))))",
            "sessions \(Numbers.count(frame.activeSessions))",
        ]
        if let p99 = frame.answerP99 { parts.append("answer p99 \(Numbers.duration(p99))") }
        if frame.failed > 0 { parts.append("failed \(Numbers.count(frame.failed))") }
        if frame.pushErrors > 0 { parts.append("refused \(Numbers.count(frame.pushErrors))") }
        if frame.dropped > 0 { parts.append("dropped \(Numbers.count(frame.dropped))") }
        if !frame.faultsActive.isEmpty {
            parts.append("faults: \(Escaping.terminal(frame.faultsActive.joined(separator: ", ")))")
        }
        return parts.joined(separator: ", ")
    }

    private func panel(_ frame: LiveFrame, width: Int, ink: Ink) -> [String] {
        var rows = Rows(width: width, ink: ink)
        rows.add([(.bold, title), (.dim, "  " + Escaping.terminal(frame.phase))])
        rows.add(bar(frame, width: width))
        rows.add(
            "events", "\(Numbers.count(frame.sent)) sent of \(Numbers.count(frame.planned))",
            Numbers.rate(rate(frame, \.sent)))
        rows.add(
            "answers", Numbers.count(frame.answered),
            frame.answerP50.map { p50 in
                "p50 \(Numbers.duration(p50))" + (frame.answerP99.map { ", p99 \(Numbers.duration($0))" } ?? "")
            } ?? "")
        rows.add("pushes", Numbers.count(frame.pushes), Numbers.rate(rate(frame, \.pushes)))
        rows.add("sessions", Numbers.count(frame.activeSessions), "")
        rows.add(
            "errors", Numbers.count(frame.failed + frame.pushErrors),
            "\(Numbers.count(frame.failed)) events failed, \(Numbers.count(frame.pushErrors)) pushes refused",
            tone: frame.failed > 0 ? .bad : (frame.pushErrors > 0 ? .warn : nil))
        rows.add(
            "ourselves", frame.latenessP99.map { "late \(Numbers.duration($0))" } ?? "–",
            "p99; \(Numbers.count(frame.dropped)) dropped", tone: frame.dropped > 0 ? .bad : nil)
        rows.add(
            "faults", frame.faultsActive.isEmpty ? "none" : String(frame.faultsActive.count),
            Escaping.terminal(frame.faultsActive.joined(separator: ", ")),
            tone: frame.faultsActive.isEmpty ? nil : .warn)
        return rows.list
    }

    private func bar(_ frame: LiveFrame, width: Int) -> [(Rows.Face, String)] {
        let label = " \(whole(frame.elapsed)) of \(whole(frame.total))"
        let room = max(width - label.count, 8)
        let share = frame.total > .zero ? min(max(frame.elapsed.seconds / frame.total.seconds, 0), 1) : 0
        let filled = Int((Double(room) * share).rounded())
        return [
            (.plain, String(repeating: "━", count: filled)),
            (.dim, String(repeating: "─", count: room - filled) + label),
        ]
    }

    /// Per second since the frame before.
    private func rate(_ frame: LiveFrame, _ counter: KeyPath<LiveFrame, Int64>) -> Double {
        let before = previous.map { $0[keyPath: counter] } ?? 0
        let passed = (frame.elapsed - (previous?.elapsed ?? .zero)).seconds
        return passed > 0 ? Double(frame[keyPath: counter] - before) / passed : 0
    }

    /// Whole seconds, as `42 s` or `3:07`.
    private func whole(_ interval: Interval) -> String {
        let seconds = max(interval.seconds.rounded(.down), 0)
        return seconds == 0 ? "0 s" : Ticks.elapsedLabel(seconds, of: seconds)
    }
}

/// Lines of a panel, each cut to the width before it is coloured.
private struct Rows {
    enum Face { case plain, bold, dim, tone(Tone) }

    let width: Int
    let ink: Ink
    private(set) var list: [String] = []

    init(width: Int, ink: Ink) {
        self.width = width
        self.ink = ink
    }

    mutating func add(_ parts: [(Face, String)]) {
        var room = width
        var line = ""
        for (face, text) in parts where room > 0 {
            let cut = text.count <= room ? text : text.prefix(room - 1) + "…"
            room -= cut.count
            switch face {
            case .plain: line += cut
            case .bold: line += ink.bold(cut)
            case .dim: line += ink.dim(cut)
            case .tone(let tone): line += ink.tone(tone, cut)
            }
        }
        list.append(line)
    }

    /// A name, a figure, a remark, in columns.
    mutating func add(_ name: String, _ figure: String, _ remark: String, tone: Tone? = nil) {
        func column(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        add([
            (.dim, column(name, 11)), (tone.map { .tone($0) } ?? .plain, column(figure, 26)), (.dim, remark),
        ])
    }
}
