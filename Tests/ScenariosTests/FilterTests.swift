// Filters, the time, and JSON text within JSON: what goes into a request, byte for byte.

import Basics
import Scenarios
import Testing

@Suite("A template's filter")
struct FilterTests {
    /// A profile of one call whose lines are given.
    private static func profile(_ lines: String, more: String = "") throws -> Profile {
        let body = lines.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile:
                topic: com.example.app
            \(more)
                calls:
                  one:
                    path: /x
            \(body)
            workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: { steps: [{ call: one }] } }] }
            """
        return try Scenario.parse(text: text, path: "t.yaml").relay.profile
    }

    private static func body(_ lines: String, _ session: [SessionVariable: String] = [:]) throws -> String {
        let call = try profile(lines).calls[0]
        let buffer = ByteBuffer()
        call.body?.render(into: buffer, Values(session: session, own: call.defaults.map { $0.choices[0] }))
        return buffer.text
    }

    @Test(
        "writes the time in any unit and with an offset",
        arguments: [
            ("{{now}}", "1700000000"), ("{{now|unix}}", "1700000000"), ("{{now|ms}}", "1700000000250"),
            ("{{now+60s}}", "1700000060"), ("{{ now - 5m | ms }}", "1699999700250"), ("{{now|2001}}", "721692800"),
            ("{{now|iso}}", "\"2023-11-14T22:13:20.250Z\""), ("at {{now}}", "\"at 1700000000\""),
            ("{{now|ms|json}}", "1700000000250"),
        ])
    func time(text: String, json: String) throws {
        #expect(try Self.body("json: { a: \"\(text)\" }") == "{\"a\":\(json)}")
    }

    @Test(
        "makes of a value what it says",
        arguments: [
            ("{{o|upper}}", "ab ü", "\"AB ü\""), ("{{o|lower}}", "AB", "\"ab\""), ("{{o|truncate:2}}", "äöü", "\"äö\""),
            ("{{o|truncate:9}}", "äöü", "\"äöü\""), ("{{o|map:working=WORK,done=DONE}}", "done", "\"DONE\""),
            ("{{o|map:working=WORK}}", "other", "\"other\""), ("{{o|default:none}}", "null", "\"none\""),
            ("{{o|default:none}}", "x", "\"x\""), ("{{o|base64}}", "abc", "\"YWJj\""), ("{{o|hex}}", "az", "\"617a\""),
            ("{{o|truncate:3|upper|json}}", "abcd", "\"ABC\""), ("{{o|upper|json}}", "null", "null"),
            ("{{o|number}}", "'12'", "12"), ("{{o|number}}", "a", "\"a\""), ("<{{o|upper}}>", "q", "\"<Q>\""),
            ("{{o}}", "12", "\"12\""),
        ])
    func steps(text: String, value: String, json: String) throws {
        #expect(try Self.body("variables: { o: \(value) }\njson: { a: \"\(text)\" }") == "{\"a\":\(json)}")
    }

    @Test("makes a UUID of a value, the same of the same")
    func uuid() throws {
        func made(_ value: String) throws -> String {
            try Self.body("variables: { o: \(value) }\njson: { a: \"{{o|uuid}}\" }")
        }
        let text = try made("ab")
        #expect(UUIDBytes(Array(text.dropFirst(6).dropLast(2).utf8).span) != nil, "\(text)")
        #expect(try made("ab") == text && made("ac") != text)
    }

    @Test("encodes the bytes that a token's digits name")
    func tokens() throws {
        let token: [SessionVariable: String] = [.deviceToken: "00ff10ab"]
        let text = try Self.body(
            "json: { a: \"{{deviceToken|base64}}\", b: \"{{deviceToken|upper}}\", c: \"{{deviceToken|hex}}\" }", token)
        #expect(text == #"{"a":"AP8Qqw==","b":"00FF10AB","c":"00ff10ab"}"#)
    }

    @Test("leaves a filtered member out when its variable is null", arguments: [("null", "{\"a\":1}"), ("x", "{\"a\":1,\"b\":\"X\"}")])
    func optional(value: String, json: String) throws {
        #expect(try Self.body("variables: { o: \(value) }\njson: { a: 1, b: \"{{o|upper|optional}}\" }") == json)
    }

    @Test("writes a tree as text within JSON, and text within that")
    func jsonText() throws {
        let text = try Self.body(
            "variables: { o: 'say \"hi\"' }\njson: { p: { jsonText: { s: \"{{o}}\", t: { jsonText: [1] } } } }")
        let outer = try JSONValue(parsing: text)
        let inner = try JSONValue(parsing: try #require(outer["p"]?.string))
        #expect(inner["s"]?.string == "say \"hi\"" && inner["t"]?.string == "[1]")
    }

    @Test(
        "is refused with its place where it cannot be",
        arguments: [
            ("json: { a: \"{{secret|uper}}\" }", "unknown filter `uper` (did you mean `upper`?)"),
            ("json: { a: \"{{secret|truncate:x}}\" }", "`truncate` takes a number"),
            ("json: { a: \"{{secret|map:x}}\" }", "`map` takes pairs"),
            ("json: { a: \"{{marker|upper}}\" }", "a filter would make the marker unreadable"),
            ("json: { a: \"{{now+9}}\" }", "`now+9` has no offset"),
            ("json: { a: \"{{secret|json|upper}}\" }", "`|json` is the last of the filters"),
            ("json: { a: \"{{nowhere}}\" }", "unknown variable `nowhere`"),
            ("json: { s: { at: \"{{now}}\" } }\npasses: [{ at: /aps/x, from: /s }]", "which the judge does not know"),
        ])
    func mistakes(lines: String, words: String) throws {
        #expect { try Self.profile(lines) } throws: { "\($0)".contains(words) }
    }
}
