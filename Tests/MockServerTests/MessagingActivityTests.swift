// Live Activities by way of FCM: what it takes goes on to the iPhones that the mock plays (docs/fcm.md §6).

import Basics
import Journal
import MockServer
import Net
import Pushes
import Testing

@Suite("Live Activities by way of FCM")
struct MessagingActivityTests {
    private static let activity = String(repeating: "ab", count: 32)

    private func body(
        _ event: String = "update", stamp: Int64, token: String = activity, headers: String = #""apns-priority":"10""#
    ) -> String {
        let payload = #"{"aps":{"timestamp":\#(stamp),"event":"\#(event)","content-state":{"n":1}}}"#
        return MessagingMock.body(
            #","apns":{"live_activity_token":"\#(token)","headers":{\#(headers)},"payload":\#(payload)}"#)
    }

    private func now(_ fcm: MessagingMock) -> Int64 { fcm.mock.service.clock.wall().seconds }

    @Test("an activity takes them in order of their timestamps, as from APNs")
    func order() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let now = now(fcm)
            for (event, stamp) in [("update", now), ("update", now - 5), ("end", now + 1), ("update", now + 2)] {
                let reply = try client.ask("POST", MessagingMock.sends, fields, body: body(event, stamp: stamp))
                #expect(reply.status == 200, "\(reply.text)")
            }
            let pushes = try fcm.mock.journal()
            #expect(pushes.map(\.outcome) == [.updated, .ignoredOlder, .ended, .ignoredEnded])
            #expect(pushes.map(\.event) == [.update, .update, .end, .update])
            #expect(pushes.map(\.token) == Array(repeating: MessagingMock.token, count: 4))
            let shown = try fcm.mock.admin.ask("GET", "/v1/activities/" + Self.activity).json
            #expect(shown["topic"]?.string?.hasPrefix("com.example.app") == true)
        }
    }

    @Test("a dead token of the activity is told as APNs' answer, and the registration stays")
    func dead() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            _ = try fcm.mock.admin.ask(
                "PUT", "/v1/tokens/" + Self.activity, [("content-type", "application/json")],
                body: #"{"kind":"activity","topic":"com.example.app","state":"unregistered"}"#)
            let reply = try client.ask("POST", MessagingMock.sends, fields, body: body(stamp: now(fcm)))
            #expect(reply.status == 400)
            let error = reply.json["error"]
            #expect(error?["message"]?.string == "APNs device token is disabled.")
            let details = error?["details"]?.array ?? []
            #expect(details.map { $0["errorCode"]?.string } == ["INVALID_ARGUMENT", nil])
            #expect(details.last?["statusCode"]?.int == 410 && details.last?["reason"]?.string == "Unregistered")
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == 200)
        }
    }

    @Test("a token that APNs does not take is told as BadDeviceToken, another fault as an invalid argument")
    func refused() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let bad = try client.ask("POST", MessagingMock.sends, fields, body: body(stamp: now(fcm), token: "xyz"))
            #expect(bad.status == 400)
            #expect(bad.json["error"]?["details"]?.array?.last?["reason"]?.string == "BadDeviceToken")
            for headers in [#""apns-priority":"7""#, #""apns-topic":"com.example.app""#, #""apns-expiration":"soon""#] {
                let reply = try client.ask(
                    "POST", MessagingMock.sends, fields, body: body(stamp: now(fcm), headers: headers))
                #expect(reply.status == 400)
                #expect(reply.json["error"]?["message"]?.string == "Request contains an invalid argument.")
            }
        }
    }

    @Test("ApnsError says what APNs itself says of that token, topic and field", arguments: [
        (#""kind":"activity","topic":"com.a.push-type.liveactivity""#, #""apns-topic":"com.b.push-type.liveactivity""#, 400,
            "DeviceTokenNotForTopic", "APNS_DEVICE_TOKEN_NOT_FOR_TOPIC"),
        (#""kind":"activity","topic":"com.example.app","state":"expired""#, #""apns-priority":"10""#, 410, "ExpiredToken",
            "APNS_TOKEN_DISABLED"),
        (#""kind":"activity","topic":"com.example.app","state":"unregistered""#, #""apns-priority":"10""#, 410, "Unregistered",
            "APNS_TOKEN_DISABLED"),
        (#""kind":"activity","topic":"com.example.app""#, #""apns-priority":"7""#, 400, "BadPriority", "INVALID_ARGUMENT"),
        (#""kind":"activity","topic":"com.example.app""#, #""apns-expiration":"soon""#, 400, "BadExpirationDate",
            "INVALID_ARGUMENT"),
    ] as [(String, String, Int64, String, String)])
    func reasons(_ token: String, _ headers: String, _ status: Int64, _ reason: String, _ word: String) throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            _ = try fcm.mock.admin.ask(
                "PUT", "/v1/tokens/" + Self.activity, [("content-type", "application/json")], body: "{\(token)}")
            let reply = try client.ask("POST", MessagingMock.sends, fields, body: body(stamp: now(fcm), headers: headers))
            #expect(reply.status == 400 && reply.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
            let details = reply.json["error"]?["details"]?.array ?? []
            #expect(details.map { $0["errorCode"]?.string } == ["INVALID_ARGUMENT", nil], "\(reply.text)")
            #expect(details.last?["@type"]?.string == "type.googleapis.com/google.firebase.fcm.v1.ApnsError")
            #expect(details.last?["statusCode"]?.int == status && details.last?["reason"]?.string == reason, "\(reply.text)")
            #expect(try fcm.mock.journal().map(\.reason) == [word])
            let next = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(to: #""token":"nope""#))
            #expect(!next.text.contains("ApnsError"), "it is that message's alone")
        }
    }

    @Test("a dry run goes no further than FCM")
    func dryRun() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let dry = #"{"validate_only":true,"# + body(stamp: now(fcm), token: "xyz").dropFirst()
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: dry).status == 200)
        }
    }
}
