// Topics of the mock FCM, in both APIs (spec/fcm.md §1.1, §3.5).

import Basics
import Journal
import MockServer
import Net
import Pushes
import Testing

@Suite("Topics of the mock FCM")
struct TopicSubscriptionTests {
    private static let registration = "/v1/projects/pushrig-mock/registrations/dGVzdC1pbnN0YW5jZQ%3AAPA91bOne"
    private static let topics = registration + "/topicSubscriptions"

    @Test("are subscribed, read, listed and given up one by one")
    func single() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let first = try client.ask("POST", Self.topics + "?topic_name=news", fields, body: "{}")
            #expect(first.status == 200)
            #expect(first.json["topicName"]?.string == "news")
            let again = try client.ask("POST", Self.topics + "?topicName=news", fields, body: "{}")
            #expect(again.status == 409 && again.json["error"]?["status"]?.string == "ALREADY_EXISTS")
            #expect(try client.ask("GET", Self.topics + "/news", fields).status == 200)
            _ = try client.ask("POST", Self.topics + "?topic_name=more", fields, body: "{}")
            let page = try client.ask("GET", Self.topics + "?pageSize=1", fields).json
            #expect(page["topicSubscriptions"]?.array?.count == 1)
            let rest = try client.ask("GET", Self.topics + "?pageToken=\(page["nextPageToken"]?.string ?? "")", fields)
            #expect(rest.json["topicSubscriptions"]?.array?.map { $0["topicName"]?.string } == ["more"])
            #expect(rest.json["nextPageToken"] == nil)
            #expect(try client.ask("DELETE", Self.topics + "/news", fields).status == 200)
            #expect(try client.ask("DELETE", Self.topics + "/news", fields).status == 404)
            #expect(try client.ask("DELETE", Self.topics + "/news?allow_missing=true", fields).status == 200)
        }
    }

    @Test("are subscribed and given up in batches, an answer for each registration")
    func batch() throws {
        try withMessaging { fcm in
            let client = try fcm.client(.http1)
            let fields = try fcm.fields(client) + [("access_token_auth", "true")]
            let body =
                #"{"to":"/topics/news","registration_tokens":["\#(MessagingMock.token)","nope","a:gone"]}"#
            _ = try fcm.mock.admin.ask(
                "PUT", "/v1/registrations/a:gone", [("content-type", "application/json")], body: #"{"state":"unregistered"}"#)
            let reply = try client.ask("POST", "/iid/v1:batchAdd", fields, body: body)
            #expect(reply.status == 200)
            #expect(reply.json == ["results": [[:], ["error": "INVALID_ARGUMENT"], ["error": "NOT_FOUND"]]])
            let info = try client.ask("GET", "/iid/info/\(MessagingMock.token)?details=true", fields)
            #expect(info.json["rel"]?["topics"]?["news"] != nil)
            _ = try client.ask("POST", "/iid/v1:batchRemove", fields, body: body)
            let after = try client.ask("GET", "/iid/info/\(MessagingMock.token)?details=true", fields)
            #expect(after.json["rel"]?["topics"]?.object?.isEmpty == true)
            let bare = try client.ask("POST", "/iid/v1:batchAdd", try fcm.fields(client), body: body)
            #expect(bare.status == 401 && bare.text.contains("<TITLE>Unauthorized</TITLE>"), "without access_token_auth")
        }
    }

    @Test("a batch that cannot be read is an error of one word", arguments: [
        ("{", "InvalidJSON"), ("{}", "MissingTopic"), (#"{"to":"/topics/a b"}"#, "InvalidTopicName"),
        (#"{"to":"/topics/a"}"#, "MissingRegistrationTokens"),
        (#"{"to":"/topics/a","registration_tokens":[\#(Array(repeating: "\"a:b\"", count: 1_001).joined(separator: ","))]}"#,
            "TooManyRegistrationTokens"),
    ])
    func badBatch(_ body: String, _ word: String) throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client) + [("access_token_auth", "true")]
            let reply = try client.ask("POST", "/iid/v1:batchAdd", fields, body: body)
            #expect(reply.status == 400)
            #expect(reply.json == ["error": .string(word)])
        }
    }

    @Test("whoever is unregistered, removed or moved to another project listens to nothing", arguments: [
        ("PUT", #"{"state":"unregistered"}"#), ("PUT", #"{"project":"other"}"#), ("DELETE", ""),
    ])
    func forgotten(_ method: String, _ body: String) throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let path = "/v1/registrations/dGVzdC1pbnN0YW5jZQ:APA91bOne"
            let json = [("content-type", "application/json")]
            _ = try fcm.mock.admin.ask("PUT", path, json, body: #"{"state":"active"}"#)
            _ = try client.ask("POST", Self.topics + "?topic_name=news", fields, body: "{}")
            let reply = try fcm.mock.admin.ask(method, path, body.isEmpty ? [] : json, body: body)
            #expect(200...204 ~= reply.status)
            _ = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(to: #""topic":"news""#))
            #expect(try fcm.mock.journal().map(\.outcome) == [nil])
        }
    }

    @Test("what nobody listens to is accepted, and counts as FCM's alone")
    func counters() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            for target in [#""topic":"nobody""#, #""token":"nope""#] {
                _ = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(to: target))
            }
            let statistics = fcm.mock.service.statistics()
            #expect(statistics.byStatus == [200: 1, 400: 1])
            let metrics = try fcm.mock.admin.ask("GET", "/metrics").text
            for line in [
                #"pushrig_pushes_total{provider="fcm"} 2"#, #"pushrig_pushes_total{provider="apns"} 0"#,
                #"pushrig_answers_total{provider="fcm",status="200",reason=""} 1"#,
                #"pushrig_answers_total{provider="fcm",status="400",reason="INVALID_REGISTRATION_TOKEN"} 1"#,
                #"pushrig_answers_total{provider="apns",status="200",reason=""} 0"#,
            ] { #expect(metrics.contains(line + "\n"), "\(line)") }
            #expect(try fcm.mock.admin.ask("GET", "/v1/info").json.at(pointer: "/statistics/refusals/fcm") == [:])
        }
    }

    @Test("it reaches the Android devices behind them, each of which has its own word on record, late as well")
    func devices() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client) + [("access_token_auth", "true")]
            let tell: (String, String) throws -> Void = { token, android in
                _ = try fcm.mock.admin.ask("PUT", "/v1/registrations/\(token)", body: #"{"android":\#(android)}"#)
            }
            try tell(MessagingMock.token, "{}")
            try tell("a:away", #"{"offline":true}"#)
            try tell("a:deaf", "{}")
            let body = #"{"to":"/topics/news","registration_tokens":["\#(MessagingMock.token)","a:away","a:plain"]}"#
            _ = try client.ask("POST", "/iid/v1:batchAdd", fields, body: body)
            for target in [#""topic":"news""#, #""condition":"'news' in topics""#] {
                _ = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(to: target))
            }
            let reached: () throws -> [String] = {
                try fcm.notes(.phone).compactMap { $0["message"]?.int == nil ? nil : $0["outcome"]?.string }
            }
            #expect(try reached().sorted() == ["handed-over", "handed-over", "stored", "stored"])
            try tell("a:away", "{}")
            #expect(try reached().sorted() == ["handed-over", "handed-over", "handed-over", "handed-over", "stored", "stored"])
            let words = try fcm.notes(.phone).compactMap { $0["reason"]?.string }
            #expect(words == ["the device is offline", "the device is offline"])
            let pushes = try fcm.mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
            #expect(pushes.map { $0["outcome"]?.string } == ["handed-over", "handed-over"] && pushes.allSatisfy { $0["lateOutcome"]?.string == nil })
            let record = try fcm.mock.admin.ask("GET", "/v1/registrations/a:away").json
            #expect(record["messages"]?.int == 2 && record["android"]?["stored"]?.int == 0)
        }
    }

    @Test("a message to a topic or a condition reaches who listens")
    func reach() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            _ = try client.ask("POST", Self.topics + "?topic_name=news", fields, body: "{}")
            for target in [
                #""topic":"news""#, #""topic":"other""#, #""condition":"'news' in topics && !('other' in topics)""#,
                #""condition":"'news' in topics && 'other' in topics""#,
            ] {
                _ = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(to: target))
            }
            #expect(try fcm.mock.journal().map(\.outcome) == [.handedOver, nil, .handedOver, nil])
        }
    }
}
