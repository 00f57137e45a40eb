// What the mock has read of a payload stands in its record, so that nobody reads the payload again to judge it.

import Basics
import Journal
import MockServer
import Pushes
import Testing

@Suite struct JournalWordTests {
    private static let marker = Marker(run: 0x1A2B_3C4D, session: 69, step: 87)

    /// A Live Activity push whose text holds the marker.
    private static func body(event: String = #""update""#, timestamp: String = "1760000000", text: String = marker.text) -> String {
        #"{"aps":{"timestamp":\#(timestamp),"event":\#(event),"content-state":{"list":[1,[2]],"text":"\#(text)"}}}"#
    }

    /// The record of one push, answered with that status.
    private func entry(
        _ body: String, type: PushType = .liveactivity, token: String = TestMock.device, status: Int = 200
    ) throws -> PushEntry {
        var found: PushEntry?
        try withMock { mock in
            let suffix = type == .liveactivity ? ".push-type.liveactivity" : ""
            let reply = try mock.provider().ask(
                "POST", "/3/device/" + token,
                [
                    ("authorization", mock.authorization), ("apns-topic", "com.example.app" + suffix),
                    ("apns-push-type", type.word.description),
                ], body: body)
            #expect(reply.status == status)
            found = try mock.journal().first
        }
        return try #require(found)
    }

    @Test(arguments: ActivityEvent.allCases)
    func `event, timestamp and marker of a Live Activity push`(event: ActivityEvent) throws {
        let entry = try entry(Self.body(event: "\"\(event.word)\""))
        #expect(entry.event == event && !entry.hasUnknownEvent && entry.stamp == 1_760_000_000)
        #expect(entry.marker == Self.marker)
    }

    @Test(arguments: [#""Update""#, "3", "[]"])
    func `an event that is none is told from none at all`(event: String) throws {
        let entry = try entry(Self.body(event: event))
        #expect(entry.event == nil && entry.hasUnknownEvent && entry.outcome == .undecodable)
    }

    @Test func `no event, timestamp or marker is none`() throws {
        let entry = try entry(Self.body(event: "null", timestamp: "\"soon\"", text: "[pr:1a2b3c4d:1"))
        #expect(entry.event == nil && !entry.hasUnknownEvent && entry.stamp == nil && entry.marker == nil)
    }

    @Test func `an alert has a marker and no event`() throws {
        let entry = try entry(#"{"aps":{"alert":"\#(Self.marker.text) done","event":"update"}}"#, type: .alert)
        #expect(entry.event == nil && !entry.hasUnknownEvent && entry.marker == Self.marker && entry.outcome == .shown)
    }

    @Test func `a push that is refused has its marker, though nobody read its payload`() throws {
        let entry = try entry(Self.body(), token: "abc", status: 400)
        #expect(entry.reason == "BadDeviceToken" && entry.outcome == nil)
        #expect(entry.marker == Self.marker)
    }

    @Test func `a broadcast has all three`() throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 0)
            var broadcast = Broadcast(mock, "update")
            broadcast.body = Self.body(event: #""end""#)
            #expect(try mock.broadcast(channel, broadcast).status == 200)
            var requests: [PushEntry] = []
            _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
                if case .broadcast(let request) = entry { requests.append(request) }
                return true
            }
            let sent = try #require(requests.last)
            #expect(sent.kind == .broadcast && sent.event == .end && sent.stamp == 1_760_000_000)
            #expect(sent.marker == Self.marker)
        }
    }
}
