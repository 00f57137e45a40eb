// One accepted connection: finds out which protocol the peer speaks, hands requests up and answers down.

package import Basics
package import EventLoop
import HTTP
import HTTP2
package import TLS

/// Confined to the server's loop.
package final class ServerConnection: ReadinessHandler {
    enum Engine {
        /// TLS is not finished, or clear text has not shown its first bytes.
        case undecided
        case http1(HTTP1Engine)
        case http2(HTTP2Session)
    }

    /// Unique within the process.
    package let id: UInt64
    package let peer: String
    /// For the handler's own use.
    package var context: AnyObject?
    package internal(set) var sentResponses = 0
    /// The nth that the listener accepted, from 1; 0 when nobody counts them.
    package let number: UInt64
    /// When the connection was accepted.
    let acceptedAt: Instant
    /// The same on the run's clock.
    package let metAt: Instant

    let server: Server
    let transport: Transport
    var engine = Engine.undecided
    var ticket: Ticket?
    var lastActivity: Instant
    /// When this turn's bytes were read, on the run's clock.
    var readAt: Instant
    var isDirty = false
    var isClosing = false
    /// Waits in the server's list of those whose pipelined requests go on.
    var isResumed = false
    /// What it does against the rules, on purpose; nil for nearly all.
    var lawless: Lawlessness?
    /// The TLS alert that turns the peer away instead of a handshake.
    var alert: UInt8?
    /// After the last byte the peer gets a moment to close first.
    var lingers = false
    var stage = Stage.handshaking
    /// Where this stands among the server's connections.
    var place = 0
    /// Neighbours in the list of its stage.
    var older: Unmanaged<ServerConnection>?
    var younger: Unmanaged<ServerConnection>?
    /// The part of the server's held bytes that is this connection's.
    var accountedBytes = 0
    /// Answers that the kernel has not taken whole, oldest first.
    var unsent: [UnsentAnswer] = []
    /// Marks of HTTP/1.1 answers that wait for the end of the turn.
    var answered: [UInt64] = []
    /// Since when, and from how many sent bytes on, the socket has been seen to take too little.
    var stalledSince: Instant?
    var sentWhenStalled = 0
    /// The loop stops reading while the peer does not read what it asked for.
    private var interest = Readiness.read

    init(id: UInt64, number: UInt64, server: Server, transport: Transport, peer: String, now: Instant) {
        metAt = server.loop.moment
        readAt = now
        self.id = id
        self.number = number
        self.server = server
        self.transport = transport
        self.peer = peer
        acceptedAt = now
        lastActivity = now
    }

    package var isHTTP2: Bool { if case .http2 = engine { true } else { false } }
    package var tlsVersion: String? { transport.tlsVersion }
    /// The client certificate, once the connection is handed to the handler. Taken apart anew at each call.
    package var peerCertificate: PeerCertificate? { transport.peerCertificate }
    var isClosed: Bool { ticket == nil }

    // MARK: For handlers

    /// Sends GOAWAY after what is queued. `lastStreamID` nil: the last stream handed up. What stands behind it, in the same
    /// read or later, is not handed up: the peer is told that it was not processed. HTTP/1.1 closes after the next answer.
    package func goAway(code: UInt32, lastStreamID: Int32? = nil, debug: [UInt8] = []) {
        goAway(code: code, upTo: lastStreamID.map { .stream($0) } ?? .handedUp, debug: debug)
    }

    /// Says NO_ERROR and finishes what the peer has begun.
    func goAwayGracefully(debug: [UInt8]) { goAway(code: HTTP2ErrorCode.noError, upTo: .opened, debug: debug) }

    private func goAway(code: UInt32, upTo last: HTTP2Session.LastStream, debug: [UInt8]) {
        switch engine {
        case .http2(let session): session.goAway(code: code, upTo: last, debug: debug)
        case .http1(let engine):
            engine.closesAfterAnswer = true
            if engine.isIdle { isClosing = true }
        case .undecided: break
        }
        markDirty()
    }

    /// Closes the connection after sending what is queued. Requests that have not been handed up never will be.
    package func close() {
        isClosing = true
        markDirty()
    }

    /// Announces how many streams the peer may open at once. A lower limit is enforced from when the peer has acknowledged
    /// it until it is told another, unless the configuration says otherwise. `isEnforcedOnceRead` false: not even then.
    package func setMaxConcurrentStreams(_ count: UInt32, isEnforcedOnceRead: Bool = true) {
        guard case .http2(let session) = engine else { return }
        let enforced = enforcedStreams(announcing: count)
        let waits = isEnforcedOnceRead && count < enforced && server.configuration.announcedStreams != .served
        session.announce(streams: count, enforcing: waits ? nil : enforced)
        markDirty()
    }

    private func enforcedStreams(announcing count: UInt32) -> UInt32 {
        let limit = server.configuration.limits.maxConcurrentStreams
        return server.configuration.announcedStreams == .enforced ? min(count, limit) : limit
    }

    // MARK: From the loop

    package func ready(_ readiness: Readiness) {
        if readiness.isWritable {
            if transport.writePending() { markDirty() }
            if !unsent.isEmpty { settleUnsent() }
        }
        guard readiness.isReadable else { return }
        guard stage != .gone else { return dropInput() }
        if let alert { return turnAway(alert) }
        let came = transport.read()
        // Behind the read, so that nothing in it comes earlier than its sender had it: a thread may wait for its processor
        // between looking at the clock and reading.
        lastActivity = server.loop.time.now()
        readAt = server.loop.stamp(for: lastActivity)
        switch came {
        case .data:
            decideProtocol()
            receive()
            server.account(self)
            markDirty()
        case .wouldBlock: break
        case .closed, .failed: server.close(self)
        }
    }

    /// The server holds its connections and they hold it; where nobody drained it, it would never go.
    package func loopEnded() { server.close(self) }

    /// The end of the turn: send what the answers of this turn became.
    func flush() {
        isDirty = false
        guard !isClosed, stage != .gone else { return }
        let output = server.buffers.output
        output.clear(keepingUpTo: 1 << 20)
        if let lawless, !lawless.queue.isEmpty { transport.write(lawless.queue) }
        switch engine {
        case .undecided: break
        case .http2(let session):
            // A peer that does not read is not written for: its frames wait in the session, bounded by its streams.
            while transport.pendingBytes == 0, session.wantsWrite {
                guard session.takeOutput(into: output) else { return server.close(self) }
                guard !output.isEmpty else { break }
                transport.write(output)
            }
            session.handOutEvents(to: self)
            if session.isFinished, lawless?.outlivesSession != true { (isClosing, lingers) = (true, true) }
            if let offence = session.offence, !isClosing { return refuse(Refusal(offence)) }
        case .http1(let engine):
            engine.takeOutput(into: output)
            transport.write(output)
            concludeAnswered()
            if engine.isFinished { (isClosing, lingers) = (true, true) }
        }
        finishFlush()
    }

    private func finishFlush() {
        if transport.isBroken { return server.close(self) }
        if transport.pendingBytes > server.configuration.limits.maxPendingOutputBytes { return refuse(.unreadAnswers) }
        if isClosing, transport.pendingBytes == 0 {
            let ending = lawless?.ending ?? .clean
            transport.end(ending)
            return lingers && ending != .reset && !server.isDraining ? linger() : server.close(self)
        }
        server.account(self)
        guard !isClosed else { return }
        if case .http1(let engine) = engine, engine.isHeldUp, transport.pendingBytes == 0 { server.resume(self) }
        let wanted: Readiness = transport.pendingBytes > 0 ? .write : .read
        if wanted.rawValue != interest.rawValue, let ticket {
            interest = wanted
            server.loop.change(ticket, to: wanted)
        }
    }

    func watchReading() {
        guard let ticket, interest.rawValue != Readiness.read.rawValue else { return }
        interest = .read
        server.loop.change(ticket, to: .read)
    }

    func markDirty() {
        guard !isDirty, !isClosed, stage != .gone else { return }
        isDirty = true
        server.markDirty(self)
    }

    // MARK: Protocols

    /// Of HTTP/1.1, pipelined: more wait for the next turn.
    private static let requestsPerTurn = 4
    private static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    private func decideProtocol() {
        guard case .undecided = engine, transport.isReady else { return }
        let configuration = server.configuration
        let useHTTP2: Bool
        switch (transport.negotiatedProtocol, configuration.allowsHTTP1, configuration.allowsHTTP2) {
        case ("h2", _, true), (_, false, _): useHTTP2 = true
        case ("http/1.1", true, _), (_, _, false): useHTTP2 = false
        default:
            // No ALPN: the client's first bytes tell. An HTTP/2 preface begins as no HTTP/1.1 method does.
            let plaintext = server.buffers.plaintext
            guard !plaintext.isEmpty else { return }
            let bytes = plaintext.bytes
            let count = min(bytes.count, 24)
            useHTTP2 = Self.preface.withUTF8Buffer {
                bytes.extracting(first: count).equals($0.span.extracting(first: count))
            }
        }
        engine = useHTTP2 ? .http2(makeSession()) : .http1(HTTP1Engine(limits: configuration.limits))
        server.move(self, to: .unproven)
        server.handler.connected(self)
    }

    private func makeSession() -> HTTP2Session {
        let configuration = server.configuration
        let limits = configuration.limits
        var settings = configuration.http2Settings
        if settings.isEmpty {
            settings = [
                .maxConcurrentStreams(limits.maxConcurrentStreams),
                .maxHeaderListSize(UInt32(limits.maxHeaderListBytes)),
            ]
        }
        var announced = limits.maxConcurrentStreams
        if let place = settings.firstIndex(where: { $0.identifier == HTTP2Setting.maxConcurrentStreams(0).identifier }) {
            announced = server.handler.firstStreamLimit(for: self) ?? settings[place].value
            settings[place].value = announced
        }
        let enforced = enforcedStreams(announcing: announced)
        let waits = announced < enforced && configuration.announcedStreams != .served
        return HTTP2Session(
            role: .server, settings: settings, streamLimit: enforced, isEnforcedOnceRead: waits, limits: limits.http2,
            pool: server.pool)
    }

    private func receive() {
        let plaintext = server.buffers.plaintext
        switch engine {
        case .undecided: break
        case .http2(let session):
            let bytes = plaintext.bytes
            guard session.offence == nil, !bytes.isEmpty else { return }
            let failure = session.receive(bytes, at: lastActivity)
            session.handOutEvents(to: self)
            let lists = session.takeRefusedHeaderLists()
            if lists > 0 { server.count(.headerLists, times: lists, on: self) }
            let overruns = session.takeOverrunStreams()
            if overruns > 0 { server.handler.overran(self, streams: overruns) }
            if let offence = session.offence {
                if !isClosing { refuse(Refusal(offence)) }
            } else if failure != nil {
                (isClosing, lingers) = (true, true)
            }
        case .http1(let engine):
            let bytes = plaintext.bytes
            engine.receive(bytes)
            advance(engine, at: readAt)
            engine.handOver()
        }
    }

    func advance(_ engine: HTTP1Engine, at readAt: Instant) {
        for _ in 0..<Self.requestsPerTurn {
            guard !isClosed, !isClosing, transport.pendingBytes == 0, let request = engine.nextRequest() else { return }
            switch request {
            case .whole(let number):
                if stage == .unproven { server.move(self, to: .proven) }
                let exchange = ServerExchange(
                    connection: self, head: engine.parser.head, body: engine.parser.body,
                    responseHead: engine.responseHead, arrivedAt: readAt, streamID: number, stream: nil)
                engine.exchange = exchange
                server.handler.handle(exchange)
            case .refused:
                server.count(.badRequests, on: self)
                return
            }
        }
    }

    func over(_ stream: HTTP2Stream) {
        guard stream.owner != nil else { return }
        var exchange = unsafeDowncast(stream.owner!, to: ServerExchange.self)
        stream.owner = nil
        exchange.detach()
        if exchange.isOpen || exchange.isStreaming { abandon(exchange) }
        conclude(exchange, isPutOut: stream.isAnswered)
        guard isKnownUniquelyReferenced(&exchange) else { return }
        exchange.park()
        stream.companion = exchange
    }

    private func abandon(_ exchange: ServerExchange) {
        exchange.isOpen = false
        exchange.isStreaming = false
        exchange.receiver = nil
        server.handler.abandoned(exchange)
    }

    /// The connection is gone: whoever still owes an answer need not give it.
    func abandonAll() {
        switch engine {
        case .undecided: return
        case .http2(let session):
            for stream in session.streams { over(stream) }
        case .http1(let engine):
            if let exchange = engine.exchange {
                if exchange.isOpen || exchange.isStreaming { abandon(exchange) }
                conclude(exchange, isPutOut: false)
            }
            engine.exchange = nil
        }
        server.handler.disconnected(self)
    }

    // MARK: Answers

    func respond(_ exchange: ServerExchange, status: Int, body: Span<UInt8>, ends: Bool) {
        guard !isClosed else { return }
        sentResponses += 1
        switch engine {
        case .http2(let session):
            let head = exchange.responseHead
            exchange.withStream { session.respond($0, status: status, head: head, body: body, ends: ends) }
        case .http1(let engine):
            engine.respond(status: status, body: body, ends: ends)
            if ends { endAnswer(of: exchange) }
        case .undecided: break
        }
        markDirty()
    }

    /// What waits for the kernel, or for the end of the turn; of HTTP/2, what its streams hold is not among it.
    var waitingBytes: Int {
        guard case .http1(let engine) = engine else { return transport.pendingBytes }
        return transport.pendingBytes + engine.waitingBytes
    }

    func stream(_ bytes: Span<UInt8>, on exchange: ServerExchange, ends: Bool) {
        guard !isClosed else { return }
        // Whom something is told now and then does not idle, though it has nothing to say itself.
        lastActivity = server.loop.now
        switch engine {
        case .http2(let session): exchange.withStream { session.send(bytes, on: $0, ends: ends) }
        case .http1(let engine):
            engine.stream(bytes, ends: ends)
            if ends { endAnswer(of: exchange) }
        case .undecided: break
        }
        markDirty()
    }

    /// HTTP/1.1: the whole answer waits for the end of the turn, and the next request may come up.
    private func endAnswer(of exchange: ServerExchange) {
        if exchange.mark != 0 { answered.append(exchange.mark) }
        exchange.mark = 0
        server.resume(self)
    }

    func reset(_ exchange: ServerExchange, code: UInt32) {
        guard !isClosed else { return }
        if case .http2(let session) = engine {
            exchange.withStream { session.reset($0, code: code) }
            markDirty()
        } else {
            close()
        }
    }
}
