// The small pieces that the page's sections are made of: badges, tiles, tables, figures.

import Conformance
import Verdicts

/// The colour and sign of a judgement. The sign and a word always go with the colour.
enum Tone: String {
    case ok, bad, warn, calm

    /// A check, a cross, an exclamation mark, a dash.
    var glyph: Markup {
        let path: Markup =
            switch self {
            case .ok: "<path d=\"M4 12.5l5 5L20 6.5\"/>"
            case .bad: "<path d=\"M6 6l12 12M18 6L6 18\"/>"
            case .warn: "<path d=\"M12 4v10M12 19v.5\"/>"
            case .calm: "<path d=\"M5 12h14\"/>"
            }
        return """
            <svg class="glyph" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="3.2" \
            stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">\(path)</svg>
            """
    }

    /// In Markdown.
    var sign: String {
        switch self {
        case .ok: "✅"
        case .bad: "❌"
        case .warn, .calm: "⚠️"
        }
    }

    func badge(_ word: String) -> Markup { "<span class=\"badge \(rawValue)\">\(glyph)\(word)</span>" }
}

extension RunRecord.Exit {
    var tone: Tone {
        switch code {
        case 0: .ok
        case 5, 130: .warn
        default: .bad
        }
    }

    /// The word as a heading.
    var heading: String { word.prefix(1).uppercased() + word.dropFirst() }
}

extension RuleResult.Standing {
    var tone: Tone {
        switch self {
        case .kept: .ok
        case .broken, .healed: .bad
        case .warning, .knownBroken: .warn
        case .environment, .notExercised: .calm
        }
    }
}

extension RunRecord.GateResult {
    var tone: Tone {
        switch passed {
        case true?: .ok
        case false?: .bad
        case nil: .warn
        }
    }
}

/// A figure in a box: a name, a value, and a remark below.
struct Tile {
    var name: String
    var value: String
    var remark = ""
    var tone: Tone?

    var markup: Markup {
        let small: Markup = remark.isEmpty ? "" : "<small>\(remark)</small>"
        return "<div class=\"\(tone?.rawValue ?? "")\"><dt>\(name)</dt><dd>\(value)\(small)</dd></div>\n"
    }
}

func tiles(_ list: [Tile]) -> Markup { "<dl class=\"tiles\">\n\(list.markup(\.markup))</dl>\n" }

/// A table whose first column names its rows. Cells are made with `Cell`.
struct Table {
    var caption: String
    /// A heading that begins with `#` stands over numbers.
    var heads: [String]
    /// Names that are sentences may wrap.
    var hasLongNames = false
    var rows: [(name: Markup, cells: [Markup])]

    var markup: Markup {
        let head = heads.markup { head in
            head.hasPrefix("#")
                ? "<th scope=\"col\" class=\"n\">\(String(head.dropFirst()))</th>" : "<th scope=\"col\">\(head)</th>"
        }
        let style = hasLongNames ? "long" : ""
        let body = rows.markup { row in
            "<tr><th scope=\"row\" class=\"\(style)\">\(row.name)</th>\(row.cells.joined())</tr>\n"
        }
        return """
            <div class="scroll" role="region" aria-label="\(caption)" tabindex="0">\
            <table><caption>\(caption)</caption><thead><tr>\(head)</tr></thead>
            <tbody>\(body)</tbody></table></div>

            """
    }
}

/// The cells of a table.
enum Cell {
    static func text(_ content: Markup) -> Markup { "<td>\(content)</td>" }
    static func number(_ text: String) -> Markup { "<td class=\"n\">\(text)</td>" }

    /// A count; nothing is shown dim, and what should be nothing and is not stands out.
    static func count(_ value: Int, alarm: Tone? = nil) -> Markup {
        let style = value == 0 ? " zero" : (alarm.map { " " + $0.rawValue } ?? "")
        return "<td class=\"n\(style)\">\(Numbers.count(value))</td>"
    }
}

/// A chart in both shapes with its caption, or a remark that there is nothing to draw.
func figure(_ caption: String, isEmpty: Bool, legend: Markup = "", _ draw: (Drawing.Shape) -> Markup) -> Markup {
    guard !isEmpty else { return "<p class=\"empty\">No data.</p>\n" }
    return """
        <figure><figcaption>\(caption)</figcaption>\(legend)
        \(Drawing.Shape.allCases.markup(draw))</figure>

        """
}

/// Names the lines of a chart where the drawing has no room to; `stroke` entries are lines, others are areas.
func legend(_ entries: [(name: String, style: String)], onlyNarrow: Bool) -> Markup {
    let items = entries.markup { "<li><span class=\"swatch \($0.style)\"></span>\($0.name)</li>" }
    return "<ul class=\"legend \(onlyNarrow ? "lines" : "")\">\(items)</ul>"
}
