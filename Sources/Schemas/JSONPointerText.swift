// JSON pointers (RFC 6901) as they are written, and as a way that leads on into JSON text within strings.

import Basics

/// A pointer, taken apart once.
package struct JSONPointerPath: Hashable, Sendable {
    /// As it was written.
    package let text: String
    /// What stands between the slashes, escapes decoded. Empty: the whole.
    let steps: [String]
    /// The steps' bytes, for looking them up in what was scanned.
    let keys: [[UInt8]]

    /// Nil when it neither is empty nor begins with a slash, or holds an unknown escape.
    package init?(_ text: String) {
        var steps: [String] = []
        if !text.isEmpty {
            guard text.utf8.first == UInt8(ascii: "/") else { return nil }
            for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                guard let step = JSONPointerText.unescaped(part) else { return nil }
                steps.append(step)
            }
        }
        self.text = text
        self.steps = steps
        keys = steps.map { Array($0.utf8) }
    }

    /// Whether `other` is this place or below it.
    package func covers(_ other: JSONPointerPath) -> Bool { other.steps.starts(with: steps) }
}

package enum JSONPointerText {
    /// One step as it is written in a pointer.
    package static func escaped(_ key: String) -> String {
        var text: [UInt8] = []
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "~"): text += [126, 48]
            case UInt8(ascii: "/"): text += [126, 49]
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func unescaped(_ step: Substring.UTF8View) -> String? {
        var name: [UInt8] = []
        var bytes = step.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "~") else {
                name.append(byte)
                continue
            }
            switch bytes.next() {
            case UInt8(ascii: "0"): name.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): name.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}

/// A text of somebody else's for a sentence: not too long.
func clipped(_ text: String) -> String {
    let start = text.prefix(60)
    return start.endIndex < text.endIndex ? start + "…" : text
}
