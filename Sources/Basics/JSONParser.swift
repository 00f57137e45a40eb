// From text to tree, strictly, with errors a person can act on. It shares no code with the scanner of the data path
// but its rules: tests hold the two against each other.

/// What is wrong with a JSON text, and where. `offset` counts bytes from 0; `line` and `column` count from 1,
/// columns in bytes.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: String
    package var offset: Int
    package var line: Int
    package var column: Int

    package var description: String { "line \(line), column \(column): \(message)" }
}

extension JSONValue {
    /// Reads one document (RFC 8259). Beyond the grammar it demands valid UTF-8, paired surrogates, unique keys,
    /// numbers that fit a double, and at most `maxDepth` objects and arrays within each other.
    package init(parsing bytes: Span<UInt8>, maxDepth: Int = 64) throws(JSONError) {
        var parser = JSONParser(bytes: bytes.array, maxDepth: maxDepth)
        self = try parser.document()
    }

    package init(parsing text: String) throws(JSONError) {
        var parser = JSONParser(bytes: Array(text.utf8), maxDepth: 64)
        self = try parser.document()
    }
}

private struct JSONParser {
    let bytes: [UInt8]
    let maxDepth: Int
    private var offset = 0
    private var depth = 0

    init(bytes: [UInt8], maxDepth: Int) {
        self.bytes = bytes
        self.maxDepth = maxDepth
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw error("a byte order mark is not JSON: remove it") }
        let value = try value()
        skipSpace()
        guard offset == bytes.count else { throw error("expected the end of the text, found \(found)") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case let byte? where byte == UInt8(ascii: "-") || 48...57 ~= byte: return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw error("expected a value, found \(found)")
        }
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try enter()
        var object = JSONObject()
        if take("}") { return leave(object) }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error("expected a key in quotes, found \(found)") }
            let keyOffset = offset
            let key = try string()
            guard object[key] == nil else {
                throw error("the key \"\(key)\" stands twice in one object", at: keyOffset)
            }
            guard take(":") else { throw error("expected ':' after the key \"\(key)\", found \(found)") }
            object[key] = try value()
            if take("}") { return leave(object) }
            guard take(",") else { throw error("expected ',' or '}', found \(found)") }
        }
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try enter()
        var array: [JSONValue] = []
        if take("]") { return leave(array) }
        while true {
            array.append(try value())
            if take("]") { return leave(array) }
            guard take(",") else { throw error("expected ',' or ']', found \(found)") }
        }
    }

    private mutating func enter() throws(JSONError) {
        guard depth < maxDepth else { throw error("more than \(maxDepth) objects and arrays within each other") }
        depth += 1
        offset += 1
    }

    private mutating func leave<T>(_ value: T) -> T {
        depth -= 1
        return value
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw error("expected a value, found \(found)") }
        offset += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = offset
        var isInteger = true
        if peek == UInt8(ascii: "-") { offset += 1 }
        if peek == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            offset += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw error("the number is too large for a double", at: start)
        }
        return .number(number)
    }

    private mutating func digits() throws(JSONError) {
        guard let first = peek, 48...57 ~= first else { throw error("expected a digit, found \(found)") }
        while let digit = peek, 48...57 ~= digit { offset += 1 }
    }

    private mutating func string() throws(JSONError) -> String {
        let start = offset
        var content: [UInt8] = []
        offset += 1
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw error("the string is not valid UTF-8", at: start)
                }
                return text
            case UInt8(ascii: "\\"):
                content.append(contentsOf: String(try escape()).utf8)
            case ..<0x20:
                throw error("a control character in a string must be escaped: found \(found)")
            default:
                content.append(byte)
                offset += 1
            }
        }
        throw error("the string is not closed", at: start)
    }

    private mutating func escape() throws(JSONError) -> Character {
        let start = offset
        offset += 1
        guard let letter = peek else { throw error("the string is not closed") }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw error("an unknown escape; JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX", at: start)
        }
        let high = try fourDigits()
        if let scalar = Unicode.Scalar(high) { return Character(scalar) }
        if high < 0xDC00, peek == UInt8(ascii: "\\"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "u") {
            offset += 2
            let low = try fourDigits()
            if 0xDC00...0xDFFF ~= low, let scalar = Unicode.Scalar(0x1_0000 + (high - 0xD800) * 0x400 + low - 0xDC00) {
                return Character(scalar)
            }
        }
        throw error("half of a surrogate pair", at: start)
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        guard offset + 4 <= bytes.count, let value = Hex.decode(bytes[offset..<offset + 4].span) else {
            throw error("expected four hex digits after \\u")
        }
        offset += 4
        return UInt32(value[0]) << 8 | UInt32(value[1])
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// The next byte in words.
    private var found: String {
        guard let byte = peek else { return "the end" }
        return 0x21...0x7E ~= byte ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x" + String(byte, radix: 16)
    }

    private func error(_ message: String, at place: Int? = nil) -> JSONError {
        let place = place ?? offset
        let before = bytes[..<place]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return JSONError(message: message, offset: place, line: line, column: place - lineStart + 1)
    }
}
