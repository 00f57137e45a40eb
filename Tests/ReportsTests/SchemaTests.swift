// docs/run.schema.json describes what is written: each record is held against it by a small validator.

import Basics
import Conformance
import Foundation
import Metrics
import Sessions
import Testing
import Verdicts

@testable import Reports

@Suite struct `The schema of run.json` {
    private static func load() throws -> JSONValue {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // The tree may be seen through a link, so the file is looked for beside Tests and beside what Tests points to.
        let near = root.appending(path: "docs/run.schema.json")
        let far = root.appending(path: "Tests").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "docs/run.schema.json")
        let file = FileManager.default.fileExists(atPath: near.path) ? near : far
        return try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
    }

    @Test func `describes a full record and an empty one`() throws {
        let validator = Validator(schema: try Self.load())
        #expect(validator.complaints(about: Sample.record().json) == [])
        #expect(validator.complaints(about: Sample.empty.json) == [])
        let broken = Sample.record { record in
            let bare = Finding(message: "m", expected: "e", seen: "s")
            record.verdicts.append(Sample.rule("one-start", .broken([Sample.finding, bare], count: 7)))
            record.gates.append(Sample.gate("x", "x", .bytes, value: 2e6, threshold: 1e6, passed: false))
            record.correlation.deadTokens.worstDeath = 118
            record.correlation.deadTokens.sample = [204]
            for word in DeliveryClass.allCases {
                record.correlation.totals[word] = 1
                record.correlation.examples[word] = [Sample.example]
            }
        }
        #expect(validator.complaints(about: broken.json) == [])
    }

    @Test func `refuses a record with something missing, added or of the wrong kind`() throws {
        let validator = Validator(schema: try Self.load())
        for turn: (inout JSONObject) -> Void in [
            { $0["seed"] = nil }, { $0["seed"] = 7 }, { $0["surprise"] = true }, { $0["version"] = 9 },
            { $0["gates"] = [["text": "x"]] },
        ] {
            var json = Sample.record().json.object!
            turn(&json)
            #expect(validator.complaints(about: .object(json)) != [])
        }
    }

    @Test func `names every member that is written`() throws {
        let schema = try Self.load()
        let written = Set(Sample.record().json.object!.keys)
        // The judge alone does not tell of sessions.
        #expect(written.union(["sessions"]) == Set(schema["properties"]!.object!.keys))
        #expect(written == Set(schema["required"]!.array!.compactMap(\.string)))
    }

    @Test func `describes sessions, also those of which little is known`() throws {
        let schema = try Self.load()
        let validator = Validator(schema: schema)
        for sessions in [Sample.sessions(), Sample.sessions { ($0.cardsLack, $0.worst) = ("x", []) }, SessionsSeen(), nil] {
            #expect(validator.complaints(about: ReportFiles.json(Sample.record(), sessions)) == [])
        }
        var json = try #require(ReportFiles.json(Sample.record(), Sample.sessions()).object)
        json["sessions"] = ["shown": 1]
        #expect(validator.complaints(about: .object(json)) != [])
        let described = schema.at(pointer: "/$defs/session/properties/marks/items/properties/kind/enum")?.array
        #expect(described?.compactMap(\.string) == LaneMark.Kind.allCases.map(\.rawValue))
    }
}

/// As much of JSON Schema 2020-12 as our schema uses.
struct Validator {
    let schema: JSONValue

    func complaints(about value: JSONValue) -> [String] { check(value, against: schema, at: "") }

    private func check(_ value: JSONValue, against schema: JSONValue, at place: String) -> [String] {
        var complaints: [String] = []
        if let reference = schema["$ref"]?.string {
            guard let target = self.schema.at(pointer: String(reference.dropFirst())) else {
                return ["\(place): \(reference) is not there"]
            }
            complaints += check(value, against: target, at: place)
        }
        if let constant = schema["const"], constant != value { complaints.append("\(place): is not \(constant.text)") }
        if let choices = schema["enum"]?.array, !choices.contains(value) {
            complaints.append("\(place): \(value.text) is none of the choices")
        }
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            if !names.contains(where: { value.isOf(type: $0) }) { complaints.append("\(place): is not \(names)") }
        }
        if let least = schema["minimum"]?.double, let number = value.double, number < least {
            complaints.append("\(place): is less than \(least)")
        }
        if let object = value.object {
            for name in schema["required"]?.array?.compactMap(\.string) ?? [] where object[name] == nil {
                complaints.append("\(place): has no \(name)")
            }
            for (key, member) in object {
                if let property = schema["properties"]?[key] {
                    complaints += check(member, against: property, at: "\(place)/\(key)")
                } else if let others = schema["additionalProperties"] {
                    complaints +=
                        others == false
                        ? ["\(place)/\(key): is not described"] : check(member, against: others, at: "\(place)/\(key)")
                }
            }
        }
        if let items = schema["items"], let array = value.array {
            for (index, item) in array.enumerated() {
                complaints += check(item, against: items, at: "\(place)/\(index)")
            }
        }
        return complaints
    }
}

extension JSONValue {
    fileprivate func isOf(type: String) -> Bool {
        switch (type, self) {
        case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer), ("number", .number),
            ("string", .string), ("array", .array), ("object", .object):
            true
        default: false
        }
    }
}
