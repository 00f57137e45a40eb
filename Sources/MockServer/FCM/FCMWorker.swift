// The thread of the mock FCM: one loop with its server.

import Basics
import EventLoop
import Net
import Pushes

/// Confined to its loop.
final class FCMWorker {
    private let shared: MockShared
    private let pipeline: FCMPipeline
    let server: Server

    /// `tls` nil: clear text, for tests.
    init(loop: EventLoop, shared: MockShared, tls: TLSServerSettings?) throws {
        self.shared = shared
        let environment = shared.environments[0]
        var configuration = FCMPipeline.configuration(shared, environment, tls: tls)
        configuration.limits.share(among: shared.totals.count)
        configuration.impostor = { try shared.impostor() }
        pipeline = try FCMPipeline(loop: loop, shared: shared, environment: environment, index: 0)
        server = try Server(loop: loop, configuration: configuration, handler: pipeline)
    }

    func listen(on socket: ListeningSocket) { server.listen(on: socket) { [shared] in shared.nextConnection() } }

    /// `done` runs on this loop.
    func drain(within limit: Interval, _ done: @escaping () -> Void) {
        server.drain(within: limit, debug: FCMPipeline.farewell) { [pipeline] in
            _ = pipeline.willSend()
            done()
        }
    }
}
