// The thread of channel management: one server for each environment, so that managing never delays pushes.

import APNs
import Basics
import EventLoop
import Net
import Pushes

/// Confined to its loop.
final class ChannelWorker {
    private let shared: MockShared
    private let servers: [(environment: PushEnvironment, server: Server)]

    /// `tls` nil: clear text, for tests.
    init(loop: EventLoop, shared: MockShared, tls: TLSServerSettings?) throws {
        self.shared = shared
        servers = try shared.environments.map { environment in
            var configuration = APNsPipeline.configuration(shared, environment, tls: tls)
            configuration.announcedStreams = .enforcedOnceRead
            configuration.limits.maxConnections = 100
            configuration.limits.maxHandshakes = 50
            configuration.limits.maxHeldBytes = 16 << 20
            let pipeline = try ChannelPipeline(loop: loop, shared: shared, settings: shared.settings(for: environment))
            return (environment, try Server(loop: loop, configuration: configuration, handler: pipeline))
        }
    }

    func listen(on socket: ListeningSocket, as environment: PushEnvironment) {
        server(of: environment)?.listen(on: socket) { [shared] in shared.nextConnection() }
    }

    func server(of environment: PushEnvironment) -> Server? { servers.first { $0.environment == environment }?.server }

    /// `done` runs on this loop, when all servers have drained.
    func drain(within limit: Interval, _ done: @escaping () -> Void) {
        var left = servers.count
        let debug = APNsPipeline.farewell
        for (_, server) in servers {
            server.drain(within: limit, debug: debug) {
                left -= 1
                if left == 0 { done() }
            }
        }
    }
}
