// Connections of one kind on one loop: accepts or adopts them, flushes them at the end of the turn, ends those that
// idle, and drains.

package import Basics
package import EventLoop
import Glibc
import HTTP2
import OperatingSystem
import Synchronization
import TLS

/// Confined to its loop.
package final class Server: TurnEndHandler {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let handler: any ServerHandler
    let pool = HTTP2Pool()
    let buffers = TransportBuffers()
    let deliveries = Deliveries()
    private let tls: TLSContext?
    private var impostorTLS: TLSContext?
    /// In no order; each knows its place.
    private(set) var connections: [ServerConnection] = []
    var handshaking = ConnectionList()
    /// Beyond the handshake and without a whole request so far.
    var unproven = ConnectionList()
    /// What all connections hold, as of their last turn.
    package internal(set) var heldBytes = 0
    /// The connection that is looked at next.
    var sweepIndex = 0
    private var dirty: [ServerConnection] = []
    private var resumed: [ServerConnection] = []
    private var isTurnEndPending = false
    private var isEndingTurn = false
    private var acceptor: Acceptor?
    /// Cancelled when the server goes, so it may hold it unowned: a weak reference would slow down every count of it.
    var sweep: LoopTimer?
    private var drained: (() -> Void)?
    private var drainEnd: LoopTimer?

    private static let nextID = Atomic<UInt64>(1)

    /// Throws `Failure` when the certificate or key cannot be read.
    package init(loop: EventLoop, configuration: ServerConfiguration, handler: any ServerHandler) throws {
        self.loop = loop
        self.configuration = configuration
        self.handler = handler
        tls = try configuration.tls.map { try Self.context($0, configuration) }
        scheduleSweep()
    }

    private static func context(_ tls: TLSServerSettings, _ configuration: ServerConfiguration) throws -> TLSContext {
        try TLSContext(
            tls, protocols: (configuration.allowsHTTP2 ? ["h2"] : []) + (configuration.allowsHTTP1 ? ["http/1.1"] : []))
    }

    deinit {
        sweep?.cancel()
        drainEnd?.cancel()
    }

    package var connectionCount: Int { connections.count }
    var isDraining: Bool { drained != nil }

    /// Accepts on this loop. `number` counts the connections.
    package func listen(on socket: ListeningSocket, numbering number: @escaping () -> UInt64 = { 0 }) {
        acceptor = Acceptor(loop: loop, socket: socket) { [unowned self] in adopt(descriptor: $0, number: number()) }
    }

    /// Serves a connection that was accepted elsewhere; owns the descriptor. `number`: the nth accepted, from 1.
    package func adopt(descriptor: Int32, number: UInt64 = 0) {
        let owned = Descriptor(owning: descriptor)
        guard drained == nil, makeRoom() else { return }
        let peer = SocketAddress.of(descriptor, peer: true).description
        var context = tls
        var alert: UInt8?
        switch handler.admit(number: number, peer: peer) {
        case .serve: break
        case .close: return
        case .reset: return abort(owned.number)
        case .alert(let code):
            context = nil
            alert = code
        case .impostor:
            guard let made = impostorTLS ?? (try? configuration.impostor.map { try Self.context($0(), configuration) })
            else { return }
            impostorTLS = made
            context = made
        }
        let session = context.map { TLSSession(context: $0, pipe: buffers.pipe) }
        let id = Self.nextID.add(1, ordering: .relaxed).oldValue
        let connection = ServerConnection(
            id: id, number: number, server: self,
            transport: Transport(descriptor: owned, tls: session, buffers: buffers), peer: peer, now: loop.now)
        connection.alert = alert
        connection.place = connections.count
        connections.append(connection)
        handshaking.append(connection)
        connection.ticket = loop.register(descriptor, for: .read, connection)
    }

    /// Stops accepting, tells every connection to go away, waits for open answers up to `limit`, closes, then `done`.
    /// `debug` is said with GOAWAY.
    package func drain(within limit: Interval, debug: [UInt8] = [], _ done: @escaping () -> Void) {
        acceptor?.stop()
        acceptor = nil
        guard !connections.isEmpty else { return done() }
        drained = done
        for connection in connections {
            connection.lawless?.outlivesSession = false
            switch connection.stage {
            case .gone: close(connection)
            case .handshaking: connection.close()
            case .unproven, .proven: connection.goAwayGracefully(debug: debug)
            }
        }
        drainEnd = loop.after(limit) { [self] in
            for connection in connections { close(connection) }
        }
    }

    func markDirty(_ connection: ServerConnection) {
        dirty.append(connection)
        requestTurnEnd()
    }

    /// An HTTP/1.1 answer is done: pipelined requests may go on, a few in a turn so that others have theirs.
    func resume(_ connection: ServerConnection) {
        guard !connection.isResumed else { return }
        connection.isResumed = true
        resumed.append(connection)
        guard isEndingTurn else { return requestTurnEnd() }
        if resumed.count == 1 { _ = loop.after(.zero) { [self] in requestTurnEnd() } }
    }

    private func requestTurnEnd() {
        guard !isTurnEndPending else { return }
        isTurnEndPending = true
        loop.atEndOfTurn(self)
    }

    package func turnEnded() {
        isTurnEndPending = false
        isEndingTurn = true
        defer { isEndingTurn = false }
        if !resumed.isEmpty {
            let batch = resumed
            resumed.removeAll(keepingCapacity: true)
            for connection in batch {
                connection.isResumed = false
                if case .http1(let engine) = connection.engine { connection.advance(engine, at: loop.stamp()) }
            }
        }
        guard !dirty.isEmpty else { return }
        let maySend = handler.willSend()
        var index = 0
        while index < dirty.count {
            if maySend { dirty[index].flush() } else { close(dirty[index]) }
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }

    func close(_ connection: ServerConnection) {
        guard let ticket = connection.ticket else { return }
        loop.deregister(ticket)
        connection.ticket = nil
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.place] = last
            last.place = connection.place
        }
        move(connection, to: .gone)
        heldBytes -= connection.accountedBytes
        connection.accountedBytes = 0
        let isCut = connection.isCutOff
        connection.abandonAll()
        connection.concludeAll(isCut: isCut)
        connection.engine = .undecided
        connection.transport.release()
        if connections.isEmpty, let done = drained {
            drained = nil
            // It may serve again.
            drainEnd?.cancel()
            drainEnd = nil
            loop.atEndOfTurn(done)
        }
    }
}
