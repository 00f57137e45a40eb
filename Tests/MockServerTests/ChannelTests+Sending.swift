// Broadcasts over real connections: what is taken, how it is answered (docs/apns.md §11).

import APNs
import Basics
import Devices
import EventLoop
import Journal
import MockServer
import Net
import Pushes
import Testing

extension ChannelTests {
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
}
