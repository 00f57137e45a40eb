// What a mock says over the wire of pushes that are taken and hardly meant: dates in the wrong unit, payloads without `aps`.

import Basics
import MockServer
import Testing

@Suite("Warnings over the wire")
struct WarningWireTests {
    private static let activity = String(repeating: "ab", count: 80)

    /// The warnings of one push, as the admin API has them.
    private func warnings(
        _ mock: TestMock, topic: String = "com.example.app", _ fields: [(String, String)], _ body: String,
        to token: String = TestMock.device
    ) throws -> [String] {
        let own = Set(fields.map(\.0))
        let all = mock.fields(topic: topic).filter { !own.contains($0.0) } + fields
        let reply = try mock.provider().ask("POST", "/3/device/" + token, all, body: body)
        #expect(reply.status == 200, "\(reply.text)")
        let pushes = try mock.admin.ask("GET", "/v1/pushes?token=" + token).json["pushes"]?.array ?? []
        return pushes.last?["warnings"]?.array?.compactMap(\.string) ?? []
    }

    @Test("an expiration that is neither 0 nor ahead is warned of, by what it looks like", arguments: [
        (nil, []), (0, []), (3_600, []), (-86_400, ["expiration-passed"]),
    ] as [(Int64?, [String])])
    func expiration(ahead: Int64?, expected: [String]) throws {
        try withMock { (mock: TestMock) throws in
            let now = mock.service.clock.wall().seconds
            let fields = ahead.map { [("apns-push-type", "alert"), ("apns-expiration", String($0 == 0 ? 0 : now + $0))] } ?? []
            #expect(try warnings(mock, fields, alert) == expected)
            for (text, word) in [
                ("86400", "expiration-relative"), (String(now * 1_000), "expiration-in-milliseconds"),
                (String(now / 60), "expiration-in-minutes"),
            ] {
                #expect(try warnings(mock, [("apns-push-type", "alert"), ("apns-expiration", text)], alert) == [word])
            }
        }
    }

    @Test("a card's dates in another unit, as text, or too far ahead are warned of")
    func card() throws {
        try withMock { (mock: TestMock) throws in
            let now = mock.service.clock.wall().seconds
            func found(_ member: String, _ event: String = "update") throws -> [String] {
                let body = #"{"aps":{"timestamp":\#(now),"event":"\#(event)","content-state":{},\#(member)}}"#
                return try warnings(
                    mock, topic: "com.example.app.push-type.liveactivity", [("apns-push-type", "liveactivity")], body,
                    to: Self.activity)
            }
            #expect(try found("\"stale-date\":\(now + 600)") == [])
            #expect(try found("\"stale-date\":\((now + 600) * 1_000)") == ["card-date-in-milliseconds"])
            #expect(try found("\"stale-date\":\"\(now + 600)\"") == ["card-date-not-a-number"])
            #expect(try found("\"dismissal-date\":\(now + 8 * 3_600)", "end") == ["dismissal-date-too-late"])
        }
    }

    @Test("what needs no aps is not warned of, and an alert is", arguments: [
        ("voip", "com.example.app.voip", false), ("alert", "com.example.app", true),
    ])
    func withoutAPS(type: String, topic: String, isWarned: Bool) throws {
        try withMock { (mock: TestMock) throws in
            let found = try warnings(mock, topic: topic, [("apns-push-type", type)], #"{"call":"7"}"#)
            #expect(found.contains("no-aps") == isWarned, "\(found)")
        }
    }

    @Test("a Live Activity's message to FCM without its token is refused", arguments: ["", #""live_activity_token":"","#])
    func withoutToken(member: String) throws {
        try withMessaging { (fcm: MessagingMock) throws in
            let client = try fcm.client()
            let stamp = fcm.mock.service.clock.wall().seconds
            let payload = #"{"aps":{"timestamp":\#(stamp),"event":"update","content-state":{"n":1}}}"#
            let body = MessagingMock.body(#","apns":{\#(member)"headers":{"apns-priority":"10"},"payload":\#(payload)}"#)
            let reply = try client.ask("POST", MessagingMock.sends, try fcm.fields(client), body: body)
            #expect(reply.status == 400 && reply.text.contains("INVALID_ARGUMENT"), "\(reply.text)")
        }
    }
}
