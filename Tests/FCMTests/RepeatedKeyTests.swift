// Of a key that stands twice the last counts (docs/fcm.md §1): what it replaces is as if it had not been sent.

import Basics
import FCM
import Pushes
import Testing

@Suite("A key that stands twice")
struct RepeatedKeyTests {
    private let judge = Judge()
    private static func long(_ letter: String, _ count: Int = 3_000) -> String { String(repeating: letter, count: count) }

    @Test("counts once in the size of a message", arguments: [
        #"{"topic":"t","data":{"a":"\#(long("x"))","a":"\#(long("y"))"}}"#,
        #"{"token":"\#(Send.token)","data":{"a":"\#(long("x"))"},"data":{"a":"\#(long("y"))"}}"#,
        #"{"topic":"t","notification":{"title":"\#(long("x", 5_000))","title":"b"}}"#,
        #"{"topic":"t","data":{"a":"\#(long("x"))","\u0061":"\#(long("y"))"}}"#,
    ])
    func size(_ message: String) { #expect(judge.reason(Send(message)) == nil) }

    @Test("leaves nothing of the message that it replaces")
    func message() {
        var send = Send()
        send.body = #"{"message":{"token":"\#(Send.token)"},"message":{}}"#
        #expect(judge.reason(send) == .recipientNotSet)
        send.body = #"{"message":{"token":"\#(Send.token)","android":{}},"message":{"token":"\#(Send.token)","android_v2":{}}}"#
        #expect(judge.reason(send) == nil)
    }

    @Test("replaces an object and adds nothing to it, in either spelling")
    func objects() {
        let replaced = judge.judge(.with(#""android":{"priority":"high","ttl":"9s"},"android":{"ttl":"50s"}"#))
        #expect(replaced.rejection == nil && replaced.facts.isHighPriority == nil && replaced.facts.timeToLive == 50)
        let spelled = judge.judge(.with(#""android_v2":{"ttl":"9s","collapse_key":"k"},"androidV2":{"ttl":"50s"}"#))
        #expect(spelled.rejection == nil && spelled.facts.collapseMark == 0 && spelled.facts.timeToLive == 50)
        #expect(judge.judge(.with(#""android":{"priority":"high"},"android":null"#)).facts.isHighPriority == nil)
    }

    @Test("may have been of a wrong kind before, not in the end")
    func kinds() {
        #expect(judge.reason(Send(#"{"token":5,"token":"\#(Send.token)"}"#)) == nil)
        #expect(judge.reason(Send(#"{"token":"\#(Send.token)","token":5}"#)) == .invalidJSON)
        #expect(judge.reason(.with(#""android":{"ttl":"x","ttl":"5s"}"#)) == nil)
        #expect(judge.reason(.with(#""data":{"from":"x","a":"b"},"data":{"a":"b"}"#)) == nil)
    }

    @Test("is read in its last place by who looks for its text")
    func place() {
        let send = Send.with(#""data":{"a":"1","b":"2","a":"33"}"#)
        #expect(judge.reason(send) == nil)
        #expect(String(decoding: Array(send.body.utf8)[judge.validator.place(ofData: "a")], as: UTF8.self) == "33")
    }

    @Test("thousands of times is read as once")
    func many() {
        let members = (0..<4_000).map { #""k":"\#($0)""# }.joined(separator: ",")
        #expect(judge.reason(Send(#"{"topic":"t","data":{\#(members)}}"#)) == nil)
    }
}
