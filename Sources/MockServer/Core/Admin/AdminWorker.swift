// The admin API's thread: its own loop, server and handler, so that questions never delay pushes.

import Basics
import EventLoop
import Net

/// Confined to its loop.
final class AdminWorker {
    private let handler: AdminHandler
    let server: Server

    init(loop: EventLoop, shared: MockShared, coordinates: MockCoordinates) throws {
        handler = try AdminHandler(loop: loop, shared: shared, coordinates: coordinates)
        var configuration = ServerConfiguration()
        configuration.limits.maxBodyBytes = AdminHandler.maxBodyBytes
        configuration.limits.maxHeaderListBytes = 16_384
        configuration.limits.maxConcurrentStreams = 100
        configuration.limits.maxConnections = 256
        configuration.limits.idleTimeout = .seconds(300)
        // A page of 10,000 pushes of 4 KiB waits for a slow reader.
        configuration.limits.maxPendingOutputBytes = 256 << 20
        configuration.limits.maxHeldBytes = 512 << 20
        server = try Server(loop: loop, configuration: configuration, handler: handler)
    }

    func listen(on socket: ListeningSocket) { server.listen(on: socket) }

    func keepClock() { handler.keeper.look() }

    func drain(within limit: Interval, _ done: @escaping () -> Void) {
        handler.pushes.answerAll()
        handler.phoneEvents.answerAll()
        handler.events.endAll()
        handler.keeper.answerAll()
        server.drain(within: limit) { [handler] in
            _ = handler.willSend()
            done()
        }
    }
}
