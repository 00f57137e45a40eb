// Connections to one origin: opens them when needed, spreads requests over them, bounds the queue, counts time-outs.

package import Basics
import CLinux
package import EventLoop
import Glibc
import HTTP
import HTTP2
import TLS

/// Confined to its loop.
package final class ClientPool: TurnEndHandler {
    let loop: EventLoop
    let origin: Origin
    let authority: String
    let configuration: ClientConfiguration
    let buffers = TransportBuffers()
    let streams = HTTP2Pool()
    private let tls: TLSContext?
    private var connections: [ClientConnection] = []
    /// Connections that had room when last looked at, in turn.
    private var offered = Ring<ClientConnection>()
    private var waiting = Ring<OutgoingRequest>()
    private var dirty: [ClientConnection] = []
    private var isTurnEndPending = false
    /// Cancelled when the pool goes, so they may hold it unowned: a weak reference would slow down every count of it.
    private var sweep: LoopTimer?
    private var retry: LoopTimer?
    private var retryAfter = Instant(nanoseconds: 0)
    private var isRetryScheduled = false
    private var isClosed = false
    private var opened = 0
    /// Of the connections, those on their way.
    private var connecting = 0
    private var inFlight = 0
    private let noHead = HeaderBlock()
    private let noBody = ByteBuffer()
    private let response: ClientResponse

    /// Throws `Failure` when the certificate authorities cannot be read.
    package init(loop: EventLoop, origin: Origin, configuration: ClientConfiguration) throws {
        self.loop = loop
        self.origin = origin
        authority = origin.authority
        response = ClientResponse(head: noHead, body: noBody)
        self.configuration = configuration
        tls =
            origin.isTLS
            ? try TLSContext(
                clientTrusting: configuration.tls.caFile,
                protocols: configuration.version == .http2 ? ["h2"] : ["http/1.1"],
                certificateFile: configuration.tls.certificateFile, keyFile: configuration.tls.keyFile)
            : nil
        scheduleSweep()
        if configuration.opensEagerly { for _ in 0..<configuration.maxConnections { open() } }
    }

    deinit {
        sweep?.cancel()
        retry?.cancel()
        for connection in connections { connection.abandon() }
    }

    package var statistics: ClientStatistics {
        ClientStatistics(
            connectionsOpened: opened, connectionsOpen: connections.count { !$0.isConnecting }, inFlight: inFlight,
            queued: waiting.count)
    }

    /// Sends a request; `completion` runs once, on the loop, never within this call unless the queue is full.
    package func send(
        _ request: OutgoingRequest, timeout: Interval? = nil, completion: @escaping (ClientOutcome) -> Void
    ) {
        request.completion = completion
        request.sentAt = nil
        request.deadline = loop.now + (timeout ?? configuration.requestTimeout)
        inFlight += 1
        guard !isClosed else {
            return fail(request, ClientFailure(kind: .closed, message: "the pool is closed", isSafeToResend: true))
        }
        guard waiting.count < configuration.maxQueued else {
            return fail(
                request, ClientFailure(kind: .overloaded, message: "too many requests wait", isSafeToResend: true))
        }
        if waiting.isEmpty, let connection = nextWithRoom(), connection.submit(request) {
            if connection.hasRoom { offer(connection) }
            return
        }
        waiting.append(request)
        serveWaiting()
    }

    /// Ends all connections; what is open or waits fails with `.closed`.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        sweep?.cancel()
        for connection in connections { connection.close() }
        failWaiting(ClientFailure(kind: .closed, message: "the pool is closed", isSafeToResend: true))
    }

    // MARK: For connections

    func connected(_ connection: ClientConnection) {
        connecting -= 1
        retryAfter = Instant(nanoseconds: 0)
        offer(connection)
    }

    func offer(_ connection: ClientConnection) {
        guard !connection.isOffered, !connection.isClosed else { return }
        connection.isOffered = true
        offered.append(connection)
        if !waiting.isEmpty { requestTurnEnd() }
    }

    func complete(_ request: OutgoingRequest, status: Int, head: HeaderBlock, body: ByteBuffer, at now: Instant) {
        response.status = status
        response.head = head
        response.body = body
        response.sentAt = request.sentAt ?? now
        response.answeredAt = now
        finish(request, .response(response))
        response.head = noHead
        response.body = noBody
    }

    func fail(_ request: OutgoingRequest, _ failure: ClientFailure) { finish(request, .failed(failure)) }

    func closed(_ connection: ClientConnection, _ failure: ClientFailure, wasConnecting: Bool) {
        connections.removeAll { $0 === connection }
        if wasConnecting { connecting -= 1 }
        guard wasConnecting, !isClosed else {
            if !waiting.isEmpty { requestTurnEnd() }
            return
        }
        retryAfter = loop.now + .milliseconds(10)
        if connections.isEmpty { failWaiting(failure, isSafeToResend: true) }
    }

    func markDirty(_ connection: ClientConnection) {
        dirty.append(connection)
        requestTurnEnd()
    }

    private func requestTurnEnd() {
        guard !isTurnEndPending else { return }
        isTurnEndPending = true
        loop.atEndOfTurn(self)
    }

    package func turnEnded() {
        isTurnEndPending = false
        serveWaiting()
        var index = 0
        while index < dirty.count {
            dirty[index].flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }

    // MARK: Inside

    private func serveWaiting() {
        while !waiting.isEmpty {
            guard let connection = nextWithRoom() else {
                openIfUseful()
                return
            }
            // An equal share for each connection with room.
            var share = waiting.count / (offered.count + 1) + 1
            while share > 0, connection.hasRoom, let request = waiting.popFirst() {
                share -= 1
                if !connection.submit(request) { waiting.append(request) }
            }
            if connection.hasRoom { offer(connection) }
        }
    }

    private func nextWithRoom() -> ClientConnection? {
        while let connection = offered.popFirst() {
            connection.isOffered = false
            if !connection.isClosed, connection.hasRoom { return connection }
        }
        return nil
    }

    /// One more connection while fewer are on their way than requests wait.
    private func openIfUseful() {
        guard connections.count < configuration.maxConnections, connecting < waiting.count else { return }
        let wait = retryAfter - loop.now
        guard wait <= .zero else {
            guard !isRetryScheduled else { return }
            isRetryScheduled = true
            retry = loop.after(wait) { [unowned(unsafe) self] in
                isRetryScheduled = false
                requestTurnEnd()
            }
            return
        }
        open()
    }

    private func open() {
        opened += 1
        do {
            guard let address = try Resolver.resolve(origin.host, port: origin.port).first else {
                throw Failure(.run, "no address for \(origin.host)")
            }
            let number = socket(address.family, Int32(SOCK_STREAM.rawValue) | 0o2000000 | 0o4000, 0)
            guard number >= 0 else { throw Failure(.run, "cannot make a socket: \(SystemCall.describe(errno))") }
            var one: Int32 = 1
            setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
            let result = address.withSockaddr { connect(number, $0, $1) }
            guard result == 0 || errno == EINPROGRESS else {
                let error = errno
                Glibc.close(number)
                throw Failure(.run, "cannot connect to \(address): \(SystemCall.describe(error))")
            }
            let session = tls.map {
                TLSSession(context: $0, pipe: buffers.pipe, serverName: configuration.tls.serverName ?? origin.host)
            }
            let connection = ClientConnection(
                pool: self, descriptor: Descriptor(owning: number), session: session, now: loop.now)
            connections.append(connection)
            connecting += 1
            connection.ticket = loop.register(number, for: .readOrWrite, connection)
        } catch {
            retryAfter = loop.now + .milliseconds(10)
            let message = (error as? Failure)?.message ?? "\(error)"
            let failure = ClientFailure(kind: .connect, message: message, isSafeToResend: true)
            if connections.isEmpty { loop.atEndOfTurn { [self] in failWaiting(failure) } }
        }
    }

    private func failWaiting(_ failure: ClientFailure, isSafeToResend: Bool = true) {
        var failure = failure
        failure.isSafeToResend = isSafeToResend
        var batch = Ring<OutgoingRequest>()
        swap(&batch, &waiting)
        while let request = batch.popFirst() { fail(request, failure) }
    }

    private func finish(_ request: OutgoingRequest, _ outcome: ClientOutcome) {
        inFlight -= 1
        let completion = request.completion.take()
        completion?(outcome)
    }

    private func scheduleSweep() {
        let tenth = Interval(nanoseconds: configuration.requestTimeout.nanoseconds / 10)
        let interval = min(max(tenth, .milliseconds(10)), .milliseconds(250))
        sweep = loop.after(interval) { [unowned(unsafe) self] in
            guard !isClosed else { return }
            checkDeadlines()
            scheduleSweep()
        }
    }

    private func checkDeadlines() {
        let now = loop.time.now()
        for connection in connections { connection.checkDeadlines(at: now) }
        // What waits is in order of arrival; with one timeout for all also in order of deadline.
        while let request = waiting.first, request.deadline <= now {
            _ = waiting.popFirst()
            fail(
                request, ClientFailure(kind: .timeout, message: "no connection was free in time", isSafeToResend: true))
        }
    }
}
