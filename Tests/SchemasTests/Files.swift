// The schema files of the repository, and a checker to ask in one line.

import Basics
import Foundation
import Schemas

enum Files {
    /// The repository's root, from this file's place in it.
    static let repository = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    static let stateA =
        #"{"status":"working","sessionTitle":"Refactor the parser","lastMessage":"[pr:1:2:3] Reading","retryInfo":null}"#

    static func json(_ text: String) -> JSONValue {
        guard let value = try? JSONValue(parsing: text) else { preconditionFailure("no JSON: \(text)") }
        return value
    }

    /// By its name without the ending.
    static func schema(_ name: String) throws -> Schema {
        try Schema(try file(name + ".json"), resolve: file)
    }

    /// What is read of a type of Apps/.
    static func declared(
        _ name: String
    ) throws -> (type: String, attributes: JSONObject, contentState: JSONObject) {
        let path = repository + "/Tests/SchemasTests/Apps/\(name).swift"
        var schemas = try SwiftSchemas(String(contentsOfFile: path, encoding: .utf8), name: name + ".swift")
        return try schemas.schemas(of: nil)
    }

    static func overlay(_ name: String) throws -> SchemaOverlay {
        let path = repository + "/Tests/SchemasTests/Overlays/\(name).json"
        return try SchemaOverlay(SchemaFile(name: name, parsing: String(contentsOfFile: path, encoding: .utf8)))
    }

    static func file(_ name: String) throws(Failure) -> SchemaFile {
        let path = repository + "/Scenarios/schemas/" + name
        do {
            return try SchemaFile(name: name, parsing: try String(contentsOfFile: path, encoding: .utf8))
        } catch {
            throw Failure(.usage, "\(path): \(error)")
        }
    }
}

/// A schema with its checker; `say` gives what it says in words, each on a line: `phone: …` and `contract: …`.
struct Ask {
    let checker: SchemaChecker

    init(_ schema: String) throws { checker = SchemaChecker(try Schema(Files.json(schema), name: "test")) }
    init(file: String) throws { checker = SchemaChecker(try Files.schema(file)) }

    func say(_ text: String) -> [String] {
        let verdict = withBytes(of: text) { checker.check($0) }
        return verdict.doesNotDecode.map { "phone: \($0)" } + verdict.breaksContract.map { "contract: \($0)" }
    }
}
