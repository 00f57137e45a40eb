// Facts of Google's sheet that only a connection shows: what clients send beside a message, what it may lack, and what answers
// may lack (docs/fcm.md §1, §2, §3).

import Basics
import MockServer
import Net
import TLS
import Testing

@Suite("What Google's sheet says of FCM, over a connection")
struct MessagingSheetTests {
    @Test("the types and fields that clients send are taken", arguments: [ClientConfiguration.Version.http1, .http2])
    func fields(_ version: ClientConfiguration.Version) throws {
        try withMessaging { fcm in
            let client = try fcm.client(version)
            let bearer = try fcm.fields(client)[0]
            let harmless = [
                ("x-goog-api-format-version", "2"), ("x-firebase-client", "fire-admin-python/7.7.0"),
                ("x-goog-api-client", "gl-python/3.11"), ("access_token_auth", "true"),
                ("x-goog-user-project", MessagingMock.project), ("x-request-id", "1"), ("accept-encoding", "gzip, deflate"),
            ]
            for type in ["application/json", "application/json; charset=UTF-8", "application/json; UTF-8"] {
                let fields = [bearer, ("content-type", type)] + harmless
                let reply = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
                #expect(reply.status == 200, "\(type)")
            }
        }
    }

    @Test("a message needs no more than its target", arguments: [
        #""token":"\#(MessagingMock.token)""#, #""topic":"news""#, #""condition":"'a' in topics""#, #""topic":"private/news""#,
    ])
    func bare(_ target: String) throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let reply = try client.ask("POST", MessagingMock.sends, try fcm.fields(client), body: #"{"message":{\#(target)}}"#)
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    @Test("it is good for each of Google's names that clients call", arguments: [
        "fcm.googleapis.com", "fcm.mtls.googleapis.com", "oauth2.googleapis.com", "iid.googleapis.com",
        "iamcredentials.googleapis.com",
    ])
    func hosts(_ name: String) throws {
        try withMessaging { fcm in
            let address = try #require(fcm.mock.service.coordinates.fcm)
            let tls = TLSClientSettings(caFile: fcm.mock.service.coordinates.ca, serverName: name)
            let client = try TestClient(
                Origin(isTLS: true, host: address.host, port: address.port), ClientConfiguration(version: .http2, tls: tls))
            #expect(try fcm.ask(client, assertion: fcm.assertion()).status == 200)
        }
    }

    @Test("who asks for the pushes to a token is told of no other that differs in its letters' case")
    func letters() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            for token in ["abc:APA91bOne", "abc:apa91bone"] {
                let body = MessagingMock.body(to: #""token":"\#(token)""#)
                #expect(try client.ask("POST", MessagingMock.sends, fields, body: body).status == 200)
            }
            let device = "/3/device/" + TestMock.device
            #expect(try fcm.mock.provider().ask("POST", device, fcm.mock.fields(), body: alert).status == 200)
            func found(_ token: String) throws -> [String?] {
                let pushes = try fcm.mock.admin.ask("GET", "/v1/pushes?token=" + token).json["pushes"]?.array ?? []
                return pushes.map { $0["token"]?.string }
            }
            #expect(try found("abc:APA91bOne") == ["abc:APA91bOne"])
            #expect(try found("abc:apa91bone") == ["abc:apa91bone"])
            #expect(try found("abc:APA91BONE") == [])
            #expect(try found(TestMock.device.uppercased()) == [TestMock.device])
        }
    }

    @Test("a message that is too long for an app of iOS or the web is told so in no word of Android's", arguments: ["ios", "web"])
    func tooLong(_ platform: String) throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let body = #"{"message":{"token":"\#(MessagingMock.token)","data":{"k":"\#(String(repeating: "x", count: 5_000))"}}}"#
            func said() throws -> String? {
                try client.ask("POST", MessagingMock.sends, fields, body: body).json["error"]?["message"]?.string
            }
            #expect(try said() == "Android message is too big")
            _ = try fcm.mock.admin.ask("PUT", "/v1/registrations/\(MessagingMock.token)", body: #"{"platform":"\#(platform)"}"#)
            #expect(try said() == "Request contains an invalid argument.")
        }
    }

    @Test("of a parameter that stands twice the last counts")
    func twice() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            func text(_ query: String) throws -> String {
                try client.ask("POST", MessagingMock.sends + query, fields, body: MessagingMock.body()).text
            }
            #expect(try text("?prettyPrint=false&prettyPrint=true").hasPrefix("{\n  \"name\""))
            #expect(try text("?prettyPrint=true&prettyPrint=false").hasPrefix("{\"name\""))
            #expect(try text("?alt=xml&alt=json").contains("\"name\""))
        }
    }

    @Test("an app instance listens to 2,000 topics and no more")
    func topics() throws {
        try withMessaging({ try! $0.set("topicSubscriptionsPerSecond", to: "off") }) { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client) + [("access_token_auth", "true")]
            func join(_ topic: Int) throws -> JSONValue? {
                let body = #"{"to":"/topics/t\#(topic)","registration_tokens":["\#(MessagingMock.token)"]}"#
                return try client.ask("POST", "/iid/v1:batchAdd", fields, body: body).json["results"]?.array?[0]
            }
            for topic in 1...2_000 { #expect(try join(topic) == [:]) }
            #expect(try join(2_001) == ["error": "TOO_MANY_TOPICS"])
            #expect(try join(7) == [:], "one that it has")
        }
    }

    @Test("the registration in a path is percent-encoded, the colon as well")
    func encoded() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let path = "/v1/projects/\(MessagingMock.project)/registrations/\(MessagingMock.token.replacing(":", with: "%3A"))"
            #expect(try client.ask("POST", path + "/topicSubscriptions?topic_name=news", fields, body: "{}").status == 200)
            let info = try client.ask("GET", "/iid/info/\(MessagingMock.token)?details=true", fields + [("access_token_auth", "true")])
            #expect(info.json["rel"]?["topics"]?["news"] != nil)
            let gone = path + "/topicSubscriptions/news?allow_missing=true"
            for _ in 0..<2 { #expect(try client.ask("DELETE", gone, fields).status == 200) }
        }
    }
}
