// What was agreed beyond a type, laid over the schema that its declaration gives: limits, conditions, titles, the card. It
// may not change what decodes, for that is the declaration's to say.

package import Basics

package struct SchemaOverlay: Sendable {
    /// The parts of an overlay file, each a JSON Merge Patch (RFC 7396).
    package static let parts = ["attributes", "content-state"]

    private let file: SchemaFile

    package init(_ file: SchemaFile) throws(Failure) {
        self.file = file
        guard let object = file.tree.object else {
            throw Failure(.usage, "an overlay is an object", hint: #"such as { "content-state": {} }"#, place: file.place(""))
        }
        for key in object.keys where !Self.parts.contains(key) {
            throw Failure(
                .usage, "an overlay has no `\(clipped(key))`", hint: Suggestion.hint(for: key, among: Self.parts),
                place: file.place("/" + JSONPointerPath.escaped(key)))
        }
    }

    /// The schema with that part laid over it. What stands in the overlay and would change what the type decodes from is
    /// refused. `resolve`: for `$ref`.
    package func laid(over schema: JSONValue, part: String, resolve: @escaping Schema.Resolver) throws(Failure) -> SchemaFile {
        let patch = file.tree[part] ?? .object([:])
        let laid = SchemaFile(name: file.name, tree: schema.merged(with: patch)) { [file] in file.place("/\(part)\($0)") }
        let own = try Schema(SchemaFile(name: file.name, tree: schema), resolve: resolve)
        if let change = SchemaChange.first(from: own, to: try Schema(laid, resolve: resolve)) {
            throw Failure(
                .usage, "the overlay changes what the type decodes from: \(change.reason)",
                hint: "change the declaration, or strike it here", place: file.place("/\(part)\(change.pointer)"))
        }
        return laid
    }
}

extension JSONValue {
    /// RFC 7396: members are replaced one by one, `null` strikes one, and anything but an object replaces the whole.
    package func merged(with patch: JSONValue) -> JSONValue {
        guard let changes = patch.object else { return patch }
        var object = self.object ?? JSONObject()
        for (key, value) in changes {
            // A `nil` in a condition's branch would be JSON's null.
            if value.isNull { object[key] = nil } else { object[key] = (object[key] ?? .object([:])).merged(with: value) }
        }
        return .object(object)
    }
}
