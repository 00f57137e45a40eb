// A mock as users start it, floods over TLS, and a provider that does not notice.

import Basics
import EventLoop
import Journal
import MockServer
import Net
import Testing
import WireClient

@Suite(.timeLimit(.minutes(10))) struct HostilePeerTests {
    private static let path = "/3/device/" + TestMock.device
    /// :method GET, :scheme https, :path /x, :authority a.
    private static let request: [UInt8] = [0x82, 0x87, 0x04, 2, 0x2F, 0x78, 0x01, 1, 0x61]
    private static let cancel: [UInt8] = [0, 0, 0, 8]

    private struct Flood: Sendable {
        let kind: String
        /// Far beyond the limit, in one go.
        let frames: @Sendable () -> [Frame]
    }

    private static func resets(_ count: Int) -> [Frame] {
        (0..<UInt32(count)).flatMap { number in
            [
                Frame(FrameType.headers, flags: 5, stream: number * 2 + 1, request),
                Frame(FrameType.reset, stream: number * 2 + 1, cancel),
            ]
        }
    }

    private static let floods = [
        Flood(kind: "resets") { resets(4_000) },
        Flood(kind: "settings") { Array(repeating: Frame(FrameType.settings), count: 500) },
        Flood(kind: "pings") { Array(repeating: Frame(FrameType.ping, [1, 2, 3, 4, 5, 6, 7, 8]), count: 5_000) },
        Flood(kind: "short-data") {
            [Frame(FrameType.headers, flags: 4, stream: 1, request)]
                + Array(repeating: Frame(FrameType.data, stream: 1), count: 5_000)
        },
        Flood(kind: "continuations") {
            [Frame(FrameType.headers, stream: 1, request)]
                + Array(repeating: Frame(FrameType.continuation, stream: 1), count: 5_000)
        },
        Flood(kind: "other-frames") { Array(repeating: Frame(0xFE, [1]), count: 5_000) },
        Flood(kind: "header-blocks") {
            [Frame(FrameType.headers, stream: 1, request)]
                + Array(repeating: Frame(FrameType.continuation, stream: 1, Array(repeating: 0x90, count: 8_000)), count: 8)
        },
    ]

    @Test func `floods end their own connections with the reason, are counted, and reach neither pushes nor journal`() throws {
        try withMock { mock in
            let client = try mock.provider()
            #expect(try client.ask("POST", Self.path, mock.fields(), body: alert).status == 200)
            for flood in Self.floods {
                let peer = try WireClient(
                    port: mock.service.coordinates.apns.port, trusting: mock.service.coordinates.ca, hello: nil)
                peer.send(bytes: WireClient.preface + Frame.settings([]).bytes + flood.frames().flatMap(\.bytes))
                // Up to the end of the connection.
                while try peer.next() != nil {}
                let goAway = try #require(peer.received.last { $0.type == FrameType.goAway })
                #expect(goAway.payload[4..<8] == [0, 0, 0, 11] && goAway.payload.count > 30)
                #expect(mock.service.statistics().refusals["apns"]?[flood.kind] == 1)
                #expect(try client.ask("POST", Self.path, mock.fields(), body: alert).status == 200)
            }
            let metrics = try mock.admin.ask("GET", "/metrics").text
            #expect(metrics.contains("pushrig_refusals_total{listener=\"apns\",kind=\"pings\"} 1\n"))
            let statistics = try mock.admin.ask("GET", "/v1/info").json["statistics"]
            #expect(statistics?.at(pointer: "/refusals/apns/resets") == 1 && statistics?["refusals"]?["admin"] == [:])
            #expect(try mock.journal().count { $0.status == 200 } == Self.floods.count + 1)
        }
    }

    @Test func `a busy client that means well meets no limit`() throws {
        try withMock { mock in
            let port = mock.service.coordinates.apns.port
            let peer = try WireClient(port: port, trusting: mock.service.coordinates.ca)
            // All streams of a client time out at once; it pings in a burst, and says SETTINGS and priorities.
            var frames = Self.resets(1_000)
            for _ in 0..<200 {
                frames.append(Frame(FrameType.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
                frames.append(Frame(FrameType.priority, stream: 3_001, [0, 0, 0, 0, 16]))
            }
            frames += Array(repeating: Frame(FrameType.settings), count: 20)
            frames += Array(repeating: Frame(FrameType.windowUpdate, [0, 0, 0, 1]), count: 2_000)
            peer.send(bytes: frames.flatMap(\.bytes))
            #expect(try peer.awaitPing())
            #expect(mock.service.statistics().refusals["apns"] == [:])
        }
    }
}
