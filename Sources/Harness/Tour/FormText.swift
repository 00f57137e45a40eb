// Percent-encoded pairs (application/x-www-form-urlencoded), as people write them by hand.

import Basics

enum FormText {
    /// The pairs; nil where it is none.
    static func fields(_ text: String) -> [(String, String)]? {
        guard !text.isEmpty else { return nil }
        let pairs = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        guard pairs.allSatisfy({ $0.count == 2 }) else { return nil }
        return pairs.map { (decoded($0[0]), decoded($0[1])) }
    }

    static func decoded(_ text: Substring) -> String {
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = Hex.value(rest.first!),
                let low = Hex.value(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest.removeFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Percent-encoded, but for words in double braces.
    static func encoded(_ text: Substring) -> String {
        var (output, rest) = ("", text)
        while let letter = rest.first {
            if rest.hasPrefix("{{"), let close = rest.firstRange(of: "}}") {
                output += rest[..<close.upperBound]
                rest = rest[close.upperBound...]
                continue
            }
            rest.removeFirst()
            let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber || "-._~".contains(letter))
            for byte in String(letter).utf8 {
                output += isPlain ? String(letter) : "%" + Hex.encode([byte].span).uppercased()
            }
        }
        return output
    }
}
