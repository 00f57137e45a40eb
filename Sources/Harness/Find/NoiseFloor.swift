// How late this machine is by itself: calls of the scenario to a server that answers at once. What a search measures cannot be
// finer than that.

import Basics
import EventLoop
import LoadGenerator
import Net
import OperatingSystem
import Planning
import Scenarios

enum NoiseFloor {
    /// Of the load, at the least rate of the search (docs/capacity.md).
    static let length = Interval.seconds(3)

    /// The lateness of our own calls, p99 in nanoseconds; nil where the scenario makes none that soon, or asks for access
    /// tokens first, which only its own server gives. Leaves nothing in `folder`.
    static func measure(_ scenario: Scenario, seed: Seed, in folder: String) throws(Failure) -> Double? {
        guard !scenario.relay.profile.calls.contains(where: { $0.auth?.oauth2 != nil }) else { return nil }
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        let origin = Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
        let thread: LoopThread<EchoWorker>
        do {
            thread = try LoopThread(name: "floor") { loop in try EchoWorker(loop: loop, socket: socket) }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot measure the noise floor: \(error)")
        }
        defer { thread.stop() }
        let journal = folder + "/noise-floor"
        try FileSystem.makeDirectory(journal)
        defer { FileSystem.removeAll(journal) }
        let load = try LoadService(
            plan: Plan(scenario: scenario, seed: seed, run: 1), target: try TargetPolicy.check(origin),
            connections: scenario.workload.connections, journalDirectory: journal, loops: scenario.workload.loops)
        load.start(at: SystemTime().now())
        _ = load.waitUntilDone(timeout: length + .seconds(2))
        load.stop()
        let sent = load.snapshot()
        return sent.sent > 0 ? Double(sent.latenessP99.nanoseconds) : nil
    }
}

/// Confined to its loop.
private final class EchoWorker {
    private let server: Server

    init(loop: EventLoop, socket: ListeningSocket) throws {
        server = try Server(loop: loop, configuration: ServerConfiguration(), handler: Echo())
        server.listen(on: socket)
    }
}

/// Answers 200 to whatever is asked.
private final class Echo: ServerHandler {
    func handle(_ exchange: ServerExchange) { exchange.respond(status: 200, body: Array("{}".utf8)) }
}
