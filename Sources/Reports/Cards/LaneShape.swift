// The marks of a lane: each kind has a shape of its own, so that none hangs on its colour alone.

import Sessions
import Verdicts

extension LaneMark.Kind {
    /// As the legend names it.
    var word: String {
        switch self {
        case .offered: "call offered"
        case .answered: "answered as expected"
        case .failed: "failed, or answered otherwise"
        case .taken: "push taken by the phone"
        case .passed: "push accepted, card unchanged"
        case .refused: "push refused"
        case .phone: "on the phone"
        case .shown: "shown on the card"
        }
    }

    private var style: String {
        switch self {
        case .offered: "c0"
        case .answered: "c2"
        case .failed, .refused: "c1"
        case .taken: "c2"
        case .passed: "c4"
        case .phone: "c3"
        case .shown: "c7"
        }
    }

    /// Drawn around a place, some 12 wide.
    func shape(_ x: Double, _ y: Double) -> Markup {
        let outline: Markup
        switch self {
        case .offered: outline = "M\(x - 6) \(y - 5)L\(x + 6) \(y - 5)L\(x) \(y + 6)Z"
        case .answered: outline = "M\(x - 6) \(y)L\(x - 2) \(y + 5)L\(x + 6) \(y - 5)"
        case .failed, .refused: outline = "M\(x - 5) \(y - 5)L\(x + 5) \(y + 5)M\(x + 5) \(y - 5)L\(x - 5) \(y + 5)"
        case .taken: outline = "M\(x - 5) \(y - 5)H\(x + 5)V\(y + 5)H\(x - 5)Z"
        case .passed: outline = "M\(x - 5) \(y - 5)H\(x + 5)V\(y + 5)H\(x - 5)ZL\(x + 5) \(y + 5)"
        case .phone: outline = "M\(x) \(y - 7)L\(x + 6) \(y)L\(x) \(y + 7)L\(x - 6) \(y)Z"
        case .shown: outline = "M\(x) \(y - 9)L\(x) \(y + 9)"
        }
        let isFilled: Bool
        switch self {
        case .offered, .taken, .phone: isFilled = true
        default: isFilled = false
        }
        return "<path d=\"\(outline)\" class=\"shape \(style) \(isFilled ? "full" : "open")\"/>"
    }

    /// For a legend.
    var sample: Markup {
        "<svg class=\"sample\" viewBox=\"0 0 16 20\" aria-hidden=\"true\">\(shape(8, 10))</svg>"
    }
}

extension LaneMark.Lane {
    /// Upper and lower edge, from the upper edge of the first lane.
    var edges: ClosedRange<Double> {
        switch self {
        case .app: 0...66
        case .relay: 66...114
        case .card: 114...200
        }
    }

    var word: String {
        switch self {
        case .app: "App and server: calls"
        case .relay: "Relay: pushes to the card"
        case .card: "Phone: what the card shows"
        }
    }
}

extension LaneMark {
    /// Where it stands, from the upper edge of the first lane: what happens within a millisecond must not hide each other.
    var height: Double {
        switch kind {
        case .offered: 30
        case .answered, .failed: 51
        case .taken, .passed, .refused: 98
        case .phone: 146
        case .shown: 176
        }
    }

    /// As a line of its own: `+1.234 s, step 4: progress`.
    var line: String {
        Numbers.offset(at) + (stepWords.map { ", \($0)" } ?? "") + ", \(kind.word): \(words)"
    }
}
