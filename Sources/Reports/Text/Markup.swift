// HTML, SVG and XML as a type of its own, so that foreign text cannot get into it unescaped.

import Verdicts

/// Markup made of literals, which stand as they are, and of interpolations, which are escaped unless they are markup.
struct Markup: ExpressibleByStringInterpolation, Hashable {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
    /// Text that is known to be markup already.
    init(trusted text: String) { self.text = text }

    static let none: Markup = ""
    var isEmpty: Bool { text.isEmpty }

    static func += (a: inout Markup, b: Markup) { a.text += b.text }
    static func + (a: Markup, b: Markup) -> Markup { Markup(trusted: a.text + b.text) }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        /// Disfavoured, so that a literal within an interpolation is markup too.
        @_disfavoredOverload
        mutating func appendInterpolation(_ foreign: String) { text += Escaping.html(foreign) }
        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// A coordinate, with at most two decimals.
        mutating func appendInterpolation(_ coordinate: Double) { text += Numbers.coordinate(coordinate) }
        /// An XML attribute's value, in which line ends are kept.
        mutating func appendInterpolation(xml foreign: String) { text += Escaping.xmlAttribute(foreign) }
    }
}

extension Sequence<Markup> {
    func joined() -> Markup { Markup(trusted: map(\.text).joined()) }
}

extension Sequence {
    /// The pieces made of each element, one after the other.
    func markup(_ piece: (Element) -> Markup) -> Markup { map(piece).joined() }
}

extension String.StringInterpolation {
    @available(*, unavailable, message: "markup within a String would be escaped: make the outer text Markup")
    mutating func appendInterpolation(_ markup: Markup) {}
}
