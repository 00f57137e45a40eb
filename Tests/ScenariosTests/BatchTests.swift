// `batch` of a call: what is read, and what is told of a mistake.

import Basics
import Scenarios
import Testing

@Suite("batch")
struct BatchTests {
    private static let body = #"json: { body: "{{marker}} {{text}}", extra: "{{extra|json}}" }"#

    /// The sample's call `update`, with another body and path.
    private static func with(
        _ batch: String, json: String = #"[{ body: "{{marker}} {{text}}", extra: "{{extra|json}}" }]"#, path: String = "/update",
        profile: String = ""
    ) -> String {
        Sample.with(body, "json: \(json)\n        batch: \(batch)").split(separator: "/update/{{sessionID}}").joined(separator: path)
            .split(separator: "topic: com.example.app").joined(separator: "topic: com.example.app" + profile)
    }

    @Test("parts the body at its array")
    func parted() throws {
        let json = #"{ a: [{ list: [{ body: "{{marker}} {{text}}", extra: "{{extra|json}}" }] }], topic: "{{topic}}" }"#
        let scenario = try Sample.load(
            Self.with(#"{ of: 100, within: 50ms, at: /a/0/list, results: /data, by: /t, is: "{{deviceToken}}" }"#, json: json))
        let batch = try #require(scenario.relay.profile.calls[1].batch)
        #expect(batch.most == 100 && batch.window == .milliseconds(50))
        #expect(batch.results?.text == "/data" && batch.by?.text == "/t" && batch.name != nil)
        #expect(batch.before.segments == [.literal(Array(#"{"a":[{"list":["#.utf8))])
        #expect(batch.after.segments.first == .literal(Array(#"]}],"topic":""#.utf8)))
        #expect(batch.item.segments.first == .literal(Array(#"{"body":""#.utf8)))
        let whole = try #require(Sample.load(Self.with("{ of: 2, within: 1ms }")).relay.profile.calls[1].batch)
        #expect(whole.before.segments == [.literal([91])] && whole.after.segments == [.literal([93])])
        #expect(whole.results == nil && whole.name == nil)
        #expect(try Sample.load().relay.profile.calls.allSatisfy { $0.batch == nil })
    }

    @Test("is told what is wrong with it")
    func mistakes() {
        func complaint(_ text: String) -> String { Sample.complaint(text) }
        #expect(complaint(Self.with("{ of: 1, within: 1ms }")).contains("`of` must be a whole number from 2 to 500"))
        #expect(complaint(Self.with("{ of: 2 }")).contains("`batch` lacks `within` (add `within: 50ms`)"))
        #expect(
            complaint(Self.with("{ of: 2, within: 1ms, at: /nothing }"))
                .contains("a `batch` needs an array with one item in the call's `json` (say where it stands"))
        let inText = Self.with(
            "{ of: 2, within: 1ms, at: /a/jsonText }",
            json: #"{ a: { jsonText: [{ body: "{{marker}} {{text}}", extra: "{{extra|json}}" }] } }"#)
        #expect(complaint(inText).contains("a batch's array cannot stand within a text"))
        #expect(complaint(Self.with("{ of: 2, within: 1ms, by: /t }")).contains("what a result is named needs `results`"))
        #expect(
            complaint(Self.with("{ of: 2, within: 1ms, results: /r, by: /t }"))
                .contains("`by` says where a result has its name, and nothing what that is"))
        let shared = "path, headers, `auth` and what stands around the items of a batch are of all its events"
        #expect(complaint(Self.with("{ of: 2, within: 1ms }", path: "/update/{{sessionID}}")).contains(shared))
        #expect(
            complaint(Self.with("{ of: 2, within: 1ms }", profile: "\n    auth: { bearer: \"{{secret}}\" }")).contains(shared))
        #expect(
            complaint(Self.with("{ of: 2, within: 1ms }", profile: "\n    http: 2\n    order: stream"))
                .contains("a batch leaves when it is full"))
        let form = Sample.with(Self.body, "form: { body: \"{{marker}} {{text}} {{extra}}\" }\n        batch: { of: 2, within: 1ms }")
        #expect(complaint(form).contains("a `batch` needs a `json` body with an array"))
    }
}
