// Forms, queries and multipart bodies: what goes into a request, byte for byte, and what a file may not say.

import Basics
import Scenarios
import Testing

@Suite("A call that is not JSON")
struct EncodingTests {
    private func call(_ lines: String, path: String = "/x") throws -> ProfileCall {
        let body = lines.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile:
                name: mine
                topic: com.example.app
                calls:
                  one:
                    path: \(path)
            \(body)
            workload: { arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: { steps: [{ call: one }] } }] }
            """
        return try Scenario.parse(text: text, path: "t.yaml").relay.profile.calls[0]
    }

    private func render(_ template: Template?, _ call: ProfileCall, _ session: [SessionVariable: String] = [:]) -> String {
        let buffer = ByteBuffer()
        template?.render(
            into: buffer, Values(session: session, event: [.marker: "[m]"], own: call.defaults.map { $0.choices[0] }))
        return buffer.text
    }

    private static let wild = "a b&c=d+e%f\r\n\"é\""
    private static let wildEncoded = "a%20b%26c%3Dd%2Be%25f%0D%0A%22%C3%A9%22"

    @Test("is a form whose values are encoded after they are filled in")
    func form() throws {
        let call = try call(
            """
            form: { "to you": "<{{sessionID}}>", n: 3, raw: "{{sessionID|raw}}", j: "{{sessionID|json}}", none: null }
            """)
        let text = render(call.body, call, [.sessionID: Self.wild])
        #expect(
            text == "to%20you=%3C\(Self.wildEncoded)%3E&n=3&raw=\(Self.wildEncoded)"
                + "&j=%22a%20b%26c%3Dd%2Be%25f%5Cr%5Cn%5C%22%C3%A9%5C%22%22&none=")
        #expect(call.fields.map { render($0.value, call) } == ["application/x-www-form-urlencoded"])
        #expect(call.method == "POST")
    }

    @Test(
        "leaves out a field without a value, wherever it stands",
        arguments: [
            ("null", "null", "c=1"), ("x", "null", "a=x&c=1"), ("null", "y", "c=1&b=y"), ("x", "y", "a=x&c=1&b=y"),
        ])
    func optional(a: String, b: String, expected: String) throws {
        let lines = "variables: { a: \(a), b: \(b) }\n"
        let fields = #"{ a: "{{a|optional}}", c: 1, b: "{{b|optional}}" }"#
        let form = try call(lines + "form: " + fields)
        #expect(render(form.body, form) == expected)
        let query = try call(lines + "query: " + fields)
        #expect(render(query.path, query) == "/x?" + expected)
        let multipart = try call(lines + "multipart: " + fields)
        let names = render(multipart.body, multipart).split(separator: "\"").enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(names == expected.split(separator: "&").map { String($0.prefix(1)) })
    }

    @Test("says nothing behind its path when no field of its query has a value")
    func emptyQuery() throws {
        let nothing = try call("variables: { o: null }\nquery: { a: \"{{o|optional}}\" }")
        #expect(render(nothing.path, nothing) == "/x")
        let more = try call("query: { a: \"{{sessionID}}\" }", path: "/s/{{sessionID}}?z=1")
        #expect(render(more.path, more, [.sessionID: "a/b ?"]) == "/s/a%2Fb%20%3F?z=1&a=a%2Fb%20%3F")
        #expect(more.method == "GET")
    }

    @Test("has a field for each item of a list, and JSON for a mapping")
    func trees() throws {
        let call = try call(#"form: { to: [a, "{{sessionID}}"], payload: { text: "{{sessionID}}", n: [1] } }"#)
        let json = "%7B%22text%22%3A%22q%5C%22%20%26%22%2C%22n%22%3A%5B1%5D%7D"
        #expect(render(call.body, call, [.sessionID: "q\" &"]) == "to=a&to=q%22%20%26&payload=" + json)
    }

    @Test("is a multipart body whose boundary is the profile's")
    func multipart() throws {
        let call = try call(#"multipart: { title: "{{sessionID}}", "we\"ird": [1, 2] }"#)
        let spec = try #require(call.multipart)
        let boundary = String(decoding: spec.boundary, as: UTF8.self)
        #expect(MultipartSpec.boundary(of: "mine") == spec.boundary && boundary.utf8.count == 24)
        #expect(MultipartSpec.boundary(of: "yours") != spec.boundary)
        let parts = [("title", Self.wild), ("we%22ird", "1"), ("we%22ird", "2")].map { name, value in
            "--\(boundary)\r\ncontent-disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        #expect(render(call.body, call, [.sessionID: Self.wild]) == parts.joined() + "--\(boundary)--\r\n")
        #expect(call.fields.map { render($0.value, call) } == ["multipart/form-data; boundary=" + boundary])
        for (value, isFramed) in [("fine", true), ("--\(boundary)", false), (boundary, false)] {
            let values = Values(session: [.sessionID: value])
            let body = ByteBuffer()
            call.body?.render(into: body, values)
            #expect(spec.frames(body.bytes, values) == isFramed, "\(value)")
        }
    }

    @Test("says as JSON what rules hold a push against")
    func saying() throws {
        let form = try call(#"form: { message: "{{marker}} {{sessionID}}", n: 3, state: { a: [1] } }"#)
        #expect(render(form.saying, form, [.sessionID: "\""]) == #"{"message":"[m] \"","n":3,"state":{"a":[1]}}"#)
        #expect(try call("text: hello").saying == nil)
        #expect(try call(#"json: { a: 1 }"#).saying == nil)
    }

    @Test("keeps the content type that its headers give")
    func contentType() throws {
        let call = try call("headers: { Content-Type: text/markdown }\ntext: hello")
        #expect(call.fields.map { render($0.value, call) } == ["text/markdown"])
    }

    @Test(
        "is told what is wrong with it",
        arguments: [
            ("form: { a: 1 }\n        text: hello", "12:15: a call has `form` or `text`, not both (strike one)"),
            ("form: {}", "11:15: `form` has no field (add one, or strike it)"),
            (
                "multipart: [a]",
                "11:20: `multipart` must be a mapping, not a list"
                    + " (such as `multipart: { message: \"{{marker}} {{text}}\" }`)"
            ),
            (
                "query: { a: [[1]] }",
                "11:22: a field of `query` must be text, a mapping or a list of these, not a list in a list"
                    + " (a list is one field `a` for each item)"
            ),
            (
                #"form: { "": 1 }"#,
                "11:17: a field of `form` cannot be named so (1 to 256 bytes without control characters)"
            ),
            (#"form: { a: "{{extra}}" }"#, "11:20: unknown variable `extra` ("),
            (
                #"form: { a: "x{{secret|optional}}" }"#,
                "11:20: `|optional` does not fit here"
                    + " (`|optional` is for the whole value of a member of a JSON object)"
            ),
            (
                "multipart: { a: 1 }\n        headers: { content-type: text/plain }",
                "12:20: `multipart` writes its own `content-type`, which names the boundary (strike the header)"
            ),
        ])
    func mistakes(lines: String, says: String) {
        let complaint = Sample.complaint(Sample.with(#"json: { token: "{{deviceToken}}" }"#, lines))
        #expect(complaint.hasPrefix("tiny.yaml:" + says), "\(complaint)")
        #expect(complaint.split(separator: "\n").count == 1, "\(complaint)")
    }

    @Test("has one line in each header")
    func lines() {
        let lines = "text: hello\n        variables: { t: [a, \"a\\nb\"] }\n        headers: { x-title: \"{{t}}\" }"
        let complaint = Sample.complaint(Sample.with(#"json: { token: "{{deviceToken}}" }"#, lines))
        #expect(
            complaint == "tiny.yaml:12:25: `t` stands in the header `x-title`, which is one line (leave the line's end out)")
    }

    @Test("and has no more than a hundred fields")
    func tooMany() {
        let list = (0...100).map(String.init).joined(separator: ", ")
        let complaint = Sample.complaint(Sample.with(#"json: { token: "{{deviceToken}}" }"#, "form: { a: [\(list)] }"))
        #expect(complaint == "tiny.yaml:11:17: `form` has more than 100 fields (strike some)")
    }
}
