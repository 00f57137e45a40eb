// The tables of keys in docs/scenarios.md, written from the rows of the schema.

import Basics
import Foundation
import Scenarios

/// The table of one kind of mapping: a line a key.
struct KeyTable {
    let shape: Shape

    var lines: [String] {
        shape.keys.map { key in
            let (meaning, usual) = Self.parted(key.row["description"]?.string ?? "")
            let cells = [
                "`\(key.name)`", Self.type(key.row),
                key.isRequired ? "required" : usual ?? key.row["default"].map(Self.quoted) ?? "–",
                meaning.isEmpty ? Self.example(key) : meaning,
            ]
            // A bar within a cell is escaped.
            return "| " + cells.map { $0.isEmpty ? "" : $0.replacingOccurrences(of: "|", with: "\\|") + " " }.joined(separator: "| ") + "|"
        }
    }

    /// What a value is, in words: the row's `title`, or what follows from its other words.
    private static func type(_ row: JSONValue) -> String {
        if let title = row["title"]?.string { return title }
        if let name = row["$ref"]?.string?.split(separator: "/").last.map(String.init) {
            return Shape(rawValue: name) == nil ? type(Shape.schema["$defs"]?[name] ?? .null) : "mapping"
        }
        if let words = row["enum"]?.array { return words.map(quoted).joined(separator: ", ") }
        if let word = row["const"] { return quoted(word) }
        if let kinds = row["anyOf"]?.array { return kinds.map(type).joined(separator: " or ") }
        func number(_ key: String) -> String? { row[key]?.double.map { grouped($0) } }
        switch row["type"]?.string {
        case "integer": return number("maximum").map { "count, \(number("minimum") ?? "0") to \($0)" } ?? "count"
        case "number":
            let most = number("maximum")
            if let above = number("exclusiveMinimum") { return "number > \(above)" + (most.map { ", at most \($0)" } ?? "") }
            return "number" + (most.map { ", \(number("minimum") ?? "0") to \($0)" } ?? "")
        case "boolean": return "true, false"
        case "string": return "text"
        case "array": return list(row)
        case "object": return "mapping"
        default: return "any value"
        }
    }

    private static func list(_ row: JSONValue) -> String {
        let item = type(row["items"] ?? .null)
        let words = item == "mapping" ? "list" : "list of \(item)"
        guard let most = row["maxItems"]?.int, most < 1_000 else { return words }
        return words + (row["minItems"]?.int.map { ", \($0) to \(most)" } ?? ", at most \(most)")
    }

    /// The description without its last sentence where that begins with `Default: `, and what that says.
    private static func parted(_ text: String) -> (meaning: String, usual: String?) {
        guard let mark = text.range(of: "Default: ", options: .backwards) else { return (text, nil) }
        return (text[..<mark.lowerBound].trimmingCharacters(in: [" ", "."]), String(text[mark.upperBound...]))
    }

    private static func example(_ key: Shape.Key) -> String {
        guard let example = key.row["examples"]?.array?.last, example != key.row["default"] else { return "" }
        return "`\(example.flow)`"
    }

    private static func quoted(_ word: JSONValue) -> String { "`\(word.string ?? word.flow)`" }

    private static func grouped(_ value: Double) -> String {
        guard value == value.rounded() else { return "\(value)" }
        var digits = Array(String(Int64(value)))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }
}
