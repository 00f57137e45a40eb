// What the names of a Swift file mean: which declaration a written name leads to, what conforms to a protocol, and whether a
// type is decoded by code of its own. It errs on the side of code: what may be code is not taken for synthesized.

import Basics

extension SwiftDeclarations {
    /// The full name of what `names` mean in these types, the innermost first: of the first that has such a declaration.
    func path(of names: [String], in scopes: [String]) -> String? {
        let name = names.joined(separator: ".")
        return (scopes.map { $0 + "." + name } + [name]).first { table[$0] != nil }
    }

    /// What is declared within `path` sees the names of these types, the innermost first.
    func scopes(within path: String) -> [String] { [path] + scopes(around: path) }
    func scopes(around path: String) -> [String] { table[path]?.outer ?? [] }

    /// The type that a typealias leads to in the end; `path` itself where it is none.
    func target(of path: String) -> String? {
        var path = path
        for _ in 0..<32 {
            guard let entry = table[path], entry.keyword == "typealias" else { return table[path] == nil ? nil : path }
            guard case .named(let names, _, _)? = entry.alias, let next = self.path(of: names, in: scopes(around: path)) else {
                return nil
            }
            path = next
        }
        return nil
    }

    /// Of types, by their full names: that something is declared in them where this reader does not look for it, in an
    /// extension under another name; or that they stand within a generic type, of whose parameters they may be made.
    func misplaced() -> [(path: String, problem: Failure)] {
        var found: [(path: String, problem: Failure)] = []
        for (path, entry) in table {
            let parts = path.split(separator: ".").map(String.init)
            let around = (1..<max(1, parts.count)).map { parts[..<$0].joined(separator: ".") }
            if let generic = around.first(where: { table[$0]?.isGeneric == true }) {
                let what = "`\(path)` stands within `\(generic)`, which is generic"
                found.append((path, source.wrong(what, "move it out of `\(generic)`", entry.token)))
            }
            let isExtension = entry.keyword.isEmpty
            guard let last = parts.last, let holder = holder(of: parts), holder + [last] != parts else { continue }
            let written = (isExtension ? parts : parts.dropLast()).joined(separator: ".")
            let meant = (isExtension ? holder + [last] : holder).joined(separator: ".")
            if isExtension, entry.size.allSatisfy({ $0 == 0 }) { continue }
            let what = "`\(written)` stands for `\(meant)`, of which nothing is read under that name"
            let problem = source.wrong(what, "write `extension \(meant)`", entry.token)
            found += [(meant, problem), (path, problem)]
        }
        return found.sorted { ($0.problem.place ?? "") < ($1.problem.place ?? "") }
    }

    /// The full name of what all but the last of these names lead to, with the name of the file's module struck; nil: no type
    /// of this file.
    private func holder(of parts: [String]) -> [String]? {
        var parts = parts[...]
        if parts.count > 1, table[parts[parts.startIndex]] == nil { parts = parts.dropFirst() }
        var own = ""
        for part in parts.dropLast() {
            let name = own.isEmpty ? part : own + "." + part
            guard let next = target(of: name) else { return nil }
            own = next
        }
        return own.split(separator: ".").map(String.init)
    }

    /// The words that stand for `name` in this file: itself, typealiases of it, and protocols that refine it.
    func words(for name: String) -> Set<String> {
        var words: Set = [name]
        var count = 0
        while words.count > count {
            count = words.count
            for (path, entry) in table where ["typealias", "protocol"].contains(entry.keyword) {
                let isOne = !words.isDisjoint(with: entry.aliasWords) || entry.inherits.contains(where: words.contains)
                if isOne, let last = path.split(separator: ".").last { words.insert(String(last)) }
            }
        }
        return words
    }

    /// The typealiases of this file, by the full name of the type that they lead to.
    func aliasesByTarget() -> [String: [String]] {
        var aliases: [String: [String]] = [:]
        for (path, entry) in table where entry.keyword == "typealias" {
            if let target = target(of: path) { aliases[target, default: []].append(path) }
        }
        return aliases
    }

    /// What decodes a type otherwise than the compiler's own code would; nil: nothing in this file.
    func ownCode(of path: String) -> Failure? {
        guard let entry = table[path] else { return nil }
        for (token, words) in code(of: path) {
            if decodes(words) {
                return source.wrong("`\(path)` decodes by code of its own", "write its schema by hand", token)
            }
            if entry.keyword == "enum", words[0] == "rawValue", words.count > 1 {
                return source.wrong("`\(path)` is made of raw values by code of its own", "write its schema by hand", token)
            }
        }
        return nil
    }

    /// Of an initializer.
    private func decodes(_ words: [String]) -> Bool { words[0] == "from" && words.contains(where: decoders.contains) }

    /// An extension of a type or protocol that is not this file's, by which any of its types may decode otherwise; nil: none.
    func foreignCode() -> Failure? {
        let containers: Set = ["KeyedDecodingContainer", "KeyedDecodingContainerProtocol"]
        let found = table.filter { path, entry in
            guard ["", "typealias"].contains(entry.keyword), target(of: path).map({ table[$0]?.keyword == "" }) ?? true else {
                return false
            }
            let words = entry.aliasWords.union([path.split(separator: ".").last.map(String.init) ?? ""])
            return !words.isDisjoint(with: containers) && entry.isExtended || entry.code.contains { decodes($0.words) }
        }
        guard let (path, entry) = found.min(by: { $0.value.token.offset < $1.value.token.offset }) else { return nil }
        return source.wrong("an extension of `\(path)` decodes by code of its own", "write the schema by hand", entry.token)
    }

    /// All that a type is said to be, under whatever name.
    func inherits(of path: String) -> [String] { ([path] + (aliases[path] ?? [])).flatMap { table[$0]?.inherits ?? [] } }

    /// Whether the type conforms to `Decodable`. A protocol of another file may bring that; the plain ones of Swift do not.
    func isDecodable(_ path: String) -> Bool {
        inherits(of: path).contains { word in
            decodable.contains(word) || !Self.plain.contains(word) && self.path(of: [word], in: scopes(around: path)) == nil
        }
    }

    private static let plain: Set = [
        "Swift", "Foundation", "unchecked", "Hashable", "Equatable", "Comparable", "Sendable", "Identifiable", "CaseIterable",
        "CustomStringConvertible", "CustomDebugStringConvertible", "Encodable", "Error", "BitwiseCopyable", "String", "Int",
        "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float", "Character",
    ]

    /// The code of a type, of its typealiases' extensions, and of the protocols in this file that it conforms to.
    func code(of path: String) -> [(token: SwiftToken, words: [String])] {
        var (code, seen, open): ([(token: SwiftToken, words: [String])], Set<String>, [String]) = ([], [], [path])
        open += aliases[path] ?? []
        while let next = open.popLast() {
            guard seen.insert(next).inserted, let entry = table[next] else { continue }
            code += entry.code
            for word in entry.inherits {
                guard let name = self.path(of: [word], in: scopes(around: next)).flatMap(target) else { continue }
                if ["protocol", ""].contains(table[name]?.keyword) { open.append(name) }
            }
        }
        return code.sorted { $0.token.offset < $1.token.offset }
    }
}
