// A request of HTTP/1.1 whose answer is read as it comes and may never end: for whoever listens. One connection for each.

package import Basics
package import EventLoop
import Glibc
import HTTP
import OperatingSystem
import TLS

/// Told of one answer, on the loop. Nothing comes behind `ended`.
package protocol AnswerListener: AnyObject {
    /// The head of the answer has come.
    func began(_ stream: AnswerStream, status: Int)
    /// The next bytes of its body, freed of their framing.
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

    /// By which it is said when a request was made.
    package var recordTime: any TimeSource { loop.recordTime }

    /// Throws a `Failure` when the certificate authorities cannot be read.
    package init(loop: EventLoop, target: CheckedOrigin, caFile: String? = nil) throws {
        self.loop = loop
        self.target = target
        authority = target.origin.authority
        tls = target.origin.isTLS ? try TLSContext(clientTrusting: caFile, protocols: ["http/1.1"]) : nil
    }

    /// Throws a run `Failure` when no socket can be made. `patience`: until the head of the answer is there.
    package func open(
        _ request: OutgoingRequest, to listener: any AnswerListener, patience: Interval = .seconds(10)
    ) throws(Failure) -> AnswerStream {
        let descriptor = Descriptor(owning: try target.call(target.addresses[0]))
        let session = tls.map { TLSSession(context: $0, pipe: buffers.pipe, serverName: target.origin.host) }
        return AnswerStream(
            self, Transport(descriptor: descriptor, tls: session, buffers: buffers), request, listener, patience)
    }
}

/// Confined to its loop, which keeps it until it has ended or is closed.
package final class AnswerStream: ReadinessHandler {
    private let client: AnswerClient
    private let transport: Transport
    private var listener: (any AnswerListener)?
    private var ticket: Ticket?
    private let output = ByteBuffer(capacity: 1_024)
    private let parser = HTTP1ResponseParser(limits: HTTP1Limits(maxBodyBytes: 1 << 20))
    private var isConnected = false
    private var isSent = false
    private var hasBegun = false
    private var patience: LoopTimer?

    fileprivate init(
        _ client: AnswerClient, _ transport: Transport, _ request: OutgoingRequest, _ listener: any AnswerListener,
        _ patience: Interval
    ) {
        self.client = client
        self.transport = transport
        self.listener = listener
        let head = request.head
        if head.index(of: ":authority") == nil { head.append(":authority", client.authority) }
        HTTP1Writer.request(head, body: request.body, into: output)
        parser.begin(isHEAD: false)
        ticket = client.loop.register(transport.number, for: .readOrWrite, self)
        self.patience = client.loop.after(patience) { [weak self] in self?.end("no answer in time") }
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
        _ = parser.consume(plaintext.bytes)
        if !hasBegun, parser.status != 0 {
            hasBegun = true
            patience?.cancel()
            listener?.began(self, status: parser.status)
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
