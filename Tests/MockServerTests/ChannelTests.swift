// What Apple's pages on broadcast channels promise, over real connections (docs/apns.md §11): management here, sending and
// delivery in files of their own.

import APNs
import Basics
import Devices
import EventLoop
import Journal
import MockServer
import Net
import Testing

@Suite struct ChannelTests {
    let channels = "/1/apps/\(bundle)/channels"
    let all = "/1/apps/\(bundle)/all-channels"

    func token(_ number: Int) -> String {
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
