// Topics of the mock FCM, in both APIs (docs/fcm.md §1, §3).

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

    @Test("PATCH reads one that is there, and makes one that is not where that is allowed")
    func patch() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let patch: (String) throws -> Reply = { query in
                try client.ask("PATCH", Self.topics + "/news" + query, fields, body: "{}")
            }
            for query in ["", "?allowMissing=false", "?allow_missing=false"] { #expect(try patch(query).status == 404) }
            #expect(try client.ask("GET", Self.topics, fields).json["topicSubscriptions"]?.array?.isEmpty == true)
            let made = try patch("?allowMissing=true")
            #expect(made.status == 200 && made.json["topicName"]?.string == "news")
            for query in ["", "?allow_missing=true"] {
                let again = try patch(query)
                #expect(again.status == 200 && again.json == made.json)
            }
        }
    }

    @Test("their credentials are refused as those of sends, but for the method, which is another")
    func credentials() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let good = try fcm.fields(client)
            let scope: JSONObject = ["scope": "https://www.googleapis.com/auth/devstorage.read_only"]
            let narrow = try fcm.ask(client, assertion: fcm.assertion(scope)).json["access_token"]?.string ?? ""
            fcm.mock.service.set(wall: fcm.mock.service.clock.wall() + .seconds(1_800))
            let refusal: ([(String, String)]) throws -> [String?] = { fields in
                let topic = try client.ask("POST", Self.topics + "?topic_name=news", fields, body: "{}")
                let send = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
                let (told, of) = (topic.json["error"], send.json["error"])
                for member in ["code", "message", "status"] { #expect(told?[member] == of?[member]) }
                let (info, ofSend) = (told?["details"]?.array?.first, of?["details"]?.array?.first)
                #expect(info?["reason"] == ofSend?["reason"] && info?["domain"] == ofSend?["domain"])
                #expect(info == nil || info?["metadata"] == ["service": "fcm.googleapis.com"])
                return [told?["status"]?.string, info?["reason"]?.string]
            }
            #expect(try refusal([("authorization", "Bearer \(narrow)")]) == ["PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"])
            fcm.mock.service.set(wall: fcm.mock.service.clock.wall() + .seconds(1_802))
            #expect(try refusal(good) == ["UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED"])
            #expect(try refusal([]) == ["UNAUTHENTICATED", "CREDENTIALS_MISSING"])
            #expect(try refusal([("authorization", "Bearer ya29.other")]) == ["UNAUTHENTICATED", nil])
        }
    }

    @Test("one that is not there is missing, and no word says that its registration is gone")
    func missing() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            for method in ["GET", "DELETE", "PATCH"] {
                let reply = try client.ask(method, Self.topics + "/news", fields, body: method == "PATCH" ? "{}" : "")
                #expect(reply.status == 404 && reply.json["error"]?["status"]?.string == "NOT_FOUND")
                #expect(reply.json["error"]?["details"] == nil, "\(reply.text)")
            }
            let path = "/v1/registrations/dGVzdC1pbnN0YW5jZQ:APA91bOne"
            _ = try fcm.mock.admin.ask("PUT", path, [("content-type", "application/json")], body: #"{"state":"unregistered"}"#)
            for method in ["GET", "DELETE", "PATCH"] {
                let reply = try client.ask(method, Self.topics + "/news?allow_missing=true", fields, body: method == "PATCH" ? "{}" : "")
                #expect(reply.status == 404)
                #expect(reply.json["error"]?["details"]?.array?.map { $0["errorCode"]?.string } == ["UNREGISTERED"])
            }
        }
        try withMessaging({ try! $0.set("missingSubscription", to: "UNREGISTERED") }) { fcm in
            let client = try fcm.client()
            let reply = try client.ask("GET", Self.topics + "/news", try fcm.fields(client))
            #expect(reply.json["error"]?["details"]?.array?.map { $0["errorCode"]?.string } == ["UNREGISTERED"])
        }
    }

    @Test("pages are a thousand long unless told, two thousand at most, and a bad size or page is refused")
    func pages() throws {
        try withMessaging({ try! $0.set("topicSubscriptionsPerSecond", to: "off") }) { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            for topic in 0..<1_001 { _ = try client.ask("POST", Self.topics + "?topic_name=t\(topic)", fields, body: "{}") }
            let count: (String) throws -> Int? = { query in
                try client.ask("GET", Self.topics + query, fields).json["topicSubscriptions"]?.array?.count
            }
            for query in ["", "?pageSize=0", "?page_size=0", "?pageSize=1000"] { #expect(try count(query) == 1_000, "\(query)") }
            for query in ["?pageSize=2000", "?pageSize=100000"] { #expect(try count(query) == 1_001, "\(query)") }
            #expect(try count("?pageToken=1000") == 1 && count("?pageToken=1001") == 0)
            for query in ["?pageSize=-1", "?pageSize=x", "?pageToken=xx", "?pageToken=-5", "?pageToken=0"] {
                let reply = try client.ask("GET", Self.topics + query, fields)
                #expect(reply.status == 400 && reply.json["error"]?["status"]?.string == "INVALID_ARGUMENT", "\(query)")
            }
        }
    }

    @Test("their body is empty or a subscription, and their topic is named", arguments: [
        ("", 200), ("{}", 200), (#"{"topicName":"news"}"#, 200), ("{", 400), ("[]", 400), (#"{"x":1}"#, 400),
        (String(repeating: "x", count: 70_000), 400), (#"{"name":5}"#, 400),
    ])
    func bodies(_ body: String, _ status: Int) throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let reply = try client.ask("POST", Self.topics + "?topic_name=news", fields, body: body)
            #expect(reply.status == status, "\(reply.text)")
            if status == 400 { #expect(reply.json["error"]?["status"]?.string == "INVALID_ARGUMENT") }
            #expect(try client.ask("GET", Self.topics + "/news", fields).status == (status == 200 ? 200 : 404))
            let unnamed = try client.ask("POST", Self.topics, fields, body: "{}")
            #expect(unnamed.status == 400 && unnamed.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
        }
    }

    @Test("too many in a second are told when to come again")
    func waits() throws {
        try withMessaging({
            try! $0.set("topicSubscriptionsPerSecond", to: "1")
            try! $0.set("quotaRetryAfter", to: "7")
        }) { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let replies = try (0..<20).map { topic in
                try client.ask("POST", Self.topics + "?topic_name=t\(topic)", fields, body: "{}")
            }
            let refused = replies.filter { $0.status == 429 }
            #expect(!refused.isEmpty && refused.allSatisfy { $0.field("retry-after") == "7" })
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
            #expect(reply.text == #"{"results":[{},{"error":"INVALID_ARGUMENT"},{"error":"NOT_FOUND"}]}"#, "in one line")
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
