// The mock FCM over real connections (docs/fcm.md §1, §3).

import Basics
import Journal
import MockServer
import Net
import Pushes
import Testing

@Suite("The mock FCM")
struct MessagingTests {
    @Test("takes a send over either version of HTTP, and names the message", arguments: [ClientConfiguration.Version.http1, .http2])
    func send(_ version: ClientConfiguration.Version) throws {
        try withMessaging { fcm in
            let client = try fcm.client(version)
            let fields = try fcm.fields(client)
            let reply = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
            #expect(reply.status == 200)
            #expect(reply.text.hasPrefix("{\n  \"name\": \"projects/pushrig-mock/messages/0:"))
            #expect(reply.text.hasSuffix("\"\n}\n"))
            #expect(reply.field("content-type") == "application/json; charset=UTF-8")
            #expect(reply.field("server") == "scaffolding on HTTPServer2")
            let topic = try client.ask(
                "POST", MessagingMock.sends, fields, body: MessagingMock.body(to: #""topic":"news""#))
            let id = try #require(topic.json["name"]?.string?.split(separator: "/").last)
            #expect(UInt64(id) != nil, "a topic's message has a decimal number")
            let pushes = try fcm.mock.journal()
            #expect(pushes.map(\.token) == [MessagingMock.token, "news"])
            #expect(pushes.allSatisfy { $0.provider == .fcm && $0.status == 200 && $0.header(":target") == nil })
            #expect(pushes.map(\.outcome) == [.handedOver, nil], "nobody listens to that topic")
            #expect(String(decoding: pushes[0].payload, as: UTF8.self) == MessagingMock.body())
        }
    }

    @Test("answers a refusal with Google's envelope, and has it on record")
    func refusal() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let bare = try client.ask("POST", MessagingMock.sends, [], body: MessagingMock.body())
            #expect(bare.status == 401)
            #expect(bare.json["error"]?["details"]?.array?[0]["reason"]?.string == "CREDENTIALS_MISSING")
            let fields = try fcm.fields(client)
            let bad = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body(to: #""token":"nope""#))
            #expect(bad.status == 400)
            #expect(bad.json["error"]?["details"]?.array?[0]["errorCode"]?.string == "INVALID_ARGUMENT")
            #expect(try fcm.mock.journal().map(\.reason) == ["CREDENTIALS_MISSING", "INVALID_REGISTRATION_TOKEN"])
        }
    }

    @Test("has a page of HTML for what is gone", arguments: ["/fcm/send", "/batch", "/v1/projects/p/messages"])
    func gone(_ path: String) throws {
        try withMessaging { fcm in
            let reply = try fcm.client().ask("POST", path, [], body: "{}")
            #expect(reply.status == 404)
            #expect(reply.field("content-type") == "text/html; charset=UTF-8")
            #expect(reply.text.contains("<title>Error 404 (Not Found)!!1</title>"))
            #expect(reply.text.contains("<code>\(path)</code>"))
            let odd = try fcm.client(.http1).ask("GET", path + "/a&b?c=%3Cd%3E&e='\"", [])
            #expect(odd.status == 404 && odd.text.contains("<code>\(path)/a&amp;b?c=%3Cd%3E&amp;e='&quot;</code>"), "\(odd.text)")
        }
    }

    @Test("a dry run is judged and delivered to nobody")
    func dryRun() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let body = #"{"validate_only":true,"message":{"token":"\#(MessagingMock.token)"}}"#
            let reply = try client.ask("POST", MessagingMock.sends, fields, body: body)
            #expect(reply.status == 200)
            let id = try #require(reply.json["name"]?.string?.split(separator: "/").last)
            #expect(UInt64(id) != nil, "its name is a made-up number")
            #expect(try fcm.mock.journal().map(\.outcome) == [nil])
            #expect(try fcm.registration().status == 404, "no message was taken for it")
        }
    }

    @Test("an access token is good for an hour of the mock's clock")
    func expiry() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let clock = fcm.mock.service.clock
            fcm.mock.service.set(wall: clock.wall() + .seconds(3_590))
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == 200)
            fcm.mock.service.set(wall: clock.wall() + .seconds(20))
            let late = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
            #expect(late.status == 401)
            #expect(late.json["error"]?["details"]?.array?[0]["reason"]?.string == "ACCESS_TOKEN_EXPIRED")
        }
    }

    @Test("a registration that is gone, or another project's, is refused")
    func registrations() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            func status() throws -> (Int, String?) {
                let reply = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
                return (reply.status, reply.json["error"]?["details"]?.array?.first?["errorCode"]?.string)
            }
            #expect(try status() == (200, nil))
            #expect(try fcm.registration().json["messages"]?.int == 1)
            #expect(try fcm.put(#"{"state":"unregistered"}"#).status == 200)
            #expect(try status() == (404, "UNREGISTERED"))
            #expect(try fcm.put(#"{"project":"other"}"#).status == 200)
            #expect(try status() == (403, "SENDER_ID_MISMATCH"))
            #expect(try fcm.put(#"{"state":"asleep"}"#).status == 400)
            let path = "/v1/registrations/\(MessagingMock.token)"
            #expect(try fcm.mock.admin.ask("DELETE", path).status == 204)
            #expect(try fcm.mock.admin.ask("DELETE", path).status == 404)
            #expect(try status() == (200, nil))
        }
    }

    @Test("only registered ones are served where that is asked for")
    func registeredOnly() throws {
        try withMessaging({ $0.registration = .registered }) { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == 404)
            #expect(try fcm.put("{}").status == 201)
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == 200)
        }
    }

    @Test("a rule with a reason of one service meets no push of the other")
    func faults() throws {
        try withMessaging { fcm in
            try fcm.mock.fault(#"{"action":{"respond":{"reason":"Unregistered"}}}"#)
            try fcm.mock.fault(
                #"{"match":{"token":"\#(MessagingMock.token)","nth":2},"action":{"respond":{"reason":"QUOTA_EXCEEDED"}}}"#)
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            func send() throws -> Reply {
                try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
            }
            #expect(try send().status == 200)
            let second = try send()
            #expect(second.status == 429)
            #expect(second.field("retry-after") == "60")
            #expect(try send().status == 200, "the next is the third, as at APNs")
            let provider = try fcm.mock.provider()
            let push = try provider.ask("POST", "/3/device/" + TestMock.device, fcm.mock.fields(), body: alert)
            #expect(push.status == 410)
        }
    }

    @Test("a rule of any service meets both", arguments: [#"{"delay":"1ms"}"#, #"{"respond":{"status":502,"body":"<html>"}}"#])
    func anyService(_ action: String) throws {
        try withMessaging { fcm in
            let id = try fcm.mock.fault(#"{"action":\#(action)}"#)
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let status = action.contains("502") ? 502 : 200
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == status)
            let provider = try fcm.mock.provider()
            let push = try provider.ask("POST", "/3/device/" + TestMock.device, fcm.mock.fields(), body: alert)
            #expect(push.status == status)
            #expect(try fcm.mock.admin.ask("GET", "/v1/faults/" + id).json["fired"]?.int == 2)
        }
    }

    @Test("is not there unless asked for")
    func absent() throws {
        try withMock { mock in
            #expect(mock.service.coordinates.fcm == nil)
            let reply = try mock.admin.ask("GET", "/v1/registrations/\(MessagingMock.token)")
            #expect(reply.status == 404 && reply.text.contains("--fcm"))
        }
    }

    @Test("has the same service account at the next start")
    func identity() throws {
        try withDirectory { directory in
            var accounts: [String] = []
            for _ in 0..<2 {
                let mock = try TestMock(directory + "/state") { $0.fcm = SocketAddress(host: "127.0.0.1", port: 0) }
                defer { mock.stop() }
                let fcm = try MessagingMock(mock)
                accounts.append(fcm.account["private_key"]?.string ?? "")
                #expect(fcm.account["token_uri"]?.string == "https://\(mock.service.coordinates.fcm!)/token")
                #expect(mode(of: mock.service.coordinates.serviceAccount!) == 0o600)
            }
            #expect(accounts[0] == accounts[1] && !accounts[0].isEmpty)
        }
    }
}

extension MessagingMock {
    fileprivate func registration() throws -> Reply { try mock.admin.ask("GET", "/v1/registrations/\(Self.token)") }

    fileprivate func put(_ body: String) throws -> Reply {
        try mock.admin.ask("PUT", "/v1/registrations/\(Self.token)", [("content-type", "application/json")], body: body)
    }
}
