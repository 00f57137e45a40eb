// What a connection does with a peer that breaks a limit: it says so, stops listening, and gives the peer a moment to read
// it. Closing at once would make the kernel answer what is still under way with a reset, and the peer would never know.

import Basics
import EventLoop
import HTTP2

extension ServerConnection {
    /// How far a connection has come. It goes forward only, and `Server.move` is the one that moves it:
    ///
    ///     handshaking ── protocol known ──▶ unproven ── a whole request ──▶ proven
    ///          └───────────────────────────────┴──────── closed ──────────────┴──▶ gone
    enum Stage: UInt8, CaseIterable {
        case handshaking, unproven, proven
        /// Closed, or only waiting for the peer to close.
        case gone

        func leads(to next: Stage) -> Bool {
            switch (self, next) {
            case (.handshaking, .unproven), (.unproven, .proven), (_, .gone): true
            case (_, .handshaking), (_, .unproven), (_, .proven): false
            }
        }
    }

    /// Bytes kept for this connection, roughly.
    var heldBytes: Int {
        switch engine {
        case .undecided: transport.pendingBytes
        case .http2(let session): transport.pendingBytes + session.heldBytes
        case .http1(let engine): transport.pendingBytes + engine.heldBytes
        }
    }

    /// Of these, what the peer is to blame for.
    var owedBytes: Int {
        switch engine {
        case .undecided: transport.pendingBytes
        case .http2(let session): transport.pendingBytes + session.owedBytes
        case .http1(let engine): transport.pendingBytes + (engine.owes == .nothing ? 0 : engine.heldBytes)
        }
    }

    /// Ends the connection for a broken limit. A peer that does not even read is not told.
    func refuse(_ refusal: Refusal) {
        // The list that was one too many has been counted with the others.
        if refusal == .headerLists { server.count(refusal) } else { server.count(refusal, on: self) }
        switch engine {
        case .undecided: return server.close(self)
        case .http2(let session):
            let text = refusal.text(server.configuration.limits)
            session.goAway(code: HTTP2ErrorCode.enhanceYourCalm, upTo: .handedUp, debug: Array(text.utf8))
        case .http1(let engine): engine.refuseAsTooSlow()
        }
        guard transport.pendingBytes == 0 else { return server.close(self) }
        isClosing = true
        lingers = true
        markDirty()
    }

    // MARK: Time

    /// Ends what the peer has let wait too long.
    func checkTime(at now: Instant) {
        let limits = server.configuration.limits
        if stage == .gone {
            if now - lastActivity > limits.lingerTimeout { server.close(self) }
            return
        }
        if leavesUnread(at: now, limits) { return refuse(.unreadAnswers) }
        switch engine {
        case .undecided:
            if now - acceptedAt > limits.handshakeTimeout { return refuse(.handshakeTime) }
        case .http2(let session):
            switch session.watch(
                at: now, requestTimeout: limits.requestTimeout, answerTimeout: limits.answerTimeout,
                readBytes: ServerLimits.readBytes)
            {
            case .nothing: break
            case .requests(let number):
                server.count(.requestTime, times: number)
                markDirty()
            case .headerBlock: return refuse(.requestTime)
            case .reading: return refuse(.unreadAnswers)
            }
        case .http1(let engine):
            if let refusal = engine.watch(at: now, limits) { return refuse(refusal) }
        }
        if now - lastActivity > limits.idleTimeout {
            server.count(.idleTime)
            server.close(self)
        }
    }

    /// Whether the socket has taken too little of what waits.
    private func leavesUnread(at now: Instant, _ limits: ServerLimits) -> Bool {
        guard transport.pendingBytes > 0, let since = stalledSince,
            transport.sentBytes - sentWhenStalled < ServerLimits.readBytes
        else {
            stalledSince = transport.pendingBytes > 0 ? now : nil
            sentWhenStalled = transport.sentBytes
            return false
        }
        return now - since > limits.answerTimeout
    }

    // MARK: Lingering

    /// Everything is said, our side is closed. What the peer still sends is dropped until it closes too.
    func linger() {
        abandonAll()
        engine = .undecided
        server.move(self, to: .gone)
        lastActivity = server.loop.now
        watchReading()
    }

    /// The peer has something for a connection that only waits for its end.
    func dropInput() {
        if case .closed = transport.discard() { server.close(self) }
    }
}
