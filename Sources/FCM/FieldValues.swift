// The values of single fields, as Google's reader of JSON takes them (JSON of Protocol Buffers, version 3).

import Basics

enum FieldValues {
    enum Trouble { case plain, format(String) }

    /// Nil: the value is of that kind.
    static func trouble(_ node: Int, _ field: FieldRow, _ scanner: JSONScanner) -> Trouble? {
        let row = scanner.node(node)
        switch field.kind {
        case .text, .texts: return row.kind == .string ? nil : .plain
        case .flag:
            if row.kind == .true || row.kind == .false { return nil }
            return scanner.isString(node, "true") || scanner.isString(node, "false") ? nil : .plain
        case .int32: return int32(node, row, scanner) == nil ? .plain : nil
        case .float:
            if row.kind == .number { return nil }
            return scanner.string(node).flatMap(Double.init) == nil ? .plain : nil
        case .duration, .durations:
            guard row.kind == .string else { return .plain }
            return DurationText(scanner.content(node)) == nil ? .format("Illegal duration format: ") : nil
        case .timestamp:
            guard row.kind == .string else { return .plain }
            return scanner.string(node).flatMap { WallTime(iso8601: $0) } == nil ? .format("Invalid time format: ") : nil
        case .word: return field.words.flatMap { word(node, $0, scanner) } == nil ? .plain : nil
        case .map, .free, .message: return nil
        }
    }

    /// The place of a word, in any case of letters (docs/fcm.md §1), or given by its number.
    static func word(_ node: Int, _ type: WordType, _ scanner: JSONScanner) -> Int? {
        if let number = scanner.integer(node) {
            return type.words.indices.contains(Int(clamping: number)) ? Int(number) : nil
        }
        guard scanner.node(node).kind == .string else { return nil }
        let said = scanner.content(node)
        return type.words.firstIndex { word in
            said.count == word.utf8.count && withBytes(of: word) { word in
                for index in word.indices where said[index] & 0xDF != word[index] & 0xDF { return false }
                return true
            }
        }
    }

    private static func int32(_ node: Int, _ row: JSONNode, _ scanner: JSONScanner) -> Int32? {
        if row.kind == .number {
            if let whole = scanner.integer(node) { return Int32(exactly: whole) }
            return scanner.double(node).flatMap { Int32(exactly: $0) }
        }
        return scanner.string(node).flatMap { Int32($0) }
    }
}

/// A duration of Protocol Buffers as JSON: digits, a fraction of at most nine, and `s`.
struct DurationText: Hashable {
    /// Whole seconds, the fraction dropped (docs/fcm.md §2).
    let seconds: Int64

    init?(_ text: Span<UInt8>) {
        var index = 0
        let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        var seconds: Int64 = 0
        let first = index
        while index < text.count, 48...57 ~= text[index] {
            guard index - first < 12 else { return nil }
            seconds = seconds * 10 + Int64(text[index] - 48)
            index += 1
        }
        guard index > first else { return nil }
        if index < text.count, text[index] == UInt8(ascii: ".") {
            let point = index
            index += 1
            while index < text.count, 48...57 ~= text[index] { index += 1 }
            guard 1...9 ~= index - point - 1 else { return nil }
        }
        guard index == text.count - 1, text[index] == UInt8(ascii: "s") else { return nil }
        self.seconds = isNegative ? -max(seconds, 1) : seconds
    }
}
