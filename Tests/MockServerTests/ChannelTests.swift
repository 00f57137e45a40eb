// What Apple's pages on broadcast channels promise, over real connections (spec/apns.md §11).

import APNs
import Basics
import Devices
import EventLoop
import Journal
import MockServer
import Net
import TLS
import Testing

@Suite struct ChannelTests {
    private let channels = "/1/apps/\(bundle)/channels"
    private let all = "/1/apps/\(bundle)/all-channels"

    private func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 160 - digits.count) + digits
    }

    // MARK: Management

    @Test func `create, read, list and delete answer with exactly what is documented`() throws {
        try withChannelMock { mock in
            let manager = try mock.manager()
            let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
            let created = try manager.ask("POST", channels, mock.credential, body: body)
            #expect(created.status == 201 && created.body.isEmpty)
            #expect(created.fields.map(\.name) == ["apns-request-id", "apns-channel-id"])
            let id = try #require(created.field("apns-channel-id"))
            #expect(Base64.decode(id)?.count == 16)

            let named = mock.credential + [("apns-channel-id", id)]
            let read = try manager.ask("GET", channels, named)
            #expect(read.status == 200 && read.text == body)
            #expect(read.fields.map(\.name) == ["apns-request-id"])

            let other = try mock.createChannel(policy: 0, by: manager)
            let list = try manager.ask("GET", all, mock.credential)
            #expect(list.status == 200 && list.text == #"{"channels":["\#(id)","\#(other)"]}"#)

            let deleted = try manager.ask("DELETE", channels, named)
            #expect(deleted.status == 204 && deleted.body.isEmpty)
            #expect(deleted.fields.map(\.name) == ["apns-request-id"])
            #expect(try manager.ask("GET", channels, named).text == #"{"reason":"ChannelNotRegistered"}"#)
            #expect(try manager.ask("GET", all, mock.credential).text == #"{"channels":["\#(other)"]}"#)
        }
    }

    @Test func `a channel's id cannot be chosen, and its policy cannot be changed`() throws {
        try withChannelMock { mock in
            let manager = try mock.manager()
            let wanted = "AAAAAAAAAAAAAAAAAAAAAA=="
            let body = #"{"push-type":"LiveActivity","message-storage-policy":0}"#
            let named = mock.credential + [("apns-channel-id", wanted)]
            let id = try #require(try manager.ask("POST", channels, named, body: body).field("apns-channel-id"))
            #expect(id != wanted)
            // There is no path that changes one; the same call makes another channel.
            let again = mock.credential + [("apns-channel-id", id)]
            let change = #"{"push-type":"LiveActivity","message-storage-policy":1}"#
            let second = try manager.ask("POST", channels, again, body: change)
            #expect(second.status == 201 && second.field("apns-channel-id") != id)
            #expect(try manager.ask("GET", channels, again).text == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
        }
    }

    @Test func `the push type of a new channel is taken in all its spellings`() throws {
        try withChannelMock { mock in
            let manager = try mock.manager()
            let client = try mock.provider()
            for word in ["LiveActivity", "Liveactivity", "liveactivity"] {
                let body = #"{"message-storage-policy":0,"push-type":"\#(word)"}"#
                let reply = try manager.ask("POST", channels, mock.credential, body: body)
                #expect(reply.status == 201, "\(word)")
                var broadcast = Broadcast(mock, "update")
                broadcast.fields[1].1 = word
                #expect(try mock.broadcast(reply.field("apns-channel-id") ?? "", broadcast, by: client).status == 200)
            }
        }
    }

    @Test func `ids of channels are the same in a run with the same seed`() throws {
        var ids: [String] = []
        for _ in 0..<2 { try withChannelMock { ids.append(try $0.createChannel(policy: 0)) } }
        #expect(ids[0] == ids[1])
    }

    @Test func `one more than the limit is refused until one is deleted`() throws {
        try withChannelMock({ $0.channelRules.channelsPerApp = 3 }) { mock in
            #expect(ChannelSettings().channelsPerApp == 10_000)
            let manager = try mock.manager()
            let ids = try (0..<3).map { _ in try mock.createChannel(policy: 1, by: manager) }
            let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
            let refused = try manager.ask("POST", channels, mock.credential, body: body)
            #expect(refused.status == 400 && refused.text == #"{"reason":"CannotCreateChannelConfig"}"#)
            // Another app has its own count.
            _ = try mock.createChannel(policy: 1, of: "com.example.other", by: manager)
            _ = try manager.ask("DELETE", channels, mock.credential + [("apns-channel-id", ids[1])])
            _ = try mock.createChannel(policy: 1, by: manager)
        }
    }

    @Test func `taking the capability deletes the app's channels, and giving it does not bring them back`() throws {
        try withChannelMock { mock in
            let manager = try mock.manager()
            _ = try mock.createChannel(policy: 1, by: manager)
            let other = try mock.createChannel(policy: 1, of: "com.example.other", by: manager)
            for isOn in [false, true] {
                let reply = try mock.admin.ask(
                    "PUT", "/v1/apps/" + bundle, [("content-type", "application/json")],
                    body: #"{"broadcasts":\#(isOn)}"#)
                #expect(reply.json["broadcasts"] == .bool(isOn))
            }
            #expect(try manager.ask("GET", all, mock.credential).text == #"{"channels":[]}"#)
            #expect(try mock.channel(other) != nil)
        }
    }

    @Test func `a reset forgets channels and subscriptions`() throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 1)
            #expect(try mock.subscribe(token(1), to: channel).status == 200)
            #expect(try mock.admin.ask("POST", "/v1/reset").status == 204)
            #expect(try mock.admin.ask("GET", "/v1/channels").json["channels"] == [])
            #expect(try mock.admin.ask("GET", "/v1/tokens/\(token(1))/channel").status == 404)
        }
    }

    // MARK: Sending

    @Test func `a broadcast is answered with its request id and nothing else`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let channel = try mock.createChannel(policy: 1)
            let made = try mock.broadcast(channel, Broadcast(mock, "update"), by: client)
            #expect(made.status == 200 && made.body.isEmpty && made.fields.map(\.name) == ["apns-request-id"])
            let id = made.field("apns-request-id") ?? ""
            #expect(id == id.uppercased() && withBytes(of: id) { UUIDBytes($0) } != nil)
            // Apple's samples carry the one or the other; both come back, as spelled.
            for name in ["apns-request-id", "apns-id"] {
                for given in ["4084a6e4-9ea8-6d2a-ca49-9a344a152da7", "4084A6E4-9EA8-6D2A-CA49-9A344A152DA8"] {
                    var broadcast = Broadcast(mock, "update")
                    broadcast.fields.append((name, given))
                    let reply = try mock.broadcast(channel, broadcast, by: client)
                    #expect(reply.status == 200 && reply.field("apns-request-id") == given)
                    #expect(reply.fields.count == 1)
                }
            }
        }
    }

    @Test func `more than 4 KB of attributes and content state are too much for the device`() throws {
        try withChannelMock { mock in
            let id = try mock.createChannel(policy: 0)
            for (count, defect) in [(4_000, JSONValue.null), (4_100, "data-too-large")] {
                var broadcast = Broadcast(mock, "update")
                broadcast.body.replace("\"score\":1", with: "\"score\":\"\(String(repeating: "x", count: count))\"")
                #expect(try mock.broadcast(id, broadcast).status == 200)
                #expect(try mock.channel(id)?["last"]?["defect"] == defect)
            }
        }
    }

    @Test func `an apns-topic is tolerated, a payload of 5120 bytes is allowed, and all priorities are`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let channel = try mock.createChannel(policy: 1)
            var broadcast = Broadcast(mock, "update")
            broadcast.fields.append(("apns-topic", bundle + ".push-type.liveactivity"))
            broadcast.body += String(repeating: " ", count: 5_120 - broadcast.body.utf8.count)
            for priority in ["10", "5", "1"] {
                broadcast.fields[3].1 = priority
                #expect(try mock.broadcast(channel, broadcast, by: client).status == 200)
            }
        }
    }

    @Test func `channels of one environment are unknown in the other`() throws {
        let store = ChannelStore(settings: ChannelSettings(), seed: Seed(1))
        let now = SystemTime().wall()
        let (id, here, there, deletes, others) = withBytes(of: bundle) { bundle in
            let id = store.create(bundle, in: .production, policy: .latest, now: now)!
            return (
                id, store.policy(of: id, bundle: bundle, in: .production), store.policy(of: id, bundle: bundle, in: .sandbox),
                store.delete(id, bundle: bundle, in: .sandbox, now: now), store.channels(of: bundle, in: .sandbox)
            )
        }
        #expect(here == .latest && there == nil && !deletes && others.isEmpty)
        #expect(store.record(of: id)?.environment == .production)
    }

    @Test func `each environment of one mock has a management port, and channels of its own`() throws {
        let anyPort = SocketAddress(host: "127.0.0.1", port: 0)
        try withChannelMock({
            $0.sandbox = anyPort
            $0.sandboxChannels = anyPort
        }) { mock in
            let sandbox = try mock.provider(at: mock.service.coordinates.sandboxChannels)
            let id = try mock.createChannel(policy: 0, by: sandbox)
            #expect(try sandbox.ask("GET", all, mock.credential).text == #"{"channels":["\#(id)"]}"#)
            #expect(try mock.manager().ask("GET", all, mock.credential).text == #"{"channels":[]}"#)
            #expect(try mock.broadcast(id, Broadcast(mock, "update")).status == 400)
            let client = try mock.provider(at: mock.service.coordinates.sandbox)
            #expect(try mock.broadcast(id, Broadcast(mock, "update"), by: client).status == 200)
            #expect(try mock.channel(id)?["environment"] == "sandbox")
        }
    }

    @Test func `pushes and broadcasts share one connection and its one provider token`() throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 1)
            let client = try mock.provider()
            for _ in 0..<3 {
                #expect(try mock.broadcast(channel, Broadcast(mock, "update"), by: client).status == 200)
                let push = try client.ask("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert)
                #expect(push.status == 200 && push.field("apns-id") != nil)
            }
            let statistics = try mock.admin.ask("GET", "/v1/info").json["statistics"]
            #expect(statistics?["pushes"] == 3 && statistics?["openStreams"] == 0)
        }
    }

    // MARK: On record

    @Test func `broadcasts and operations stand in the journal, apart from pushes`() throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 1)
            var broadcast = Broadcast(mock, "update")
            broadcast.fields.append(("apns-request-id", "4084a6e4-9ea8-6d2a-ca49-9a344a152da7"))
            _ = try mock.broadcast(channel, broadcast)
            _ = try mock.broadcast(channel, Broadcast(mock, "update", expiration: -1), by: try mock.provider())
            #expect(try mock.journal().isEmpty)
            let pushes = try #require(try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array)
            #expect(pushes.map { $0["kind"]?.string } == ["channel", "broadcast", "broadcast"])
            #expect(pushes.map { $0["status"] } == [201, 200, 200])
            #expect(pushes[1]["channel"]?.string == channel && pushes[1]["topic"]?.string == bundle)
            #expect(pushes[1]["token"] == .null && pushes[1]["apnsId"] == "4084a6e4-9ea8-6d2a-ca49-9a344a152da7")
            #expect(pushes[1].at(pointer: "/payload/aps/event") == "update")
        }
    }

    // MARK: Delivery

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

    // MARK: Faults

    @Test func `a broadcast may be answered late, lawlessly or never`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let channel = try mock.createChannel(policy: 1)
            try mock.fault(#"{"id":"late","meets":"broadcast","action":{"delay":"300ms"},"match":{"event":"end"}}"#)
            let begin = now()
            #expect(try mock.broadcast(channel, Broadcast(mock, "end"), by: client).status == 200)
            #expect(now() - begin >= .milliseconds(300))
            try mock.fault(#"{"meets":"broadcast","action":{"respond":{"status":502,"body":"gone"}},"times":1}"#)
            let odd = try mock.broadcast(channel, Broadcast(mock, "update"), by: client)
            #expect(odd.status == 502 && odd.text == "gone")
            try mock.fault(#"{"meets":"broadcast","action":{"silence":true},"times":1}"#)
            let broadcast = Broadcast(mock, "update")
            let silent = client.send(
                "POST", "/4/broadcasts/apps/\(bundle)", broadcast.fields + [("apns-channel-id", channel)],
                body: broadcast.body, timeout: .milliseconds(200))
            #expect(throws: ClientFailure.self) { try silent.take().get() }
            #expect(try mock.channel(channel)?["broadcasts"] == 1)
            #expect(try mock.broadcast(channel, Broadcast(mock, "update"), by: client).status == 200)
        }
    }

    // MARK: Others' clients

    @Test(.enabled(if: has("curl"))) func `curl manages channels and sends a broadcast`() throws {
        try withChannelMock { mock in
            let coordinates = mock.service.coordinates
            let manage = "api-manage-broadcast.push.apple.com:\(try #require(coordinates.channels).port)"
            let send = "api-broadcast.push.apple.com:\(coordinates.apns.port)"
            func curl(_ arguments: String) -> String {
                run(
                    """
                    curl -sS -i --http2 --cacert '\(coordinates.ca)' --resolve \(manage):127.0.0.1 \
                      --resolve \(send):127.0.0.1 -H 'authorization: \(mock.authorization)' \(arguments)
                    """) ?? ""
            }
            let created = curl(#"-d '{"message-storage-policy":1,"push-type":"LiveActivity"}' https://\#(manage)\#(channels)"#)
            #expect(created.hasPrefix("HTTP/2 201"), "\(created)")
            let line = created.split(whereSeparator: \.isNewline).first { $0.hasPrefix("apns-channel-id: ") }
            let id = try #require(line).dropFirst("apns-channel-id: ".count)
            let read = curl("-H 'apns-channel-id: \(id)' https://\(manage)\(channels)")
            #expect(read.hasPrefix("HTTP/2 200") && read.hasSuffix(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#))
            #expect(curl("https://\(manage)\(all)").hasSuffix(#"{"channels":["\#(id)"]}"#))
            let sent = curl(
                """
                -H 'apns-channel-id: \(id)' -H 'apns-push-type: liveactivity' -H 'apns-expiration: 0' \
                -H 'apns-priority: 5' -d '\(Broadcast.body("update"))' https://\(send)/4/broadcasts/apps/\(bundle)
                """)
            #expect(sent.hasPrefix("HTTP/2 200") && sent.contains("apns-request-id: "), "\(sent)")
            let deleted = curl("-X DELETE -H 'apns-channel-id: \(id)' https://\(manage)\(channels)")
            #expect(deleted.hasPrefix("HTTP/2 204"), "\(deleted)")
        }
    }
}
