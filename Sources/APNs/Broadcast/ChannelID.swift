// The name of a broadcast channel: bytes that APNs draws, written in base64. It travels in a header, never in a path
// (docs/apns.md §11).

package import Basics

/// What a channel keeps for devices that are not there. Immutable once the channel exists.
package enum StoragePolicy: UInt8, CaseIterable, Sendable {
    /// Nothing is stored; whoever is not there misses the message.
    case nothing = 0
    /// The latest message is stored, for up to eight hours.
    case latest = 1
}

/// Sixteen bytes, 24 characters. Apple names no length; clients must not assume one.
package struct ChannelID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(using generator: inout Generator) {
        high = generator.next()
        low = generator.next()
    }

    /// Nil when the text cannot be one of our own channels.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 24, let bytes = Base64.decode(text), bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            words.0 = words.0 << 8 | UInt64(bytes[index])
            words.1 = words.1 << 8 | UInt64(bytes[index + 8])
        }
        (high, low) = words
    }

    package init?(text: String) {
        guard let id = withBytes(of: text, { ChannelID($0) }) else { return nil }
        self = id
    }

    package var text: String {
        var bytes: [UInt8] = []
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return Base64.encode(bytes.span)
    }

    /// The longest text that is looked at, in characters: beyond it an id is "too long" (BadChannelId). Apple's bound is
    /// unknown; the ids in its samples have 20 to 24 characters.
    static let maxCharacters = 64

    /// Padded base64 of at least one byte, not too long.
    static func isWellFormed(_ text: Span<UInt8>) -> Bool {
        1...maxCharacters ~= text.count && Base64.decode(text) != nil
    }
}
