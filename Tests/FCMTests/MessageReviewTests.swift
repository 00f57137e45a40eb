// What is found again of an answer to a message whose form was refused.

import Basics
import FCM
import Testing

@Suite("What FCM said of a message's form")
struct MessageReviewTests {
    @Test("is what the answer said, in one line", arguments: [
        #""android":{"ttl":"3600"}"#, #""android":{"ttl":3600,"priority":"urgent"}"#, #""data":{"from":"a"}"#,
        #""topic":"a""#, #""nothing":1"#, #""data":{"a":"\#(String(repeating: "a", count: 4_096))"}"#, #""webpush":{"headers":{"TTL":"1s"}}"#,
    ])
    func said(_ members: String) throws {
        let send = Send.with(members)
        let message = try #require(try Judge().message(send))
        let found = try #require(MessageReview.objection(to: Array(send.body.utf8)))
        #expect(found == message.replacing("\n", with: "; ") && !found.isEmpty)
    }

    @Test("is nothing where the form is right, whoever it goes to")
    func right() {
        for body in [Send().body, Send(#"{"token":"\#(Send.gone)"}"#).body] {
            #expect(MessageReview.objection(to: Array(body.utf8)) == nil)
        }
    }

    @Test("names the field, and stands in one line where there are two")
    func fields() throws {
        let found = try #require(MessageReview.objection(to: Array(Send.with(#""android":{"ttl":"3600"},"nothing":1"#).body.utf8)))
        #expect(found.contains("'message.android.ttl'") && found.contains("; ") && !found.contains("\n"), "\(found)")
    }
}
