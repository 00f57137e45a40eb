// JSON as the bodies of pushes are written: bytes, without spaces, member by member.

import Basics

/// Writes JSON without spaces into an array of bytes.
struct JSONBytes {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func value(_ value: JSONValue) { bytes.append(contentsOf: value.encoded()) }

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

extension JSONBytes {
    /// APNs refuses larger payloads (413).
    static let payloadMax = 4_095

    /// The beginning of a Live Activity's payload, up to the value of `content-state`; `stamp` is in Unix seconds.
    static func activity(_ event: StaticString, stamp: Int64) -> JSONBytes {
        var json = JSONBytes()
        json.raw("{\"aps\":{\"timestamp\":")
        json.integer(stamp)
        json.raw(",\"event\":\"")
        json.raw(event)
        json.raw("\",\"content-state\":")
        return json
    }

    /// A payload below the limit, whatever characters its texts are made of: they get half the room, and half again,
    /// until the whole fits. `write` cuts each text to its usual length divided by `share`; what it does not cut is too
    /// short to fill a payload.
    static func fitted(within limit: Int = payloadMax, _ write: (_ share: Int) -> [UInt8]) -> [UInt8] {
        var share = 1
        while true {
            let bytes = write(share)
            if bytes.count <= limit || share > 500 { return bytes }
            share *= 2
        }
    }

    /// As much of a text as so many bytes of JSON hold, its quotes not counted: whole characters only, and an ellipsis.
    static func beginning(of text: String, bytes: Int) -> String {
        let ellipsis = "…"
        var room = bytes - ellipsis.utf8.count
        var kept = ""
        for character in text {
            var json = JSONBytes()
            json.string(String(character))
            room -= json.bytes.count - 2
            guard room >= 0 else { break }
            kept.append(character)
        }
        return bytes < ellipsis.utf8.count ? "" : kept + ellipsis
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
