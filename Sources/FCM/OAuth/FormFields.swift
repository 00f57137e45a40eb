// A body of application/x-www-form-urlencoded, as OAuth's clients send it.

import Basics

struct FormFields {
    private var fields: [(name: String, value: String)] = []

    /// Nil: it is none: a broken escape, or more fields than any client has.
    init?(_ body: Span<UInt8>) {
        for part in body.text.split(separator: "&", maxSplits: 64) {
            guard fields.count < 64 else { return nil }
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0]), let value = sides.count > 1 ? Self.decoded(sides[1]) : "" else { return nil }
            fields.append((name, value))
        }
    }

    /// Of a name that stands twice the last counts.
    subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(32)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
