// What a peer may send to be looked at: nothing of it traps, and the work grows with its length.

import Basics
import Testing

@testable import Schemas

@Suite("Hostile states")
struct HostileTests {
    private static let schema = #"""
        {"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":{"type":"string","maxLength":5,
         "contentMediaType":"application/json","contentSchema":{"type":"array","items":{"type":"array"}}},
         "K":{"type":"integer"},"d":{"type":"object","additionalProperties":{"type":"integer"}}}}
        """#

    @Test(
        "are judged and do no harm",
        arguments: [
            "", " ", "{", "[]", "null", "\u{0}", "{\"a\":", String(repeating: "[", count: 10_000),
            #"{"a":"\#(String(repeating: "[", count: 10_000))"}"#, #"{"a":"\\u"}"#, #"{"a":"\ud83d\ude00"}"#,
            "{\"\u{212A}\":1}", #"{"a":"[]","\u212a":-0}"#, #"{"a":"[[],[[]]]","K":1e999999999}"#,
            #"{"a":"[]","K":1e99999999999999999999}"#, #"{"a":"[]","K":-0.00000000000000000000001e23}"#,
            #"{"a":"[]","K":0e99999999999999999999}"#, #"{"":{"":{"":""}}}"#,
        ])
    func harmless(text: String) throws {
        let verdict = try Ask(Self.schema).say(text)
        #expect(verdict.count <= 16)
    }

    @Test("A key of Unicode that means a plain letter is that letter, as for Swift")
    func kelvin() throws {
        #expect(
            try Ask(Self.schema).say("{\"a\":\"[]\",\"\u{212A}\":\"x\"}") == ["phone: /\u{212A} is text, not a number"])
    }

    @Test("Fifteen thousand keys, alike or not, take a moment", .timeLimit(.minutes(10)))
    func manyKeys() throws {
        let ask = try Ask(Self.schema)
        for key: (Int) -> String in [{ "\"k\($0)\"" }, { _ in "\"K\"" }, { "\"\\u00e9\($0)\"" }] {
            let members = (0..<15_000).map { "\(key($0)):\($0)" }.joined(separator: ",")
            #expect(ask.say("{\(members)}").count <= 16)
            #expect(ask.say(#"{"a":"[]","d":{\#(members)}}"#).count <= 16)
        }
    }

    @Test("A checker forgets what it saw before")
    func memory() throws {
        let ask = try Ask(Self.schema)
        #expect(ask.say(#"{"a":"[]","a":"[1]"}"#).count == 1)
        #expect(ask.say(#"{"a":"[1]"}"#) == ["phone: /a/0 is a number, not a list"])
        #expect(ask.say(#"{"a":"[[]]"}"#) == [])
    }
}
