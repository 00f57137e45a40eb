// The answer to a message that was taken, `{"name": "projects/…/messages/…"}`. Every send that goes well has it, so its bytes
// are written where they go, while errors are trees of JSON.

import Basics

/// How the name ends (`MessageIDForm`).
enum MessageID {
    case number(UInt64)
    case uuid(UUIDBytes)
    case sample(microseconds: Int64, UInt32)

    func write(to text: ByteBuffer) {
        switch self {
        case .number(let number): text.append(decimal: Int64(truncatingIfNeeded: number >> 1))
        case .uuid(let uuid): text.append(upTo: 36) { uuid.write(uppercase: false, to: &$0) }
        case .sample(let microseconds, let word):
            text.append("0:" as StaticString)
            text.append(decimal: microseconds)
            text.append(UInt8(ascii: "%"))
            // Eight digits twice, of which the first is none: the word's highest bit counts as set.
            let twice = UInt64(word | 1 << 31) << 32 | UInt64(word | 1 << 31)
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: twice >> UInt64(shift)) & 15
                text.append(digit < 10 ? 48 + digit : 87 + digit)
            }
        }
    }
}

enum MessageName {
    /// Appends the whole answer. `project` is as it stands in the path.
    static func write(project: Span<UInt8>, _ id: MessageID, to text: ByteBuffer) {
        text.append("{\n  \"name\": \"projects/" as StaticString)
        if isPlain(project) {
            text.append(project)
        } else {
            let quoted = JSONValue.string(project.text).encoded()
            text.append(quoted.span.extracting(1..<quoted.count - 1))
        }
        text.append("/messages/" as StaticString)
        id.write(to: text)
        text.append("\"\n}\n" as StaticString)
    }

    /// Stands in JSON as it is.
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), ..<0x20, 0x80...: return false
            default: continue
            }
        }
        return true
    }
}
