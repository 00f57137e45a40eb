// The `#if`s of a Swift file: whether what stands between them is compiled for sure where Live Activities are. What may be is
// no more known than what may not.

struct SwiftConditions: Sendable {
    /// There wherever a push starts an activity.
    private static let present: Set = ["ActivityKit", "Foundation", "SwiftUI", "UIKit", "WidgetKit", "iOS"]

    private var open: [(token: SwiftToken, isCompiled: Bool)] = []

    /// The innermost directive that leaves it open what is compiled; nil: none does.
    var unsure: SwiftToken? { open.last { !$0.isCompiled }?.token }

    /// Takes the directive whose `#` stands at `place`; whatever else begins with one changes nothing.
    mutating func take(_ tokens: [SwiftToken], at place: Int) {
        guard place + 1 < tokens.count else { return }
        switch tokens[place + 1].text {
        case "if": open.append((tokens[place], Self.isPresent(tokens[(place + 2)...])))
        case "elseif", "else":
            guard let last = open.popLast() else { return }
            open.append((last.token, false))
        case "endif": _ = open.popLast()
        default: break
        }
    }

    /// `canImport(ActivityKit)` or `os(iOS)`, and nothing beside it.
    private static func isPresent(_ condition: ArraySlice<SwiftToken>) -> Bool {
        let words = condition.prefix(5).map(\.text)
        guard words.count == 5, ["canImport", "os"].contains(words[0]), words[1] == "(", words[3] == ")" else { return false }
        return present.contains(words[2]) && condition[condition.startIndex + 4].beginsLine
    }
}
