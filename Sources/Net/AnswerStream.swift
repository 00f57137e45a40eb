// A request of HTTP/1.1 whose answer is read as it comes and may never end, or that makes the connection one of another
// protocol: for whoever listens. One connection for each.

package import Basics
package import EventLoop
import Glibc
package import HTTP
import OperatingSystem
import TLS

/// Told of one answer, on the loop. Nothing comes behind `ended`.
package protocol AnswerListener: AnyObject {
    /// The head of the answer has come. Of 101 it is there whole.
    func began(_ stream: AnswerStream, status: Int)
    /// The next bytes of its body, freed of their framing; behind 101, of the other protocol.
    func came(_ stream: AnswerStream, _ bytes: Span<UInt8>)
    /// It is over, or never came. Not after `AnswerStream.close`.
    func ended(_ stream: AnswerStream, _ why: String)
}

/// Opens such answers at one origin. Confined to its loop.
package final class AnswerClient {
    let loop: EventLoop
    let buffers = TransportBuffers()
    let authority: String
    private let target: CheckedOrigin
    private let tls: TLSContext?
    private let serverName: String

    /// By which it is said when a request was made.
    package var recordTime: any TimeSource { loop.recordTime }

    /// Throws a `Failure` when the certificates or keys cannot be read.
    package init(loop: EventLoop, target: CheckedOrigin, tls: TLSClientSettings = TLSClientSettings()) throws {
        self.loop = loop
        self.target = target
        authority = target.origin.authority
        serverName = tls.serverName ?? target.origin.host
        self.tls =
            target.origin.isTLS
            ? try TLSContext(tls, protocols: ["http/1.1"])
            : nil
    }

    /// Throws a run `Failure` when no socket can be made. `switches`: the request asks for another protocol. `longest`: bytes
    /// of a body that says how long it is. `patience`: until the head of the answer is there.
    package func open(
        _ request: OutgoingRequest, to listener: any AnswerListener, switches: Bool = false, longest: Int = 1 << 20,
        patience: Interval = .seconds(10)
    ) throws(Failure) -> AnswerStream {
        let descriptor = Descriptor(owning: try target.call(target.addresses[0]))
        let session = tls.map { TLSSession(context: $0, pipe: buffers.pipe, serverName: serverName) }
        return AnswerStream(
            self, Transport(descriptor: descriptor, tls: session, buffers: buffers), request, listener, switches, longest,
            patience)
    }
}

/// Confined to its loop, which keeps it until it has ended or is closed.
package final class AnswerStream: ReadinessHandler {
    private let client: AnswerClient
    private let transport: Transport
    private var listener: (any AnswerListener)?
    private var ticket: Ticket?
    private let output = ByteBuffer(capacity: 1_024)
    private let parser: HTTP1ResponseParser
    /// What a peer does not read of what it is sent, at most.
    private static let mostPendingBytes = 1 << 20
    /// The connection is one of another protocol.
    private var isSwitched = false
    private var isConnected = false
    private var isSent = false
    private var hasBegun = false
    private var patience: LoopTimer?

    fileprivate init(
        _ client: AnswerClient, _ transport: Transport, _ request: OutgoingRequest, _ listener: any AnswerListener,
        _ switches: Bool, _ longest: Int, _ patience: Interval
    ) {
        parser = HTTP1ResponseParser(limits: HTTP1Limits(maxBodyBytes: longest))
        self.client = client
        self.transport = transport
        self.listener = listener
        let head = request.head
        if head.index(of: ":authority") == nil { head.append(":authority", client.authority) }
        HTTP1Writer.request(head, body: request.body, into: output)
        parser.begin(isHEAD: false, switches: switches)
        ticket = client.loop.register(transport.number, for: .readOrWrite, self)
        self.patience = client.loop.after(patience) { [weak self] in self?.end("no answer in time") }
    }

    /// The answer's fields.
    package var head: HeaderBlock { parser.head }

    /// In the other protocol. Takes the bytes out of the buffer.
    package func send(_ bytes: ByteBuffer) {
        guard ticket != nil, isSwitched, !bytes.isEmpty else { return }
        transport.write(bytes)
        guard transport.pendingBytes <= Self.mostPendingBytes else { return end("the relay does not read what it is sent") }
        settleInterest()
    }

    /// Says goodbye; the listener is told nothing any more.
    package func close() {
        listener = nil
        guard ticket != nil else { return }
        transport.shutDown()
        end("closed")
    }

    package func ready(_ readiness: Readiness) {
        if !isConnected {
            var error: Int32 = 0
            var length = socklen_t(4)
            getsockopt(transport.number, SOL_SOCKET, SO_ERROR, &error, &length)
            guard error == 0 else { return end("cannot connect: \(SystemCall.describe(error))") }
            guard readiness.isWritable else { return }
            isConnected = true
            transport.startTLS()
            send()
        } else if readiness.isWritable {
            _ = transport.writePending()
            settleInterest()
        }
        if readiness.isReadable, ticket != nil { read() }
    }

    private func send() {
        guard !isSent, transport.isReady else { return settleInterest() }
        isSent = true
        transport.write(output)
        settleInterest()
    }

    private func settleInterest() {
        if transport.isBroken { return end("the connection broke while sending") }
        if let ticket { client.loop.change(ticket, to: transport.pendingBytes > 0 ? .readOrWrite : .read) }
    }

    private func read() {
        switch transport.read() {
        case .wouldBlock: return
        case .closed: return end("the relay closed the connection")
        case .failed(let reason): return end(reason)
        case .data: break
        }
        send()
        let plaintext = client.buffers.plaintext
        guard ticket != nil, !plaintext.isEmpty else { return }
        if isSwitched { return listener?.came(self, plaintext.bytes) ?? () }
        let taken = parser.consume(plaintext.bytes)
        if parser.status == 101, case .complete = parser.progress { isSwitched = true }
        if !hasBegun, parser.status >= 200 || isSwitched {
            hasBegun = true
            patience?.cancel()
            listener?.began(self, status: parser.status)
        }
        if isSwitched {
            if taken < plaintext.count { listener?.came(self, plaintext.bytes.extracting(taken..<plaintext.count)) }
            return
        }
        let body = parser.body
        if !body.isEmpty {
            listener?.came(self, body.bytes)
            body.clear(keepingUpTo: 1 << 16)
        }
        switch parser.progress {
        case .needsMore: return
        case .failed(_, let message): end("\(message)")
        case .complete: end("the answer is over")
        }
    }

    private func end(_ why: String) {
        guard let ticket else { return }
        self.ticket = nil
        patience?.cancel()
        client.loop.deregister(ticket)
        transport.release()
        let listener = listener
        self.listener = nil
        listener?.ended(self, why)
    }
}
