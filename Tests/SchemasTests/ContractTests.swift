// One state that is right, one knob turned at a time: what is said about it, in words and with the place.

import Basics
import Testing

@testable import Schemas

struct Knob: CustomTestStringConvertible, Sendable {
    var old: String
    var new: String
    var says: [String]

    init(_ old: String, _ new: String, _ says: String...) {
        self.old = old
        self.new = new
        self.says = says
    }

    var testDescription: String { new }

    /// The text with its one place that reads `old` reading `new`.
    func turned(in text: String) throws -> String {
        let start = try #require(text.firstRange(of: old), "there is no `\(old)`")
        return String(text[..<start.lowerBound]) + new + text[start.upperBound...]
    }
}

private let long = String(repeating: "a", count: 123)
private let family = "👨‍👩‍👧"

@Suite("OpenCode's content state, variant A")
struct OpenCodeContractTests {
    @Test("is right as it stands")
    func sample() throws {
        #expect(try Ask(file: "opencode-a.content-state").say(Files.stateA) == [])
    }

    @Test(
        "with one knob turned",
        arguments: [
            Knob(#""status":"working","#, "", #"phone: lacks the key "status""#),
            Knob(
                #""status""#, #""Status""#, #"phone: lacks the key "status""#,
                "contract: /Status is a key that was not agreed on"),
            Knob(
                #""working""#, #""Working""#,
                #"phone: /status is "Working", none of "working", "retry", "permission", "complete", "error""#),
            Knob(#""working""#, "null", "phone: /status is null, not text"),
            Knob(#""working""#, "3", "phone: /status is a number, not text"),
            Knob(
                #","retryInfo":null"#, "", #"contract: lacks the key "retryInfo""#),
            Knob(#":null"#, #":"Retry 1/5 in 2s""#, "contract: /retryInfo is text, not null"),
            Knob(#""working""#, #""retry""#, "contract: /retryInfo is null, not text"),
            Knob(
                #":null"#, ":7", "phone: /retryInfo is a number, not text", "contract: /retryInfo is a number, not null"
            ),
            Knob(
                #":null"#, #":null,"extra":1"#, "contract: /extra is a key that was not agreed on"),
            Knob(
                #":null"#, #":null,"status":"error""#,
                "contract: /status stands twice; readers differ in which of them counts"),
            Knob("[pr:1:2:3] Reading", long, ""),
            Knob("[pr:1:2:3] Reading", long + "b", "contract: /lastMessage is longer than 123 characters"),
            Knob("[pr:1:2:3] Reading", String(repeating: family, count: 123), ""),
            Knob(
                "[pr:1:2:3] Reading", String(repeating: family, count: 124),
                "contract: /lastMessage is longer than 123 characters"),
        ])
    func knobs(knob: Knob) throws {
        let says = try Ask(file: "opencode-a.content-state").say(try knob.turned(in: Files.stateA))
        #expect(says == knob.says.filter { !$0.isEmpty })
    }

    @Test("in a retry has a text to show")
    func retry() throws {
        let ask = try Ask(file: "opencode-a.content-state")
        let state = #"{"status":"retry","sessionTitle":"a","lastMessage":"b","retryInfo":"Retry 1/5 in 2s"}"#
        #expect(ask.say(state) == [])
        #expect(ask.say(state.replacing("Retry 1/5 in 2s", with: "")) == ["contract: /retryInfo is empty"])
    }

    @Test(
        "as text in variant B",
        arguments: [
            Knob("SessionActivity", "Session", #"contract: /name is "Session", not "SessionActivity""#),
            Knob(#"\"status\":\"working\","#, "", #"phone: /props lacks the key "status""#),
            Knob(
                #"\"working\""#, #"\"idle\""#,
                #"phone: /props/status is "idle", none of "working", "retry", "permission", "complete", "error""#),
            Knob(#"null}"#, "null", "phone: /props holds no JSON text: the text ends too early, at byte 108"),
            Knob(#":null}"#, #":null,\"a\":1}"#, "contract: /props/a is a key that was not agreed on"),
        ])
    func variantB(knob: Knob) throws {
        let state = #"{"name":"SessionActivity","props":\#(JSONValue.string(Files.stateA).text)}"#
        let ask = try Ask(file: "opencode-b.content-state")
        #expect(ask.say(state) == [])
        #expect(ask.say(try knob.turned(in: state)) == knob.says)
    }

    @Test("in variant A is nothing that variant B's type decodes")
    func crossed() throws {
        let says = try Ask(file: "opencode-b.content-state").say(Files.stateA)
        #expect(says.first == #"phone: lacks the key "name""#)
    }
}

@Suite("The other systems' contracts")
struct OtherContractTests {
    @Test(
        "with one value that breaks them",
        arguments: [
            ("busymate.content-state", #"{"mode":"vpn","requestsPerSec":0,"note":""}"#, "contract: /note is empty"),
            (
                "busymate.content-state", #"{"mode":"vpn","requestsPerSec":3}"#,
                "contract: /requestsPerSec is 3, more than 0"
            ),
            (
                "busymate.content-state", #"{"mode":"VPN","requestsPerSec":0}"#,
                #"phone: /mode is "VPN", none of "vpn", "pac", "off""#
            ),
            (
                "opencode-ios.attributes", #"{"sessionID":"a","sessionType":"File Sync","startTime":1795357620}"#,
                "contract: /startTime is 1795357620, more than 1546300800"
            ),
            (
                "opencode-ios.attributes", #"{"sessionID":"a","sessionType":"File Sync","startTime":"2026-11-22"}"#,
                "phone: /startTime is text, not a number"
            ),
            (
                "opencode-ios.content-state",
                #"{"status":"Active","progress":1.01,"operationCount":3,"statusEmoji":"🚀"}"#,
                "contract: /progress is 1.01, more than 1"
            ),
            (
                "opencode-ios.content-state",
                #"{"status":"Active","progress":1,"operationCount":2.5,"statusEmoji":"🚀"}"#,
                "phone: /operationCount is 2.5, which is no Int"
            ),
            (
                "sendora-order.content-state", #"{"status":"lost","minutesAway":1}"#,
                #"contract: /status is "lost", none of "preparing", "out_for_delivery", "delivered""#
            ),
            (
                "epilogue.content-state",
                #"{"sessionDuration":1,"capturedCount":2,"isListening":true,"lastTranscript":"a"}"#,
                #"phone: lacks the key "pagesRead""#
            ),
        ])
    func broken(file: String, state: String, says: String) throws {
        #expect(try Ask(file: file).say(state) == [says])
    }
}

@Suite("Each keyword")
struct KeywordTests {
    /// A schema, a value that is right, one that is not, and what is said about it.
    struct Row: CustomTestStringConvertible, Sendable {
        var schema: String
        var right: String
        var wrong: String
        var says: String

        init(_ schema: String, _ right: String, _ wrong: String, _ says: String) {
            self.schema = schema
            self.right = right
            self.wrong = wrong
            self.says = says
        }

        var testDescription: String { schema }
    }

    @Test(
        "says what it should, and only then",
        arguments: [
            Row(#"{"type":"integer","format":"uint8"}"#, "255", "256", "phone: is 256, which is no UInt8"),
            Row(#"{"type":"boolean"}"#, "true", "1", "phone: is a number, not true or false"),
            Row(
                #"{"type":"array","items":{"type":"integer"}}"#, "[1,2]", "[1,\"2\"]", "phone: /1 is text, not a number"
            ),
            Row(
                #"{"type":"array","items":{"type":["integer","null"]}}"#, "[null]", "[[]]",
                "phone: /0 is a list, not a number"),
            Row(
                #"{"type":"object","additionalProperties":{"type":"integer"}}"#, #"{"a/b":1}"#, #"{"a/b":null}"#,
                "phone: /a~1b is null, not a number"),
            Row(#"{"enum":[1,2]}"#, "2.0", "3", "phone: is 3, none of 1, 2"),
            Row(#"{"const":"a"}"#, #""\u0061""#, #""b""#, #"phone: is "b", not "a""#),
            Row(#"{"enum":["a"],"x-open-enum":true}"#, #""a""#, #""b""#, #"contract: is "b", not "a""#),
            Row(#"{"type":"number","minimum":-1.5}"#, "-1.5", "-1.6", "contract: is -1.6, less than -1.5"),
            Row(#"{"type":"integer","maximum":5}"#, "5", "6", "contract: is 6, more than 5"),
            Row(#"{"type":"string","minLength":2}"#, #""ab""#, #""a""#, "contract: is shorter than 2 characters"),
            Row(
                #"{"type":"string","maxLength":1}"#, #""\u00e4""#, "\"a\u{308}\"",
                "contract: is longer than 1 character"),
            Row(
                #"{"type":"string","x-max-characters":1}"#, "\"a\u{308}\"", #""ab""#,
                "contract: is longer than 1 character"),
            Row(#"{"type":"string","x-max-bytes":2}"#, #""ä""#, #""äb""#, "contract: is longer than 2 bytes"),
            Row(
                #"{"type":"object","properties":{"a":{"x-ignored":true,"type":"integer"}}}"#, #"{"a":1}"#,
                #"{"a":"b"}"#,
                "contract: /a is text, not a number"),
            Row(
                #"{"type":"object","required":["a"],"properties":{"a":{"x-ignored":true}}}"#, #"{"a":[]}"#, "{}",
                #"contract: lacks the key "a""#),
            Row(#"{"type":"object","required":["a"]}"#, #"{"a":null}"#, "{}", #"phone: lacks the key "a""#),
            Row(
                #"{"type":"object","properties":{"a":{"type":"string"}}}"#, #"{"a":null}"#, #"{"a":1}"#,
                "phone: /a is a number, not text"),
            Row(#"{"type":["string","null"]}"#, "null", "[]", "phone: is a list, not text"),
            Row(#"{"type":"null"}"#, "null", "0", "phone: is a number, not null"),
            Row(
                #"{"type":"integer","allOf":[{"minimum":1,"type":"integer"},{"maximum":3,"type":"integer"}]}"#, "2",
                "4",
                "contract: is 4, more than 3"),
            Row(
                #"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"if":{"required":["a"]},"then":{"required":["b"]}}"#,
                #"{"b":1}"#, #"{"a":1}"#, #"contract: lacks the key "b""#),
            Row(
                #"{"type":"integer","if":{"type":"integer","minimum":10},"then":{"const":10},"else":{"const":1}}"#,
                "10", "2",
                "contract: is 2, not 1"),
        ])
    func keyword(row: Row) throws {
        let ask = try Ask(row.schema)
        #expect(ask.say(row.right) == [])
        #expect(ask.say(row.wrong) == [row.says])
    }

    @Test("An optional key may be null to the phone, but not to a condition, which reads JSON Schema")
    func nullInConditions() throws {
        let ask = try Ask(
            #"{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"properties":{"a":{"type":"string"}}}]}"#)
        #expect(ask.say("{}") == [])
        #expect(ask.say(#"{"a":null}"#) == ["contract: /a is null, not text"])
    }

    @Test("A reference leads to a part of the same file or another")
    func references() throws {
        let file = SchemaFile(
            name: "one.json",
            tree: Files.json(
                ##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"other.json#/$defs/b"}},"$defs":{"a":{"type":"string"}}}"##
            ))
        let schema = try Schema(file) { (name) throws(Failure) in
            SchemaFile(name: name, tree: name == "other.json" ? Files.json(#"{"$defs":{"b":{"type":"integer"}}}"#) : .null)
        }
        let checker = SchemaChecker(schema)
        let verdict = withBytes(of: #"{"a":1,"b":"x"}"#) { checker.check($0) }
        #expect(verdict.doesNotDecode.map(\.description) == ["/a is a number, not text", "/b is text, not a number"])
    }

    @Test("At most eight findings of a kind are told")
    func cap() throws {
        let ask = try Ask(#"{"type":"array","items":{"type":"string"}}"#)
        #expect(ask.say("[" + repeatElement("1", count: 100).joined(separator: ",") + "]").count == 8)
    }
}
