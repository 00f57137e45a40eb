// Percent-encoded text, of paths, queries and forms.

enum PercentText {
    /// Nil: an escape is broken, or what comes of it is no UTF-8. `plusIsBlank`: as forms have it.
    static func decoded(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(32)
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
