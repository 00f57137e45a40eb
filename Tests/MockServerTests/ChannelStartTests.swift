// `input-push-channel` over the wire: a push starts an activity, and a broadcast reaches it (docs/apns.md §10, §11).

import APNs
import Basics
import EventLoop
import Journal
import MockServer
import Net
import Testing

@Suite struct ChannelStartTests {
    private static let token = String(repeating: "5a", count: 80)

    /// A valid start for that channel.
    private func start(_ mock: TestMock, _ channel: String, token: String = token, by client: TestClient) throws {
        let body =
            #"{"aps":{"timestamp":\#(SystemTime().wall().seconds),"event":"start","content-state":{},"#
            + #""attributes-type":"Run","attributes":{},"alert":{"title":"t"},"input-push-channel":"\#(channel)"}}"#
        let fields = [
            ("authorization", mock.authorization), ("apns-topic", bundle + ".push-type.liveactivity"),
            ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
        ]
        #expect(try client.ask("POST", "/3/device/" + token, fields, body: body).status == 200)
    }

    private func pushes(_ mock: TestMock) throws -> [JSONValue] {
        try mock.admin.ask("GET", "/v1/pushes?token=" + Self.token).json["pushes"]?.array ?? []
    }

    private func starts(_ mock: TestMock) throws -> [JSONValue] { try mock.notes().filter { $0["act"] == "started" } }

    @Test func `a broadcast reaches the activity that a push has started for its channel`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let channel = try mock.createChannel(policy: 0)
            for _ in 0..<2 { try start(mock, channel, by: client) }
            let pushes = try pushes(mock)
            #expect(pushes.map { $0["outcome"] } == ["started", "started"])
            #expect(pushes.allSatisfy { $0["warnings"] == [] })
            let starts = try starts(mock)
            #expect(starts.map { $0["push"] } == pushes.map { $0["id"] })
            #expect(starts.allSatisfy { $0["channel"]?.string == channel && $0["failure"] == nil && $0["outcome"] == .null })
            #expect(try mock.broadcast(channel, Broadcast(mock, "update"), by: client).status == 200)
            #expect(try mock.outcomes(channel) == ["updated": 2])
            for note in starts {
                let activity = try mock.activity(try #require(note["activity"]?.string))
                #expect(activity["lastEvent"] == "update" && activity["shown"] == 2 && activity["topic"]?.string == bundle)
            }
        }
    }

    @Test func `an activity whose channel is unknown starts and hears nothing, which the push and the journal tell`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let foreign = try mock.createChannel(policy: 0, of: "com.example.other")
            for channel in [foreign, "AAAAAAAAAAAAAAAAAAAAAA==", "nonsense"] { try start(mock, channel, by: client) }
            let pushes = try pushes(mock)
            #expect(pushes.map { $0["outcome"] } == ["started", "started", "started"])
            #expect(pushes.allSatisfy { $0["warnings"] == ["unknown-channel"] })
            let starts = try starts(mock)
            #expect(starts.map { $0["failure"] } == Array(repeating: "no-such-channel", count: 3))
            #expect(starts.map { $0["channel"] } == [.string(foreign), "AAAAAAAAAAAAAAAAAAAAAA==", .null])
            #expect(starts.allSatisfy { $0["activity"] == nil })
            #expect(try mock.admin.ask("GET", "/v1/activities").json["activities"] == [])
        }
    }

    @Test func `a start that its device gets late listens from then on`() throws {
        try withChannelMock { mock in
            let client = try mock.provider()
            let channel = try mock.createChannel(policy: 0)
            func set(_ connection: String, by method: String) throws {
                let body = #"{"kind":"start","connection":"\#(connection)"}"#
                #expect(try mock.admin.ask(method, "/v1/tokens/" + Self.token, body: body).status < 300)
            }
            try set("offline", by: "PUT")
            try start(mock, channel, by: client)
            #expect(try pushes(mock).map { $0["outcome"] } == ["stored"])
            #expect(try starts(mock).isEmpty && mock.channel(channel)?["subscribers"] == 0)
            try set("online", by: "PATCH")
            #expect(try pushes(mock).map { $0["lateOutcome"] } == ["started"])
            #expect(try mock.broadcast(channel, Broadcast(mock, "update"), by: client).status == 200)
            #expect(try mock.outcomes(channel) == ["updated": 1])
            #expect(try starts(mock).map { $0["push"] } == pushes(mock).map { $0["id"] })
        }
    }

    @Test func `an activity whose token is removed listens no more`() throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 0)
            try start(mock, channel, by: try mock.provider())
            #expect(try mock.channel(channel)?["subscribers"] == 1)
            let activity = try #require(try starts(mock).first?["activity"]?.string)
            #expect(try mock.admin.ask("DELETE", "/v1/tokens/" + activity).status == 204)
            #expect(try mock.channel(channel)?["subscribers"] == 0)
        }
    }
}
