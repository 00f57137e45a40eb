// Faults that meet broadcasts and operations on channels do to them what they do to pushes, frame by frame.

import Basics
import EventLoop
import Journal
import MockServer
import Net
import Testing
import WireClient

@Suite struct BroadcastFaultTests {
    private typealias Frame = RawProvider.Frame
    private static let id = "4084a6e4-9ea8-6d2a-ca49-9a344a152da7"

    /// One fault, one broadcast on stream 1, and what it made of it.
    private struct Met {
        var provider: RawProvider
        /// The message has reached the channel.
        var wasSent: Bool
        /// Of the request in the journal.
        var entry: PushEntry
        var frames: [Frame] { provider.frames.on(stream: 1) }
    }

    private func meet(
        _ action: String, until isLast: (RawProvider) -> Void = { $0.read() }, check: (Met, TestMock) throws -> Void
    ) throws {
        try withChannelMock { mock in
            let channel = try mock.createChannel(policy: 1)
            try mock.fault(#"{"meets":"broadcast","action":\#(action),"times":1}"#)
            let provider = try RawProvider(mock)
            provider.broadcast(on: channel, mock, id: Self.id)
            isLast(provider)
            let entry = try #require(try requests(mock).last { $0.kind == .broadcast })
            let count = try mock.channel(channel)?["broadcasts"]
            try check(Met(provider: provider, wasSent: count == 1, entry: entry), mock)
        }
    }

    // MARK: Streams

    @Test func `RST_STREAM comes in place of the answer, and the connection goes on`() throws {
        try meet(#"{"reset-stream":true}"#, until: { $0.readAnswer() }) { met, mock in
            #expect(met.frames == [Frame(type: 3, flags: 0, stream: 1, payload: word(7))])
            #expect(!met.wasSent && met.entry.status == 0 && met.entry.faultAction == 4)
            let channel = try mock.createChannel(policy: 1)
            met.provider.broadcast(on: channel, mock, stream: 3)
            #expect(met.provider.readAnswer(stream: 3).on(stream: 3).map(\.type) == [1])
            met.provider.echo()
            #expect(mock.service.statistics().openStreams == 0 && mock.service.statistics().faultsFired == 1)
        }
    }

    @Test func `RST_STREAM follows the HEADERS of a success, and the broadcast was sent`() throws {
        try meet(
            #"{"reset-stream":{"code":"INTERNAL_ERROR","after":"headers"}}"#, until: { $0.read { $0.type == 3 } }
        ) { met, _ in
            #expect(met.frames.map(\.type) == [1, 3] && met.frames[0].flags == 4 && met.frames[0].payload[0] == 0x88)
            #expect(fields(met.frames[0]) == [":status: 200", "apns-request-id: " + Self.id])
            #expect(met.frames[1].payload == word(2))
            #expect(met.wasSent && met.entry.status == 200)
        }
    }

    // MARK: GOAWAY

    @Test(arguments: [("this", UInt32(1), true), ("before", 0, false), ("none", 0, false)])
    func `GOAWAY with its reason; beyond the last stream nothing is processed`(
        last: String, id: UInt32, isAnswered: Bool
    ) throws {
        try meet(#"{"goaway":{"reason":"Shutdown","last":"\#(last)"}}"#) { met, mock in
            let goAway = try #require(met.provider.frames.of(type: 7).first)
            #expect(goAway.payload == word(id) + word(0) + Array(#"{"reason":"Shutdown"}"#.utf8))
            #expect(met.frames.map(\.type) == (isAnswered ? [1] : []) && met.provider.ending == .closed)
            #expect(met.wasSent == isAnswered && met.entry.status == (isAnswered ? 200 : 0))
            #expect(mock.service.statistics().connectionsEndedByFaults == 1)
        }
    }

    // MARK: Endings

    @Test(arguments: ["clean", "fin", "reset"], ["before-answer", "half-answer", "after-answer"])
    func `the connection ends as it is told`(how: String, when: String) throws {
        try meet(#"{"close":{"how":"\#(how)","when":"\#(when)"}}"#) { met, _ in
            #expect(met.provider.ending == (how == "clean" ? .closed : how == "fin" ? .cutOff : .reset))
            #expect(met.frames.count == (when == "after-answer" ? 1 : 0))
            let half = met.provider.rest
            #expect(half.isEmpty == (when != "half-answer"))
            // HEADERS with a status in one byte, and a new field of 15 and 36 bytes with their lengths.
            if !half.isEmpty { #expect(half.count < 64 && half[3] == 1 && number(half[5..<9]) == 1) }
            #expect(met.wasSent == (when != "before-answer"))
            #expect(met.entry.status == (when == "after-answer" ? 200 : 0))
        }
    }

    // MARK: Limits

    @Test func `MAX_CONCURRENT_STREAMS is announced before the answer, after the wide limit`() throws {
        try meet(#"{"max-streams":1}"#, until: { $0.readAnswer() }) { met, _ in
            #expect(met.provider.frames.settings.dropFirst() == [[3: 1_000], [3: 1]])
            #expect(met.frames.map(\.type) == [1] && met.wasSent && met.entry.status == 200)
        }
    }

    @Test func `a small window is announced, WINDOW_UPDATEs are held back, and the broadcast is answered`() throws {
        try meet(#"{"window":{"initial":16,"withhold":true}}"#, until: { $0.readAnswer() }) { met, mock in
            #expect(met.provider.frames.settings.last == [4: 16])
            #expect(met.frames.map(\.type) == [1] && met.wasSent && met.entry.status == 200)
            for stream in [3, 5, 7, 9] as [UInt32] {
                met.provider.post("/", [], body: String(repeating: " ", count: 10_000), stream: stream)
            }
            #expect(met.provider.echo().of(type: 8).isEmpty)
        }
    }

    // MARK: Frames

    @Test func `lawless frames name the id and the reason as broadcasts do`() throws {
        try meet(#"{"raw":"empty-data"}"#, until: { $0.readAnswer() }) { met, _ in
            #expect(met.frames.map(\.type) == [1, 0] && met.frames.map(\.flags) == [4, 1])
            let block = [0x88, 0x10, 15] + Array("apns-request-id".utf8) + [36] + Array(Self.id.utf8)
            #expect(met.frames[0].payload == block)
            #expect(!met.wasSent && met.entry.status == 0)
        }
        try meet(#"{"raw":"split-body"}"#, until: { $0.readAnswer() }) { met, _ in
            let body = met.frames.dropFirst().flatMap(\.payload)
            #expect(text(body) == #"{"reason":"BadChannelId"}"#)
        }
    }

    @Test(arguments: ["before", "after"]) func `bytes stand before or after the answer`(place: String) throws {
        let hex = "000024 fa 00 {stream} {apnsId}"
        try meet(#"{"raw":{"hex":"\#(hex)","place":"\#(place)"}}"#, until: { $0.echo() }) { met, _ in
            #expect(met.frames.map(\.type) == (place == "before" ? [0xFA, 1] : [1, 0xFA]))
            #expect(met.frames.of(type: 0xFA).map { text($0.payload) } == [Self.id])
            #expect(met.wasSent && met.entry.status == 200)
        }
    }

    // MARK: Answers

    @Test func `an answer that APNs never gives keeps the request id and tells the journal its status`() throws {
        let action = #"{"respond":{"status":502,"body":"gone","headers":{"server":"proxy"}}}"#
        try meet(action, until: { $0.readAnswer() }) { met, mock in
            #expect(met.frames.map(\.type) == [1, 0] && text(met.frames[1].payload) == "gone")
            #expect(fields(met.frames[0]) == [":status: 502", "apns-request-id: " + Self.id, "server: proxy"])
            #expect(!met.wasSent && met.entry.status == 502)
            met.provider.echo()
            #expect(mock.service.statistics().openStreams == 0)
        }
    }

    @Test func `silence is nobody's answer, and its stream stays open`() throws {
        try meet(#"{"silence":true}"#, until: { $0.echo() }) { met, mock in
            #expect(met.frames.isEmpty && !met.wasSent && met.entry.status == 0)
            #expect(mock.service.statistics().openStreams == 1)
            met.provider.send(type: 3, stream: 1, word(8))
            met.provider.echo()
            #expect(mock.service.statistics().openStreams == 0)
        }
    }

    // MARK: Channels

    @Test func `an operation that is not processed changes no channel, one that is badly answered does`() throws {
        try withChannelMock { mock in
            let path = "/1/apps/\(bundle)/channels"
            let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
            var known = 0
            func create(_ action: String) throws -> (RawProvider, count: Int) {
                try mock.fault(#"{"meets":"broadcast","action":\#(action),"times":1}"#)
                let provider = try RawProvider(mock, at: mock.service.coordinates.channels)
                provider.post(path, mock.credential, body: body)
                provider.read { $0.type == 3 }
                let all = try mock.admin.ask("GET", "/v1/channels").json["channels"]?.array?.count ?? 0
                defer { known = all }
                return (provider, all - known)
            }
            let (refused, none) = try create(#"{"reset-stream":true}"#)
            #expect(none == 0 && refused.frames.on(stream: 1).map(\.type) == [3])
            let (told, one) = try create(#"{"reset-stream":{"after":"headers"}}"#)
            #expect(one == 1 && told.frames.on(stream: 1).map(\.type) == [1, 3])
            let head = fields(try #require(told.frames.on(stream: 1).first))
            #expect(head.first == ":status: 201" && head.last?.hasPrefix("apns-channel-id: ") == true)
            let (cut, another) = try create(#"{"close":{"how":"fin","when":"half-answer"}}"#)
            #expect(another == 1 && cut.ending == .cutOff && cut.frames.on(stream: 1).isEmpty && !cut.rest.isEmpty)
            let (gone, last) = try create(#"{"goaway":"Shutdown"}"#)
            #expect(last == 1 && gone.frames.of(type: 7).count == 1 && gone.ending == .closed)
            #expect(try requests(mock).map(\.faultAction) == [4, 4, 8, 5])
        }
    }

    @Test func `connections of channel management are counted with the others`() throws {
        try withChannelMock { mock in
            _ = try mock.provider().ask("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert)
            try mock.fault(
                #"{"meets":"broadcast","action":{"respond":{"reason":"Shutdown"}},"match":{"connection":3}}"#)
            let statuses = try (0..<3).map { _ in
                try mock.manager().ask("GET", "/1/apps/\(bundle)/all-channels", mock.credential).status
            }
            #expect(statuses == [200, 503, 200])
        }
    }

    @Test func `each connection is counted by itself, whichever port it came to`() throws {
        try withChannelMock { mock in
            let (manager, other) = (try mock.manager(), try mock.manager())
            try mock.fault(
                #"{"meets":"broadcast","action":{"respond":{"reason":"Shutdown"}},"times":1,"per":"connection"}"#)
            let statuses = try [manager, other, manager, other].map {
                try $0.ask("GET", "/1/apps/\(bundle)/all-channels", mock.credential).status
            }
            #expect(statuses == [503, 503, 200, 200])
        }
    }
}

/// Broadcasts and operations on channels in the journal.
private func requests(_ mock: TestMock) throws -> [PushEntry] {
    var requests: [PushEntry] = []
    _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
        if case .broadcast(let request) = entry { requests.append(request) }
        return true
    }
    return requests
}

private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// Of the first header block on a connection.
private func fields(_ frame: RawProvider.Frame) -> [String] {
    var decoder = HPACKDecoder()
    return decoder.decode(frame.payload)?.map { "\($0.name): \($0.value)" } ?? []
}

extension RawProvider {
    /// A valid broadcast; `id` is its request id.
    fileprivate func broadcast(on channel: String, _ mock: TestMock, stream: UInt32 = 1, id: String? = nil) {
        let valid = Broadcast(mock, "update")
        var fields = valid.fields + [("apns-channel-id", channel)]
        if let id { fields.append(("apns-request-id", id)) }
        post("/4/broadcasts/apps/\(bundle)", fields, body: valid.body, stream: stream)
    }
}
