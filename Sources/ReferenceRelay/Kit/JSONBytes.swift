// JSON as the bodies of pushes are written: bytes, without spaces, member by member.

/// Writes JSON without spaces into an array of bytes.
struct JSONBytes {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func integer(_ value: Int64) { bytes.append(contentsOf: String(value).utf8) }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): raw("\\n")
            case 0..<32:
                raw("\\u00")
                for nibble in [byte >> 4, byte & 15] { bytes.append(nibble < 10 ? 48 + nibble : 87 + nibble) }
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// At most `limit` units as `count` counts them, whole characters only, with an ellipsis where something was cut.
func shortened(_ text: String, to limit: Int, counting count: (String) -> Int = { $0.utf16.count }) -> String {
    if text.utf8.count <= limit || count(text) <= limit { return text }
    guard limit > 0 else { return "" }
    var kept = ""
    var units = 1
    for character in text {
        units += count(String(character))
        guard units <= limit else { break }
        kept.append(character)
    }
    return kept + "…"
}
