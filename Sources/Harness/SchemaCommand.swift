// `pushrig schema from`: what an `ActivityAttributes` declaration decodes from, as the two schema files of a profile.

package import Basics
import OperatingSystem
import Schemas

package struct SchemaCommand: Sendable {
    /// Larger than any declaration; reading is bounded by it.
    private static let sourceMax = 256 << 10

    package var source: String
    /// Of the type that is meant; nil: the only one that conforms to `ActivityAttributes`.
    package var type: String?
    /// What the files' names begin with; nil: after the type.
    package var name: String?
    /// What was agreed beyond the type.
    package var overlay: String?
    /// A folder, or `-` for stdout.
    package var out = "."

    package init(source: String) { self.source = source }

    /// Prints the paths of what was written, or both schemas as one object of JSON.
    package func run() throws(Failure) -> ExitCode {
        let schemas = try schemas()
        guard out != "-" else {
            var both = JSONObject()
            for (part, schema) in schemas.parts { both[part] = schema }
            Console.out(String(decoding: JSONValue.object(both).encoded(pretty: true), as: UTF8.self) + "\n")
            return .passed
        }
        let name = name ?? Self.name(of: schemas.type)
        guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else {
            throw Failure(.usage, "--name '\(name)' is no beginning of a file's name", hint: "such as --name opencode-a")
        }
        let files = schemas.parts.map { (path: "\(out)/\(name).\($0.part).json", schema: $0.schema) }
        for file in files { try checkLoss(file.path, file.schema) }
        try FileSystem.makeDirectory(out)
        for file in files {
            try FileSystem.write(String(decoding: file.schema.encoded(pretty: true), as: UTF8.self) + "\n", to: file.path)
            Console.out(file.path + "\n")
        }
        return .passed
    }

    /// In the order in which they are written.
    package func schemas() throws(Failure) -> (type: String, parts: [(part: String, schema: JSONValue)]) {
        var declarations = try SwiftSchemas(try text(of: source), name: source)
        let read = try declarations.schemas(of: type)
        let overlay = try overlay.map { (path) throws(Failure) in try SchemaOverlay(try file(path)) }
        var files: [SchemaFile] = []
        let typeName = read.type.split(separator: ".").last.map(String.init) ?? read.type
        for (part, own) in zip(SchemaOverlay.parts, [read.attributes, read.contentState]) {
            var schema: JSONObject = [
                "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string("\(part) of \(typeName)"),
            ]
            for (key, value) in own { schema[key] = value }
            let laid = try overlay.map { (overlay) throws(Failure) in
                try overlay.laid(over: .object(schema), part: part) { (name) throws(Failure) in try referred(name) }
            }
            files.append(laid ?? SchemaFile(name: source, tree: .object(schema)))
        }
        try checkCard(files)
        return (read.type, zip(SchemaOverlay.parts, files).map { (part: $0, schema: $1.tree) })
    }

    /// What the card takes from the attributes is in them.
    private func checkCard(_ files: [SchemaFile]) throws(Failure) {
        var compiled: [Schema] = []
        for file in files { compiled.append(try Schema(file) { (name) throws(Failure) in try referred(name) }) }
        if let mistake = compiled[1].cardMistake(attributes: compiled[0]) { throw mistake }
    }

    /// What a `$ref` of the overlay names: beside the files that are written, or beside the overlay.
    private func referred(_ name: String) throws(Failure) -> SchemaFile {
        let path = overlay ?? source
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let places = ["\(out)/\(name)", folder + name]
        return try file(places.first { FileSystem.exists($0) } ?? places[0])
    }

    /// Without an overlay, what a file says beyond the type would be lost.
    private func checkLoss(_ path: String, _ schema: JSONValue) throws(Failure) {
        guard overlay == nil, FileSystem.exists(path), try file(path).tree != schema else { return }
        throw Failure(
            .usage, "\(path) is there, and is not what the type alone says",
            hint: "keep what it says beyond the type in an overlay (--overlay FILE), or remove it first")
    }

    private func file(_ path: String) throws(Failure) -> SchemaFile {
        let text = try text(of: path)
        do {
            return try SchemaFile(name: path, parsing: text)
        } catch {
            throw Failure(
                .usage, error.message, hint: "the file must be JSON", place: "\(path):\(error.line):\(error.column)")
        }
    }

    private func text(of path: String) throws(Failure) -> String {
        do {
            return String(decoding: try FileSystem.read(path, limit: Self.sourceMax), as: UTF8.self)
        } catch {
            throw Failure(.usage, "cannot read \(path): \(error.words)", hint: "check the path")
        }
    }

    /// `SessionActivityAttributes`: `session-activity`.
    static func name(of type: String) -> String {
        var stem = type.split(separator: ".").last.map(String.init) ?? type
        if stem.hasSuffix("Attributes"), stem.count > 10 { stem.removeLast(10) }
        var name = ""
        for letter in stem {
            if letter.isUppercase, !name.isEmpty { name += "-" }
            name += letter.lowercased()
        }
        return name
    }
}
