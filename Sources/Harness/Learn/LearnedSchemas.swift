// The types that a relay's cards seem to have: JSON schemas of what its pushes held.

import Basics
import Journal
import Pushes

struct LearnedSchemas {
    /// What a value was, in all pushes.
    private struct Shape {
        var kinds: Set<String> = []
        var members: [String: Shape] = [:]
        /// Of a list: what stands in it.
        var items: [Shape] = []
    }

    private var state = Shape()
    private var attributes = Shape()
    private var types: Set<String> = []
    private(set) var pushes = 0
    private static let fewest = 3
    private static let deepest = 8

    mutating func learn(_ played: PlayedCalls) {
        for push in played.pushes where push.provider == .apns && push.status == 200 && push.event != nil {
            guard let aps = try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self))["aps"] else { continue }
            if let content = aps["content-state"] {
                pushes += 1
                Self.learn(content, &state, 0)
            }
            if push.event == .start, let content = aps["attributes"], let type = aps["attributes-type"]?.string {
                types.insert(type)
                Self.learn(content, &attributes, 0)
            }
        }
    }

    private static func learn(_ value: JSONValue, _ shape: inout Shape, _ depth: Int) {
        guard depth < deepest else { return }
        switch value {
        case .null: shape.kinds.insert("null")
        case .bool: shape.kinds.insert("boolean")
        case .string: shape.kinds.insert("string")
        case .object(let object):
            shape.kinds.insert("object")
            for (key, inner) in object {
                learn(inner, &shape.members[key, default: Shape()], depth + 1)
            }
        case .array(let items):
            shape.kinds.insert("array")
            if shape.items.isEmpty { shape.items = [Shape()] }
            for item in items { learn(item, &shape.items[0], depth + 1) }
        default: shape.kinds.insert("number")
        }
    }

    /// Nil where nothing can be said: it is of two kinds, or an empty object or list. No push tells which members an app needs:
    /// where a start never came, an honest card lacks what that said.
    private static func schema(_ shape: Shape) -> JSONValue? {
        // What was null each time is taken for a text.
        let kinds = shape.kinds == ["null"] ? ["null", "string"] : shape.kinds
        let plain = kinds.subtracting(["null"])
        guard plain.count == 1, let kind = plain.first else { return nil }
        var schema: JSONObject = [
            "type": kinds.contains("null") ? .array([.string(kind), "null"]) : .string(kind)
        ]
        if kind == "object" {
            guard !shape.members.isEmpty else { return nil }
            var properties = JSONObject()
            for (key, inner) in shape.members.sorted(by: { $0.key < $1.key }) {
                guard let own = self.schema(inner) else { return nil }
                properties[key] = own
            }
            schema["properties"] = .object(properties)
            schema["additionalProperties"] = false
        } else if kind == "array" {
            guard let inner = shape.items.first, let own = self.schema(inner) else { return nil }
            schema["items"] = own
        }
        return .object(schema)
    }

    /// By the key of `schemas`: the file's text.
    var files: [(key: String, name: String, text: String)] {
        guard pushes >= Self.fewest else { return [] }
        let start = types.count == 1 ? Self.schema(attributes) : nil
        let found: [(String, String, JSONValue?)] = [
            ("contentState", "content-state.json", Self.schema(state)), ("attributes", "attributes.json", start),
        ]
        return found.compactMap { key, name, schema in
            guard var object = schema?.object, state.kinds == ["object"] else { return nil }
            object["$schema"] = "https://json-schema.org/draft/2020-12/schema"
            if key == "attributes", let type = types.first {
                object["x-app"] = ["system": "relay", "attributesType": .string(type)]
            }
            let text = String(decoding: JSONValue.object(object).encoded(pretty: true), as: UTF8.self)
            return (key, name, text + "\n")
        }
    }
}
