// Pushes over the wire: framing of the answers, limits of the connection, and what stands in the journal.

import APNs
import Basics
import EventLoop
import Glibc
import Journal
import MockServer
import Pushes
import Testing

@Suite struct PushTests {
    private let path = "/3/device/" + TestMock.device

    @Test func `a valid push is answered 200 with nothing but an apns-id`() throws {
        try withMock { mock in
            let reply = try mock.provider().ask("POST", path, mock.fields(), body: alert)
            #expect(reply.status == 200)
            #expect(reply.fields.map(\.name) == ["apns-id"])
            #expect(reply.body.isEmpty)
            let id = try #require(reply.field("apns-id"))
            #expect(isUUID(id) && id == id.uppercased())
        }
    }

    @Test func `in the sandbox a lower-case apns-unique-id comes with it`() throws {
        try withMock({ $0.environment = .sandbox }) { mock in
            let reply = try mock.provider().ask("POST", path, mock.fields(), body: alert)
            #expect(reply.fields.map(\.name) == ["apns-id", "apns-unique-id"])
            let id = try #require(reply.field("apns-unique-id"))
            #expect(isUUID(id) && id == id.lowercased())
        }
    }

    @Test(arguments: ["4084a6e4-9ea8-6d2a-ca49-9a344a152da7", "4084A6E4-9EA8-6D2A-CA49-9A344A152DA7"])
    func `the client's apns-id comes back as sent`(id: String) throws {
        try withMock { mock in
            let reply = try mock.provider().ask("POST", path, mock.fields([("apns-id", id)]), body: alert)
            #expect(reply.status == 200)
            #expect(reply.field("apns-id") == id)
        }
    }

    @Test func `ids made by the mock differ`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let fields = mock.fields()
            let ids = try (0..<20).map { _ in try client.ask("POST", path, fields, body: alert).field("apns-id") }
            #expect(Set(ids).count == 20)
        }
    }

    @Test func `a refusal is the reason in compact JSON and no further field`() throws {
        try withMock { mock in
            let reply = try mock.provider().ask("POST", "/3/device/zz", mock.fields(), body: alert)
            #expect(reply.status == 400)
            #expect(reply.fields.map(\.name) == ["apns-id"])
            #expect(reply.text == #"{"reason":"BadDeviceToken"}"#)
        }
    }

    @Test func `the first apns-id of a connection is indexed, the later ones never`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let fields = mock.fields()
            let flags = try (0..<3).map { _ in
                try client.ask("POST", path, fields, body: alert).fields.first?.neverIndexed
            }
            #expect(flags == [false, true, true])
        }
    }

    @Test func `a request without credentials is refused before its token is looked at`() throws {
        try withMock { mock in
            let reply = try mock.provider().ask("POST", "/3/device/aaaa", body: "{}")
            #expect(reply.status == 403)
            #expect(reply.text == #"{"reason":"MissingProviderToken"}"#)
        }
    }

    @Test func `a GET is refused and the connection stays`() throws {
        try withMock { mock in
            let client = try mock.provider()
            #expect(try client.ask("GET", "/").text == #"{"reason":"MethodNotAllowed"}"#)
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 200)
            #expect(mock.service.statistics().connectionsOpened == 1)
        }
    }

    @Test func `a body larger than any payload is refused as too large, and not cut off`() throws {
        try withMock { mock in
            let client = try mock.provider()
            for count in [4_097, 20_000, 200_000] {
                let reply = try client.ask("POST", path, mock.fields(), body: String(repeating: "x", count: count))
                #expect(reply.text == #"{"reason":"PayloadTooLarge"}"#, "\(count)")
            }
        }
    }

    @Test func `after the first valid provider token many streams go at once`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let fields = mock.fields()
            _ = try client.ask("POST", path, fields, body: alert)
            // No answer comes, and yet all of them arrive.
            try mock.slow(by: "1h")
            let many = (0..<100).map { _ in client.send("POST", path, fields, body: alert) }
            for _ in 0..<2_000 where mock.service.statistics().openStreams < 100 { usleep(1_000) }
            #expect(mock.service.statistics().openStreams == 100 && many.count == 100)
        }
    }

    @Test func `a push is in the journal with all that was decided about it`() throws {
        try withMock { mock in
            let id = "4084a6e4-9ea8-6d2a-ca49-9a344a152da7"
            _ = try mock.provider().ask("POST", path, mock.fields([("apns-id", id)]), body: alert)
            let push = try #require(try mock.journal().first)
            #expect(push.status == 200 && push.reason == nil && push.outcome == .shown)
            #expect(push.token == TestMock.device && push.topic == "com.example.app" && push.pushType == "alert")
            #expect(push.apnsID.text() == id && push.priority == "10" && push.provider == .apns && push.environment == .production)
            #expect(String(decoding: push.payload, as: UTF8.self) == alert)
            #expect(push.stream == 1 && push.connection > 0 && push.faultRule == 0)
        }
    }

    @Test func `a dead token answers 410 with the time of its death in milliseconds`() throws {
        try withMock { mock in
            let since = "2026-11-20T10:00:00Z"
            let put = try mock.admin.ask(
                "PUT", "/v1/tokens/" + TestMock.device,
                body: #"{"kind":"device","topic":"com.example.app","state":"unregistered","since":"\#(since)"}"#)
            #expect(put.status == 201)
            let reply = try mock.provider().ask("POST", path, mock.fields(), body: alert)
            #expect(reply.status == 410)
            #expect(reply.text == #"{"reason":"Unregistered","timestamp":1795168800000}"#)
            #expect(try mock.journal().first?.timestampMilliseconds == 1_795_168_800_000)
        }
    }

    @Test func `in registered mode an unknown token is bad until it is registered`() throws {
        try withMock({ $0.registration = .registered }) { mock in
            let client = try mock.provider()
            #expect(try client.ask("POST", path, mock.fields(), body: alert).text == #"{"reason":"BadDeviceToken"}"#)
            _ = try mock.admin.ask("PUT", "/v1/tokens/" + TestMock.device, body: #"{"topic":"com.example.app"}"#)
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 200)
        }
    }

    @Test func `topics given at the start are the only ones`() throws {
        try withMock({ $0.topics = ["org.example.one"] }) { mock in
            let client = try mock.provider()
            #expect(try client.ask("POST", path, mock.fields(), body: alert).text == #"{"reason":"TopicDisallowed"}"#)
            let fields = mock.fields(topic: "org.example.one")
            #expect(try client.ask("POST", path, fields, body: alert).status == 200)
        }
    }

    @Test func `connections are dealt out to all loops in turn`() throws {
        try withMock({ $0.loops = 3 }) { mock in
            for _ in 0..<6 {
                #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 200)
            }
            var writers: [String: Int] = [:]
            let cursor = try mock.cursorOfAll()
            for name in ["apns-0", "apns-1", "apns-2"] { writers[name] = cursor.contains(name + ":") ? 1 : 0 }
            #expect(writers == ["apns-0": 1, "apns-1": 1, "apns-2": 1])
            let statistics = mock.service.statistics()
            #expect(statistics.pushes == 6 && statistics.connectionsOpened == 6)
            #expect(statistics.byOutcome == ["shown": 6])
            let tags = Set(try mock.journal().map { $0.id >> 40 })
            #expect(tags.count == 3)
        }
    }

    @Test func `a stopped mock has answered what was under way`() throws {
        try withMock { mock in
            let client = try mock.provider()
            _ = try client.ask("POST", path, mock.fields(), body: alert)
            try mock.slow(by: "200ms")
            let pending = client.send("POST", path, mock.fields(), body: alert)
            while mock.service.statistics().pushes < 2 {}
            mock.service.drainAndStop()
            #expect(try pending.take().get().status == 200)
        }
    }

    @Test func `a mock that stops says Shutdown in its GOAWAY`() throws {
        try withMock { mock in
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            mock.service.drainAndStop()
            let goAway = try #require(provider.read().of(type: 7).first)
            #expect(goAway.payload.prefix(8) == (word(1) + word(0))[...])
            #expect(String(decoding: goAway.payload.dropFirst(8), as: UTF8.self) == #"{"reason":"Shutdown"}"#)
            #expect(provider.ending == .closed)
        }
    }

    private func isUUID(_ text: String) -> Bool { withBytes(of: text) { UUIDBytes($0) } != nil }
}
