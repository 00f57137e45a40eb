// Base 64 both ways, strictly (RFC 4648): no spaces, no missing or superfluous padding, and no bits left over, so that
// every content has exactly one text.

/// The common alphabet with `+` and `/`, padded (§4).
package enum Base64 {
    private static let alphabet = Base64Alphabet(last: "+/")

    package static func encode(_ bytes: Span<UInt8>) -> String { alphabet.encode(bytes, padded: true) }

    /// Nil when the text is not padded base 64.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var count = text.count
        if count > 0, text[count - 1] == UInt8(ascii: "=") { count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1 }
        var bytes: [UInt8] = []
        return alphabet.decode(text.extracting(0..<count), into: &bytes) ? bytes : nil
    }

    package static func decode(_ text: String) -> [UInt8]? { withBytes(of: text) { decode($0) } }
}

/// The alphabet safe in URLs with `-` and `_`, never padded, as tokens use it (§5; RFC 7515 §2).
package enum Base64URL {
    private static let alphabet = Base64Alphabet(last: "-_")

    package static func encode(_ bytes: Span<UInt8>) -> String { alphabet.encode(bytes, padded: false) }

    /// Nil when the text is not unpadded base 64.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        return decode(text, into: &bytes) ? bytes : nil
    }

    package static func decode(_ text: String) -> [UInt8]? { withBytes(of: text) { decode($0) } }

    /// Replaces the content of `bytes`, keeping its memory. False, and `bytes` empty, when the text is invalid.
    package static func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        alphabet.decode(text, into: &bytes)
    }
}

private struct Base64Alphabet: Sendable {
    private static let invalid: UInt8 = 0xFF
    private var letters: [UInt8]
    private var values = [UInt8](repeating: invalid, count: 256)

    init(last: String) {
        letters = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    }

    func encode(_ bytes: Span<UInt8>, padded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
            for index in 0...count { text.append(letters[Int(group >> UInt32(18 - 6 * index) & 63)]) }
            if padded { for _ in count..<3 { text.append(UInt8(ascii: "=")) } }
        }
        return String(decoding: text, as: UTF8.self)
    }

    func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        guard text.count % 4 != 1 else { return false }
        bytes.reserveCapacity(text.count * 3 / 4)
        var group: UInt32 = 0
        var bits = 0
        for index in text.indices {
            let value = values[Int(text[index])]
            guard value != Self.invalid else {
                bytes.removeAll(keepingCapacity: true)
                return false
            }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            }
        }
        guard group & (1 << UInt32(bits) - 1) == 0 else {
            bytes.removeAll(keepingCapacity: true)
            return false
        }
        return true
    }
}
