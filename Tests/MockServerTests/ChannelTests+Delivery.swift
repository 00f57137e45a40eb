// Broadcasts over real connections: whom they reach, and what is stored for whom comes later (docs/apns.md §11, §12).

import APNs
import Basics
import Devices
import EventLoop
import Journal
import MockServer
import Net
import TLS
import Testing

extension ChannelTests {
    @Test func `a broadcast updates and ends all activities that listen, and starts none`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let channel = try mock.createChannel(policy: 0)
            // More than one turn's share.
            let count = 1_201
            for number in 1...count {
                _ = try mock.service.channels.subscribe(
                    token(number), to: #require(ChannelID(text: channel)), devices: listening(mock, token(number)),
                    now: SystemTime().wall())
            }
            #expect(try mock.channel(channel)?["subscribers"] == .integer(Int64(count)))
            _ = try mock.broadcast(channel, Broadcast(mock, "start"), by: client)
            #expect(try mock.outcomes(channel) == ["unknown-activity": .integer(Int64(count))])
            #expect(try mock.admin.ask("GET", "/v1/activities").json["activities"] == [])
            _ = try mock.broadcast(channel, Broadcast(mock, "update"), by: client)
            #expect(try mock.outcomes(channel) == ["updated": .integer(Int64(count))])
            #expect(try mock.activity(token(count))["lastEvent"] == "update")
            _ = try mock.broadcast(channel, Broadcast(mock, "update", ahead: -5), by: client)
            #expect(try mock.outcomes(channel) == ["ignored-older": .integer(Int64(count))])
            _ = try mock.broadcast(channel, Broadcast(mock, "end"), by: client)
            #expect(try mock.outcomes(channel) == ["ended": .integer(Int64(count))])
            #expect(try mock.activity(token(1))["state"] == "ended")
            let notes = try mock.notes()
            #expect(notes.filter { $0["act"] == "delivered" }.count == 4)
        }
    }

    private func listening(_ mock: TestMock, _ token: String) -> DeviceFleet {
        mock.service.devices.set(.init(token: token, kind: .activity, topic: bundle))
        return mock.service.devices
    }

    @Test func `policy 1 gives the latest message to those who come later, policy 0 gives nothing`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let soon = SystemTime().wall().seconds + 3_600
            for policy in 0...1 {
                let channel = try mock.createChannel(policy: policy)
                _ = try mock.broadcast(
                    channel, Broadcast(mock, "update", ahead: -2, expiration: policy == 0 ? 0 : soon), by: client)
                _ = try mock.broadcast(channel, Broadcast(mock, "update", expiration: policy == 0 ? 0 : soon), by: client)
                let reply = try mock.subscribe(token(10 + policy), to: channel)
                #expect(reply.json["outcome"] == (policy == 0 ? .null : "updated"))
                // With an expiration of 0 nothing is stored either, and the older message is not the latest any more.
                _ = try mock.broadcast(channel, Broadcast(mock, "update"), by: client)
                #expect(try mock.subscribe(token(20 + policy), to: channel).json["outcome"] == .null)
            }
        }
    }

    @Test func `a device that is away gets the latest message when it is back, if the channel stores one`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let soon = SystemTime().wall().seconds + 3_600
            for policy in 0...1 {
                let channel = try mock.createChannel(policy: policy)
                let (away, here) = (token(60 + policy), token(70 + policy))
                for token in [away, here] { #expect(try mock.subscribe(token, to: channel).status == 200) }
                let set = { (connection: String) in
                    let path = "/v1/tokens/" + away
                    let reply = try mock.admin.ask("PATCH", path, body: #"{"connection":"\#(connection)"}"#)
                    #expect(reply.status == 200, "\(reply.text)")
                }
                try set("offline")
                for ahead in [-3, -1] {
                    let message = Broadcast(mock, "update", ahead: Int64(ahead), expiration: policy == 0 ? 0 : soon)
                    #expect(try mock.broadcast(channel, message, by: client).status == 200)
                    #expect(try mock.outcomes(channel) == ["updated": 1, policy == 0 ? "discarded" : "stored": 1])
                }
                #expect(try mock.admin.ask("GET", "/v1/activities/" + away).status == 404)
                try set("online")
                if policy == 0 {
                    #expect(try mock.admin.ask("GET", "/v1/activities/" + away).status == 404)
                } else {
                    // Of two messages the later one, once.
                    #expect(try mock.activity(away)["shown"] == 1 && mock.activity(here)["shown"] == 2)
                    #expect(try mock.outcomes(channel) == ["updated": 2, "stored": 1])
                    #expect(try mock.notes().filter { $0["act"] == "delivered late" }.count == 1)
                }
            }
        }
    }

    @Test func `an activity whose token is replaced listens on`() throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 0)
            _ = try mock.subscribe(token(80), to: channel)
            let body = #"{"replacedBy":"\#(token(81))"}"#
            #expect(try mock.admin.ask("PATCH", "/v1/tokens/" + token(80), body: body).status == 200)
            _ = try mock.broadcast(channel, Broadcast(mock, "update"))
            #expect(try mock.outcomes(channel) == ["updated": 1])
            #expect(try mock.activity(token(81))["lastEvent"] == "update")
        }
    }

    @Test func `what is stored lives until its expiration and never beyond eight hours`() throws {
        let clock = ManualTime(wall: SystemTime().wall())
        try withChannelMock({ $0.clock = clock }) { mock in
            let channel = try mock.createChannel(policy: 1)
            let start = clock.wall().seconds
            func send(until expiration: Int64) throws -> String? {
                // Nothing decays on the way: the activity's clock is the mock's.
                var broadcast = Broadcast(mock, "update", expiration: expiration)
                broadcast.body = #"{"aps":{"timestamp":\#(clock.wall().seconds),"event":"update","content-state":{}}}"#
                broadcast.fields[0].1 = token(mock, at: clock.wall())
                #expect(try mock.broadcast(channel, broadcast).status == 200)
                return try mock.channel(channel)?.at(pointer: "/last/storedUntil")?.string
            }
            #expect(try send(until: start + 60) == WallTime(seconds: start + 60).iso8601)
            clock.advance(by: .seconds(58))
            #expect(try mock.subscribe(token(30), to: channel).json["outcome"] == "updated")
            clock.advance(by: .seconds(2))
            #expect(try mock.subscribe(token(31), to: channel).json["outcome"] == .null)
            _ = try send(until: start + 99_999)
            clock.advance(by: .seconds(8 * 3600 - 1))
            #expect(try mock.subscribe(token(32), to: channel).json["outcome"] == "updated")
            clock.advance(by: .seconds(1))
            #expect(try mock.subscribe(token(33), to: channel).json["outcome"] == .null)
        }
    }

    private func token(_ mock: TestMock, at time: WallTime) -> String {
        "bearer "
            + ProviderToken.sign(
                keyID: mock.service.coordinates.keyID, teamID: mock.service.coordinates.teamID, issuedAt: time,
                signer: mock.key.sign)
    }

    @Test func `a deleted channel takes no broadcast, and what it holds is still delivered`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let soon = SystemTime().wall().seconds + 3_600
            let channel = try mock.createChannel(policy: 1)
            let empty = try mock.createChannel(policy: 1)
            _ = try mock.broadcast(channel, Broadcast(mock, "update", expiration: soon), by: client)
            for id in [channel, empty] {
                let reply = try mock.manager().ask("DELETE", channels, mock.credential + [("apns-channel-id", id)])
                #expect(reply.status == 204)
            }
            #expect(try mock.broadcast(channel, Broadcast(mock, "update"), by: client).status == 400)
            #expect(try mock.manager().ask("GET", all, mock.credential).text == #"{"channels":[]}"#)
            #expect(try mock.channel(channel)?["deleted"] == true && mock.channel(empty) == nil)
            #expect(try mock.subscribe(token(40), to: channel).json["outcome"] == "updated")
            #expect(try mock.subscribe(token(41), to: empty).status == 404)
        }
    }

    @Test func `an activity listens to one channel of its own app, or to none`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let (first, second) = (try mock.createChannel(policy: 0), try mock.createChannel(policy: 0))
            let foreign = try mock.createChannel(policy: 0, of: "com.example.other")
            #expect(try mock.subscribe(token(50), to: first).status == 200)
            #expect(try mock.subscribe(token(50), to: second).status == 200)
            #expect(try mock.subscribe(token(50), to: foreign).status == 409)
            #expect(try mock.channel(first)?["subscribers"] == 0)
            #expect(try mock.admin.ask("GET", "/v1/tokens/\(token(50))/channel").json["channel"]?.string == second)
            _ = try mock.broadcast(first, Broadcast(mock, "update"), by: client)
            #expect(try mock.outcomes(first) == [:])
            #expect(try mock.admin.ask("DELETE", "/v1/tokens/\(token(50))/channel").status == 204)
            _ = try mock.broadcast(second, Broadcast(mock, "update"), by: client)
            #expect(try mock.outcomes(second) == [:])
            mock.service.devices.set(.init(token: token(51), kind: .device))
            #expect(try mock.subscribe(token(51), to: first).status == 409)
        }
    }
}
