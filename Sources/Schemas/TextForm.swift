// Which texts Foundation's types decode from that are written as text. Foundation's JSONDecoder is the measure, and tests
// hold this to it.

import Basics

/// A type of Foundation that JSONDecoder reads from a string, by default.
enum TextForm: String, CaseIterable, Sendable {
    case uuid = "swift-uuid"
    case url = "swift-url"
    /// Base 64 (RFC 4648 §4), padded. Foundation also takes some texts that are no base 64, such as padding alone.
    case data = "swift-data"

    /// The type's name in Swift, with what it is read from.
    var words: String {
        switch self {
        case .uuid: "UUID"
        case .url: "URL"
        case .data: "Data in base 64"
        }
    }

    /// Whether it decodes. Of a URL only the empty text is known not to: Foundation mends most of what is none.
    func isRead(_ text: String) -> Bool {
        switch self {
        case .url: !text.isEmpty
        case .data: Base64.decode(text) != nil
        case .uuid: Self.isUUID(text.utf8.prefix { $0 != 0 })
        }
    }

    /// Foundation reads a UUID up to the first NUL.
    private static func isUUID(_ text: Substring.UTF8View) -> Bool {
        text.count == 36
            && text.enumerated().allSatisfy { place, byte in
                [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : Hex.value(byte) != nil
            }
    }
}
