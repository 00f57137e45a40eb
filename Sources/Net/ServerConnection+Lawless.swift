// What a server does to a connection that misbehaves on purpose: bytes that no session wrote, answers cut in half,
// rude endings. A connection that never does any of this carries one empty reference for it.

import Basics
import HTTP2

/// How a connection ends.
package enum ConnectionEnding: Sendable {
    /// TLS close_notify, then FIN.
    case clean
    /// FIN alone: to the peer the stream is cut off.
    case cutOff
    /// RST.
    case reset
}

/// What a connection remembers of its misbehaviour. Confined to its loop.
final class Lawlessness {
    /// Sent at the end of the turn, before what the session has.
    let queue = ByteBuffer()
    var ending = ConnectionEnding.clean
    /// Stays open though the session has nothing more to say, as after GOAWAY.
    var outlivesSession = false
    /// Bytes that no session wrote were sent: a peer may take them for the end.
    var saidRaw = false
}

extension ServerConnection {
    private var lawlessness: Lawlessness {
        if let made = lawless { return made }
        let made = Lawlessness()
        lawless = made
        return made
    }

    /// Sends `bytes` as they are, after everything that was answered before and before everything that comes later.
    package func sendRaw(_ bytes: [UInt8]) {
        settle()
        lawlessness.queue.append(bytes.span)
        lawlessness.saidRaw = true
        // A GOAWAY among them is one.
        if case .http2(let session) = engine { session.noteRaw(bytes) }
        markDirty()
    }

    /// Puts what the session has to send into the queue, so that what follows comes after it on the wire.
    package func settle() {
        guard !isClosed else { return }
        switch engine {
        case .undecided: return
        case .http1(let engine): engine.takeOutput(into: lawlessness.queue)
        case .http2(let session):
            let queue = lawlessness.queue
            while session.wantsWrite, queue.count <= server.configuration.limits.maxPendingOutputBytes {
                let before = queue.count
                guard session.takeOutput(into: queue), queue.count > before else { break }
            }
        }
        markDirty()
    }

    /// Sends the first half of the bytes that `answer` gives to the session.
    package func sendHalf(of answer: () -> Void) {
        settle()
        let queue = lawlessness.queue
        let before = queue.count
        answer()
        settle()
        queue.truncate(to: before + (queue.count - before) / 2)
    }

    /// Closes the connection after sending what is queued, in this manner.
    package func close(_ ending: ConnectionEnding) {
        lawlessness.ending = ending
        // Or else the kernel would answer what the peer still sends with RST, which nobody asked for.
        lingers = true
        close()
    }

    /// Whether the peer may not have read what was sent last: RST was sent or came, or is about to be sent because some of
    /// the peer's bytes were not read; or it saw lawless bytes and has gone.
    var isCutOff: Bool {
        lawless?.ending == .reset || lawless?.saidRaw == true || transport.endsByReset
    }

    /// After a GOAWAY the connection stays open, and what comes on it is ignored.
    package func outliveSession() { lawlessness.outlivesSession = true }

    /// SETTINGS_INITIAL_WINDOW_SIZE of the streams to come.
    package func setInitialWindow(_ bytes: UInt32) {
        guard case .http2(let session) = engine else { return }
        session.submit(settings: [.initialWindowSize(bytes)])
        markDirty()
    }

    /// Holds WINDOW_UPDATE frames back until `releaseWindowUpdates`.
    package func withholdWindowUpdates() {
        guard case .http2(let session) = engine else { return }
        session.withholdWindowUpdates()
    }

    package func releaseWindowUpdates() {
        guard case .http2(let session) = engine, !isClosed, let updates = session.releaseWindowUpdates() else { return }
        sendRaw(updates.array())
    }

    /// Drops a stream without a frame: whatever was sent raw ended it, or nothing will.
    func forget(_ exchange: ServerExchange) {
        guard case .http2(let session) = engine, !isClosed else { return }
        settle()
        let queue = lawlessness.queue
        let before = queue.count
        exchange.withStream { session.reset($0, code: HTTP2ErrorCode.cancel) }
        settle()
        queue.truncate(to: before)
    }

    /// A peer that was turned away before TLS has said its first bytes.
    func turnAway(_ alert: UInt8) {
        if case .data = transport.read() {
            let output = server.buffers.output
            output.clear()
            // A fatal alert in a record of TLS 1.2 (RFC 8446 §5.1, §6).
            for byte in [0x15, 3, 3, 0, 2, 2, alert] { output.append(byte) }
            transport.write(output)
            transport.cutOff()
        }
        server.close(self)
    }
}

extension ServerExchange {
    /// Takes back the promise of an answer without a frame on the wire.
    package func forget() {
        guard isOpen else { return }
        isOpen = false
        connection.forget(self)
    }
}
