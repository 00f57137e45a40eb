// Reads `x-card`: each slot is a pointer, a template with pointers in braces, a list of those of which the first that can be
// filled is shown, or an object of them with words for values.

import Basics

struct CardReader {
    private static let templatesMax = 8
    private static let piecesMax = 32
    private static let attributes = "attributes#"
    private static let example = #"such as "/status", "{/done} of {/all}" or "attributes#/startTime""#

    let file: SchemaFile
    let schema: Schema

    /// Nil when the schema has no card.
    func layout() throws(Failure) -> CardLayout? {
        guard let tree = file.tree["x-card"] else { return nil }
        guard let object = tree.object, !object.isEmpty else {
            throw wrong("`x-card` is an object that names what a card shows", #"such as { "title": "/sessionTitle" }"#, "")
        }
        var layout = CardLayout()
        for (key, value) in object {
            let pointer = "/" + JSONPointerPath.escaped(key)
            guard let slot = CardLayout.Slot(rawValue: key) else {
                let known = CardLayout.Slot.allCases.map(\.rawValue)
                throw wrong("a card has no `\(clipped(key))`", Suggestion.hint(for: key, among: known), pointer)
            }
            layout.entries[slot] = try entry(value, slot, pointer, &layout.pending)
        }
        return layout
    }

    private func entry(
        _ value: JSONValue, _ slot: CardLayout.Slot, _ pointer: String, _ pending: inout [CardLayout.Pending]
    ) throws(Failure) -> CardLayout.Entry {
        var (value, at, words) = (value, pointer, JSONObject())
        if let object = value.object {
            if let key = object.keys.first(where: { $0 != "at" && $0 != "words" }) {
                let hint = Suggestion.hint(for: key, among: ["at", "words"])
                throw wrong("`\(slot.rawValue)` has no `\(clipped(key))`", hint, pointer)
            }
            guard let inner = object["at"], let table = object["words"]?.object else {
                let hint = #"such as { "at": "/status", "words": { "ok": "Fine" } }"#
                throw wrong("`\(slot.rawValue)` needs `at` and `words`", hint, pointer)
            }
            (value, at, words) = (inner, pointer + "/at", table)
        }
        let isList = value.array != nil
        let texts = value.array ?? [value]
        guard 1...Self.templatesMax ~= texts.count else {
            throw wrong("`\(slot.rawValue)` has 1 to \(Self.templatesMax) templates", Self.example, at)
        }
        var entry = CardLayout.Entry(templates: [], words: [:])
        for (index, text) in texts.enumerated() {
            let place = isList ? "\(at)/\(index)" : at
            guard let text = text.string else { throw wrong("`\(slot.rawValue)` is a template", Self.example, place) }
            let pieces = try pieces(of: text, slot, place)
            for case .value(.attributes, let path) in pieces {
                pending.append(CardLayout.Pending(slot: slot, path: path, place: file.place("/x-card" + place)))
            }
            entry.templates.append(pieces)
        }
        for (key, word) in words {
            let place = pointer + "/words/" + JSONPointerPath.escaped(key)
            guard let word = word.string else { throw wrong("the word for `\(clipped(key))` is text", nil, place) }
            try checkWord(key, entry, place)
            entry.words[key] = word
        }
        return entry
    }

    /// A word for a value that the schema does not have is never shown.
    private func checkWord(_ key: String, _ entry: CardLayout.Entry, _ place: String) throws(Failure) {
        guard entry.templates.count == 1, entry.templates[0].count == 1,
            case .value(let source, let path)? = entry.templates[0].first
        else { throw wrong("`words` are for one pointer alone", "strike the rest of `at`", place) }
        guard source == .state else { return }
        let node = schema.walk(path).node
        let choices = node.choices.map { if case .string(let text) = $0 { text } else { $0.words } }
        let known = node.kind == .boolean ? ["true", "false"] : choices
        if !known.isEmpty, !known.contains(key) {
            throw wrong("`\(path.text)` is never `\(clipped(key))`", Suggestion.hint(for: key, among: known), place)
        }
    }

    private func pieces(
        of text: String, _ slot: CardLayout.Slot, _ place: String
    ) throws(Failure) -> [CardLayout.Piece] {
        var pieces: [CardLayout.Piece] = []
        var rest = text[...]
        if !text.contains("{"), text.hasPrefix("/") || text.hasPrefix(Self.attributes) {
            pieces = [try value(rest, slot, place)]
            rest = ""
        }
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" }
            if !literal.isEmpty { pieces.append(.text(String(literal))) }
            rest = rest.dropFirst(literal.count)
            guard !rest.isEmpty else { break }
            guard let end = rest.firstIndex(of: "}") else {
                throw wrong("a `{` is never closed", "write {/key}", place)
            }
            pieces.append(try value(rest[..<end].dropFirst(), slot, place))
            rest = rest[rest.index(after: end)...]
        }
        let values = pieces.count { if case .value = $0 { true } else { false } }
        guard 1...Self.piecesMax ~= values else {
            throw wrong("`\(clipped(text))` names no key, or more than \(Self.piecesMax)", Self.example, place)
        }
        if slot == .since, pieces.count > 1 {
            throw wrong("`since` is one pointer", "a Date, or seconds that have passed", place)
        }
        return pieces
    }

    private func value(_ text: Substring, _ slot: CardLayout.Slot, _ place: String) throws(Failure) -> CardLayout.Piece {
        let isAttribute = text.hasPrefix(Self.attributes)
        let pointer = String(isAttribute ? text.dropFirst(Self.attributes.count) : text)
        guard !pointer.isEmpty, let path = JSONPointerPath(pointer) else {
            throw wrong("`\(clipped(String(text)))` is no JSON pointer", Self.example, place)
        }
        if isAttribute { return .value(.attributes, path) }
        if let objection = schema.objection(to: path, for: slot) {
            throw wrong("`x-card`: \(objection.message)", objection.hint, place)
        }
        return .value(.state, path)
    }

    private func wrong(_ message: String, _ hint: String?, _ pointer: String) -> Failure {
        Failure(.usage, message, hint: hint, place: file.place("/x-card" + pointer))
    }
}
