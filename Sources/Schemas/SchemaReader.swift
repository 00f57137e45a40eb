// The keywords of one schema object, read into a node. docs/schemas.md has a row for each.

import Basics

struct SchemaReader {
    let tree: JSONValue
    let file: SchemaFile
    let pointer: String

    /// Those that say something, and those that only explain.
    static let keywords = [
        "type", "format", "enum", "const", "x-open-enum", "x-ignored", "properties", "required", "additionalProperties",
        "items", "minimum", "maximum", "minLength", "maxLength", "x-max-characters", "x-max-bytes", "contentMediaType",
        "contentSchema", "allOf", "if", "then", "else", "$ref", "x-card", "x-app",
    ]
    static let annotations = ["$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples"]

    func checkKeywords() throws(Failure) {
        let known = Self.keywords + Self.annotations
        for key in tree.object?.keys ?? [] where !known.contains(key) {
            throw wrong(
                "the keyword `\(key)` is not checked here", hint: Suggestion.hint(for: key, among: Self.keywords),
                at: "/" + JSONPointerPath.escaped(key))
        }
        // Beside the root of a file that another one refers to they are for those who read that file.
        if !pointer.isEmpty, let key = ["x-card", "x-app"].first(where: { tree[$0] != nil }) {
            throw wrong("`\(key)` belongs to the root of the file", hint: "move it there", at: "/" + key)
        }
    }

    /// `at`: what is wrong, below this schema.
    func wrong(_ message: String, hint: String?, at keyword: String = "") -> Failure {
        Failure(.usage, message, hint: hint, place: file.place(pointer + keyword))
    }

    /// All but what leads to other nodes.
    func node() throws(Failure) -> SchemaNode {
        var node = SchemaNode()
        node.choices = try choices()
        try readType(into: &node)
        node.isIgnored = try flag("x-ignored")
        node.isOpen = try flag("x-open-enum")
        node.minimum = try number("minimum")
        node.maximum = try number("maximum")
        node.text = TextLimits(
            minLength: try count("minLength"), maxLength: try count("maxLength"),
            maxCharacters: try count("x-max-characters"), maxBytes: try count("x-max-bytes"))
        if node.isOpen, node.choices.isEmpty { throw wrong("`x-open-enum` needs an `enum`", hint: "add it") }
        try checkContent()
        try check(node)
        return node
    }

    private func readType(into node: inout SchemaNode) throws(Failure) {
        var names: [String] = []
        switch tree["type"] {
        case nil: names = typeOfChoices(node.choices)
        case .string(let name)?: names = [name]
        default: names = try texts("type")
        }
        var kinds: [SchemaNode.Kind] = []
        for name in names {
            guard let kind = SchemaNode.Kind(rawValue: name), kind != .any else {
                let known = SchemaNode.Kind.allCases.map(\.rawValue).filter { $0 != "any" }
                throw wrong("there is no type `\(name)`", hint: Suggestion.hint(for: name, among: known))
            }
            if kind == .null { node.isNullable = true } else if !kinds.contains(kind) { kinds.append(kind) }
        }
        guard kinds.count <= 1 else {
            throw wrong(
                "a value of Swift has one type, not \(kinds.map { "`\($0.rawValue)`" }.joined(separator: " or "))",
                hint: "beside one type only \"null\" may stand")
        }
        node.kind = kinds.first ?? (node.isNullable ? .null : .any)
        node.width = node.kind == .number ? .double : .int
        guard let format = tree["format"] else { return }
        if node.kind == .string, let form = format.string.flatMap(TextForm.init(rawValue:)) {
            node.form = form
            return
        }
        guard let name = format.string, let width = NumberWidth(rawValue: name),
            node.kind == (width.isInteger ? .integer : .number)
        else {
            let fitting =
                switch node.kind {
                case .string: TextForm.allCases.map(\.rawValue)
                case .integer, .number:
                    NumberWidth.allCases.filter { $0.isInteger == (node.kind == .integer) }.map(\.rawValue)
                default: [String]()
                }
            throw wrong(
                "`format` names the Swift type of a number or a text",
                hint: fitting.isEmpty ? "strike it" : "one of \(fitting.joined(separator: ", "))", at: "/format")
        }
        node.width = width
    }

    /// The type that an `enum` or `const` without `type` speaks of.
    private func typeOfChoices(_ choices: [SchemaScalar]) -> [String] {
        var names: [String] = []
        for choice in choices {
            let name =
                switch choice {
                case .null: "null"
                case .bool: "boolean"
                case .integer: "integer"
                case .number: "number"
                case .string: "string"
                }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func choices() throws(Failure) -> [SchemaScalar] {
        var values = try items("enum")
        if let value = tree["const"] {
            guard values.isEmpty else { throw wrong("a value has `enum` or `const`, not both", hint: "strike one") }
            values = [value]
        } else if tree["enum"] != nil, values.isEmpty {
            throw wrong("`enum` names no value", hint: "add one, or strike it")
        }
        var choices: [SchemaScalar] = []
        for value in values {
            switch value {
            case .null: choices.append(.null)
            case .bool(let value): choices.append(.bool(value))
            case .integer(let value): choices.append(.integer(value))
            case .number(let value): choices.append(.number(value))
            case .string(let value): choices.append(.string(value))
            case .array, .object:
                throw wrong("`enum` and `const` hold single values", hint: "text, numbers, true, false or null")
            }
        }
        return choices
    }

    private func checkContent() throws(Failure) {
        guard tree["contentSchema"] != nil || tree["contentMediaType"] != nil else { return }
        guard tree["contentMediaType"] == "application/json", tree["contentSchema"] != nil else {
            throw wrong(
                "a text that holds a value has both `contentMediaType` and `contentSchema`",
                hint: "the media type is \"application/json\"")
        }
    }

    /// A keyword beside a type that it says nothing about is a mistake.
    private func check(_ node: SchemaNode) throws(Failure) {
        let kinds: [(keywords: [String], kinds: [SchemaNode.Kind])] = [
            (["properties", "required", "additionalProperties"], [.object, .any]), (["items"], [.array]),
            (["minimum", "maximum"], [.integer, .number]),
            (["minLength", "maxLength", "x-max-characters", "x-max-bytes", "contentSchema"], [.string]),
        ]
        for row in kinds where !row.kinds.contains(node.kind) {
            if let keyword = row.keywords.first(where: { tree[$0] != nil }) {
                throw wrong(
                    "`\(keyword)` says nothing about a value of type `\(node.kind.rawValue)`",
                    hint: "it belongs to `\(row.kinds[0].rawValue)`")
            }
        }
    }

    private func flag(_ keyword: String) throws(Failure) -> Bool {
        guard let value = tree[keyword] else { return false }
        guard let flag = value.bool else { throw wrong("`\(keyword)` is true or false", hint: nil) }
        return flag
    }

    private func number(_ keyword: String) throws(Failure) -> Double? {
        guard let value = tree[keyword] else { return nil }
        guard let number = value.double else { throw wrong("`\(keyword)` is a number", hint: nil) }
        return number
    }

    private func count(_ keyword: String) throws(Failure) -> Int? {
        guard let value = tree[keyword] else { return nil }
        guard let count = value.int, 0...1_000_000 ~= count else {
            throw wrong("`\(keyword)` is a whole number from 0 to 1000000", hint: nil)
        }
        return Int(count)
    }

    func items(_ keyword: String) throws(Failure) -> [JSONValue] {
        guard let value = tree[keyword] else { return [] }
        guard let items = value.array else { throw wrong("`\(keyword)` is a list", hint: nil) }
        return items
    }

    func texts(_ keyword: String) throws(Failure) -> [String] {
        var texts: [String] = []
        for item in try items(keyword) {
            guard let text = item.string else { throw wrong("`\(keyword)` is a list of text", hint: nil) }
            texts.append(text)
        }
        return texts
    }

    func members(_ keyword: String) throws(Failure) -> JSONObject {
        guard let value = tree[keyword] else { return [:] }
        guard let object = value.object else { throw wrong("`\(keyword)` is an object", hint: nil) }
        return object
    }
}
