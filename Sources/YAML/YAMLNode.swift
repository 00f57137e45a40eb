// A YAML document as a tree that remembers where each of its parts was written.

package import Basics

/// Where something stands: a file with line and column (from 1, columns in characters), or, with line 0, a source
/// without lines such as a command-line flag.
package struct YAMLPlace: Hashable, Sendable, CustomStringConvertible {
    package var file: String
    package var line: Int
    package var column: Int

    package init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`.
    package var description: String { line == 0 ? file : "\(file):\(line):\(column)" }
}

/// One node. Keys of a mapping are text, in the order of the file, each once.
package struct YAMLNode: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// `quoted`: written in quotes or as a block, so it is text whatever it looks like.
        case scalar(String, quoted: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
    }

    package var content: Content
    package var place: YAMLPlace

    package init(_ content: Content, at place: YAMLPlace) {
        self.content = content
        self.place = place
    }

    /// The value of a key of a mapping.
    package subscript(key: String) -> YAMLNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// "a mapping", "a list", "text", "a number"… for messages about the wrong kind.
    package var kindInWords: String {
        switch content {
        case .mapping(let entries): return entries.isEmpty ? "an empty mapping" : "a mapping"
        case .sequence(let items): return items.isEmpty ? "an empty list" : "a list"
        case .scalar(let text, _):
            switch plainValue {
            case .null: return "nothing"
            case .bool: return "`\(text)`"
            case .integer, .number: return "the number `\(text)`"
            default: return "the text `\(text.count > 60 ? text.prefix(60) + "…" : text[...])`"
            }
        }
    }

    /// What a scalar means by the core schema of YAML 1.2: `null`, a boolean, a number or text. `yes` and `no` are
    /// text. Nil for lists and mappings.
    package var plainValue: JSONValue? {
        guard case .scalar(let text, let quoted) = content else { return nil }
        if quoted { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: return number(text) ?? .string(text)
        }
    }

    /// The whole tree as JSON.
    package var json: JSONValue {
        switch content {
        case .scalar: return plainValue!
        case .sequence(let items): return .array(items.map(\.json))
        case .mapping(let entries):
            var object = JSONObject()
            for entry in entries { object[entry.key] = entry.value.json }
            return .object(object)
        }
    }

    /// The node that an RFC 6901 pointer leads to, or the deepest one on its way; with the entry that names it.
    package func nearest(toPointer pointer: String) -> (node: YAMLNode, entry: YAMLEntry?) {
        var (node, entry): (YAMLNode, YAMLEntry?) = (self, nil)
        for part in pointer.unicodeScalars.split(separator: "/") {
            switch node.content {
            case .mapping(let entries):
                let key = Self.unescape(part)
                guard let next = entries.first(where: { $0.key == key }) else { return (node, entry) }
                (node, entry) = (next.value, next)
            case .sequence(let items):
                guard let index = Int(Substring(part)), items.indices.contains(index) else { return (node, entry) }
                (node, entry) = (items[index], nil)
            case .scalar: return (node, entry)
            }
        }
        return (node, entry)
    }

    /// By scalars, as a pointer is written: an accent may follow the slash or the tilde.
    private static func unescape(_ part: Substring.UnicodeScalarView) -> String {
        var text = String.UnicodeScalarView()
        var escaped = false
        for scalar in part {
            if escaped {
                text.append(scalar == "1" ? "/" : "~")
                escaped = false
            } else if scalar == "~" {
                escaped = true
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    private func number(_ text: String) -> JSONValue? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard let first = digits.utf8.first, 48...57 ~= first else { return nil }
        if digits.utf8.allSatisfy({ 48...57 ~= $0 }) {
            guard first != 48 || digits.utf8.count == 1 else { return nil }
            return Int64(text).map { .integer($0) }
        }
        let lawful = digits.utf8.allSatisfy { 48...57 ~= $0 || [43, 45, 46, 69, 101].contains($0) }
        guard lawful, let value = Double(text), value.isFinite else { return nil }
        return .number(value)
    }
}

package struct YAMLEntry: Hashable, Sendable {
    package var key: String
    package var keyPlace: YAMLPlace
    package var value: YAMLNode

    package init(key: String, keyPlace: YAMLPlace, value: YAMLNode) {
        self.key = key
        self.keyPlace = keyPlace
        self.value = value
    }
}
