// Templates: what goes into a request, byte for byte.

import Basics
import Scenarios
import Testing

/// Values by name, for tests.
struct Values: TemplateValues {
    var session: [SessionVariable: String] = [:]
    var event: [EventVariable: String] = [:]
    var own: [VariableValue] = []
    var now = WallTime(milliseconds: 1_700_000_000_250)

    func isNull(_ variable: TemplateVariable) -> Bool {
        if case .own(let index) = variable { own[index].isNull } else { false }
    }

    func append(_ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        switch variable {
        case .session(let name): withBytes(of: session[name] ?? "") { encoding.append($0, into: buffer) }
        case .event(let name): withBytes(of: event[name] ?? "") { encoding.append($0, into: buffer) }
        case .own(let index): own[index].append(encoding, into: buffer)
        case .now(let time):
            let text = ByteBuffer()
            time.append(now, into: text)
            encoding.append(text.bytes, into: buffer)
        case .captured, .fed: break
        }
    }
}

@Suite("A template")
struct TemplateTests {
    /// A profile of one call whose lines are given, below `path:`.
    private func call(_ lines: String, path: String = "/x") throws -> ProfileCall {
        let body = lines.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile:
                topic: com.example.app
                calls:
                  one:
                    path: \(path)
            \(body)
            workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: { steps: [{ call: one }] } }] }
            """
        return try Scenario.parse(text: text, path: "t.yaml").relay.profile.calls[0]
    }

    private func render(_ template: Template?, _ values: Values = Values()) -> String {
        let buffer = ByteBuffer()
        template?.render(into: buffer, values)
        return buffer.text
    }

    @Test("keeps the shape, order and kinds of its JSON tree")
    func tree() throws {
        let call = try call(
            """
            json:
              z: [1, 2.5, true, null, "3"]
              a: { "quoted \\"key\\"": {}, none: [] }
            """)
        #expect(render(call.body) == #"{"z":[1,2.5,true,null,"3"],"a":{"quoted \"key\"":{},"none":[]}}"#)
        #expect(call.method == "POST")
        #expect(call.fields.map(\.name) == ["content-type"])
        #expect(render(call.fields[0].value) == "application/json")
    }

    @Test("escapes what it puts into a JSON string, and only what must be")
    func escapes() throws {
        let call = try call("json: { a: \"<{{sessionID}}>\" }")
        let wild = "a\"b\\c\nd\te\r\u{1}\u{1f}\u{7f}/é😀\u{2028}"
        let text = render(call.body, Values(session: [.sessionID: wild]))
        #expect(text == #"{"a":"<a\"b\\c\nd\te\r\u0001\u001f"# + "\u{7f}/é😀\u{2028}>\"}")
        #expect(try JSONValue(parsing: text)["a"]?.string == "<" + wild + ">")
    }

    @Test("agrees with a JSON reader whatever the text")
    func anyText() throws {
        let call = try call("json: { a: \"{{secret}}\", b: \"{{secret|json}}\" }")
        var generator = Seed(7).generator()
        for _ in 0..<500 {
            let scalars = (0..<Int(generator.next() % 12)).compactMap { _ in
                Unicode.Scalar(UInt32(generator.next() % 0x3000))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let json = try JSONValue(parsing: render(call.body, Values(session: [.secret: text])))
            #expect(json["a"]?.string == text)
            #expect(json["b"]?.string == text)
        }
    }

    @Test(
        "puts a variable in as a JSON value with |json",
        arguments: [
            ("null", "null"), ("3", "3"), ("2.5", "2.5"), ("true", "true"), ("'3'", "\"3\""),
            ("Retry 1/5", "\"Retry 1/5\""),
            ("{ a: [1] }", #"{"a":[1]}"#),
        ])
    func jsonValue(yaml: String, json: String) throws {
        let call = try call("variables: { info: \(yaml) }\njson: { retryInfo: \"{{ info | json }}\" }")
        let values = Values(own: call.defaults.map { $0.choices[0] })
        #expect(render(call.body, values) == "{\"retryInfo\":\(json)}")
    }

    @Test(
        "leaves an optional member out when it is null, with its comma",
        arguments: [
            ("{ a: 1, b: \"{{o|optional}}\" }", "null", #"{"a":1}"#),
            ("{ a: 1, b: \"{{o|optional}}\" }", "x", #"{"a":1,"b":"x"}"#),
            ("{ b: \"{{o|optional}}\", a: 1 }", "null", #"{"a":1}"#),
            ("{ b: \"{{o|optional}}\", a: 1 }", "2", #"{"b":2,"a":1}"#),
            (
                "{ b: \"{{o|optional}}\", c: \"{{o|optional}}\", a: 1, d: \"{{o|optional}}\", e: 2 }", "null",
                #"{"a":1,"e":2}"#
            ),
            (
                "{ b: \"{{o|optional}}\", c: \"{{o|optional}}\", a: 1, d: \"{{o|optional}}\", e: 2 }", "x",
                #"{"b":"x","c":"x","a":1,"d":"x","e":2}"#
            ),
        ])
    func optional(tree: String, value: String, json: String) throws {
        let call = try call("variables: { o: \(value) }\njson: \(tree)")
        #expect(render(call.body, Values(own: call.defaults.map { $0.choices[0] })) == json)
    }

    @Test("percent-encodes in a path and writes as it is in headers and text")
    func path() throws {
        let call = try call(
            "headers: { X-Title: \"{{sessionID}}\" }\ntext: \"{{sessionID}} {{sessionID|json}} {{sessionID|url}}\"",
            path: "/s/{{sessionID}}?q={{sessionID|raw}}")
        let values = Values(session: [.sessionID: "a b/é~"])
        #expect(render(call.path, values) == "/s/a%20b%2F%C3%A9~?q=a b/é~")
        #expect(call.fields.map(\.name) == ["x-title", "content-type"])
        #expect(render(call.fields[0].value, values) == "a b/é~")
        #expect(render(call.body, values) == "a b/é~ \"a b/é~\" a%20b%2F%C3%A9~")
    }

    @Test("is one literal where nothing varies")
    func merged() throws {
        let call = try call("json: { a: { b: [1, two] }, c: \"{{marker}}\", d: 4 }")
        #expect(call.body?.segments.count == 3)
        #expect(call.path.segments == [.literal(Array("/x".utf8))])
    }

    @Test("A profile's headers are every call's, unless a call has its own")
    func headers() throws {
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile:
                topic: com.example.app
                headers: { Authorization: "Bearer {{secret}}", Accept: "*/*" }
                calls:
                  one: { path: /x, headers: { accept: text/plain } }
            workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: { steps: [{ call: one }] } }] }
            """
        let call = try Scenario.parse(text: text, path: "t.yaml").relay.profile.calls[0]
        let values = Values(session: [.secret: "s3"])
        #expect(
            call.fields.map { $0.name + ": " + render($0.value, values) } == [
                "authorization: Bearer s3", "accept: text/plain",
            ])
        #expect(call.method == "GET")
    }

    @Test("The OpenCode relay gets the body that its contract asks for")
    func openCode() throws {
        let profile = try Profile.load(path: repository + "/Scenarios/relays/opencode.yaml")
        let call = profile.calls[profile.call(named: "retry")!]
        let values = Values(
            session: [.secret: "sec", .serverID: "0123456789abcdef", .sessionID: "ses_1"],
            event: [.marker: "[pr:1:2:3]"],
            own: call.defaults.map { $0.choices[0] })
        #expect(render(call.path) == "/v1/event")
        #expect(
            render(call.body, values)
                == #"{"secret":"sec","serverID":"0123456789abcdef","eventType":"progress","sessionID":"ses_1","#
                + #""title":"Refactor the parser","body":"[pr:1:2:3] The provider is busy","#
                + #""contentState":{"status":"retry","#
                + #""sessionTitle":"Refactor the parser","lastMessage":"[pr:1:2:3] The provider is busy","#
                + #""retryInfo":"Retry 1/5 in 2s"}}"#)
    }

    @Test("Every content state of the OpenCode profile has the four keys, and a retry text only while retrying")
    func contentStates() throws {
        let profile = try Profile.load(path: repository + "/Scenarios/relays/opencode.yaml")
        var seen: [String] = []
        for call in profile.calls where !call.pushes.isEmpty {
            let values = Values(event: [.marker: "[m]"], own: call.defaults.map { $0.choices[0] })
            let state = try JSONValue(parsing: render(call.body, values))["contentState"]
            #expect(state?.object?.keys == ["status", "sessionTitle", "lastMessage", "retryInfo"])
            #expect((state?["retryInfo"]?.string != nil) == (state?["status"] == "retry"))
            #expect(state?["lastMessage"]?.string?.hasPrefix("[m] ") == true)
            #expect((state?["lastMessage"]?.string?.count ?? 0) <= 90, "with a full marker at most 120")
            seen.append(call.name)
        }
        #expect(
            seen == [
                "start", "firstProgress", "progress", "retry", "permission", "firstPermission", "complete", "error", "leanPermission",
            ])
    }
}
