// Devices over the wire: away and back, replaced and dead tokens, budgets, the clock. What the admin API sets is what
// a provider then meets, and what became of a push is told by GET /v1/pushes.

import Basics
import EventLoop
import Journal
import MockServer
import Pushes
import Testing

@Suite struct DeviceTests {
    private static let token = TestMock.device
    private static let other = String(TestMock.device.reversed())
    private let path = "/3/device/" + Self.token

    private func withDevices(
        _ settings: [String: String] = [:], _ body: (TestMock, TestClient) throws -> Void
    ) throws {
        try withMock({ try! $0.set(settings) }) { mock in try body(mock, try mock.provider()) }
    }

    @discardableResult
    private func set(_ mock: TestMock, _ body: String, token: String = Self.token, method: String = "PUT") throws -> Reply {
        let reply = try mock.admin.ask(method, "/v1/tokens/" + token, body: body)
        #expect(reply.status == 200 || reply.status == 201, "\(reply.text)")
        return reply
    }

    /// Outcome and late outcome of each push to the token, oldest first.
    private func outcomes(_ mock: TestMock, token: String = Self.token) throws -> [String] {
        let pushes = try mock.admin.ask("GET", "/v1/pushes?token=" + token).json["pushes"]?.array ?? []
        return pushes.map { push in
            (push["outcome"]?.string ?? "-") + (push["lateOutcome"]?.string.map { " " + $0 } ?? "")
        }
    }

    private func push(_ client: TestClient, _ mock: TestMock, _ more: [(String, String)] = []) throws -> Reply {
        try client.ask("POST", path, mock.fields(more), body: alert)
    }

    @Test func `a stale-date that has passed is told`() throws {
        try withDevices { mock, client in
            let now = mock.service.clock.wall().seconds
            for (event, stale) in [("update", now - 60), ("update", now + 60), ("end", now - 60)] {
                let body =
                    #"{"aps":{"timestamp":\#(now),"event":"\#(event)","content-state":{},"stale-date":\#(stale)}}"#
                let fields = mock.fields(topic: "com.example.app.push-type.liveactivity").map { name, value in
                    name == "apns-push-type" ? (name, "liveactivity") : (name, value)
                }
                #expect(try client.ask("POST", path, fields, body: body).status == 200)
            }
            let pushes = try #require(try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array)
            #expect(pushes.map { $0["warnings"] } == [["stale-date-in-the-past"], [], []])
        }
    }

    @Test func `a device that is away gets the newest push when it is back, and each push tells its end`() throws {
        try withDevices { mock, client in
            try set(mock, #"{"connection":"offline"}"#)
            for _ in 0..<3 { #expect(try push(client, mock).status == 200) }
            #expect(try push(client, mock, [("apns-expiration", "0")]).status == 200)
            #expect(try outcomes(mock) == ["stored superseded", "stored superseded", "stored", "discarded"])
            try set(mock, #"{"connection":"online"}"#, method: "PATCH")
            #expect(try outcomes(mock) == ["stored superseded", "stored superseded", "stored shown", "discarded"])
        }
    }

    @Test func `late outcomes are notes of the journal that name the push`() throws {
        try withDevices { mock, client in
            try set(mock, #"{"connection":"offline"}"#)
            for _ in 0..<2 { _ = try push(client, mock) }
            try set(mock, #"{"connection":"online"}"#, method: "PATCH")
            var ids: [UInt64] = []
            var late: [String] = []
            _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
                if case .push(let push) = entry { ids.append(push.id) }
                if case .note(let note) = entry, let end = note.lateOutcome {
                    late.append("\(ids.firstIndex(of: end.push) ?? -1) \(end.outcome.word)")
                }
                return true
            }
            #expect(late == ["0 superseded", "1 shown"])
        }
    }

    @Test func `a stored push expires by the mock's clock, without anybody asking`() throws {
        try withDevices { mock, client in
            try set(mock, #"{"connection":"offline"}"#)
            let soon = SystemTime().wall().seconds + 3600
            #expect(try push(client, mock, [("apns-expiration", String(soon))]).status == 200)
            #expect(try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"2h"}"#).status == 200)
            #expect(try outcomes(mock) == ["stored expired"])
        }
    }

    @Test func `a batch is delivered when it is due, without anybody asking`() throws {
        try withDevices(["lowPriorityBatch": "300ms"]) { mock, client in
            var fields = mock.fields()
            fields[3].1 = "5"
            #expect(try client.ask("POST", path, fields, body: alert).status == 200)
            let deadline = now() + .seconds(10)
            while try outcomes(mock) != ["stored shown"], now() < deadline {}
            #expect(try outcomes(mock) == ["stored shown"])
        }
    }

    @Test func `tokens of one device are away together`() throws {
        try withDevices { mock, client in
            try set(mock, #"{"device":"phone-1"}"#)
            try set(mock, #"{"device":"phone-1","connection":"offline"}"#, token: Self.other)
            #expect(try mock.admin.ask("GET", "/v1/tokens/" + Self.token).json["connection"] == "offline")
            #expect(try push(client, mock).status == 200)
            #expect(try outcomes(mock) == ["stored"])
        }
    }

    @Test func `a replaced token is 410 with the time of it in milliseconds, and the new one is live`() throws {
        try withDevices { mock, client in
            #expect(try push(client, mock).status == 200)
            let before = SystemTime().wall().milliseconds
            let reply = try set(mock, #"{"replacedBy":"\#(Self.other)"}"#, method: "PATCH")
            #expect(reply.json["state"] == "unregistered" && reply.json["replacedBy"]?.string == Self.other)
            let gone = try push(client, mock)
            #expect(gone.status == 410 && gone.json["reason"] == "Unregistered")
            let timestamp = try #require(gone.json["timestamp"]?.int)
            #expect(timestamp >= before && timestamp <= SystemTime().wall().milliseconds)
            #expect(try client.ask("POST", "/3/device/" + Self.other, mock.fields(), body: alert).status == 200)
        }
    }

    @Test func `an uninstalled app's token is answered 200 for a while and drops pushes, then 410`() throws {
        try withDevices(["unregisteredDelay": "5m"]) { mock, client in
            #expect(try push(client, mock).status == 200)
            try set(mock, #"{"state":"unregistered"}"#, method: "PATCH")
            #expect(try push(client, mock).status == 200)
            #expect(try outcomes(mock) == ["shown", "not-delivered"])
            _ = try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"301s"}"#)
            #expect(try push(client, mock).status == 410)
            try set(mock, #"{"state":"active"}"#, method: "PATCH")
            #expect(try push(client, mock).status == 200)
        }
    }

    @Test func `over its background budget a device throttles while APNs answers 200`() throws {
        try withDevices(["backgroundBudget": "2"]) { mock, client throws in
            let fields = mock.fields().map { name, value in
                (name, name == "apns-push-type" ? "background" : name == "apns-priority" ? "5" : value)
            }
            for _ in 0..<3 {
                let body = #"{"aps":{"content-available":1}}"#
                #expect(try client.ask("POST", path, fields, body: body).status == 200)
            }
            #expect(try outcomes(mock) == ["silent", "silent", "throttled"])
        }
    }

    @Test func `the same collapse id replaces what is visible`() throws {
        try withDevices { mock, client in
            for id in ["build", "build", "other"] { _ = try push(client, mock, [("apns-collapse-id", id)]) }
            #expect(try outcomes(mock) == ["shown", "replaced", "shown"])
        }
    }

    @Test func `what APNs takes without a word is noted beside the push`() throws {
        try withDevices { mock, client in
            let fields = mock.fields().map { name, value in
                (name, name == "apns-push-type" ? "background" : name == "apns-priority" ? "5" : value)
            }
            #expect(try client.ask("POST", path, fields, body: alert).status == 200)
            let push = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array?.first
            #expect(
                push?["warnings"]?.array?.compactMap(\.string)
                    == ["background-with-alert", "background-without-content-available"])
        }
    }

    @Test func `what died by a clock that is then set back stays dead, until a reset`() throws {
        try withMock { mock in
            let client = try mock.provider()
            let fields = mock.fields(topic: "com.example.app.push-type.liveactivity").map { name, value in
                (name, name == "apns-push-type" ? "liveactivity" : value)
            }
            func update() throws -> Reply {
                let now = mock.service.clock.wall().seconds
                let body = #"{"aps":{"timestamp":\#(now),"event":"update","content-state":{}}}"#
                return try client.ask("POST", path, fields, body: body)
            }
            func clock(_ change: String) throws {
                #expect(try mock.admin.ask("PUT", "/v1/clock", body: change).status == 200)
            }
            #expect(try update().status == 200)
            try clock(#"{"advance":"55m"}"#)
            #expect(try update().status == 200)
            try clock(#"{"advance":"13h"}"#)
            let state = try mock.admin.ask("GET", "/v1/activities/" + Self.token).json
            try clock(#"{"advance":"-13h"}"#)
            #expect(try mock.admin.ask("GET", "/v1/activities/" + Self.token).json == state)
            #expect(try update().status == 410)
            #expect(try mock.admin.ask("POST", "/v1/reset").status == 204)
            #expect(try update().status == 200)
        }
    }

    @Test func `the clock is read, moved, set and sped up`() throws {
        try withMock { mock in
            let clock = try mock.admin.ask("GET", "/v1/clock").json
            #expect(clock["scale"]?.double == 1 && abs(clock["offsetMilliseconds"]?.int ?? 9) <= 1)
            let back = try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"-5m"}"#).json
            #expect(-301_000 ... -299_000 ~= back["offsetMilliseconds"]?.int ?? 0)
            let moved = try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"8h","scale":60}"#).json
            #expect(moved["scale"]?.double == 60)
            #expect((moved["offsetMilliseconds"]?.int ?? 0) >= 8 * 3_600_000 - 302_000)
            let set = try mock.admin.ask("PUT", "/v1/clock", body: #"{"now":"2030-01-02T03:04:05Z","scale":1}"#).json
            #expect(set["now"]?.string?.hasPrefix("2030-01-02T03:04:05") == true)
            let info = try mock.admin.ask("GET", "/v1/info").json
            #expect(info["now"]?.string?.hasPrefix("2030-01-02T03:04") == true)
            for body in [
                #"{"now":"soon"}"#, #"{"scale":0}"#, #"{"advance":"x"}"#, #"{"now":"2999-01-01T00:00:00Z"}"#,
                #"{"now":"2260-01-01T00:00:00Z"}"#, #"{"advance":"-36500d"}"#, #"{"advance":"36501d"}"#,
            ] {
                let reply = try mock.admin.ask("PUT", "/v1/clock", body: body)
                #expect(reply.status == 400 && reply.json["error"]?["hint"]?.string?.isEmpty == false, "\(body)")
            }
        }
    }

    @Test func `an activity ends and its token expires by the clock`() throws {
        try withDevices { mock, client in
            let fields = mock.fields(topic: "com.example.app.push-type.liveactivity").map { name, value in
                (name, name == "apns-push-type" ? "liveactivity" : value)
            }
            func update() throws -> Reply {
                let now = try #require(
                    WallTime(iso8601: try mock.admin.ask("GET", "/v1/clock").json["now"]?.string ?? ""))
                let body =
                    #"{"aps":{"timestamp":\#(now.seconds),"event":"update","stale-date":\#(now.seconds + 60),"#
                    + #""content-state":{}}}"#
                // The clock leaves the provider token behind, so each push has a fresh one and its own connection.
                var fields = fields
                fields[0].1 = mock.authorization(at: now)
                return try mock.provider().ask("POST", path, fields, body: body)
            }
            #expect(try update().status == 200)
            // What has become of the card, by the mock's clock.
            func activity() throws -> JSONValue { try mock.admin.ask("GET", "/v1/activities/" + Self.token).json }
            func state() throws -> String? { try activity()["state"]?.string }
            #expect(try state() == "active" && activity()["dismissedAt"] == .null)
            _ = try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"61s"}"#)
            #expect(try state() == "stale")
            _ = try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"8h"}"#)
            #expect(try state() == "ended")
            // By its age, so 12 h after its start.
            let times = try ["startedAt", "dismissedAt"].map { try WallTime(iso8601: activity()[$0]?.string ?? "")?.seconds ?? 0 }
            #expect(times[1] - times[0] == 12 * 3600)
            #expect(try update().status == 200)
            #expect(try outcomes(mock) == ["updated", "ignored-ended"])
            _ = try mock.admin.ask("PUT", "/v1/clock", body: #"{"advance":"4h"}"#)
            #expect(try state() == "dismissed")
            let gone = try update()
            #expect(gone.status == 410 && gone.json["reason"] == "ExpiredToken" && gone.json["timestamp"]?.int != nil)
        }
    }

    @Test(
        "a wrong member is one clear line",
        arguments: [
            #"{"connection":"away"}"#, #"{"device":"a b"}"#, #"{"device":7}"#, #"{"frequentUpdates":"yes"}"#,
            #"{"replacedBy":"xyz"}"#, #"{"replacedBy":"\#(TestMock.device)"}"#,
        ])
    func mistakes(body: String) throws {
        try withMock { mock in
            let reply = try mock.admin.ask("PUT", "/v1/tokens/" + Self.token, body: body)
            #expect(reply.status == 400)
            #expect(reply.json["error"]?["code"] == "bad-member")
            #expect(reply.json["error"]?["hint"]?.string?.isEmpty == false)
        }
    }
}
