// From tree to text: compact for wires and logs, indented by two spaces for files that people read.

extension JSONValue {
    /// UTF-8. Doubles are the shortest text that reads back the same, and keep a fraction or an exponent, so that
    /// they read back as numbers; one that is not finite, which JSON cannot say, is written as `null`.
    package func encoded(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isPretty: pretty)
        writer.write(self)
        return writer.output
    }

    /// Compact text.
    package var text: String { String(decoding: encoded(), as: UTF8.self) }
}

private struct JSONWriter {
    let isPretty: Bool
    var output: [UInt8] = []
    private var depth = 0

    init(isPretty: Bool) { self.isPretty = isPretty }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: put("null")
        case .bool(let value): put(value ? "true" : "false")
        case .integer(let value): put(String(value))
        case .number(let value): put(value.isFinite ? String(value) : "null")
        case .string(let value): write(value)
        case .array(let values):
            open("[")
            for (index, value) in values.enumerated() {
                separate(index)
                write(value)
            }
            close("]", isEmpty: values.isEmpty)
        case .object(let object):
            open("{")
            for (index, member) in object.enumerated() {
                separate(index)
                write(member.key)
                put(isPretty ? ": " : ":")
                write(member.value)
            }
            close("}", isEmpty: object.isEmpty)
        }
    }

    private mutating func write(_ text: String) {
        put("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): put("\\\"")
            case UInt8(ascii: "\\"): put("\\\\")
            case 8: put("\\b")
            case 9: put("\\t")
            case 10: put("\\n")
            case 12: put("\\f")
            case 13: put("\\r")
            case ..<0x20: put("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
            default: output.append(byte)
            }
        }
        put("\"")
    }

    private mutating func open(_ bracket: String) {
        put(bracket)
        depth += 1
    }

    private mutating func separate(_ index: Int) {
        if index > 0 { put(",") }
        if isPretty { breakLine() }
    }

    private mutating func close(_ bracket: String, isEmpty: Bool) {
        depth -= 1
        if isPretty, !isEmpty { breakLine() }
        put(bracket)
    }

    private mutating func breakLine() {
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    private mutating func put(_ text: String) { output.append(contentsOf: text.utf8) }
}
