// A body of application/x-www-form-urlencoded, as OAuth's clients send it.

import Basics

struct FormFields {
    private static let mostFields = 64
    private var fields: [(name: String, value: String)] = []

    /// Nil: it is none: a broken escape, or more fields than any client has.
    init?(_ body: Span<UInt8>) {
        for part in body.text.split(separator: "&", maxSplits: Self.mostFields) {
            guard fields.count < Self.mostFields else { return nil }
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? PercentText.decoded(sides[1], plusIsBlank: true) : ""
            guard let name = PercentText.decoded(sides[0], plusIsBlank: true), let value else { return nil }
            fields.append((name, value))
        }
    }

    /// Of a name that stands twice the last counts.
    subscript(name: String) -> String? { fields.last { $0.name == name }?.value }
}
