// RFC 6901: a path into a tree, such as `/aps/alert/title` or `/pushes/0`.

/// A pointer, taken apart once.
package struct JSONPointerPath: Hashable, Sendable {
    /// As it was written.
    package let text: String
    /// What stands between the slashes, escapes decoded. Empty: the whole.
    package let steps: [String]
    /// The steps' bytes, for looking them up in what was scanned.
    package let keys: [[UInt8]]

    /// Nil when it neither is empty nor begins with a slash, or holds an unknown escape.
    package init?(_ text: String) {
        var steps: [String] = []
        if !text.isEmpty {
            guard text.utf8.first == UInt8(ascii: "/") else { return nil }
            for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                guard let step = Self.unescaped(part) else { return nil }
                steps.append(step)
            }
        }
        self.text = text
        self.steps = steps
        keys = steps.map { Array($0.utf8) }
    }

    /// Whether `other` is this place or below it.
    package func covers(_ other: JSONPointerPath) -> Bool { other.steps.starts(with: steps) }

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

    /// `~1` is a slash and `~0` a tilde; a tilde before anything else is an error (§3).
    private static func unescaped(_ step: Substring.UTF8View) -> String? {
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

extension JSONValue {
    /// The value at `pointer`; the empty pointer is the whole. Nil when there is nothing, or the pointer is malformed.
    package func at(pointer: String) -> JSONValue? {
        guard let path = JSONPointerPath(pointer) else { return nil }
        var value = self
        for name in path.steps {
            switch value {
            case .object(let object):
                guard let member = object[name] else { return nil }
                value = member
            case .array(let array):
                guard let index = Self.index(name), index < array.count else { return nil }
                value = array[index]
            default:
                return nil
            }
        }
        return value
    }

    /// Digits without leading zeros (§4).
    private static func index(_ name: String) -> Int? {
        guard let first = name.utf8.first, name.utf8.allSatisfy({ 48...57 ~= $0 }), first != 48 || name == "0" else {
            return nil
        }
        return Int(name)
    }
}
