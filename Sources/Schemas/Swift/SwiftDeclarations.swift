// Reads the declarations of a Swift file as far as synthesized decoding depends on them. What cannot be read is kept as a
// mistake of the type or member that has it, for it matters only when that is asked for. Knows no JSON.

import Basics

/// A struct, an enum or a typealias, with what extensions in the same file add to it.
struct SwiftDeclaration: Sendable {
    /// A stored property of an instance, or a case.
    struct Member: Sendable {
        var token: SwiftToken
        var type: SwiftType?
        var isLet = false
        var hasValue = false
        /// The words of its value, if they are at most two: a literal, or one with a sign.
        var value: [SwiftToken] = []
        var problem: Failure?
    }

    /// `struct`, `enum`, `typealias` and so on; empty while only extensions were met.
    var keyword = ""
    var token: SwiftToken
    /// The types around it where it is declared, the innermost first; an extension of `A.B` stands in no `A`.
    var outer: [String] = []
    /// The words after its colon.
    var inherits: [String] = []
    var members: [Member] = []
    var alias: SwiftType?
    var isExtended = false
    var isGeneric = false
    /// The words of what a typealias stands for.
    var aliasWords: Set<String> = []
    /// Initializers in code, with the words of their parameters; of a computed property its name alone.
    var code: [(token: SwiftToken, words: [String])] = []
    var problem: Failure?

    /// How much there is of what decoding may depend on; code that is a property's counts where it names keys.
    var size: [Int] {
        let code = code.filter { $0.words.count > 1 || ["rawValue", "stringValue"].contains($0.words[0]) }
        return [inherits.count, members.count, code.count]
    }
}

/// A type as it is written; `[T]`, `[K: V]` and `T!` by their long names.
indirect enum SwiftType: Sendable {
    case named([String], of: [SwiftType], SwiftToken)
    case optional(SwiftType, SwiftToken)
}

struct SwiftDeclarations: Sendable {
    private static let modifiers: Set = [
        "public", "private", "fileprivate", "internal", "package", "open", "final", "static", "lazy", "weak", "unowned",
        "nonisolated", "mutating", "nonmutating", "override", "required", "convenience", "indirect", "dynamic",
    ]
    private static let types: Set = ["struct", "enum", "class", "actor", "protocol", "extension"]
    private static let others: Set = ["var", "let", "case", "typealias", "func", "init", "subscript", "deinit", "import"]
    /// They change nothing about decoding.
    private static let attributes: Set = [
        "available", "frozen", "usableFromInline", "inlinable", "MainActor", "preconcurrency", "objc", "nonobjc", "inline",
    ]
    private static let depthMax = 32
    /// No source has so many `<` that are none of `<A, B>`: what looks like one from there on is not tried.
    private static let comparisonsMax = 1_000

    let source: SwiftSource
    /// By full name, such as `TripAttributes.ContentState`.
    private(set) var table: [String: SwiftDeclaration] = [:]
    /// What stands for `Decoder`, and what for each type.
    private(set) var (decoders, aliases): (Set<String>, [String: [String]]) = ([], [:])
    /// What stands for `Decodable`, and what has its form in `rawValue`.
    private(set) var (decodable, rawRepresentable): (Set<String>, Set<String>) = ([], [])
    private var at = 0
    private var comparisons = 0
    /// The types around what is being read, the innermost first.
    private var scopes: [String] = []
    private var conditions = SwiftConditions()

    init(_ source: SwiftSource) throws(Failure) {
        self.source = source
        try members(of: "", until: source.tokens.count - 1, depth: 0)
        for (path, problem) in misplaced() { note(problem, of: path) }
        (decoders, aliases) = (words(for: "Decoder"), aliasesByTarget())
        decodable = ["Decodable", "Codable", "ActivityAttributes"].reduce(into: []) { $0.formUnion(words(for: $1)) }
        rawRepresentable = words(for: "RawRepresentable").union(words(for: "OptionSet"))
    }

    private var token: SwiftToken { source.tokens[at] }
    private mutating func take() -> SwiftToken {
        defer { at = min(at + 1, source.tokens.count - 1) }
        return token
    }

    private mutating func takes(_ mark: Character) -> Bool {
        guard token.isMark(mark) else { return false }
        at += 1
        return true
    }

    /// Past one word, or past a bracket with all in it.
    private mutating func skip() { at = min(max(at, token.partner) + 1, source.tokens.count - 1) }

    private func beginsDeclaration(_ token: SwiftToken) -> Bool {
        guard token.beginsLine else { return false }
        if token.kind == .mark { return token.isMark("@") || token.isMark("#") }
        return [Self.modifiers, Self.types, Self.others].contains { token.kind == .word && $0.contains(token.text) }
    }

    private static func full(_ name: String, in path: String) -> String { path.isEmpty ? name : path + "." + name }
    private func wrong(_ message: String, _ hint: String?, _ at: SwiftToken) -> Failure { source.wrong(message, hint, at) }

    private mutating func note(_ problem: Failure, of path: String) {
        if table[path]?.problem == nil { table[path]?.problem = problem }
    }

    /// The members of a type, or with an empty path those of the file.
    private mutating func members(of path: String, until end: Int, depth: Int) throws(Failure) {
        while at < end {
            var (found, strange): (Set<String>, SwiftToken?) = ([], nil)
            while at < end {
                if takes("@") {
                    let name = take()
                    if !Self.attributes.contains(name.text) { strange = strange ?? name }
                    if token.isMark("("), token.offset == name.offset + name.text.utf8.count { skip() }
                } else if token.kind == .word, Self.modifiers.contains(token.text)
                    || token.isWord("class") && Self.others.contains(source.tokens[at + 1].text)
                {
                    found.insert(take().text)
                    if token.isMark("(") { skip() }
                } else {
                    break
                }
            }
            switch token.kind == .word ? token.text : "" {
            case "var", "let", "case": values(of: path, found, strange, until: end)
            case "typealias": alias(in: path, until: end)
            case let word where Self.types.contains(word): try declaration(in: path, strange, depth: depth)
            default: other(in: path, until: end)
            }
        }
    }

    private mutating func declaration(in path: String, _ strange: SwiftToken?, depth: Int) throws(Failure) {
        let keyword = take().text
        let first = take()
        var name = Self.full(first.text, in: path)
        while takes(".") { name += "." + take().text }
        var entry = table[name] ?? SwiftDeclaration(token: first)
        let (former, unsure) = (entry.size, uncertainty(about: name))
        if keyword != "extension" {
            if !entry.keyword.isEmpty { entry.problem = wrong("`\(name)` is declared twice", "keep one of them", first) }
            (entry.keyword, entry.token, entry.outer) = (keyword, first, scopes)
        }
        if let strange { entry.problem = wrong("what `@\(strange.text)` makes of it cannot be known", "strike it", strange) }
        if keyword == "extension" { entry.isExtended = true }
        if let unsure, keyword != "extension" { entry.problem = unsure }
        if token.isMark("<") {
            entry.problem = wrong("`\(name)` is generic", "write out the type that is meant", token)
            entry.isGeneric = true
        }
        var isConditional = false
        while !token.isMark("{") {
            if token.kind == .end || token.isMark("}") { throw wrong("`\(name)` has no `{`", "add its body", first) }
            if keyword == "extension", token.isWord("where") { isConditional = true }
            let isModule = token.isWord("Swift") && source.tokens[at + 1].isMark(".")
            if token.kind == .word, !isConditional, !isModule { entry.inherits.append(token.text) }
            skip()
        }
        let end = token.partner
        guard depth < Self.depthMax else { throw wrong("types stand within types too deeply", nil, first) }
        table[name] = entry
        at = keyword == "protocol" ? end : at + 1
        let around = scopes
        scopes = [name] + around
        try members(of: name, until: end, depth: depth + 1)
        scopes = around
        if let unsure, let entry = table[name], entry.size != former { note(unsure, of: name) }
        at = end + 1
    }

    /// One `var`, `let` or `case` with all its names. Computed properties and those of the type itself are no members.
    private mutating func values(of path: String, _ found: Set<String>, _ strange: SwiftToken?, until end: Int) {
        let keyword = take().text
        var names: [SwiftDeclaration.Member] = []
        repeat {
            var member = SwiftDeclaration.Member(token: token, isLet: keyword == "let")
            let name = token.text
            do throws(Failure) {
                guard token.kind == .word else { throw wrong("names in brackets are not read", "write each alone", token) }
                at += 1
                if keyword == "case", token.isMark("(") {
                    throw wrong("the case `\(name)` has values of its own, which are not read", "write a struct", member.token)
                }
                if takes(":") {
                    member.type = try type(depth: 0)
                    try endOfType(before: end)
                }
                if let word = ["lazy", "weak", "unowned"].first(where: found.contains) {
                    throw wrong("`\(word)` properties are not read", "strike `\(word)`", member.token)
                }
                if let strange {
                    let what = "what `@\(strange.text)` makes of `\(name)` cannot be known here"
                    throw wrong(what, "write the property as it stands in the JSON", strange)
                }
            } catch {
                member.problem = error
            }
            // Whatever was not read of the type; then a value, up to the next name or declaration, or a body.
            while at < end, !["=", ",", ";", "{"].contains(where: token.isMark), !beginsDeclaration(token) { skip() }
            let isStored = !token.isMark("{") || ["didSet", "willSet"].contains(source.tokens[at + 1].text)
            member.hasValue = takes("=")
            let start = at
            var comparison: SwiftToken?
            if member.hasValue || token.isMark("{") { skip() }
            while at < end, !token.isMark(","), !token.isMark(";"), !beginsDeclaration(token) {
                if token.isMark("<"), !skipsArguments() { comparison = token }
                skip()
            }
            if let comparison, token.isMark(",") {
                let what = "which `,` behind this `<` begins another name is not read"
                member.problem = member.problem ?? wrong(what, "write each property alone", comparison)
            }
            if member.hasValue, at - start <= 2 { member.value = Array(source.tokens[start..<at]) }
            // `a, b: Int` is a type for both.
            for place in names.indices.reversed().prefix(while: { names[$0].type == nil && !names[$0].hasValue }) {
                names[place].type = member.type
            }
            if found.isDisjoint(with: ["static", "class"]) {
                if isStored { names.append(member) } else { table[path]?.code.append((member.token, [name])) }
            }
        } while takes(",")
        table[path]?.members += names
    }

    private mutating func alias(in path: String, until end: Int) {
        at += 1
        var entry = SwiftDeclaration(keyword: "typealias", token: take(), outer: scopes)
        let start = at
        do throws(Failure) {
            guard takes("=") else { throw wrong("`\(entry.token.text)` is generic", "write out what is meant", entry.token) }
            entry.alias = try type(depth: 0)
            try endOfType(before: end)
        } catch {
            entry.problem = error
        }
        while at < end, !token.beginsLine, !token.isMark(";") { skip() }
        entry.aliasWords = Set(source.tokens[start..<at].lazy.filter { $0.kind == .word }.map(\.text))
        let name = Self.full(entry.token.text, in: path)
        if let extended = table[name] {
            (entry.code, entry.inherits, entry.isExtended) = (extended.code, extended.inherits, extended.isExtended)
            if !extended.keyword.isEmpty {
                entry.problem = wrong("`\(name)` is declared twice", "keep one of them", entry.token)
            }
        }
        entry.problem = uncertainty(about: name) ?? entry.problem
        table[name] = entry
    }

    /// Functions, and whatever else synthesized decoding does not see.
    private mutating func other(in path: String, until end: Int) {
        if token.isMark("#") { conditions.take(source.tokens, at: at) }
        let start = take()
        if ["func", "init", "subscript", "deinit"].contains(start.text) {
            while at < end, !token.isMark("{") {
                let words = source.tokens[at..<max(at, token.partner)].filter { $0.kind == .word }.map(\.text)
                if start.isWord("init"), token.isMark("("), !words.isEmpty { table[path]?.code.append((start, words)) }
                skip()
            }
            skip()
        } else if !start.isMark(";") {
            let what = start.isMark("#")
                ? ("what `#\(token.text)` leaves of this type cannot be known here", "give a file that holds what is compiled")
                : ("found `\(start.text)` where a declaration begins", "check what stands before it")
            // Only where it is the first: its place is looked up in the whole file.
            if let entry = table[path], entry.problem == nil { note(wrong(what.0, what.1, start), of: path) }
            while at < end, !token.beginsLine { skip() }
        }
    }

    private mutating func type(depth: Int) throws(Failure) -> SwiftType {
        let start = token
        guard depth < Self.depthMax else { throw wrong("the type is nested too deeply", nil, start) }
        var type: SwiftType
        if takes("[") {
            var parts = [try self.type(depth: depth + 1)]
            if takes(":") { parts.append(try self.type(depth: depth + 1)) }
            guard takes("]") else { throw unread(token) }
            type = .named([parts.count == 1 ? "Array" : "Dictionary"], of: parts, start)
        } else if takes("(") {
            type = try self.type(depth: depth + 1)
            guard takes(")"), !token.isMark("-") else { throw unread(start) }
        } else if start.kind == .word, !["some", "any", "inout"].contains(start.text) {
            var (names, parts): ([String], [SwiftType]) = ([take().text], [])
            while takes(".") { names.append(take().text) }
            if takes("<") {
                repeat { parts.append(try self.type(depth: depth + 1)) } while takes(",")
                guard takes(">") else { throw unread(token) }
            }
            type = .named(names, of: parts, start)
        } else {
            throw unread(start)
        }
        while token.isMark("?") || token.isMark("!") {
            if case .optional = type { throw wrong("an optional of an optional is not read", "strike one", token) }
            type = .optional(type, take())
        }
        if token.isMark("-") || token.isMark("&") { throw unread(start) }
        return type
    }

    /// Past all but the last mark of `<A, B>`; false, where it stands, if this is none.
    private mutating func skipsArguments() -> Bool {
        guard comparisons < Self.comparisonsMax else { return false }
        let start = at
        at += 1
        do throws(Failure) {
            repeat { _ = try type(depth: 0) } while takes(",")
            if token.isMark(">") { return true }
        } catch {}
        comparisons += 1
        at = start
        return false
    }

    /// A type that goes on behind what was read of it, such as `[Int].Element`, is another one.
    private func endOfType(before end: Int) throws(Failure) {
        guard at < end, token.isMark(".") || !token.beginsLine, !["=", ",", ";", "{"].contains(where: token.isMark) else {
            return
        }
        throw wrong("what `\(token.text)` makes of the type before it is not read", "write out the type that is meant", token)
    }

    /// What is declared here may be compiled or not; nil: it is.
    private func uncertainty(about name: String) -> Failure? {
        conditions.unsure.map {
            wrong("what `#if` leaves of `\(name)` cannot be known here", "give a file that holds what is compiled", $0)
        }
    }

    private func unread(_ token: SwiftToken) -> Failure {
        wrong("a type that begins with `\(token.text)` is not read here", "tuples and functions are not; write a struct", token)
    }
}
