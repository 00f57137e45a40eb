// What the embedded mock does with tokens, time and channels.

import Basics
import Foundation
import PushRig
import Testing

private let token = String(repeating: "a1", count: 32)
private let other = String(repeating: "b2", count: 32)

extension `The embedded mock` {
    @Test func `answers 410 for a token that has died, with the time of its death`() async throws {
        try await withMock { mock, curl async throws in
            try mock.setToken(
                token, kind: .device, topic: "com.example.app", state: .expired, sinceMilliseconds: 1_700_000_000_000)
            #expect(try curl.push(to: token).body == #"{"reason":"ExpiredToken","timestamp":1700000000000}"#)
            try mock.setToken(token, kind: .device, topic: "com.example.app")
            #expect(try curl.push(to: token).status == 200)
            try mock.setToken(token, topic: "com.example.other")
            #expect(try curl.push(to: token).body.contains("DeviceTokenNotForTopic"))
            #expect(throws: MockError.self) { try mock.setToken("abc") }
        }
    }

    // MARK: Devices

    @Test func `keeps pushes for a phone that is away, and tells what became of them`() async throws {
        try await withMock { mock, curl async throws in
            #expect(throws: MockError.self) { try mock.setConnection(of: token, .offline) }
            for known in [token, other] { try mock.setToken(known, topic: "com.example.app", device: "phone-1") }
            try mock.setConnection(of: token.uppercased(), .offline)
            for _ in 0..<2 { #expect(try curl.push(to: token).status == 200) }
            #expect(try mock.pushes().map(\.outcome) == ["stored", "stored"])
            #expect(try mock.pushes().map(\.lateOutcome) == ["superseded", nil])
            // The phone is back for all of its tokens, and what else is known of them stays.
            try mock.setConnection(of: other, .online)
            #expect(try mock.pushes().map(\.lateOutcome) == ["superseded", "shown"])
            #expect(try curl.push(to: token, topic: "com.example.other").body.contains("DeviceTokenNotForTopic"))
            try mock.setConnection(of: token, .restricted)
            for priority in [10, 5] { #expect(try curl.push(to: token, priority: priority).status == 200) }
            #expect(try mock.pushes().map(\.outcome).suffix(2) == ["shown", "stored"])
        }
    }

    @Test func `replaces a token: the old one is 410, the new one stands for the same app`() async throws {
        try await withMock { mock, curl async throws in
            #expect(throws: MockError.self) { try mock.replaceToken(token, by: other) }
            try mock.setToken(token, kind: .device, topic: "com.example.app")
            let before = Date.now.timeIntervalSince1970 * 1000 - 1
            try mock.replaceToken(token, by: other.uppercased())
            let gone = try curl.push(to: token)
            #expect(gone.status == 410 && gone.body.contains("Unregistered"))
            let died = try JSONValue(parsing: gone.body)["timestamp"]?.double ?? 0
            #expect(before...Date.now.timeIntervalSince1970 * 1000 ~= died)
            #expect(try curl.push(to: other).status == 200)
            #expect(try curl.push(to: other, topic: "com.example.other").body.contains("DeviceTokenNotForTopic"))
            for wrong in [other, "xyz"] { #expect(throws: MockError.self) { try mock.replaceToken(other, by: wrong) } }
        }
    }

    @Test func `moves its clock: stored pushes expire, provider tokens age`() async throws {
        try await withMock { mock, curl async throws in
            try mock.setToken(token, connection: .offline)
            #expect(try curl.push(to: token).status == 200)
            mock.advanceClock(by: .seconds(29 * 86_400))
            #expect(try mock.pushes().map(\.lateOutcome) == [nil])
            mock.advanceClock(by: .seconds(86_401))
            #expect(try mock.pushes().map(\.lateOutcome) == ["expired"])
            #expect(try curl.push(to: other).body.contains("ExpiredProviderToken"))
        }
    }

    @Test func `moves its clock by any duration, and waits for nobody once it has stopped`() async throws {
        let mock = try MockServer()
        try mock.setToken(token)
        for duration in [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1)] { mock.advanceClock(by: duration) }
        await mock.stop()
        mock.advanceClock(by: .seconds(1))
        #expect(throws: MockError.self) { try mock.setToken(token) }
        #expect(throws: MockError.self) { try mock.setConnection(of: token, .offline) }
        #expect(throws: MockError.self) { try mock.replaceToken(token, by: other) }
        try mock.fault(json: #"{"action":{"silence":true}}"#)
    }

    // MARK: Broadcasts

    @Test func `lets activities listen to channels that a relay makes`() async throws {
        var configuration = MockServer.Configuration()
        configuration.managesChannels = true
        try await withMock(configuration) { mock, curl async throws in
            let manage = try #require(mock.channelsURL) + "/1/apps/com.example.app/channels"
            _ = try curl.ask("POST", manage, body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
            let channel = try #require(mock.channels().first)
            #expect(channel.bundle == "com.example.app" && channel.storagePolicy == 1 && channel.subscribers == 0)
            #expect(try mock.subscribe(token, to: channel.id) == nil)
            let now = Int(Date.now.timeIntervalSince1970)
            let answer = try curl.ask(
                "POST", mock.url + "/4/broadcasts/apps/com.example.app",
                [
                    "apns-channel-id: \(channel.id)", "apns-push-type: liveactivity", "apns-priority: 10",
                    "apns-expiration: \(now + 3600)",
                ], body: #"{"aps":{"timestamp":\#(now),"event":"update","content-state":{}}}"#)
            #expect(answer.hasPrefix("HTTP/2 200"), "\(answer)")
            let deadline = Date.now.addingTimeInterval(5)
            while mock.channels()[0].lastOutcomes.isEmpty, Date.now < deadline { await Task.yield() }
            #expect(mock.channels()[0].lastOutcomes == ["updated": 1] && mock.channels()[0].broadcasts == 1)
            // Whoever comes later gets what is stored. A broadcast is none of the pushes.
            #expect(try mock.subscribe(other, to: channel.id) == "updated")
            #expect(try mock.pushes().isEmpty)
            #expect(throws: MockError.self) { try mock.subscribe(token, to: "AAAA") }
            #expect(mock.unsubscribe(token) && !mock.unsubscribe(token))
            // An activity whose token is replaced listens on.
            try mock.replaceToken(other, by: token)
            #expect(mock.unsubscribe(token) && !mock.unsubscribe(other))
            try mock.setBroadcasts(false, for: "com.example.app")
            #expect(mock.channels().isEmpty)
        }
    }
}
