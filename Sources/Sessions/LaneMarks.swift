// The marks of one session in bounded room: those around the worst moment are kept, and the others counted.

import Basics
import Schemas

package struct LaneMarks {
    /// Kept before the state was offered that came to be missing, from then until the worst moment, and after it.
    private static let before = 40
    private static let within = 60
    private static let after = 20
    package static let most = before + within + after
    package static let mostStretches = 100
    /// Unicode scalars of a text.
    package static let mostText = 160

    private let offeredAt: Interval
    private let worstAt: Interval
    private var early: [LaneMark] = []
    private var middle: [LaneMark] = []
    private var late: [LaneMark] = []
    private(set) var left = 0

    init(offeredAt: Interval, worstAt: Interval) {
        self.offeredAt = offeredAt
        self.worstAt = worstAt
    }

    mutating func add(_ mark: LaneMark) {
        var mark = mark
        mark.words = Self.cut(mark.words)
        if mark.at < offeredAt {
            early.append(mark)
            // The oldest go in one piece.
            if early.count == 2 * Self.before {
                early.removeFirst(Self.before)
                left += Self.before
            }
        } else if mark.at <= worstAt {
            middle.append(mark)
            // Those at both ends stay.
            if middle.count > Self.within {
                middle.remove(at: Self.within / 2)
                left += 1
            }
        } else if late.count < Self.after {
            late.append(mark)
        } else {
            left += 1
        }
    }

    /// In order of time; what happened at one instant stands as it came.
    var result: (marks: [LaneMark], left: Int) {
        let kept = early.sorted { $0.at < $1.at }.suffix(Self.before)
        let marks = (Array(kept) + middle + late).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        return (marks, left + early.count - kept.count)
    }

    /// The text, or its beginning where it is longer than is kept.
    static func cut(_ text: String) -> String {
        guard text.unicodeScalars.count > mostText else { return text }
        var cut = String.UnicodeScalarView()
        cut.append(contentsOf: text.unicodeScalars.prefix(mostText))
        return String(cut) + "…"
    }

    static func cut(_ text: CardText) -> CardText {
        var text = text
        text.map { cut($0) }
        return text
    }
}
