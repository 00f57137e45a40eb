// Channel management on its own port: the answers to requests of one environment.

import APNs
import Basics
import EventLoop
import Journal
import Net
import Pushes
import Synchronization

/// Confined to its loop.
final class ChannelPipeline: ServerHandler {
    private let loop: EventLoop
    private let shared: MockShared
    private let settings: APNsSettings
    private let broadcasts: BroadcastPipeline
    private let journal: JournalWriter
    private var isDirty = false
    private var hasFailed = false

    init(loop: EventLoop, shared: MockShared, settings: APNsSettings) throws(Failure) {
        self.loop = loop
        self.shared = shared
        self.settings = settings
        let name = "channels-\(settings.environment.word)"
        journal = try JournalWriter(directory: shared.journalDirectory, name: name, time: loop.recordTime)
        broadcasts = BroadcastPipeline(
            loop: loop, shared: shared, settings: settings, endpoint: .management, journal: journal,
            seed: shared.seed.child(name))
    }

    func firstStreamLimit(for connection: ServerConnection) -> UInt32? {
        ProviderPeer.greet(connection, settings, shared.credentials)
    }

    func connected(_ connection: ServerConnection) {
        guard let peer = connection.context as? ProviderPeer,
            let refusal = peer.refusal(in: settings.environment, now: shared.clock.wall())
        else { return }
        peer.refuse(connection, refusal)
    }

    func disconnected(_ connection: ServerConnection) {
        (connection.context as? ProviderPeer)?.plannedFault?.cancel()
    }

    func handle(_ exchange: ServerExchange) {
        guard !hasFailed, let peer = exchange.connection.context as? ProviderPeer else {
            return exchange.connection.close()
        }
        if peer.shown != nil, !peer.serves(exchange) { return }
        isDirty = true
        let reply = broadcasts.handle(exchange, peer, now: shared.clock.wall())
        peer.widen(exchange.connection)
        reply.carryOut(on: exchange, peer, loop) {}
    }

    func undelivered(_ push: UInt64) {
        guard !hasFailed else { return }
        broadcasts.undelivered(push)
        isDirty = true
        loop.atEndOfTurn { [self] in _ = willSend() }
    }

    func refused(_ refusal: Refusal, times: Int) { shared.refusedByChannels.add(refusal, times: times) }

    /// False once the journal cannot be written: what is not on record must not be answered.
    func willSend() -> Bool {
        guard isDirty else { return !hasFailed }
        isDirty = false
        if !hasFailed, !journal.commit() {
            hasFailed = true
            shared.report(journal.failure ?? Failure(.run, "the journal cannot be written"))
        }
        shared.commits.add(1, ordering: .releasing)
        return !hasFailed
    }
}
