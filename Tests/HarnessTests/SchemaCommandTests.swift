// `pushrig schema from`: what it writes, and what it does not overwrite.

import Basics
import Foundation
import Testing

@testable import Harness

@Suite struct SchemaCommandTests {
    private static let source = """
        struct TripStatusAttributes: ActivityAttributes {
            struct ContentState: Codable, Hashable { var stops: Int }
            var line: String
        }
        """

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private func read(_ path: String) throws -> JSONValue {
        try JSONValue(parsing: String(contentsOfFile: path, encoding: .utf8))
    }

    @Test func `two files are written, named after the type, and written again as long as nothing is lost`() throws {
        try Place.withFolder { folder in
            try write(Self.source, to: folder + "/Trip.swift")
            var command = SchemaCommand(source: folder + "/Trip.swift")
            command.out = folder + "/new/schemas"
            for _ in 0..<2 { #expect(try command.run() == .passed) }
            let path = folder + "/new/schemas/trip-status.content-state.json"
            let state: JSONValue = [
                "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "content-state of TripStatusAttributes",
                "type": "object", "required": ["stops"], "properties": ["stops": ["type": "integer"]],
            ]
            #expect(try read(path) == state)
            #expect(try read(folder + "/new/schemas/trip-status.attributes.json")["required"] == ["line"])

            try write(#"{"content-state":{"properties":{"stops":{"minimum":0}}}}"#, to: folder + "/trip.overlay.json")
            command.overlay = folder + "/trip.overlay.json"
            #expect(try command.run() == .passed)
            #expect(try read(path)["properties"]?["stops"] == ["type": "integer", "minimum": 0])

            command.overlay = nil
            let failure = #expect(throws: Failure.self) { try command.run() }
            #expect(failure?.message == "\(path) is there, and is not what the type alone says")
            #expect(try read(path)["properties"]?["stops"]?["minimum"] == 0)
        }
    }

    @Test func `the shipped files come out of a system's type and its overlay, also where one refers to another`() throws {
        let tests = Place.root + "/Tests/SchemasTests"
        for (source, name) in [("OpenCodeB", "opencode-b"), ("Epilogue", "epilogue")] {
            var command = SchemaCommand(source: "\(tests)/Apps/\(source).swift")
            command.overlay = "\(tests)/Overlays/\(name).json"
            command.out = Place.root + "/Scenarios/schemas"
            for (part, schema) in try command.schemas().parts {
                #expect(try read("\(command.out)/\(name).\(part).json") == schema)
            }
        }
    }

    @Test func `mistakes are told with a place and a way out`() throws {
        try Place.withFolder { folder in
            let (source, overlay) = (folder + "/Trip.swift", folder + "/o.json")
            try write(Self.source, to: source)
            try write("{\"content-state\":{\"x-card\":{\n\"title\":\"attributes#/lines\"}}}", to: overlay)
            let mistakes: [((inout SchemaCommand) -> Void, String)] = [
                ({ $0.source += "x" }, "cannot read \(source)x: "),
                ({ $0.overlay = source }, "\(source):1:1: "), ({ $0.name = "../a" }, "--name '../a' is no beginning"),
                ({ $0.type = "Trip" }, "\(source): there is no type `Trip` (did you mean"),
                (
                    { $0.overlay = overlay },
                    "\(overlay):2:1: `x-card`: in the attributes `/lines` leads nowhere: there is no `lines` (did you mean `line`?)"
                ),
            ]
            for (turn, says) in mistakes {
                var command = SchemaCommand(source: source)
                command.out = folder
                turn(&command)
                let failure = #expect(throws: Failure.self) { try command.run() }
                #expect(failure?.description.hasPrefix(says) == true, "\(failure?.description ?? "")")
                #expect(failure?.kind == .usage)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        }
    }

    @Test(arguments: [
        ("SessionActivityAttributes", "session-activity"), ("A.TripAttributes", "trip"), ("Attributes", "attributes"),
        ("Trip", "trip"),
    ]) func `a type's name makes a file's`(type: String, name: String) { #expect(SchemaCommand.name(of: type) == name) }
}
