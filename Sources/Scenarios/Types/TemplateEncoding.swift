// How a value is written where it stands: inside a JSON string, as a JSON value, in a URL, or as it is.

package import Basics

package enum TemplateEncoding: Hashable, Sendable {
    case raw
    /// Escaped for the inside of a JSON string, without quotes.
    case jsonString
    /// A JSON string with its quotes.
    case jsonValue
    /// Percent-encoded: all but RFC 3986 unreserved characters.
    case url
    /// `jsonString` and `jsonValue`, percent-encoded: JSON as the value of a field of a form.
    case urlJSONString
    case urlJSONValue

    /// Appends UTF-8 text in this encoding.
    package func append(_ text: Span<UInt8>, into buffer: ByteBuffer) {
        switch self {
        case .raw: buffer.append(text)
        case .jsonString: Self.escapeJSON(text, into: buffer)
        case .jsonValue:
            buffer.append(34)
            Self.escapeJSON(text, into: buffer)
            buffer.append(34)
        case .url: Self.percentEncode(text, into: buffer)
        case .urlJSONString, .urlJSONValue:
            let json = ByteBuffer(capacity: text.count + 2)
            (self == .urlJSONValue ? Self.jsonValue : .jsonString).append(text, into: json)
            Self.percentEncode(json.bytes, into: buffer)
        }
    }

    /// What a value becomes that is percent-encoded where it stands.
    package var percentEncoded: TemplateEncoding {
        switch self {
        case .raw, .url: .url
        case .jsonString, .urlJSONString: .urlJSONString
        case .jsonValue, .urlJSONValue: .urlJSONValue
        }
    }

    private static func escapeJSON(_ text: Span<UInt8>, into buffer: ByteBuffer) {
        let isPlain = text.withUnsafeBufferPointer { bytes in
            bytes.allSatisfy { $0 >= 32 && $0 != 34 && $0 != 92 }
        }
        if isPlain { return buffer.append(text) }
        var plainStart = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < 32 || byte == 34 || byte == 92 else { continue }
            buffer.append(text.extracting(plainStart..<index))
            plainStart = index + 1
            switch byte {
            case 34: buffer.append("\\\"")
            case 92: buffer.append("\\\\")
            case 10: buffer.append("\\n")
            case 13: buffer.append("\\r")
            case 9: buffer.append("\\t")
            default:
                buffer.append("\\u00")
                buffer.append(byte >> 4 + 48)
                buffer.append(hexDigit(byte & 15, ten: 97))
            }
        }
        buffer.append(text.extracting(plainStart..<text.count))
    }

    private static func percentEncode(_ text: Span<UInt8>, into buffer: ByteBuffer) {
        for index in text.indices {
            let byte = text[index]
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 95, 126: buffer.append(byte)
            default:
                buffer.append(37)
                buffer.append(hexDigit(byte >> 4, ten: 65))
                buffer.append(hexDigit(byte & 15, ten: 65))
            }
        }
    }

    private static func hexDigit(_ value: UInt8, ten: UInt8) -> UInt8 { value < 10 ? 48 + value : ten - 10 + value }
}
