// Single values against a schema: text, numbers and the values of an `enum`; and which property a key names.

import Basics
import Glibc

extension SchemaChecker {
    func checkString(_ value: Int, _ part: SchemaPart, for reader: Reader) {
        if let form = part.node.form, !form.isRead(levels.json.string(value) ?? "") {
            tell(reader, "is \(clipped(levels.json.text(value).text)), which is no \(form.words)")
        }
        if !part.node.text.isEmpty { checkLimits(value, part.node.text) }
        guard let embedded = part.node.embedded else { return }
        if let error = levels.descend(into: value) {
            return tell(reader, "holds no JSON text: \(error.explanation), at byte \(error.offset)")
        }
        check(0, schema.parts[embedded], for: reader)
        levels.ascend()
    }

    private func checkLimits(_ value: Int, _ limits: TextLimits) {
        let json = levels.json
        // No text has more of anything than bytes, and escapes only lengthen it.
        let bytesMax = json.content(value).count
        let isShort = bytesMax <= min(limits.maxLength ?? .max, limits.maxCharacters ?? .max, limits.maxBytes ?? .max)
        if isShort, limits.minLength == nil { return }
        let text = json.string(value) ?? ""
        let scalars = text.unicodeScalars.count
        if let least = limits.minLength, scalars < least {
            tell(.contract, least == 1 ? "is empty" : "is shorter than \(Self.characters(least))")
        }
        if let most = limits.maxLength, scalars > most { tell(.contract, "is longer than \(Self.characters(most))") }
        if let most = limits.maxCharacters, scalars > most, text.count > most {
            tell(.contract, "is longer than \(Self.characters(most))")
        }
        if let most = limits.maxBytes, text.utf8.count > most { tell(.contract, "is longer than \(most) bytes") }
    }

    private static func characters(_ count: Int) -> String { count == 1 ? "1 character" : "\(count) characters" }

    func checkNumber(_ value: Int, _ part: SchemaPart, for reader: Reader) {
        let json = levels.json
        let number = NumberText(bytes: json.text(value), isInteger: json.node(value).isInteger)
        let fits: Bool
        switch (reader, part.node.kind) {
        case (.phone, .integer): fits = number.integer(part.node.width) != nil
        case (.phone, _): fits = number.isFloatingPoint(part.node.width)
        case (.contract, .integer): fits = number.isInteger || number.double.map { $0 == $0.rounded() } ?? false
        case (.contract, _): fits = true
        }
        guard fits else {
            let name = reader == .phone ? part.node.width.words : "integer"
            return tell(reader, "is \(clipped(number.bytes.text)), which is no \(name)")
        }
        guard part.node.minimum != nil || part.node.maximum != nil, let double = number.double else { return }
        if let least = part.node.minimum, double < least {
            tell(.contract, "is \(clipped(number.bytes.text)), less than \(Self.text(least))")
        }
        if let most = part.node.maximum, double > most {
            tell(.contract, "is \(clipped(number.bytes.text)), more than \(Self.text(most))")
        }
    }

    /// Without the `.0` of a whole number.
    private static func text(_ number: Double) -> String {
        number == number.rounded() && number.magnitude < 1e15 ? String(Int64(number)) : String(number)
    }

    func checkChoices(_ value: Int, _ part: SchemaPart, for reader: Reader) {
        for choice in part.node.choices where isChoice(value, choice, part) { return }
        let words = part.node.choices.prefix(12).map(\.words).joined(separator: ", ")
        let rest = part.node.choices.count > 12 ? " and \(part.node.choices.count - 12) more" : ""
        let found = clipped(levels.json.text(value).text)
        tell(
            part.node.isOpen ? .contract : reader,
            part.node.choices.count == 1 ? "is \(found), not \(words)" : "is \(found), none of \(words)\(rest)")
    }

    /// As Swift's `init(rawValue:)`: text by what it means, numbers by their value.
    private func isChoice(_ value: Int, _ choice: SchemaScalar, _ part: SchemaPart) -> Bool {
        let json = levels.json
        let row = json.node(value)
        switch (choice, row.kind) {
        case (.null, .null), (.bool(true), .true), (.bool(false), .false): return true
        case (.string(let wanted), .string):
            let content = json.content(value)
            if !row.hasEscapes, Self.isPlain(content) { return content.equals(wanted.utf8.span) }
            return json.string(value) == wanted
        case (.integer(let wanted), .number):
            let number = NumberText(bytes: json.text(value), isInteger: row.isInteger)
            return part.node.kind == .integer
                ? number.integer(part.node.width) == Int128(wanted) : number.double == Double(wanted)
        case (.number(let wanted), .number): return json.double(value) == wanted
        default: return false
        }
    }

    /// The property that a member's key names. Swift takes two spellings of one letter for the same key.
    func property(of child: Int, _ part: SchemaPart) -> Int? {
        let json = levels.json
        let key = json.keyContent(child)
        guard !json.node(child).keyHasEscapes, Self.isPlain(key) else {
            guard let text = json.key(child) else { return nil }
            return part.node.properties.firstIndex { $0.text == text }
        }
        var (low, high) = (0, part.node.properties.count)
        while low < high {
            let middle = (low + high) / 2
            switch Self.order(part.node.properties[middle].key, key) {
            case 0: return middle
            case ..<0: low = middle + 1
            default: high = middle
            }
        }
        return nil
    }

    /// As `SchemaProperty.isOrdered`.
    private static func order(_ a: [UInt8], _ b: Span<UInt8>) -> Int {
        guard a.count == b.count else { return a.count - b.count }
        return a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                guard let start = a.baseAddress, let otherStart = b.baseAddress else { return 0 }
                return Int(memcmp(start, otherStart, a.count))
            }
        }
    }

    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        text.withUnsafeBufferPointer { bytes in bytes.reduce(0, |) < 0x80 }
    }

    static func words(_ node: SchemaNode) -> String {
        switch node.kind {
        case .any: "a value"
        case .object: "an object"
        case .array: "a list"
        case .string: "text"
        case .integer, .number: "a number"
        case .boolean: "true or false"
        case .null: "null"
        }
    }

    static func words(_ kind: JSONNode.Kind) -> String {
        switch kind {
        case .object: "an object"
        case .array: "a list"
        case .string: "text"
        case .number: "a number"
        case .true: "true"
        case .false: "false"
        case .null: "null"
        }
    }
}
