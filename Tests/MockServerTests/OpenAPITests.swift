// docs/openapi.yaml and the admin API must say the same: every path and method of the page is there and no other, and
// what is answered has the shape that the page promises.

import Basics
import MockServer
import Net
import Pushes
import Testing
import YAML

@Suite struct OpenAPITests {
    private static let document = readDocument()

    private static func readDocument() -> JSONValue {
        let file = "docs/openapi.yaml"
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        guard let text = readText("/" + root + "/" + file), let node = try? YAMLNode.parse(text: text, file: file)
        else {
            return .null
        }
        return node.json
    }

    @Test func `the page holds each reason that a fault may answer with`() throws {
        let told = try #require(Self.document.at(pointer: "/components/schemas/Reason/enum")?.array).compactMap(\.string)
        var words: [String] = []
        for list in [ReasonList.apns, .apnsBroadcasts, .fcm, .oauth] {
            words += list.words.filter { !words.contains($0) }
        }
        #expect(told == words)
        try withMock { mock in
            let body = #"{"action":{"respond":"BadTopic"}}"#
            let reply = try mock.admin.ask("POST", "/v1/faults", [("content-type", "application/json")], body: body)
            #expect(reply.status == 201 && reply.json.at(pointer: "/action/respond/reason") == "BadTopic", "\(reply.text)")
        }
    }

    private let methods = ["get", "put", "post", "patch", "delete"]

    @Test func `every path of the page takes its methods and refuses all others`() throws {
        let paths = try #require(Self.document["paths"]?.object)
        #expect(paths.count >= 11)
        try withMock { mock in
            for (template, item) in paths {
                let path = fill(template)
                let described = methods.filter { item[$0] != nil }
                for method in methods {
                    let reply = try mock.admin.ask(method.uppercased(), path)
                    if described.contains(method) {
                        #expect(reply.status != 405 && reply.json["error"]?["code"] != "not-found", "\(method) \(path)")
                        #expect(
                            item[method]?["responses"]?[String(reply.status)] != nil,
                            "\(method) \(path) \(reply.status)")
                    } else {
                        #expect(reply.status == 405, "\(method) \(path)")
                    }
                }
            }
        }
    }

    @Test func `answers have the shapes of the page`() throws {
        try withMock({ options in
            options.channels = SocketAddress(host: "127.0.0.1", port: 0)
            options.fcm = SocketAddress(host: "127.0.0.1", port: 0)
        }) { mock in
            let client = try mock.provider()
            let registration = "/v1/registrations/" + MessagingMock.token
            #expect(try mock.admin.ask("PUT", registration, body: #"{"android":{}}"#).status == 201)
            let id = try mock.fault(
                #"{"match":{"fraction":1.0,"pushType":"alert"},"times":1,"for":"1h","#
                    + #""action":{"respond":{"reason":"Unregistered"}}}"#
            )
            try mock.fault(#"{"action":{"delay":{"uniform":["1ms","2ms"]}}}"#)
            let path = "/3/device/" + TestMock.device
            for body in [alert, alert, "no {json"] { _ = try client.ask("POST", path, mock.fields(), body: body) }
            let update = #"{"aps":{"timestamp":\#(now(mock)),"event":"update","content-state":{}}}"#
            let fcm = try MessagingMock(mock)
            let sender = try fcm.client()
            let sent = try sender.ask("POST", MessagingMock.sends, try fcm.fields(sender), body: MessagingMock.body())
            #expect(sent.status == 200)
            let activity = String(TestMock.device.reversed())
            let fields = mock.fields(topic: "com.example.app.push-type.liveactivity").map { name, value in
                (name, name == "apns-push-type" ? "liveactivity" : value)
            }
            _ = try client.ask("POST", "/3/device/" + activity, fields, body: update)
            try broadcastOnce(mock, to: activity)
            try startOnPhone(mock, client)
            let questions = [
                ("/v1/health", "/v1/health"), ("/v1/info", "/v1/info"), ("/v1/faults", "/v1/faults"),
                ("/v1/faults/{id}", "/v1/faults/" + id), ("/v1/pushes", "/v1/pushes"),
                ("/v1/keys", "/v1/keys"), ("/v1/phones", "/v1/phones"), ("/v1/phones/{id}", "/v1/phones/p"),
                ("/v1/phones/events", "/v1/phones/events"), ("/v1/phones/{id}", "/v1/phones/none"),
                ("/v1/tokens/{token}", "/v1/tokens/" + TestMock.device), ("/v1/activities", "/v1/activities"),
                ("/v1/activities/{token}", "/v1/activities/" + activity),
                ("/v1/clock", "/v1/clock"), ("/v1/barrier", "/v1/barrier"), ("/v1/channels", "/v1/channels"),
                ("/v1/apps/{bundle}", "/v1/apps/com.example.app"),
                ("/v1/registrations/{registration}", registration),
                ("/v1/tokens/{token}/channel", "/v1/tokens/\(activity)/channel"),
                ("/v1/faults/{id}", "/v1/faults/f77"), ("/v1/pushes", "/v1/pushes?limit=x"),
            ]
            for (template, question) in questions {
                let reply = try mock.admin.ask("GET", question)
                let response = try #require(
                    resolve(Self.document["paths"]?[template]?["get"]?["responses"]?[String(reply.status)]))
                let schema = try #require(response["content"]?["application/json"]?["schema"])
                #expect(mistakes(reply.json, schema, at: question) == [])
            }
        }
    }

    @Test func `events have the shapes of the page`() throws {
        try withMock { mock in
            let client = EventClient(mock)
            #expect(client.wait { !$0.frames.isEmpty })
            try mock.fault(#"{"id":"late","times":1,"action":{"delay":"1ms"}}"#)
            let token = "/v1/tokens/" + TestMock.device
            _ = try mock.admin.ask("PUT", token, body: #"{"kind":"device","connection":"offline"}"#)
            let fields = mock.fields([("apns-expiration", "\(now(mock) + 600)")])
            _ = try mock.provider().ask("POST", "/3/device/" + TestMock.device, fields, body: alert)
            let update = #"{"aps":{"timestamp":\#(now(mock)),"event":"update","content-state":{}}}"#
            let live = mock.fields(topic: "com.example.app.push-type.liveactivity").map { name, value in
                (name, name == "apns-push-type" ? "liveactivity" : value)
            }
            _ = try mock.provider().ask("POST", "/3/device/" + String(TestMock.device.reversed()), live, body: update)
            for body in [#"{"connection":"online"}"#, "{}"] { _ = try mock.admin.ask("PATCH", token, body: body) }
            _ = try mock.admin.ask("DELETE", token)
            for id in ["/late", ""] { _ = try mock.admin.ask("DELETE", "/v1/faults" + id) }
            _ = try mock.admin.ask("PUT", "/v1/clock", body: #"{"scale":1}"#)
            let schemas = [
                "push": "Push", "outcome": "EventOutcome", "activity": "Activity", "token": "EventToken",
                "fault": "EventFault", "clock": "Clock",
            ]
            #expect(client.wait { client in schemas.keys.allSatisfy { !client.frames(of: $0).isEmpty } })
            for frame in client.frames where !frame.name.isEmpty {
                let schema = Self.document["components"]?["schemas"]?[schemas[frame.name] ?? ""] ?? .null
                #expect(mistakes(frame.json, schema, at: frame.name) == [])
            }
        }
    }

    @Test func `the checker of shapes finds what is wrong`() {
        let schema: JSONValue = [
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": [
                "a": ["type": ["integer", "null"]], "b": ["enum": ["x"]],
                "c": ["type": "array", "items": ["type": "string"]],
            ],
        ]
        #expect(mistakes(["a": 1, "b": "x", "c": ["y"]], schema, at: "").isEmpty)
        #expect(mistakes(["b": "x"], schema, at: "").count == 1)
        #expect(mistakes(["a": "1"], schema, at: "").count == 1)
        #expect(mistakes(["a": 1, "b": "z", "c": [1], "d": 1], schema, at: "").count == 3)
        let composed: JSONValue = [
            "unevaluatedProperties": false,
            "allOf": [["properties": ["a": ["type": "string"]]], ["properties": ["b": ["type": "string"]]]],
        ]
        #expect(mistakes(["a": "x", "b": "y"], composed, at: "").isEmpty)
        #expect(mistakes(["a": "x", "c": "y"], composed, at: "").count == 1)
        #expect(mistakes(["a": "x"], ["allOf": [schema]], at: "").count == 1)
    }

    /// A channel that one activity listens to, with a message; an operation and a broadcast stand among the pushes.
    private func broadcastOnce(_ mock: TestMock, to activity: String) throws {
        let channel = try mock.createChannel(policy: 1)
        let reply = try mock.admin.ask(
            "PUT", "/v1/tokens/\(activity)/channel", [("content-type", "application/json")],
            body: #"{"channel":"\#(channel)"}"#)
        #expect(reply.status == 200, "\(reply.text)")
        let sent = try mock.broadcast(channel, Broadcast(mock, "update"))
        #expect(sent.status == 200)
    }

    /// A phone with an activity that its app has the token of.
    private func startOnPhone(_ mock: TestMock, _ client: TestClient) throws {
        let app = #"{"bundle":"com.example.app","state":"foreground","schema":{"contentState":{"type":"object"}}}"#
        let made = try mock.admin.ask("PUT", "/v1/phones/p", body: #"{"apps":[\#(app)]}"#)
        let token = try #require(made.json["apps"]?.array?.first?["startToken"]?.string)
        let start =
            #"{"aps":{"timestamp":\#(now(mock)),"event":"start","content-state":{},"attributes-type":"A","attributes":{},"#
            + #""alert":{"title":"t"}}}"#
        let fields = mock.fields(topic: "com.example.app.push-type.liveactivity").map { name, value in
            (name, name == "apns-push-type" ? "liveactivity" : value)
        }
        #expect(try client.ask("POST", "/3/device/" + token, fields, body: start).status == 200)
        #expect(try mock.admin.ask("GET", "/v1/phones/events").json["events"]?.array?.count == 2)
    }

    private func now(_ mock: TestMock) -> Int64 {
        (WallTime(iso8601: (try? mock.admin.ask("GET", "/v1/info").json["now"]?.string) ?? "")
            ?? WallTime(nanoseconds: 0)).seconds
    }

    private func fill(_ template: String) -> String {
        template.replacing("{token}", with: TestMock.device).replacing("{id}", with: "f1")
            .replacing("{bundle}", with: "com.example.app").replacing("{run}", with: "r").replacing("{count}", with: "2")
            // Its good answer has no end.
            .replacing("/v1/events", with: "/v1/events?last=x")
    }

    // MARK: Shapes

    private func resolve(_ value: JSONValue?) -> JSONValue? {
        guard let reference = value?["$ref"]?.string else { return value }
        return Self.document.at(pointer: String(reference.dropFirst()))
    }

    /// As much of JSON Schema as the page uses.
    private func mistakes(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        guard let schema = resolve(schema) else { return [place + ": a schema is missing"] }
        var found: [String] = []
        if let choices = schema["enum"]?.array, !choices.contains(value) { found.append(place + ": not in the enum") }
        if let constant = schema["const"], constant != value { found.append(place + ": not the constant") }
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            if !names.contains(where: { isKind(value, $0) }) { found.append("\(place): is not \(names)") }
        }
        let parts = schema["allOf"]?.array ?? []
        for part in parts { found += mistakes(value, part, at: place) }
        if schema["unevaluatedProperties"] == false, let object = value.object {
            for name in object.keys where !parts.contains(where: { resolve($0)?["properties"]?[name] != nil }) {
                found.append("\(place)/\(name): unknown")
            }
        }
        if let forms = schema["oneOf"]?.array {
            let fitting = forms.filter { mistakes(value, $0, at: place).isEmpty }.count
            if fitting != 1 { found.append("\(place): fits \(fitting) forms") }
        }
        if let object = value.object {
            for name in schema["required"]?.array?.compactMap(\.string) ?? [] where object[name] == nil {
                found.append("\(place)/\(name): missing")
            }
            for (name, member) in object {
                if let shape = schema["properties"]?[name] {
                    found += mistakes(member, shape, at: place + "/" + name)
                } else if schema["additionalProperties"] == false {
                    found.append("\(place)/\(name): unknown")
                } else if let shape = schema["additionalProperties"], shape.object != nil {
                    found += mistakes(member, shape, at: place + "/" + name)
                } else if schema["properties"] != nil, schema["allOf"] == nil, schema["required"]?.array?.count ?? 0 > 3
                {
                    found.append("\(place)/\(name): not described")
                }
            }
        }
        if let array = value.array, let shape = schema["items"] {
            for (index, item) in array.enumerated() { found += mistakes(item, shape, at: "\(place)/\(index)") }
        }
        return found
    }

    private func isKind(_ value: JSONValue, _ name: String) -> Bool {
        switch (name, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object): true
        case ("integer", .integer), ("number", .integer), ("number", .number): true
        default: false
        }
    }
}
