// docs/scenario.schema.json and docs/scenarios.md say what the decoder reads, no more and no less.

import Basics
import Foundation
import Pushes
import Scenarios
import Testing

@Suite("The schema and the page of the scenario file")
struct SchemaTests {
    /// Null when there is no such file or it is no JSON; every test then fails.
    private static let schema: JSONValue = {
        let text = try? String(contentsOfFile: repository + "/docs/scenario.schema.json", encoding: .utf8)
        return text.flatMap { try? JSONValue(parsing: $0) } ?? .null
    }()

    @Test("have the decoder's keys and no others", arguments: Shape.all.map(\.name))
    func keys(name: String) throws {
        let shape = Shape.all.first { $0.name == name }!
        let definition = try #require(Self.schema["$defs"]?[name], "no `$defs/\(name)`")
        #expect(definition["properties"]?.object?.keys.sorted() == shape.keys.map(\.name).sorted())
        // What is required may stand in the file that is extended.
        let required = (definition["required"] ?? definition["else"]?["required"])?.array?.compactMap(\.string) ?? []
        #expect(required.sorted() == shape.keys.filter(\.isRequired).map(\.name).sorted())
        #expect(definition["additionalProperties"] == false)
    }

    @Test("The schema closes no mapping that the decoder does not know")
    func closed() throws {
        let definitions = try #require(Self.schema["$defs"]?.object)
        let closed = definitions.filter { $0.value["additionalProperties"] == false }.map(\.key)
        #expect(closed.sorted() == Shape.all.map(\.name).sorted())
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

    @Test("The page has a row for every key of every mapping", arguments: Shape.all.map(\.name))
    func page(name: String) throws {
        let text = try String(contentsOfFile: repository + "/docs/scenarios.md", encoding: .utf8)
        let shape = Shape.all.first { $0.name == name }!
        let marker = "<!-- keys: \(name) -->\n"
        let start = try #require(text.range(of: marker), "no table marked \(marker)")
        let table = text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("|") }.dropFirst(2)
        let keys = table.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(keys.sorted() == shape.keys.map(\.name).sorted())
    }
}
