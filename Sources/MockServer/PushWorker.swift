// One thread's share of the mock: a loop, a server and the pipeline behind it.

import Basics
import EventLoop
import HTTP2
import Net

/// Confined to its loop.
final class PushWorker {
    private let loop: EventLoop
    private let pipeline: PushPipeline
    private let server: Server
    private var acceptor: Acceptor?

    /// The first SETTINGS are those captured from Apple, in the same order (spec/apns.md §0).
    init(loop: EventLoop, shared: MockShared, index: Int, tls: TLSServerSettings) throws {
        self.loop = loop
        pipeline = try PushPipeline(loop: loop, shared: shared, index: index)
        var configuration = ServerConfiguration(tls: tls)
        configuration.allowsHTTP1 = false
        // Larger than any payload that is allowed, so that the rules see and refuse what is too large.
        configuration.limits.maxBodyBytes = 16_384
        configuration.limits.maxHeaderListBytes = 8_000
        // Announced is one stream, until the first valid provider token; enforced is what is announced from then on.
        configuration.limits.maxConcurrentStreams = PushPipeline.wideStreamLimit
        configuration.http2Settings = [
            .headerTableSize(4_096), .maxConcurrentStreams(1), .initialWindowSize(65_535), .maxFrameSize(16_384),
            .maxHeaderListSize(8_000),
        ]
        server = try Server(loop: loop, configuration: configuration, handler: pipeline)
    }

    /// Accepts on this loop and deals the connections out in turn, to `others` and to itself. One acceptor spreads few
    /// long connections evenly, which SO_REUSEPORT does not.
    func listen(on socket: ListeningSocket, dealingTo others: [LoopThread<PushWorker>]) {
        var next = 0
        acceptor = Acceptor(loop: loop, socket: socket) { [server] descriptor in
            if next == 0 {
                server.adopt(descriptor: descriptor)
            } else {
                others[next - 1].post { $0.server.adopt(descriptor: descriptor) }
            }
            next = (next + 1) % (others.count + 1)
        }
    }

    func stopAccepting() {
        acceptor?.stop()
        acceptor = nil
    }

    /// GOAWAY, finish what is open, close. `done` runs on this loop.
    func drain(within limit: Interval, _ done: @escaping () -> Void) {
        server.drain(within: limit) { [pipeline] in
            _ = pipeline.willSend()
            done()
        }
    }
}
