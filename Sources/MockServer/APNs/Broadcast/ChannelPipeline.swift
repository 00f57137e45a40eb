// Channel management on its own port: the answers to requests of one environment.

import APNs
import Basics
import EventLoop
import Journal
import Net
import Pushes

/// Confined to its loop.
final class ChannelPipeline: ServerHandler {
    private let loop: EventLoop
    private let shared: MockShared
    private let settings: APNsSettings
    private let broadcasts: BroadcastPipeline
    private let journal: TurnJournal

    init(loop: EventLoop, shared: MockShared, settings: APNsSettings) throws(Failure) {
        self.loop = loop
        self.shared = shared
        self.settings = settings
        let name = "channels-\(settings.environment.word)"
        journal = try TurnJournal(loop: loop, shared: shared, name: name)
        broadcasts = BroadcastPipeline(
            loop: loop, shared: shared, settings: settings, endpoint: .management, journal: journal,
            seed: shared.seed.child(name))
    }

    func firstStreamLimit(for connection: ServerConnection) -> UInt32? {
        APNsPeer.greet(connection, settings, shared.credentials)
    }

    func connected(_ connection: ServerConnection) {
        guard let peer = connection.context as? APNsPeer,
            let refusal = peer.refusal(in: settings.environment, now: shared.clock.wall())
        else { return }
        peer.refuse(connection, refusal)
    }

    func disconnected(_ connection: ServerConnection) {
        (connection.context as? APNsPeer)?.plannedFault?.cancel()
    }

    func handle(_ exchange: ServerExchange) {
        guard !journal.hasFailed, let peer = exchange.connection.context as? APNsPeer else {
            return exchange.connection.close()
        }
        guard peer.serves(exchange) else { return }
        journal.markDirty()
        let reply = broadcasts.handle(exchange, peer, now: shared.clock.wall())
        peer.judged(on: exchange.connection)
        reply.carryOut(on: exchange, peer, loop) {}
    }

    /// The provider cannot know what became of that operation.
    func undelivered(_ push: UInt64) {
        guard !journal.hasFailed else { return }
        journal.writer.append(undelivered: push, at: loop.noted)
        journal.commitSoon { [journal] in _ = journal.commitTurn() }
    }

    func refused(_ refusal: Refusal, times: Int) { shared.refusedByChannels.add(refusal, times: times) }

    func willSend() -> Bool { journal.commitTurn() }
}
