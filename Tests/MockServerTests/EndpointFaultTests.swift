// Faults of what FCM is asked besides sends: access tokens, and topics in both APIs.

import Basics
import EventLoop
import Journal
import MockServer
import Net
import Testing

@Suite("Faults of FCM's other endpoints")
struct EndpointFaultTests {
    private static let topics =
        "/v1/projects/pushrig-mock/registrations/dGVzdC1pbnN0YW5jZQ%3AAPA91bOne/topicSubscriptions"
    private static let batch = #"{"to":"/topics/news","registration_tokens":["\#(MessagingMock.token)"]}"#

    private func instance(_ fields: [(String, String)]) -> [(String, String)] { fields + [("access_token_auth", "true")] }

    @Test("a request for an access token is refused with OAuth's words, as often as said, and sends go on")
    func token() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let id = try fcm.mock.fault(
                #"{"match":{"endpoint":"token"},"action":{"respond":{"reason":"invalid_grant"}},"times":1}"#)
            #expect(
                try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == 200, "it is no send")
            let refused = try fcm.ask(client, assertion: fcm.assertion())
            #expect(refused.status == 400)
            #expect(refused.json == ["error": "invalid_grant", "error_description": "Invalid JWT Signature."])
            #expect(try fcm.ask(client, assertion: fcm.assertion()).status == 200)
            #expect(try fcm.mock.admin.ask("GET", "/v1/faults/" + id).json["fired"]?.int == 1)
            let told = try fcm.mock.faultNotes()
            #expect(told.map { $0["endpoint"]?.string } == ["token"] && told.first?["fault"]?.string == id)
            #expect(try fcm.notes(.accessToken).map { $0["status"]?.int } == [200, 400, 200])
        }
    }

    @Test("each error of the token endpoint has its status", arguments: [
        ("rate_limit_exceeded", 429), ("server_error", 500), ("temporarily_unavailable", 503), ("invalid_client", 401),
    ])
    func words(_ word: String, _ status: Int) throws {
        try withMessaging { fcm in
            try fcm.mock.fault(#"{"match":{"endpoint":"token"},"action":{"respond":{"reason":"\#(word)"}}}"#)
            let reply = try fcm.ask(try fcm.client(.http1), assertion: fcm.assertion())
            #expect(reply.status == status && reply.json == ["error": .string(word)], "no sentence of ours goes out")
        }
    }

    @Test("what the endpoint itself refuses meets no rule")
    func ownRefusal() throws {
        try withMessaging { fcm in
            let id = try fcm.mock.fault(#"{"match":{"endpoint":"token"},"action":{"respond":{"reason":"server_error"}}}"#)
            let reply = try fcm.ask(try fcm.client(), assertion: fcm.assertion(["aud": "https://example.com"]))
            #expect(reply.status == 400)
            #expect(try fcm.mock.admin.ask("GET", "/v1/faults/" + id).json["matched"]?.int == 0)
        }
    }

    @Test("FCM v1's topics are refused in Google's envelope, and nothing is subscribed")
    func topic() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            try fcm.mock.fault(
                #"{"match":{"provider":"fcm","endpoint":"topic","topic":"news"},"action":{"respond":{"reason":"QUOTA_EXCEEDED"}}}"#)
            let refused = try client.ask("POST", Self.topics + "?topic_name=news", fields, body: "{}")
            #expect(refused.status == 429 && refused.field("retry-after") == "60")
            #expect(refused.json["error"]?["status"]?.string == "RESOURCE_EXHAUSTED")
            #expect(try client.ask("POST", Self.topics + "?topic_name=other", fields, body: "{}").status == 200)
            let listed = try client.ask("GET", Self.topics, fields).json["topicSubscriptions"]?.array
            #expect(listed?.map { $0["topicName"]?.string } == ["other"])
            #expect(try fcm.mock.faultNotes().map { $0["endpoint"]?.string } == ["topic"])
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(to: #""topic":"news""#)).status == 200)
        }
    }

    @Test("Instance ID is refused in one word, for credentials by a page, and for the front end by another")
    func instanceID() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = instance(try fcm.fields(client))
            for reason in ["UNAVAILABLE", "SENDER_ID_MISMATCH", "ACCESS_TOKEN_EXPIRED", "BAD_GATEWAY"] {
                try fcm.mock.fault(
                    #"{"match":{"endpoint":"topic","token":"\#(MessagingMock.token)"},"times":1,"#
                        + #""action":{"respond":{"reason":"\#(reason)"}}}"#)
            }
            func ask(_ body: String = Self.batch) throws -> Reply {
                try client.ask("POST", "/iid/v1:batchAdd", fields, body: body)
            }
            let two = #"{"to":"/topics/news","registration_tokens":["a:b","c:d"]}"#
            #expect(try ask(two).status == 200, "the rules are about one registration")
            let busy = try ask()
            #expect(busy.status == 503 && busy.json == ["error": "UNAVAILABLE"])
            let foreign = try ask()
            #expect(foreign.status == 403 && foreign.json == ["error": "PERMISSION_DENIED"])
            let expired = try ask()
            #expect(expired.status == 401 && expired.text.contains("<TITLE>Unauthorized</TITLE>"))
            let gateway = try ask()
            #expect(gateway.status == 502 && gateway.text.contains("Error 502"))
            #expect(try ask().json == ["results": [[:]]])
        }
    }

    @Test("an answer comes late, or never, or the stream or connection goes", arguments: [
        #"{"delay":"80ms"}"#, #"{"silence":true}"#, #"{"reset-stream":true}"#, #"{"close":"fin"}"#,
        #"{"goaway":{"debug":"bye"}}"#, #"{"respond":{"status":502,"body":"<html>"}}"#,
        #"{"respond":{"reason":"server_error","delay":"80ms"}}"#, #"{"reset-stream":{"after":"headers"}}"#,
    ])
    func actions(_ action: String) throws {
        try withMessaging { fcm in
            try fcm.mock.fault(#"{"match":{"endpoint":"token"},"times":1,"action":\#(action)}"#)
            let client = try fcm.client()
            let started = client.send(
                "POST", "/token", [("content-type", "application/x-www-form-urlencoded")],
                body: "grant_type=\(MessagingMock.grant)&assertion=\(fcm.assertion())", timeout: .milliseconds(700)).take()
            let status = (try? started.get())?.status
            let isAnswered = action.contains("delay") || action.contains("debug") || action.contains("502")
            #expect((status != nil) == isAnswered, "\(action): \(status ?? 0)")
            if action.contains("respond") { #expect(status.map { $0 >= 500 } == true) }
            let noted = try fcm.notes(.accessToken).map { $0["status"]?.int ?? -1 }
            // With its HEADERS a status has gone out, whatever came after.
            let told = action.contains("headers") ? 200 : status ?? 0
            #expect(noted == [Int64(told)], "what is on record is what was answered")
            #expect(try fcm.ask(try fcm.client(), assertion: fcm.assertion()).status == 200, "the next is served")
            let held = fcm.mock.service.statistics().openStreams
            #expect(held == 0, "\(held) are still waited for")
        }
    }

    @Test("a quota of access tokens by connection begins anew, and a rule heals by quiet")
    func quotas() throws {
        try withMessaging { fcm in
            try fcm.mock.fault(
                #"{"match":{"endpoint":"token"},"after":2,"per":"connection","action":{"respond":{"reason":"rate_limit_exceeded"}}}"#)
            let client = try fcm.client(.http1)
            let statuses = try (0..<4).map { _ in try fcm.ask(client, assertion: fcm.assertion()).status }
            #expect(statuses == [200, 200, 429, 429])
            #expect(try fcm.ask(try fcm.client(), assertion: fcm.assertion()).status == 200)
        }
    }

    @Test("a send heals by another access token")
    func healing() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let old = try fcm.fields(client)
            try fcm.mock.fault(
                #"{"action":{"respond":{"reason":"ACCESS_TOKEN_EXPIRED"}},"until-heals":"new-provider-token"}"#)
            func send(_ fields: [(String, String)]) throws -> Int {
                try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status
            }
            #expect(try send(old) == 401)
            #expect(try send(old) == 401)
            #expect(try send(try fcm.fields(client)) == 200)
        }
    }
}
