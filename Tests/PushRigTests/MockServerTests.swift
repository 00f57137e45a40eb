// The public face, member by member.

import Basics
import Foundation
import PushRig
import Testing

private let token = String(repeating: "a1", count: 32)
private let other = String(repeating: "b2", count: 32)

@Suite struct `The embedded mock` {
    func withMock(
        _ configuration: MockServer.Configuration = .init(), _ body: (MockServer, Curl) async throws -> Void
    ) async throws {
        let mock = try MockServer(configuration)
        try await body(mock, try Curl(mock))
        await mock.stop()
    }

    // MARK: Credentials and environments

    @Test func `makes keys and certificates, plays sandbox beside production, and revokes`() async throws {
        try await withMock(.init(sandboxPort: 0)) { mock, curl async throws in
            let key = try mock.addKey(.environment(.sandbox))
            let url = try #require(mock.sandboxURL)
            #expect(key.teamID == mock.teamID && FileManager.default.fileExists(atPath: key.file))
            let bound = try Curl(mock, keyFile: key.file, keyID: key.keyID)
            #expect(try bound.push(to: token).body == #"{"reason":"BadEnvironmentKeyInToken"}"#)
            let sandbox = "\(url)/3/device/\(token)"
            let answer = try bound.ask("POST", sandbox, ["apns-topic: com.example.app"], body: "{}")
            #expect(answer.hasPrefix("HTTP/2 200") && answer.contains("apns-unique-id"))
            #expect(try mock.pushes().map(\.environment) == [.production, .sandbox])
            let certificate = try mock.makeCertificate(topics: ["com.example.app"], environments: [.sandbox])
            let shown = ["--cert", certificate.certificateFile, "--key", certificate.keyFile]
            #expect(try curl.ask("POST", sandbox, body: "{}", more: shown).hasPrefix("HTTP/2 200"))
            #expect(try curl.ask("POST", "\(mock.url)/3/device/\(other)", body: "{}", more: shown).isEmpty)
            #expect(try mock.revoke(key.keyID) && mock.revoke(certificate.name) && !mock.revoke("nobody"))
            #expect(try curl.ask("POST", sandbox, body: "{}", more: shown).isEmpty)
            #expect(throws: MockError.self) { try mock.addKey(.topics([], .production)) }
        }
    }

    @Test func `takes the rules that Apple leaves open by name`() async throws {
        var configuration = MockServer.Configuration()
        configuration.settings = ["internalErrorAfter": "0"]
        try await withMock(configuration) { _, curl async throws in
            #expect(try curl.push(to: token).body == #"{"reason":"InternalServerError"}"#)
        }
        configuration.settings = ["internalErorAfter": "0"]
        let error = #expect(throws: MockError.self) { try MockServer(configuration) }
        #expect(error?.hint == "did you mean `internalErrorAfter`?")
    }

    // MARK: Life

    @Test func `tells where it is and what a relay needs`() async throws {
        try await withMock { mock, curl async throws in
            #expect(mock.host == "127.0.0.1" && mock.port > 0 && mock.url == "https://127.0.0.1:\(mock.port)")
            #expect(mock.keyID.count == 10 && mock.teamID.count == 10)
            #expect(mock.providerKeyFile == "\(mock.stateDirectory)/AuthKey_\(mock.keyID).p8")
            #expect(FileManager.default.fileExists(atPath: mock.caFile))
            #expect(try curl.push(to: token).status == 200)
        }
    }

    @Test func `leaves nothing behind in a temporary folder, and closes its port`() async throws {
        let mock = try MockServer()
        let curl = try Curl(mock)
        #expect(FileManager.default.fileExists(atPath: mock.stateDirectory))
        await mock.stop()
        await mock.stop()
        #expect(!FileManager.default.fileExists(atPath: mock.stateDirectory))
        #expect(try curl.push(to: token).status == 0)
    }

    @Test func `stops by itself when it is let go`() async throws {
        var folder = ""
        do { folder = try MockServer().stateDirectory }
        #expect(!folder.isEmpty && !FileManager.default.fileExists(atPath: folder))
    }

    @Test func `keeps credentials in a given folder, and counts pushes from its own start`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pushrig-" + UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var names: [String] = []
        for _ in 0..<2 {
            try await withMock(.init(stateDirectory: folder)) { mock, curl async throws in
                names.append(mock.keyID)
                #expect(try mock.pushes().isEmpty)
                #expect(try curl.push(to: token).status == 200)
                #expect(try mock.pushes().count == 1)
            }
        }
        #expect(names[0] == names[1] && FileManager.default.fileExists(atPath: folder + "/ca.pem"))
    }

    @Test func `says what is in the way when it cannot start`() async throws {
        try await withMock { mock, _ async throws in
            let error = #expect(throws: MockError.self) { _ = try MockServer(.init(port: mock.port)) }
            #expect(error?.message.contains(String(mock.port)) == true, "\(String(describing: error))")
        }
        #expect(throws: MockError.self) { _ = try MockServer(.init(port: 70_000)) }
        #expect(throws: MockError.self) { _ = try MockServer(.init(topics: ["two words"])) }
        #expect(throws: MockError.self) { _ = try MockServer(.init(tokens: .registered(["xyz"]))) }
    }

    @Test func `takes only the topics and tokens that it was given`() async throws {
        try await withMock(.init(topics: ["com.example.other"])) { _, curl async throws in
            #expect(try curl.push(to: token).body.contains("TopicDisallowed"))
            #expect(try curl.push(to: token, topic: "com.example.other").status == 200)
        }
        try await withMock(.init(tokens: .registered([token]))) { mock, curl async throws in
            #expect(try curl.push(to: token).status == 200)
            #expect(try curl.push(to: other).body == #"{"reason":"BadDeviceToken"}"#)
            try mock.setToken(other)
            #expect(try curl.push(to: other).status == 200)
            try mock.reset()
            #expect(try curl.push(to: token).status == 200)
            #expect(try curl.push(to: other).status == 400)
        }
    }

    // MARK: Pushes

    @Test func `shows a push as it came`() async throws {
        try await withMock { mock, curl async throws in
            let before = Int(Date.now.timeIntervalSince1970 * 1000) - 1
            let body = #"{"aps":{"alert":{"title":"Größe"},"badge":3},"list":[1,"two"]}"#
            #expect(try curl.push(body, to: token.uppercased(), priority: 5) == Curl.Answer(status: 200, body: ""))
            let push = try #require(try mock.pushes().first)
            #expect(push.token == token && push.topic == "com.example.app" && push.pushType == "alert")
            #expect(push.priority == 5 && push.status == 200 && push.reason == nil && push.outcome == "shown")
            #expect(push.payloadText == body && push.payload == Array(body.utf8))
            #expect(push.string(at: "/aps/alert/title") == "Größe" && push.number(at: "/aps/badge") == 3)
            #expect(push.string(at: "/list/1") == "two" && push.string(at: "/aps/badge") == nil)
            #expect(push.header("apns-topic") == "com.example.app" && push.header(":method") == "POST")
            #expect(push.fault == nil && push.apnsID.count == 36 && push.id > 0)
            #expect(before...(before + 60_000) ~= push.arrivedAtMilliseconds)
        }
    }

    @Test func `shows pushes after a position, in order, up to a limit`() async throws {
        try await withMock { mock, curl async throws in
            for number in 0..<3 { _ = try curl.push(#"{"aps":{"badge":\#(number)}}"#, to: token) }
            let position = try mock.position()
            _ = try curl.push(to: other)
            #expect(try mock.pushes(limit: 2).map { $0.number(at: "/aps/badge") } == [0, 1])
            #expect(try mock.pushes(limit: 0).isEmpty)
            #expect(try mock.pushes(since: position).map(\.token) == [other])
            #expect(try mock.pushes(since: mock.position()).isEmpty)
            try mock.reset()
            #expect(try mock.pushes().isEmpty)
            _ = try curl.push(to: token)
            #expect(try mock.pushes().count == 1)
        }
    }

    @Test func `waits for the push that fits`() async throws {
        try await withMock { mock, curl async throws in
            _ = try curl.push(to: other)
            async let awaited = mock.waitForPush(token: token.uppercased(), timeout: .seconds(20)) {
                $0.string(at: "/aps/alert/title") == "Second"
            }
            for title in ["First", "Second"] {
                _ = try curl.push(#"{"aps":{"alert":{"title":"\#(title)"}}}"#, to: token)
            }
            #expect(try await awaited.string(at: "/aps/alert/title") == "Second")
            #expect(try await mock.waitForPush(timeout: .zero).token == other)
        }
    }

    @Test func `says what came instead when the time is up`() async throws {
        try await withMock { mock, curl async throws in
            let nothing = await #expect(throws: MockError.self) {
                _ = try await mock.waitForPush(token: token, timeout: .milliseconds(50))
            }
            #expect(nothing?.description.contains("no push to a1a1a1a1… that fits came within 50ms") == true)
            #expect(nothing?.hint?.contains("no push came at all") == true)
            _ = try curl.push("no json", to: other)
            _ = try curl.push("", to: other)
            let another = await #expect(throws: MockError.self) {
                _ = try await mock.waitForPush(token: token, timeout: .milliseconds(50))
            }
            #expect(another?.hint?.contains("2 pushes came that did not fit, the last to b2b2b2b2…") == true)
            #expect(another?.hint?.contains("400 PayloadEmpty") == true, "\(another?.hint ?? "")")
        }
    }

    // MARK: Faults and tokens

    @Test func `answers with a fault as often as it is told, and only where it matches`() async throws {
        try await withMock { mock, curl async throws in
            let id = try mock.fault(Fault(.respond("ServiceUnavailable"), token: token, pushType: "alert", times: 1))
            #expect(try curl.push(to: other).status == 200)
            let silent = #"{"aps":{"content-available":1}}"#
            #expect(try curl.push(silent, to: token, type: "background", priority: 5).status == 200)
            #expect(try curl.push(to: token).status == 503)
            #expect(try curl.push(to: token).status == 200)
            #expect(try mock.pushes().map(\.fault) == [nil, nil, id, nil])
            #expect(mock.timesFired(id) == 1 && mock.timesFired("f9") == 0)
        }
    }

    @Test func `takes a fault back`() async throws {
        try await withMock { mock, curl async throws in
            let id = try mock.fault(Fault(.respond("InternalServerError")))
            #expect(try curl.push(to: token).status == 500)
            #expect(mock.removeFault(id) && !mock.removeFault(id))
            #expect(try curl.push(to: token).status == 200)
            try mock.fault(Fault(.respond("Shutdown")))
            mock.removeFaults()
            #expect(try curl.push(to: token).status == 200)
        }
    }

    @Test func `matches the event of a live activity`() async throws {
        try await withMock { mock, curl async throws in
            try mock.fault(Fault(.respond("TooManyRequests"), event: "end"))
            func send(_ event: String) throws -> Int {
                let body = """
                    {"aps":{"timestamp":\(Int(Date.now.timeIntervalSince1970)),"event":"\(event)","content-state":{}}}
                    """
                let topic = "com.example.app.push-type.liveactivity"
                return try curl.push(body, to: token, type: "liveactivity", topic: topic).status
            }
            #expect(try send("update") == 200)
            #expect(try send("end") == 429)
        }
    }

    @Test func `delays an answer, and keeps silent`() async throws {
        try await withMock { mock, curl async throws in
            try mock.fault(Fault(.delay(.milliseconds(300)), token: token))
            try mock.fault(Fault(.silence, token: other, duration: .seconds(60)))
            let begin = ContinuousClock.now
            #expect(try curl.push(to: token).status == 200)
            #expect(ContinuousClock.now - begin >= .milliseconds(300))
            #expect(try curl.push(to: other, seconds: 0.5).status == 0)
            #expect(try mock.pushes().map(\.status) == [200, nil])
        }
    }

    @Test(arguments: [
        Fault(.respond("invalid_grant"), at: .token, times: 2), Fault(.silence, at: .topic, token: "a:b"),
        Fault(.answer(status: 502, body: "<html>", headers: ["content-type": "text/html"])),
        Fault(.resetStream(code: "INTERNAL_ERROR", afterHeaders: true)), Fault(.goAway(reason: "Shutdown", last: .before)),
        Fault(.goAway(last: .none, staysOpen: true)), Fault(.goAway(last: .stream(5))), Fault(.maxStreams(1)),
        Fault(.initialWindow(16), meets: .connection), Fault(.withholdWindowUpdates(.seconds(1)), meets: .connection),
        Fault(.withholdWindowUpdates(nil)), Fault(.close(.reset, .halfAnswer)), Fault(.refuseTLS(.certificate)),
        Fault(.frames("bad-hpack")), Fault(.raw(hex: "00 {stream}", .after)),
        Fault(.silence, tokens: [token, other], nth: 3, nthOfConnection: .every(10), connection: .range(1...4)),
        Fault(.silence, nth: .from(2), connectionFraction: 0.5, after: 1, times: 2, per: .token, renew: .seconds(1)),
        Fault(.silence, untilHeals: .newConnection), Fault(.silence, untilHeals: .newProviderToken),
        Fault(.refuseTLS(.alert), untilHeals: .quiet(.seconds(5)), timeToLive: .seconds(60)),
    ])
    func `takes every fault there is`(fault: Fault) async throws {
        try await withMock { mock, _ async throws in #expect(try mock.fault(fault) == "f1") }
    }

    @Test func `ends connections, resets streams, and refuses TLS`() async throws {
        try await withMock { mock, curl async throws in
            // curl sends a refused stream again by itself.
            try mock.fault(Fault(.resetStream(code: "INTERNAL_ERROR"), times: 1))
            #expect(try curl.push(to: token).status == 0)
            try mock.fault(Fault(.close(.fin), times: 1))
            #expect(try curl.push(to: token).status == 0)
            let door = try mock.fault(Fault(.refuseTLS(.alert), times: 1))
            #expect(try curl.push(to: token).status == 0)
            #expect(mock.timesFired(door) == 1)
            #expect(try curl.push(to: token).status == 200)
            #expect(try mock.pushes().map(\.faultAction) == ["reset-stream", "close", nil])
        }
    }

    @Test func `takes a fault as JSON, and tells what is wrong with it`() async throws {
        try await withMock { mock, curl async throws in
            let id = try mock.fault(json: #"{"id":"mine","action":{"respond":{"reason":"Shutdown"}},"times":1}"#)
            #expect(id == "mine")
            #expect(try curl.push(to: token).status == 503)
            let error = #expect(throws: MockError.self) { try mock.fault(json: #"{"action":{"raw":"bad-hpak"}}"#) }
            #expect(error?.message.contains("did you mean `bad-hpack`?") == true, "\(String(describing: error))")
            #expect(throws: MockError.self) { try mock.fault(json: "{") }
        }
    }

    @Test(arguments: [
        Fault(.resetStream(code: "REFUSED")), Fault(.goAway(reason: "Shutdwn")), Fault(.frames("bad")),
        Fault(.raw(hex: "0")), Fault(.maxStreams(-1)), Fault(.silence, per: .token), Fault(.silence, meets: .connection),
        Fault(.respond("BadDeviceTokn")), Fault(.respond("BadDeviceToken"), pushType: "alarm"),
        Fault(.silence, event: "stop"), Fault(.silence, fraction: 0), Fault(.silence, times: 0),
        Fault(.silence, token: "xyz"), Fault(.delay(.seconds(-1))), Fault(.silence, duration: .zero),
        Fault(.silence, priority: 7),
    ])
    func `refuses a fault that makes no sense`(fault: Fault) async throws {
        try await withMock { mock, _ async throws in
            let error = #expect(throws: MockError.self) { try mock.fault(fault) }
            #expect(error?.message.isEmpty == false)
        }
    }
}
