// One connection of a pool: connects, shakes hands, carries requests, and tells what became of each.

import Basics
import CLinux
import EventLoop
import Glibc
import HTTP
import HTTP2
import OperatingSystem
import TLS

/// Confined to the pool's loop.
final class ClientConnection: ReadinessHandler {
    enum Engine {
        case connecting
        case http1(HTTP1ResponseParser)
        case http2(HTTP2Session)
    }

    /// Outlives its connections: it closes them before it goes. Unsafe, since checking would count on every request.
    unowned(unsafe) let pool: ClientPool
    let transport: Transport
    private(set) var engine = Engine.connecting
    var ticket: Ticket?
    let openedAt: Instant
    private(set) var lastRead: Instant
    private var pingSentAt: Instant?
    private var isTCPConnected = false
    /// No new requests: GOAWAY came, or HTTP/1.1 said close.
    var isDraining = false
    /// Stands in the pool's queue of connections with room.
    var isOffered = false
    private var isDirty = false
    var inFlight = 0
    /// HTTP/1.1: what is being answered, and what waits to be written.
    private var current: OutgoingRequest?
    /// HTTP/1.1: it has carried an answer before, and not a byte of one to `current` yet.
    private var wasUsed = false
    private var isAnswerBegun = false
    private let http1Output: ByteBuffer?
    /// Submitted and not yet handed to the kernel.
    private var unsent: [OutgoingRequest] = []
    /// Written in this flush.
    private var leaving: [OutgoingRequest] = []
    /// HTTP/2: requests that the peer did not process, with their streams, until they are sent again in that order.
    var unprocessed: [(stream: Int32, request: OutgoingRequest)] = []
    /// Something happened that may have made room for requests.
    var mayHaveRoom = false
    private var interest = Readiness.readOrWrite

    init(pool: ClientPool, descriptor: consuming Descriptor, session: TLSSession?, now: Instant) {
        self.pool = pool
        transport = Transport(descriptor: descriptor, tls: session, buffers: pool.buffers)
        openedAt = now
        lastRead = now
        http1Output = pool.configuration.version == .http1 ? ByteBuffer() : nil
    }

    var isConnecting: Bool { if case .connecting = engine { true } else { false } }
    var isClosed: Bool { ticket == nil }
    var load: Int { inFlight }

    var hasRoom: Bool {
        switch engine {
        case .connecting: false
        case .http1: !isDraining && current == nil
        case .http2(let session):
            !isDraining && inFlight < min(pool.configuration.maxConcurrentStreams, session.remoteMaxConcurrentStreams)
        }
    }

    // MARK: Sending

    /// Only when `hasRoom`. False when the connection takes no more after all.
    func submit(_ request: OutgoingRequest) -> Bool {
        switch engine {
        case .connecting: return false
        case .http1(let parser):
            guard let output = http1Output else { return false }
            current = request
            isAnswerBegun = false
            inFlight = 1
            let head = request.head
            if head.index(of: ":authority") == nil { head.append(":authority", pool.authority) }
            parser.begin(isHEAD: head.count > 0 && head.value(at: 0).equals("HEAD"))
            HTTP1Writer.request(head, body: request.body, into: output)
        case .http2(let session):
            guard session.request(request.head, body: request.body, owner: request) else {
                isDraining = true
                return false
            }
            inFlight += 1
        }
        unsent.append(request)
        markDirty()
        return true
    }

    func flush() {
        isDirty = false
        guard !isClosed, !isConnecting else { return }
        // Before the peer can have them, so that nothing it does comes earlier than what it does it for.
        let leftAt = unsent.isEmpty ? nil : pool.loop.stamp()
        let output = pool.buffers.output
        output.clear(keepingUpTo: 1 << 20)
        switch engine {
        case .connecting: return
        case .http1:
            if let http1Output, !http1Output.isEmpty { transport.write(http1Output) }
        case .http2(let session):
            while transport.pendingBytes == 0, session.wantsWrite {
                guard session.takeOutput(into: output) else { return fail(.protocolError, "HTTP/2 output failed") }
                guard !output.isEmpty else { break }
                transport.write(output)
            }
        }
        swap(&unsent, &leaving)
        // Streams that ended on the way out are told first: their requests were not handed over.
        if case .http2(let session) = engine { handOutEvents(of: session) }
        if let leftAt {
            for request in leaving { request.handOver(at: leftAt) }
            leaving.removeAll(keepingCapacity: true)
        }
        if case .http2(let session) = engine {
            if session.isFinished { return fail(.closed, "the connection was closed by the peer") }
        }
        if transport.isBroken { return fail(.closed, "the connection broke while sending") }
        let wanted: Readiness = transport.pendingBytes > 0 ? .readOrWrite : .read
        if wanted.rawValue != interest.rawValue, let ticket {
            interest = wanted
            pool.loop.change(ticket, to: wanted)
        }
    }

    private func markDirty() {
        guard !isDirty, !isClosed else { return }
        isDirty = true
        pool.markDirty(self)
    }

    // MARK: From the loop

    func ready(_ readiness: Readiness) {
        if !isTCPConnected {
            var error: Int32 = 0
            var length = socklen_t(4)
            getsockopt(transport.number, SOL_SOCKET, SO_ERROR, &error, &length)
            guard error == 0 else { return fail(.connect, "cannot connect: \(SystemCall.describe(error))") }
            guard readiness.isWritable else { return }
            isTCPConnected = true
            interest = .read
            if let ticket { pool.loop.change(ticket, to: .read) }
            transport.startTLS()
            begin()
        } else if readiness.isWritable, transport.writePending() {
            markDirty()
        }
        guard readiness.isReadable else { return }
        let came = transport.read()
        // Behind the read, as on the server's side: what the peer did before it answered is not later than its answer.
        let now = pool.loop.time.now()
        lastRead = now
        pingSentAt = nil
        switch came {
        case .data:
            begin()
            receive(at: pool.loop.stamp(for: now))
        case .wouldBlock: break
        case .closed:
            if case .http1(let parser) = engine, current != nil, parser.status != 0 {
                parser.endOfInput()
                finishHTTP1(parser, at: pool.loop.stamp(for: now), excess: 0)
                if isClosed { return }
            }
            fail(isConnecting ? .tls : .closed, "the connection was closed by the peer")
        case .failed(let reason): fail(isConnecting ? .tls : .closed, reason)
        }
    }

    /// Starts the protocol once the transport is ready.
    private func begin() {
        guard isConnecting, isTCPConnected, transport.isReady else { return }
        switch pool.configuration.version {
        case .http1:
            engine = .http1(
                HTTP1ResponseParser(limits: HTTP1Limits(maxBodyBytes: pool.configuration.maxBodyBytes)))
        case .http2:
            engine = .http2(
                HTTP2Session(
                    role: .client, settings: [.enablePush(0), .maxConcurrentStreams(0), .initialWindowSize(1 << 20)],
                    limits: HTTP2Limits(maxBodyBytes: pool.configuration.maxBodyBytes, maxHeaderListBytes: 65_536),
                    pool: pool.streams, scheme: pool.origin.isTLS ? "https" : "http", authority: pool.authority))
        }
        markDirty()
        pool.connected(self)
    }

    private func receive(at now: Instant) {
        let plaintext = pool.buffers.plaintext
        switch engine {
        case .connecting: return
        case .http2(let session):
            let bytes = plaintext.bytes
            let failure = bytes.isEmpty ? nil : session.receive(bytes)
            handOutEvents(of: session)
            markDirty()
            if let failure { fail(.protocolError, failure) }
        case .http1(let parser):
            let bytes = plaintext.bytes
            guard !bytes.isEmpty else { return }
            // What comes before the request has left is no answer to it either.
            guard let current, current.isOnTheWire else { return failStray("an answer came that nobody asked for") }
            isAnswerBegun = true
            let taken = parser.consume(bytes)
            finishHTTP1(parser, at: now, excess: bytes.count - taken)
        }
    }

    private func failStray(_ message: String) {
        pool.noteStrayAnswer()
        fail(.protocolError, message)
    }

    /// `excess`: bytes that came behind the answer in the same read.
    private func finishHTTP1(_ parser: HTTP1ResponseParser, at now: Instant, excess: Int) {
        switch parser.progress {
        case .needsMore: return
        case .failed(_, let message): fail(.protocolError, "\(message)")
        case .complete where excess > 0: failStray("more came than one answer to one request")
        case .complete:
            guard let request = current else { return }
            current = nil
            inFlight = 0
            wasUsed = true
            if !parser.keepAlive { isDraining = true }
            pool.complete(request, status: parser.status, head: parser.head, body: parser.body, at: now)
            guard !isClosed else { return }
            if isDraining { return fail(.closed, "the peer closed after its answer") }
            pool.offer(self)
        }
    }

    // MARK: Ending

    /// Of its requests that have no answer yet.
    var earliestDeadline: Instant? {
        switch engine {
        case .connecting: nil
        case .http1: current?.deadline
        case .http2(let session):
            session.streams.compactMap { $0.owner.map { unsafeDowncast($0, to: OutgoingRequest.self).deadline } }.min()
        }
    }

    /// Called by the pool's sweep. `requests`: the same on the clock by which requests go.
    func checkDeadlines(at now: Instant, requests: Instant) {
        let configuration = pool.configuration
        if isConnecting {
            if now - openedAt > configuration.connectTimeout { fail(.timeout, "connecting took too long") }
            return
        }
        switch engine {
        case .connecting: return
        case .http1:
            if let current, current.deadline <= requests {
                self.current = nil
                pool.fail(current, ClientFailure(kind: .timeout, message: "no answer in time", isSafeToResend: false))
                fail(.closed, "closed after a timeout")
            }
        case .http2(let session):
            for stream in session.streams {
                guard let owner = stream.owner else { continue }
                let request = unsafeDowncast(owner, to: OutgoingRequest.self)
                guard request.deadline <= requests else { continue }
                stream.owner = nil
                if !request.isOnTheWire { keepBack(request) }
                session.reset(stream, code: HTTP2ErrorCode.cancel)
                markDirty()
                pool.fail(request, ClientFailure(kind: .timeout, message: "no answer in time", isSafeToResend: false))
            }
            guard let interval = configuration.pingInterval, now - lastRead > interval else { return }
            if let pingSentAt {
                if now - pingSentAt > interval { fail(.closed, "the peer answers no PING") }
            } else {
                pingSentAt = now
                session.ping()
                markDirty()
            }
        }
    }

    func fail(_ kind: ClientFailure.Kind, _ message: String) {
        guard let ticket else { return }
        pool.loop.deregister(ticket)
        self.ticket = nil
        var orphans: [OutgoingRequest] = []
        var isResending = false
        switch engine {
        case .connecting: break
        case .http1:
            if let current { orphans = [current] }
            isResending = wasUsed && !isAnswerBegun && kind == .closed
        case .http2(let session):
            // The newest come first.
            for stream in session.streams.reversed() {
                guard let owner = stream.owner else { continue }
                stream.owner = nil
                orphans.append(unsafeDowncast(owner, to: OutgoingRequest.self))
            }
        }
        current = nil
        inFlight = 0
        unsent = []
        leaving = []
        let wasConnecting = isConnecting
        engine = .connecting
        pool.closed(
            self, ClientFailure(kind: kind, message: message, isSafeToResend: false), wasConnecting: wasConnecting)
        end(orphans, kind, message, isResending: isResending)
    }

    /// What becomes of the requests of a connection that has ended. `isResending`: it may have been closed for having
    /// been idle, at the moment at which the request left (RFC 9112 §9.3.1).
    private func end(
        _ orphans: [OutgoingRequest], _ kind: ClientFailure.Kind, _ message: String, isResending: Bool
    ) {
        let maySendAgain = pool.configuration.resends && !pool.isClosed
        var unsent: [OutgoingRequest] = []
        for request in orphans {
            if maySendAgain, !request.isOnTheWire {
                unsent.append(request)
            } else if maySendAgain, isResending, request.attempts == 1 {
                pool.sendAfresh(request)
            } else {
                let isSafe = !request.isOnTheWire && request.sentAt == nil
                pool.fail(request, ClientFailure(kind: kind, message: message, isSafeToResend: isSafe))
            }
        }
        if !unsent.isEmpty { pool.sendAgain(unsent) }
    }

    /// The stream of this request ended before it left.
    func keepBack(_ request: OutgoingRequest) {
        unsent.removeAll { $0 === request }
        leaving.removeAll { $0 === request }
    }

    /// The pool goes and takes its connections with it: nothing is told to anyone.
    func abandon() {
        guard let ticket else { return }
        pool.loop.deregister(ticket)
        self.ticket = nil
    }

    /// Requests under way hold whoever waits for their answers, and those may hold the pool.
    func loopEnded() {
        ticket = nil
        engine = .connecting
        current = nil
        unsent = []
        leaving = []
        unprocessed = []
    }

    /// Ends an idle or draining connection in order.
    func close() {
        if case .http2(let session) = engine {
            session.goAway(code: HTTP2ErrorCode.noError, upTo: .stream(0), debug: [])
        }
        flush()
        if !isClosed {
            transport.shutDown()
            fail(.closed, "the pool was closed")
        }
    }
}
