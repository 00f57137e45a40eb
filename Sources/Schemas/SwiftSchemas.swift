// From an `ActivityAttributes` declaration to the two schemas of what it decodes from: what the compiler's synthesized
// decoding demands, and nothing that was agreed beyond it (see `SchemaOverlay`). docs/schemas.md tells what is read.

package import Basics

package struct SwiftSchemas: Sendable {
    /// As many as a compiled schema may have.
    private static let nodesMax = 2_000
    private static let depthMax = 20
    /// Types that need no declaration, as docs/schemas.md lists them.
    private static let known: [String: JSONObject] = {
        var known: [String: JSONObject] = [
            "String": ["type": "string"], "Bool": ["type": "boolean"], "Int": ["type": "integer"],
            "Float": ["type": "number", "format": "float"], "Float32": ["type": "number", "format": "float"],
            "Date": ["type": "number", "format": "swift-date"],
        ]
        for name in ["Double", "Float64", "TimeInterval", "CGFloat"] { known[name] = ["type": "number"] }
        for name in ["UUID", "URL", "Data"] {
            known[name] = ["type": "string", "format": .string("swift-" + name.lowercased())]
        }
        for name in ["Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"] {
            known[name] = ["type": "integer", "format": .string(name.lowercased())]
        }
        return known
    }()

    private let file: SwiftDeclarations
    private var nodes = 0

    /// - Parameter name: of the file, for mistakes.
    package init(_ text: String, name: String) throws(Failure) { file = try SwiftDeclarations(SwiftSource(text, name: name)) }

    /// The schemas of the only type that conforms to `ActivityAttributes`, or of the one that has this name.
    package mutating func schemas(
        of wanted: String?
    ) throws(Failure) -> (type: String, attributes: JSONObject, contentState: JSONObject) {
        if let problem = file.foreignCode() { throw problem }
        let types = file.table.filter { !["protocol", "typealias"].contains($0.value.keyword) }
            .sorted { $0.value.token.offset < $1.value.token.offset }
        let words = file.words(for: "ActivityAttributes")
        let all = types.filter { $0.value.inherits.contains(where: words.contains) }.map(\.key)
        let fitting = wanted.map { name in file.table.keys.filter { $0 == name || $0.hasSuffix("." + name) }.sorted() } ?? all
        guard let found = fitting.first, fitting.count == 1, let token = file.table[found]?.token else {
            let name = wanted.map { "type `\($0)`" } ?? "type that conforms to `ActivityAttributes`"
            let hint = wanted == nil || all.isEmpty ? "name it with --type" : Suggestion.hint(for: wanted!, among: all)
            throw Failure(
                .usage, fitting.isEmpty ? "there is no \(name)" : "there are several: \(fitting.joined(separator: ", "))",
                hint: fitting.isEmpty ? hint : "choose one with --type", place: file.source.name)
        }
        let path = file.target(of: found) ?? found
        if file.table[path]?.keyword != "struct" { _ = try declared(path, token, []) }
        guard file.table[path + ".ContentState"] != nil else {
            throw wrong("`\(path)` has no `ContentState` in this file", "add its declaration", token)
        }
        let attributes = try declared(path, token, [])
        return (path, attributes, try declared(path + ".ContentState", token, []))
    }

    /// `scopes`: the full names of the types in which it is written, the innermost first; `way`: the types that led here.
    private mutating func schema(_ type: SwiftType, in scopes: [String], _ way: [String]) throws(Failure) -> JSONObject {
        guard case .named(let names, let parts, let token) = type else {
            guard case .optional(let inner, let token) = type else { return [:] }
            var schema = try schema(inner, in: scopes, way)
            guard let name = schema["type"]?.string else {
                throw wrong("an optional of an optional is not read", "strike one", token)
            }
            schema["type"] = [.string(name), "null"]
            return schema
        }
        nodes += 1
        guard nodes < Self.nodesMax else { throw wrong("the type is too large", "at most \(Self.nodesMax) values", token) }
        switch (names.drop(while: { $0 == "Swift" }).joined(separator: "."), parts.count) {
        case ("Optional", 1): return try schema(.optional(parts[0], token), in: scopes, way)
        case ("Array", 1), ("Set", 1): return ["type": "array", "items": .object(try schema(parts[0], in: scopes, way))]
        case ("Dictionary", 2):
            guard case .named(["String"], _, _) = parts[0] else {
                throw wrong("a dictionary whose keys are no `String` is coded in a way of its own", "use `String` keys", token)
            }
            return ["type": "object", "additionalProperties": .object(try schema(parts[1], in: scopes, way))]
        case (let name, 1...): throw wrong("`\(name)` is generic", "write out the type that is meant", token)
        default: break
        }
        let isPlain = names.count == 1 || names.count == 2 && ["Swift", "Foundation"].contains(names[0])
        let known = isPlain ? Self.known[names.last ?? ""] : nil
        // What an extension adds to a type of Swift's own changes nothing about its coding (see `foreignCode`).
        if let path = file.path(of: names, in: scopes), known == nil || file.table[path]?.keyword != "" {
            return try declared(path, token, way)
        }
        if let known { return known }
        throw wrong(
            "`\(names.joined(separator: "."))` is not declared in this file, and is no type that is known here",
            "put its declaration into the file", token)
    }

    private mutating func declared(_ path: String, _ token: SwiftToken, _ way: [String]) throws(Failure) -> JSONObject {
        guard let entry = file.table[path] else { return [:] }
        if let problem = entry.problem ?? file.ownCode(of: path) { throw problem }
        guard !way.contains(path), way.count < Self.depthMax else {
            throw wrong("`\(path)` contains itself, or too much", "a schema here has an end", token)
        }
        switch entry.keyword {
        case "typealias":
            guard let alias = entry.alias else { return [:] }
            return try schema(alias, in: file.scopes(around: path), way + [path])
        case "struct":
            if let word = file.inherits(of: path).first(where: file.rawRepresentable.contains) {
                throw wrong("the coding of `\(word)` cannot be known here", "write an enum, or a plain struct", entry.token)
            }
            try checkConformance(path, entry)
            return try structure(path, entry, way + [path])
        case "enum":
            try checkConformance(path, entry)
            return try enumeration(path, entry)
        default:
            throw wrong(
                "`\(path)` is \(entry.keyword.isEmpty ? "only extended in this file" : "a \(entry.keyword)"), not read here",
                "structs and enums with raw values are", entry.token)
        }
    }

    private func checkConformance(_ path: String, _ entry: SwiftDeclaration) throws(Failure) {
        guard !file.isDecodable(path) else { return }
        throw wrong("`\(path)` does not conform to `Codable` in this file", "add `: Codable`", entry.token)
    }

    /// Each name once.
    private func checkNames(_ members: [SwiftDeclaration.Member]) throws(Failure) {
        var names: Set<String> = []
        for member in members where !names.insert(member.token.text).inserted {
            throw wrong("`\(member.token.text)` is declared twice", "keep one of them", member.token)
        }
    }

    private mutating func structure(_ path: String, _ entry: SwiftDeclaration, _ way: [String]) throws(Failure) -> JSONObject {
        try checkNames(entry.members)
        var keys = try codingKeys(of: path)
        var (properties, required) = (JSONObject(), [JSONValue]())
        for member in entry.members {
            let name = member.token.text
            guard let key = keys == nil ? name : keys?.removeValue(forKey: name)?.key else { continue }
            if let problem = member.problem { throw problem }
            let isFixed = member.isLet && member.hasValue
            var value: JSONObject
            if let type = member.type {
                value = try schema(type, in: file.scopes(within: path), way)
            } else if let known = inferred(member) {
                value = known
            } else {
                throw wrong("the type of `\(name)` is not written", "write it after a colon", member.token)
            }
            if isFixed { value["x-ignored"] = true } else if let literal = literal(member) { value["default"] = literal }
            if !isFixed, value["type"]?.array == nil { required.append(.string(key)) }
            properties[key] = .object(value)
        }
        if let (name, entry) = keys?.min(by: { $0.value.token.offset < $1.value.token.offset }) {
            throw wrong("the coding key `\(name)` is no stored property of `\(path)`", "name one, or strike it", entry.token)
        }
        var schema: JSONObject = ["type": "object"]
        if !required.isEmpty { schema["required"] = .array(required) }
        schema["properties"] = .object(properties)
        return schema
    }

    /// By property; nil where the compiler makes them: then each has its own name.
    private func codingKeys(of path: String) throws(Failure) -> [String: (key: String, token: SwiftToken)]? {
        guard let named = file.table[path + ".CodingKeys"] else { return nil }
        if let problem = named.problem { throw problem }
        guard let target = file.target(of: path + ".CodingKeys"), let entry = file.table[target] else {
            throw wrong("what `CodingKeys` stands for is not in this file", "put its declaration into the file", named.token)
        }
        if let problem = entry.problem { throw problem }
        guard entry.keyword == "enum" else { throw wrong("coding keys are an enum", "write `enum CodingKeys`", entry.token) }
        if let code = file.code(of: target).first(where: { [["stringValue"], ["rawValue"]].contains($0.words) }) {
            throw wrong(
                "the coding keys of `\(path)` are named by code of their own", "write `case name = \"key\"`", code.token)
        }
        var keys: [String: (key: String, token: SwiftToken)] = [:]
        var known: Set<String> = []
        try checkNames(entry.members)
        for member in entry.members {
            var key = member.token.text
            // A key with a number for its raw value is named by its case.
            if member.hasValue {
                guard let value = literal(member) else { throw unread(member) }
                key = value.string ?? key
            }
            guard known.insert(key).inserted else {
                throw wrong("two coding keys of `\(path)` are `\(key)`", "give each its own", member.token)
            }
            keys[member.token.text] = (key, member.token)
        }
        return keys
    }

    private func enumeration(_ path: String, _ entry: SwiftDeclaration) throws(Failure) -> JSONObject {
        let raw = entry.inherits.first.flatMap { Self.known[$0] }
        guard var schema = raw, schema["type"] == "string" && schema["format"] == nil || schema["type"] == "integer" else {
            throw wrong(
                "the enum `\(path)` has no raw values of text or whole numbers", "write `enum …: String, Codable`",
                entry.token)
        }
        var (values, known): ([JSONValue], Set<String>) = ([], [])
        let width = NumberWidth(rawValue: schema["format"]?.string ?? "int")
        try checkNames(entry.members)
        for member in entry.members {
            if let problem = member.problem { throw problem }
            if member.hasValue {
                guard let value = literal(member), (value.int == nil) == (schema["type"] == "string") else {
                    throw unread(member)
                }
                values.append(value)
            } else if schema["type"] == "string" {
                values.append(.string(member.token.text))
            } else {
                let next = values.last?.int.map { Int128($0) + 1 } ?? 0
                guard let value = Int64(exactly: next) else { throw outOfRange(member, "\(next)", raw: entry) }
                values.append(.integer(value))
            }
            guard let value = values.last, known.insert(value.text).inserted else {
                throw wrong(
                    "another case of `\(path)` has the raw value of `\(member.token.text)`", "give each its own", member.token)
            }
            if let whole = value.int, let range = width?.range, !range.contains(Int128(whole)) {
                throw outOfRange(member, "\(whole)", raw: entry)
            }
        }
        schema["enum"] = .array(values)
        return schema
    }

    /// A literal of its value; nil for any other expression.
    private func literal(_ member: SwiftDeclaration.Member) -> JSONValue? {
        guard let last = member.value.last else { return nil }
        let isNegative = member.value.count == 2
        if isNegative, !member.value[0].isMark("-") || last.kind != .number { return nil }
        switch last.kind {
        case .text where last.isConstant: return .string(last.text)
        case .number: return number(last.text, isNegative)
        case .word where last.text == "true" || last.text == "false": return .bool(last.text == "true")
        default: return nil
        }
    }

    /// Nil for what is no number, and for a whole number beyond 64 bits.
    private func number(_ text: String, _ isNegative: Bool) -> JSONValue? {
        let sign = isNegative ? "-" : ""
        let digits = text.filter { $0 != "_" }
        let radix = ["0x": 16, "0o": 8, "0b": 2][digits.prefix(2)]
        if let whole = Int64(sign + digits.dropFirst(radix == nil ? 0 : 2), radix: radix ?? 10) { return .integer(whole) }
        let isFraction = digits.contains { ".pP".contains($0) || radix == nil && "eE".contains($0) }
        return isFraction ? Double(sign + digits).map(JSONValue.number) : nil
    }

    private func inferred(_ member: SwiftDeclaration.Member) -> JSONObject? {
        if member.value.count == 1, member.value[0].kind == .text { return Self.known["String"] }
        return switch literal(member) {
        case .bool?: Self.known["Bool"]
        case .integer?: Self.known["Int"]
        case .number?: Self.known["Double"]
        default: nil
        }
    }

    private func outOfRange(_ member: SwiftDeclaration.Member, _ value: String, raw entry: SwiftDeclaration) -> Failure {
        wrong(
            "the raw value \(value) of `\(member.token.text)` is beyond \(entry.inherits.first ?? "its type")",
            "write one that it holds", member.token)
    }

    private func unread(_ member: SwiftDeclaration.Member) -> Failure {
        wrong("the value of `\(member.token.text)` is not read", "write a plain literal, without escapes", member.token)
    }

    private func wrong(_ message: String, _ hint: String, _ token: SwiftToken) -> Failure {
        file.source.wrong(message, hint, token)
    }
}
