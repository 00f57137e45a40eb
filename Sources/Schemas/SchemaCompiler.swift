// From a schema file's tree to a compiled schema. What it does not know it refuses, for a keyword that is passed over in
// silence promises a check that never happens.

package import Basics

/// A file of schemas, to look references up in.
package struct SchemaFile: Sendable {
    package var name: String
    /// JSON, or YAML read as JSON.
    package var tree: JSONValue
    /// Where what a pointer leads to is written: `file:line:column`. Asked only for mistakes.
    package var place: @Sendable (_ pointer: String) -> String

    package init(name: String, tree: JSONValue, place: (@Sendable (String) -> String)? = nil) {
        self.name = name
        self.tree = tree
        self.place = place ?? { pointer in name + (pointer.isEmpty ? "" : "#" + pointer) }
    }

    /// A file of JSON.
    package init(name: String, parsing text: String) throws(JSONError) {
        self.init(name: name, tree: try JSONValue(parsing: text)) { pointer in
            let place = JSONValue.place(of: pointer, in: text)
            return "\(name):\(place.line):\(place.column)"
        }
    }
}

extension Schema {
    /// Gives another schema file by the name that a `$ref` has for it.
    package typealias Resolver = (String) throws(Failure) -> SchemaFile

    /// - Parameter resolve: reads the files that it refers to.
    package init(
        _ file: SchemaFile,
        resolve: @escaping Resolver = { (file) throws(Failure) in
            throw Failure(.usage, "`\(file)` cannot be read from here", hint: "write its content in place")
        }
    ) throws(Failure) {
        var compiler = SchemaCompiler(resolve: resolve)
        _ = try compiler.compile(file.tree, of: file, at: "", depth: 0)
        self.init(name: file.name, nodes: compiler.nodes)
        card = try CardReader(file: file, schema: self).layout()
        app = try AppVersion(file)
    }

    /// Of a tree that stands in no file; `name` takes the place of one in mistakes.
    package init(_ tree: JSONValue, name: String) throws(Failure) { try self.init(SchemaFile(name: name, tree: tree)) }
}

struct SchemaCompiler {
    /// References are put in place, so these also bound how often one is used; a type that contains itself exceeds them.
    private static let depthMax = 24
    private static let nodesMax = 2_000

    let resolve: Schema.Resolver
    private(set) var nodes: [SchemaNode] = []

    init(resolve: @escaping Schema.Resolver) { self.resolve = resolve }

    /// Adds the schema and all below it; gives its place.
    mutating func compile(
        _ tree: JSONValue, of file: SchemaFile, at pointer: String, depth: Int
    ) throws(Failure) -> Int {
        let reader = SchemaReader(tree: tree, file: file, pointer: pointer)
        guard depth < Self.depthMax, nodes.count < Self.nodesMax else {
            throw reader.wrong(
                "the schema is too large or contains itself", hint: "at most \(Self.depthMax) levels, all told")
        }
        guard let object = tree.object else {
            throw reader.wrong("a schema is an object", hint: "such as { \"type\": \"string\" }")
        }
        if let reference = object["$ref"] { return try follow(reference, reader, depth) }
        try reader.checkKeywords()
        let place = nodes.count
        nodes.append(try reader.node())
        try addProperties(to: place, reader, depth)
        if let items = object["items"] {
            nodes[place].items = try compile(items, of: file, at: pointer + "/items", depth: depth + 1)
        }
        if let content = object["contentSchema"] {
            nodes[place].embedded = try compile(content, of: file, at: pointer + "/contentSchema", depth: depth + 1)
        }
        try addAgreements(to: place, reader, depth)
        try SchemaConsistency(reader, nodes).check(place)
        return place
    }

    private mutating func addProperties(to place: Int, _ reader: SchemaReader, _ depth: Int) throws(Failure) {
        var properties: [SchemaProperty] = []
        var required = try reader.texts("required")
        for (key, tree) in try reader.members("properties") {
            let node = try compile(
                tree, of: reader.file, at: reader.pointer + "/properties/" + JSONPointerPath.escaped(key),
                depth: depth + 1)
            properties.append(
                SchemaProperty(key: Array(key.utf8), text: key, node: node, isRequired: required.contains(key)))
            required.removeAll { $0 == key }
        }
        for key in required where !properties.contains(where: { $0.text == key }) {
            properties.append(SchemaProperty(key: Array(key.utf8), text: key, node: nodes.count, isRequired: true))
            nodes.append(SchemaNode())
        }
        nodes[place].properties = properties.sorted(by: SchemaProperty.isOrdered)
        switch reader.tree["additionalProperties"] {
        case nil, .bool(true)?: break
        case .bool(false)?: nodes[place].additional = .forbidden
        case let tree?:
            guard properties.isEmpty else {
                throw reader.wrong(
                    "an object is a struct, with `properties`, or a dictionary, with a schema as `additionalProperties`",
                    hint: "strike one")
            }
            nodes[place].additional = .values(
                try compile(
                    tree, of: reader.file, at: reader.pointer + "/additionalProperties", depth: depth + 1))
        }
    }

    private mutating func addAgreements(to place: Int, _ reader: SchemaReader, _ depth: Int) throws(Failure) {
        for (index, tree) in try reader.items("allOf").enumerated() {
            let node = try compile(tree, of: reader.file, at: "\(reader.pointer)/allOf/\(index)", depth: depth + 1)
            nodes[place].agreements.append(node)
        }
        func branch(_ keyword: String, _ compiler: inout SchemaCompiler) throws(Failure) -> Int? {
            guard let tree = reader.tree[keyword] else { return nil }
            return try compiler.compile(tree, of: reader.file, at: reader.pointer + "/" + keyword, depth: depth + 1)
        }
        guard let condition = try branch("if", &self) else {
            if reader.tree["then"] != nil || reader.tree["else"] != nil {
                throw reader.wrong("`then` and `else` need an `if`", hint: "add it, or strike them")
            }
            return
        }
        let (then, otherwise) = (try branch("then", &self), try branch("else", &self))
        if then == nil, otherwise == nil {
            throw reader.wrong("an `if` without `then` and `else` says nothing", hint: "add one of them")
        }
        nodes[place].conditions.append(SchemaCondition(condition: condition, then: then, otherwise: otherwise))
    }

    /// `#/$defs/name`, `file.json`, or `file.json#/$defs/name`. Nothing that says something stands beside a reference.
    private mutating func follow(
        _ reference: JSONValue, _ reader: SchemaReader, _ depth: Int
    ) throws(Failure) -> Int {
        guard let text = reference.string, !text.isEmpty else {
            throw reader.wrong("`$ref` is text", hint: "such as \"#/$defs/state\" or \"other.json\"")
        }
        let silent = SchemaReader.annotations + ["$ref"]
        if let other = reader.tree.object?.keys.first(where: { !silent.contains($0) }) {
            throw reader.wrong("`\(other)` stands beside a `$ref`", hint: "put it into what the `$ref` leads to")
        }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var file = reader.file
        if !parts[0].isEmpty {
            do throws(Failure) {
                file = try resolve(parts[0])
            } catch {
                throw reader.wrong(error.message, hint: error.hint, at: "/$ref")
            }
        }
        let pointer = parts.count > 1 ? parts[1] : ""
        guard let tree = file.tree.at(pointer: pointer) else {
            throw reader.wrong(
                "`$ref` leads nowhere: there is no `\(pointer)` in \(file.name)", hint: "check the pointer")
        }
        return try compile(tree, of: file, at: pointer, depth: depth + 1)
    }
}
