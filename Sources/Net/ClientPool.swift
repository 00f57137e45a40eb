// Connections to one origin: opens them when needed, spreads requests over them, bounds the queue, counts time-outs.

package import Basics
package import EventLoop
import HTTP
import HTTP2
import OperatingSystem
import TLS

/// Confined to its loop.
package final class ClientPool: TurnEndHandler {
    let loop: EventLoop
    var origin: Origin { target.origin }
    /// Checked once; every connection goes to one of these.
    private let target: CheckedOrigin
    /// The one that is called next, and how many were tried in a row without success.
    private var nextAddress = 0
    private var triedAddresses = 0
    let authority: String
    let configuration: ClientConfiguration
    let buffers: TransportBuffers
    let streams: HTTP2Pool
    private let tls: TLSContext?
    private var connections: [ClientConnection] = []
    /// Connections that had room when last looked at, in turn.
    private var offered = Ring<ClientConnection>()
    private var waiting = Ring<OutgoingRequest>()
    /// Requests that a reused connection took with it when it died: only a fresh connection may carry them, and each
    /// that comes up takes one of these first.
    private var orphans = Ring<OutgoingRequest>()
    private var dirty: [ClientConnection] = []
    private var isTurnEndPending = false
    /// Cancelled when the pool goes, so they may hold it unowned: a weak reference would slow down every count of it.
    private var sweep: LoopTimer?
    private var retry: LoopTimer?
    /// The earliest deadline of a request, where the run's clock stands: then requests take none of its time, and who waits
    /// for one that never ends waits by that clock.
    private var clockSweep: LoopTimer?
    private var retryAfter = Instant(nanoseconds: 0)
    private var isRetryScheduled = false
    private(set) var isClosed = false
    /// Of the connections, those on their way.
    private var connecting = 0
    private var inFlight = 0
    private var counts = ClientStatistics()
    private let noHead = HeaderBlock()
    private let noBody = ByteBuffer()
    private let response: ClientResponse

    /// Throws `Failure` when the certificate authorities cannot be read.
    package convenience init(loop: EventLoop, target: CheckedOrigin, configuration: ClientConfiguration) throws {
        let origin = target.origin
        let tls =
            origin.isTLS
            ? try TLSContext(configuration.tls, protocols: configuration.version == .http2 ? ["h2"] : ["http/1.1"])
            : nil
        self.init(loop, target, configuration, tls, TransportBuffers(), HTTP2Pool())
    }

    /// Another pool to the same origin on the same loop, with connections and a queue of its own.
    package convenience init(beside other: ClientPool) {
        self.init(other.loop, other.target, other.configuration, other.tls, other.buffers, other.streams)
    }

    private init(
        _ loop: EventLoop, _ target: CheckedOrigin, _ configuration: ClientConfiguration, _ tls: TLSContext?,
        _ buffers: TransportBuffers, _ streams: HTTP2Pool
    ) {
        self.loop = loop
        self.target = target
        authority = target.origin.authority
        response = ClientResponse(head: noHead, body: noBody)
        self.configuration = configuration
        self.tls = tls
        self.buffers = buffers
        self.streams = streams
        scheduleSweep()
        if configuration.opensEagerly { for _ in 0..<configuration.maxConnections { open() } }
    }

    /// For a literal loopback address, which needs no looking up; throws a usage `Failure` for any other.
    package convenience init(loop: EventLoop, origin: Origin, configuration: ClientConfiguration) throws {
        try self.init(loop: loop, target: TargetPolicy.loopback(origin), configuration: configuration)
    }

    deinit {
        sweep?.cancel()
        retry?.cancel()
        clockSweep?.cancel()
        for connection in connections { connection.abandon() }
    }

    package var statistics: ClientStatistics {
        var statistics = counts
        statistics.connectionsOpen = connections.count { !$0.isConnecting }
        statistics.inFlight = inFlight
        statistics.queued = waiting.count + orphans.count
        return statistics
    }

    /// Sends a request; `completion` runs once, on the loop, never within this call unless the queue is full.
    package func send(
        _ request: OutgoingRequest, timeout: Interval? = nil, completion: @escaping (ClientOutcome) -> Void
    ) {
        let deadline = (goesByClock ? loop.clockNow() : loop.now) + (timeout ?? configuration.requestTimeout)
        request.begin(deadline: deadline, completion: completion)
        inFlight += 1
        if goesByClock { sweepOnClock(at: deadline) }
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
        request.queuedAt = loop.stamp()
        waiting.append(request)
        request.isHeldByLimit =
            connections.count >= configuration.maxConnections && connecting + offered.count < connectionsWanted
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
        triedAddresses = 0
        if let orphan = orphans.popFirst() {
            orphan.endWaiting(at: loop.stamp())
            if !connection.submit(orphan) { orphans.prepend(orphan) }
        }
        if connection.hasRoom { offer(connection) }
    }

    func offer(_ connection: ClientConnection) {
        guard !connection.isOffered, !connection.isClosed else { return }
        connection.isOffered = true
        offered.append(connection)
        if !waiting.isEmpty { requestTurnEnd() }
    }

    /// Requests that the peer certainly did not process, in the order in which they were sent: they go first.
    func sendAgain(_ unprocessed: [OutgoingRequest]) {
        let now = loop.stamp()
        for request in unprocessed.reversed() {
            if request.isOnTheWire {
                request.refusals += 1
                counts.sentAgainUnprocessed += 1
            }
            request.isOnTheWire = false
            request.queuedAt = now
            waiting.prepend(request)
        }
        requestTurnEnd()
    }

    /// A request whose reused connection died without a byte of an answer.
    func sendAfresh(_ request: OutgoingRequest) {
        counts.sentTwice += 1
        request.attempts += 1
        request.isOnTheWire = false
        request.queuedAt = loop.stamp()
        orphans.append(request)
        requestTurnEnd()
    }

    func noteStrayAnswer() { counts.strayAnswers += 1 }

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
        if wasConnecting, !isClosed, !tryNextAddress() {
            retryAfter = loop.now + .milliseconds(10)
            if connections.isEmpty { failWaiting(failure, isSafeToResend: true) }
        }
        if !waiting.isEmpty || !orphans.isEmpty { requestTurnEnd() }
    }

    /// The host's next address may answer where this one did not; false when all were tried in vain.
    private func tryNextAddress() -> Bool {
        nextAddress = (nextAddress + 1) % target.addresses.count
        triedAddresses = (triedAddresses + 1) % target.addresses.count
        return triedAddresses > 0
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
        if !orphans.isEmpty { openIfUseful() }
        guard !waiting.isEmpty else { return }
        let now = loop.stamp()
        while !waiting.isEmpty {
            guard let connection = nextWithRoom() else { return openIfUseful() }
            // An equal share for each connection with room.
            var share = waiting.count / (offered.count + 1) + 1
            while share > 0, connection.hasRoom, let request = waiting.popFirst() {
                share -= 1
                request.endWaiting(at: now)
                if !connection.submit(request) { waiting.prepend(request) }
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

    /// As many as the requests that wait would fill.
    private var connectionsWanted: Int {
        let each = configuration.version == .http1 ? 1 : min(Self.usualStreams, max(1, configuration.maxConcurrentStreams))
        return orphans.count + (waiting.count + each - 1) / each
    }

    /// What RFC 9113 §6.5.2 recommends as the least number of streams: how many requests a connection that is on its way
    /// is counted on to take.
    private static let usualStreams = 100

    /// More connections while fewer are on their way than wanted.
    private func openIfUseful() {
        while !isClosed, connections.count < configuration.maxConnections, connecting < connectionsWanted {
            let wait = retryAfter - loop.now
            guard wait <= .zero else { return openLater(after: wait) }
            open()
        }
    }

    private func openLater(after wait: Interval) {
        guard !isRetryScheduled else { return }
        isRetryScheduled = true
        retry = loop.after(wait) { [unowned(unsafe) self] in
            isRetryScheduled = false
            requestTurnEnd()
        }
    }

    private func open() {
        counts.connectionsOpened += 1
        do {
            let address = target.addresses[nextAddress]
            let number = try target.call(address, from: nextSource())
            let session = tls.map {
                TLSSession(context: $0, pipe: buffers.pipe, serverName: configuration.tls.serverName ?? origin.host)
            }
            let connection = ClientConnection(
                pool: self, descriptor: Descriptor(owning: number), session: session, now: loop.now)
            connections.append(connection)
            connecting += 1
            connection.ticket = loop.register(number, for: .readOrWrite, connection)
        } catch {
            if tryNextAddress() { return open() }
            retryAfter = loop.now + .milliseconds(10)
            let failure = ClientFailure(kind: .connect, message: error.message, isSafeToResend: true)
            if connections.isEmpty { loop.atEndOfTurn { [self] in failWaiting(failure) } }
        }
    }

    private func nextSource() -> IPAddress? {
        let sources = configuration.sources
        return sources.isEmpty ? nil : sources[(counts.connectionsOpened - 1) % sources.count]
    }

    private func failWaiting(_ failure: ClientFailure, isSafeToResend: Bool = true) {
        var failure = failure
        failure.isSafeToResend = isSafeToResend
        var batch = Ring<OutgoingRequest>()
        swap(&batch, &waiting)
        while let request = batch.popFirst() { failWaiting(request, failure) }
        var lost = Ring<OutgoingRequest>()
        swap(&lost, &orphans)
        failure.isSafeToResend = false
        while let request = lost.popFirst() { failWaiting(request, failure) }
    }

    private func failWaiting(_ request: OutgoingRequest, _ failure: ClientFailure) {
        request.endWaiting(at: loop.stamp())
        fail(request, failure)
    }

    private func finish(_ request: OutgoingRequest, _ outcome: ClientOutcome) {
        inFlight -= 1
        if inFlight == 0, let timer = clockSweep {
            timer.cancel()
            clockSweep = nil
        }
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

    private var goesByClock: Bool { loop.isStepped && !configuration.timesOutByHost }

    private func sweepOnClock(at deadline: Instant) {
        if let timer = clockSweep, timer.deadline <= deadline { return }
        clockSweep?.cancel()
        clockSweep = loop.onClock(at: deadline) { [unowned(unsafe) self] in
            clockSweep = nil
            checkDeadlines()
            guard inFlight > 0, goesByClock else { return }
            let open = connections.compactMap(\.earliestDeadline)
            if let next = (open + [waiting.first, orphans.first].compactMap { $0?.deadline }).min() { sweepOnClock(at: next) }
        }
    }

    private func checkDeadlines() {
        let hostNow = loop.time.now()
        let now = goesByClock ? loop.clockNow() : hostNow
        let late = ClientFailure(kind: .timeout, message: "no connection was free in time", isSafeToResend: true)
        for connection in connections { connection.checkDeadlines(at: hostNow, requests: now) }
        // What waits is in order of arrival; with one timeout for all also in order of deadline.
        while let request = waiting.first, request.deadline <= now {
            _ = waiting.popFirst()
            failWaiting(request, late)
        }
        while let request = orphans.first, request.deadline <= now {
            _ = orphans.popFirst()
            failWaiting(request, late)
        }
    }
}
