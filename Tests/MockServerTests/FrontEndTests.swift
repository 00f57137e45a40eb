// What Google's front end does with every request and answer to the mock FCM (docs/fcm.md §1).

import Basics
import Deflate
import EventLoop
import Journal
import MockServer
import Net
import Pushes
import Testing
import WireClient

@Suite("The front end of the mock FCM")
struct FrontEndTests {
    private let offer = [("accept-encoding", "gzip, deflate")]

    private func unpacked(_ reply: Reply) -> JSONValue {
        guard case .whole(let bytes) = GZip.unpacked(reply.body.span, atMost: 1 << 20) else { return .null }
        return (try? JSONValue(parsing: bytes.span)) ?? .null
    }

    @Test("answers are packed for who offers gzip: successes, errors, tokens and topics; each has its date")
    func packed() throws {
        try withMessaging { fcm in
            let client = try fcm.client(.http1)
            let fields = try fcm.fields(client)
            let sent = try client.ask("POST", MessagingMock.sends, fields + offer, body: MessagingMock.body())
            #expect(sent.field("content-encoding") == "gzip" && unpacked(sent)["name"] != nil)
            #expect(sent.field("date").flatMap { WallTime(httpDate: $0) } != nil)
            #expect(sent.field("vary") == "X-Origin, Referer, Origin,Accept-Encoding")
            let refused = try client.ask("POST", MessagingMock.sends, offer, body: MessagingMock.body())
            #expect(refused.status == 401 && unpacked(refused)["error"]?["code"]?.int == 401)
            let instance = [("access_token_auth", "true")]
            let info = try client.ask("GET", "/iid/info/\(MessagingMock.token)?details=true", fields + instance + offer)
            #expect(unpacked(info)["rel"]?["topics"] == [:])
            let token = try client.ask(
                "POST", "/token", [("content-type", "application/x-www-form-urlencoded")] + offer,
                body: "grant_type=\(MessagingMock.grant)&assertion=\(fcm.assertion())")
            #expect(unpacked(token)["access_token"] != nil)
        }
    }

    @Test("they are not for who does not, refuses it, or where the setting says so", arguments: ["identity", "gzip;q=0", "br"])
    func plain(_ coding: String) throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client) + [("accept-encoding", coding)]
            let reply = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
            #expect(reply.field("content-encoding") == nil && reply.json["name"] != nil)
        }
        try withMessaging({ try! $0.set("compressesAnswers", to: "false") }) { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client) + offer
            let reply = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
            #expect(reply.field("content-encoding") == nil && reply.json["name"] != nil)
        }
    }

    @Test("a packed body is read, and on record as what it says")
    func packedRequest() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client) + [("content-encoding", "gzip")]
            let bytes = GZip.packed(Array(MessagingMock.body().utf8).span)
            let reply = try client.send("POST", MessagingMock.sends, fields, bytes: bytes).take().get()
            #expect(reply.status == 200)
            #expect(try fcm.mock.journal().map { String(decoding: $0.payload, as: UTF8.self) } == [MessagingMock.body()])
            let broken = try client.send("POST", MessagingMock.sends, fields, bytes: Array(bytes.dropLast(4))).take().get()
            #expect(broken.status == 400 && broken.json["error"]?["status"]?.string == "INVALID_ARGUMENT")
        }
    }

    @Test("what unpacks to more than a body may be is refused at every endpoint, and the next is served")
    func bombs() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            let bomb = GZip.packed([UInt8](repeating: 32, count: 60_000_000).span)
            func ask(_ path: String, _ more: [(String, String)] = []) throws -> Reply {
                let all = fields + more + [("content-encoding", "gzip")]
                return try client.send("POST", path, all, bytes: bomb).take().get()
            }
            let sent = try ask(MessagingMock.sends)
            #expect(sent.status == 400)
            #expect(sent.json["error"]?["message"]?.string == "Request payload size exceeds the limit: 65536 bytes.")
            let token = try ask("/token")
            #expect(token.status == 400 && token.json["error"]?.string == "invalid_request")
            let batch = try ask("/iid/v1:batchAdd", [("access_token_auth", "true")])
            #expect(batch.status == 400 && batch.json == ["error": "RequestTooLarge"])
            #expect(try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body()).status == 200)
            let kept = try fcm.mock.journal().map(\.payload.count)
            #expect(kept.allSatisfy { $0 <= 524_289 }, "\(kept)")
        }
    }

    @Test("a thousand registrations of the longest kind have room in a batch")
    func thousand() throws {
        try withMessaging { fcm in
            let client = try fcm.client(.http1)
            let fields = try fcm.fields(client) + [("access_token_auth", "true")]
            let tokens = (0..<1_000).map { "\"i\($0):APA91b\(String(repeating: "x", count: 150))\"" }.joined(separator: ",")
            let body = #"{"to":"/topics/news","registration_tokens":[\#(tokens)]}"#
            let reply = try client.ask("POST", "/iid/v1:batchAdd", fields, body: body)
            #expect(reply.status == 200 && reply.json["results"]?.array?.count == 1_000)
        }
    }

    @Test("the query says how an answer is written; what changes nothing is taken")
    func parameters() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            func ask(_ query: String, body: String = MessagingMock.body()) throws -> Reply {
                try client.ask("POST", MessagingMock.sends + query, fields, body: body)
            }
            let pretty = try ask("?alt=json&key=abc&$.xgafv=2&fields=name")
            #expect(pretty.status == 200 && pretty.text.hasPrefix("{\n  \"name\""))
            let compact = try ask("?prettyPrint=false")
            #expect(compact.status == 200 && compact.text.hasPrefix("{\"name\":\"projects/"))
            let refused = try ask("?prettyPrint=false", body: "{}")
            #expect(refused.status == 400 && refused.text.hasPrefix("{\"error\":{\"code\":400,"))
            let strange = try ask("?alt=xml")
            #expect(strange.status == 400)
            #expect(strange.json["error"]?["message"]?.string == "Invalid value at 'alt' (TYPE_ENUM), \"xml\"")
            let topics = "/v1/projects/pushrig-mock/registrations/a%3Ab/topicSubscriptions?alt=media"
            #expect(try client.ask("GET", topics, fields).json["error"]?["status"]?.string == "INVALID_ARGUMENT")
            #expect(try fcm.ask(client, assertion: fcm.assertion()).status == 200)
        }
    }

    /// All that comes until the end of the connection, or of the answer's body.
    private func answer(_ fcm: MessagingMock, _ request: String, endsAt last: String? = nil) throws -> (text: String, isAtEnd: Bool) {
        let port = try #require(fcm.mock.service.coordinates.fcm).port
        let socket = try WireSocket(port: port, trusting: fcm.mock.service.coordinates.ca, protocols: ["http/1.1"])
        socket.send(Array(request.utf8))
        var text = ""
        while !socket.isAtEnd, last.map({ !text.hasSuffix($0) }) ?? true {
            let bytes = socket.read(within: .seconds(20))
            guard !bytes.isEmpty else { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        return (text, socket.isAtEnd)
    }

    private func request(_ fcm: MessagingMock, _ version: String, _ more: String = "") throws -> String {
        let fields = try fcm.fields(fcm.client()).map { "\($0.0): \($0.1)\r\n" }.joined()
        let body = MessagingMock.body()
        return "POST \(MessagingMock.sends) HTTP/\(version)\r\nhost: localhost\r\n\(fields)\(more)"
            + "content-length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("half an answer is cut over HTTP/1.1 as well, the message delivered and nothing else answered", arguments: ["fin", "reset"])
    func half(_ how: String) throws {
        try withMessaging { fcm in
            let whole = try answer(fcm, request(fcm, "1.1"), endsAt: "}\n").text
            try fcm.mock.fault(#"{"action":{"close":{"how":"\#(how)","when":"half-answer"}},"times":1}"#)
            let (text, isAtEnd) = try answer(fcm, request(fcm, "1.1"))
            #expect(isAtEnd && !text.hasSuffix("}\n") && text.utf8.count < whole.utf8.count)
            if how == "fin" { #expect(text.hasPrefix("HTTP/1.1 200 ") && abs(2 * text.utf8.count - whole.utf8.count) < 40) }
            let pushes = try fcm.mock.journal()
            #expect(pushes.map(\.status) == [200, 0] && pushes.map(\.outcome) == [.handedOver, .handedOver])
            #expect(try answer(fcm, request(fcm, "1.1"), endsAt: "}\n").text.utf8.count == whole.utf8.count, "the next is whole")
        }
    }

    @Test("a client of HTTP/1.0 that asks to keep its connection is told that it may")
    func keptConnection() throws {
        try withMessaging { fcm in
            let kept = try answer(fcm, request(fcm, "1.0", "connection: keep-alive\r\n"), endsAt: "}\n")
            #expect(kept.text.contains("\r\nconnection: keep-alive\r\n") && !kept.isAtEnd)
            let closed = try answer(fcm, request(fcm, "1.0"))
            #expect(closed.text.contains("\r\nconnection: close\r\n") && closed.isAtEnd)
            #expect(try !answer(fcm, request(fcm, "1.1"), endsAt: "}\n").text.contains("connection:"))
        }
    }

    @Test("a service that cannot keep up says when to come again where the setting has it", arguments: [("none", nil), ("30", "30")])
    func unavailable(_ setting: String, _ field: String?) throws {
        try withMessaging({ try! $0.set("unavailableRetryAfter", to: setting) }) { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client)
            for reason in ["UNAVAILABLE", "SERVICE_UNAVAILABLE"] {
                try fcm.mock.fault(#"{"action":{"respond":{"reason":"\#(reason)"}},"times":1}"#)
                let reply = try client.ask("POST", MessagingMock.sends, fields, body: MessagingMock.body())
                #expect(reply.status == 503 && reply.field("retry-after") == field)
            }
        }
    }

    @Test("a message to a registration is named in the form that the setting says", arguments: ["sample", "uuid", "number"])
    func names(_ form: String) throws {
        try withMessaging({ try! $0.set("messageIDs", to: form) }) { fcm in
            let client = try fcm.client()
            let reply = try client.ask("POST", MessagingMock.sends, try fcm.fields(client), body: MessagingMock.body())
            let id = try #require(reply.json["name"]?.string?.split(separator: "/").last)
            switch form {
            case "uuid": #expect(id.count == 36 && id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
            case "number": #expect(UInt64(id) != nil)
            default:
                let parts = id.split(separator: "%")
                #expect(parts.count == 2 && parts[0].hasPrefix("0:") && parts[1].count == 16)
                #expect(parts.last?.prefix(8) == parts.last?.suffix(8))
            }
        }
    }

    @Test("tokens of APNs become registrations, the same ones each time")
    func imports() throws {
        try withMessaging { fcm in
            let client = try fcm.client()
            let fields = try fcm.fields(client) + [("access_token_auth", "true")]
            let body = #"{"application":"com.example.app","sandbox":false,"apns_tokens":["\#(TestMock.device)","nope"]}"#
            let first = try client.ask("POST", "/iid/v1:batchImport", fields, body: body)
            let rows = try #require(first.json["results"]?.array)
            #expect(rows.map { $0["status"]?.string } == ["OK", "INVALID_ARGUMENT"])
            let token = try #require(rows[0]["registration_token"]?.string)
            #expect(try client.ask("POST", "/iid/v1:batchImport", fields, body: body).json == first.json)
            let sent = try client.ask(
                "POST", MessagingMock.sends, fields, body: MessagingMock.body(to: #""token":"\#(token)""#))
            #expect(sent.status == 200)
            let info = try client.ask("GET", "/iid/info/\(token)", fields)
            #expect(info.json["platform"]?.string == "IOS", "no quota and no word of size is Android's")
            let related = try client.ask("POST", "/iid/v1/\(token)/rel/topics/news", fields)
            #expect(related.status == 200 && related.json == [:])
            let bare = try client.ask("POST", "/iid/v1:batchImport", fields, body: "{}")
            #expect(bare.status == 400 && bare.json == ["error": "MissingApplication"])
        }
    }
}
