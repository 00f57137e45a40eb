// The decoder reads what docs/scenario.schema.json says, and docs/scenarios.md shows it.

import Basics
import Foundation
import Pushes
import Scenarios
import Testing

@Suite("The schema and the page of the scenario file")
struct SchemaTests {
    private static let schema = Shape.schema

    @Test("Every mapping has keys, and each key an example", arguments: Shape.allCases)
    func rows(shape: Shape) throws {
        let definition = try #require(Self.schema["$defs"]?[shape.name], "no `$defs/\(shape.name)`")
        #expect(!shape.keys.isEmpty && definition["additionalProperties"] == false)
        #expect(shape.keys.filter { $0.row["examples"]?.array?.isEmpty ?? true }.map(\.name) == [])
    }

    @Test("The schema closes no mapping that the decoder does not know")
    func closed() throws {
        let definitions = try #require(Self.schema["$defs"]?.object)
        let closed = definitions.filter { $0.value["additionalProperties"] == false }.map(\.key)
        #expect(closed.sorted() == Shape.allCases.map(\.name).sorted())
    }

    @Test("Every reference in the schema leads somewhere")
    func references() {
        var broken: [String] = []
        func walk(_ value: JSONValue) {
            if let reference = value["$ref"]?.string, Self.schema.at(pointer: String(reference.dropFirst())) == nil {
                broken.append(reference)
            }
            value.array?.forEach(walk)
            for member in value.object ?? JSONObject() { walk(member.value) }
        }
        walk(Self.schema)
        #expect(broken == [])
    }

    @Test("The words of a choice are the decoder's")
    func choices() {
        func words(_ pointer: String) -> [String] {
            Self.schema.at(pointer: "/$defs/" + pointer)?["enum"]?.array?.compactMap(\.string) ?? []
        }
        #expect(words("feeder/properties/take") == FeederSpec.Take.allCases.map(\.rawValue))
        #expect(words("mock/properties/tokens") == MockSpec.Tokens.allCases.map(\.rawValue))
        #expect(words("mock/properties/environment") == MockSpec.Environment.allCases.map(\.rawValue))
        #expect(words("signal") == ProcessSignal.allCases.map(\.rawValue))
        #expect(words("push/properties/channel") == PushType.words + ["fcm"])
        #expect(words("push/properties/event") == ActivityEvent.words)
        #expect(words("profile/properties/order") == Profile.Order.allCases.map(\.rawValue))
    }

    /// With `PUSHRIG_WRITE=1` it writes them.
    @Test("The tables of the page are the schema's rows")
    func page() throws {
        let path = repository + "/docs/scenarios.md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for shape in Shape.allCases {
            let mark = try #require(lines.firstIndex(of: "<!-- keys: \(shape.name) -->"), "no table of \(shape.name)")
            let end = lines[mark...].dropFirst().firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
            lines.replaceSubrange(mark + 3..<end, with: KeyTable(shape: shape).lines)
        }
        let written = lines.joined(separator: "\n")
        if getenv("PUSHRIG_WRITE") != nil {
            try written.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(written == text, "PUSHRIG_WRITE=1 writes the tables")
    }
}
