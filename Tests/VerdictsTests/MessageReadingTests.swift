// What the judge reads of a message to FCM in its body.

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing

@testable import Verdicts

@Suite("A message to FCM, as the judge reads it,")
struct MessageReadingTests {
    private func look(_ members: String, to target: String = "r1:APA91b", _ status: UInt16 = 200) -> SeenPush {
        let entry = PushEntry(
            id: 1, arrivedAt: Instant(nanoseconds: 1), provider: .fcm, status: status, headers: [], token: target,
            payload: Array(#"{"message":{\#(members)}}"#.utf8))
        return Observer(run: nil, content: ContentCheck(plan: nil), context: RunContext()).observe(entry, nil, [])
    }

    @Test("is to the target in its body, where it was refused before the mock had read that", arguments: [
        (#""token":"r2:APA91c""#, "messages:send", "r2:APA91c"), (#""fid":"f1""#, "messages:send", "f1"),
        (#""data":{}"#, "messages:send", "messages:send"), (#""token":"""#, "messages:send", "messages:send"),
        (#""token":"r2:APA91c""#, "r1:APA91b", "r1:APA91b"),
    ])
    func target(members: String, recorded: String, target: String) {
        #expect(look(members, to: recorded, 403).token == TokenHash(target))
    }

    @Test("may wait under its key, unless it lives for no time", arguments: [
        (#""collapse_key":"a""#, true), (#""collapseKey":"a""#, true), (#""collapse_key":"a","ttl":"3600s""#, true),
        (#""collapse_key":"a","ttl":"0s""#, false), (#""collapse_key":"a","ttl":"0.5s""#, false),
        (#""collapse_key":"""#, false), (#""priority":"HIGH""#, false),
    ])
    func key(members: String, mayWait: Bool) {
        let push = look(#""token":"r","android":{\#(members)}"#)
        #expect((push.waitsUnder != 0) == mayWait)
    }

    @Test("has another number for another key")
    func keys() {
        func number(_ key: String) -> UInt64 { look(#""token":"r","android":{"collapse_key":"\#(key)"}"#).waitsUnder }
        #expect(number("a1") == number("a1") && number("a1") != number("A1") && number("a1") != number("a2"))
    }
}
