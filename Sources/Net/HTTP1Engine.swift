// The server's side of an HTTP/1.1 connection: one request at a time, pipelined ones wait.

import Basics
import HTTP

final class HTTP1Engine {
    enum NextRequest {
        /// A whole request is in the parser; its number on this connection.
        case whole(Int32)
        /// The peer broke the protocol; it was answered and the connection ends.
        case refused
    }

    let parser: HTTP1RequestParser
    let responseHead = HeaderBlock()
    var exchange: ServerExchange?
    var closesAfterAnswer = false
    /// Everything that was to be said is in the output, and nothing more will be read.
    private(set) var isFinished = false
    /// No request is under way, not even in part.
    var isIdle: Bool { !isAnswering && input.isEmpty && parser.head.count == 0 }
    private let input = ByteBuffer()
    private let output = ByteBuffer()
    private let maxInputBytes: Int
    /// A peer that pipelines gets no further answer while so much of the earlier ones waits.
    private static let maxWaitingBytes = 65_536
    private static let keptInputBytes = 16_384
    private var owed = Owed.nothing
    private var owedSince = Instant(nanoseconds: 0)
    private var owedRequest: Int32 = 0
    private var requests: Int32 = 0
    private var isAnswering = false
    private var isSwitched = false
    private var saidContinue = false

    init(limits: ServerLimits) {
        maxInputBytes = limits.maxBodyBytes + (1 << 17)
        parser = HTTP1RequestParser(
            limits: HTTP1Limits(
                maxHeadBytes: limits.maxHeadBytes, maxFields: limits.maxHeadFields, maxBodyBytes: limits.maxBodyBytes))
    }

    /// Bytes kept for the peer.
    var heldBytes: Int { input.count + parser.head.byteCount + parser.body.count + output.count }

    /// Bytes of answers that wait for the end of the turn.
    var waitingBytes: Int { output.count }

    /// A whole request may wait in the input, which nobody has looked at because earlier answers were waiting.
    var isHeldUp: Bool { !isAnswering && !isFinished && !input.isEmpty }

    /// What the peer has still to send before anything can go on.
    enum Owed { case nothing, head, body }

    var owes: Owed {
        guard !isAnswering, !isFinished, input.isEmpty else { return .nothing }
        return parser.isInBody ? .body : parser.isIdle ? .nothing : .head
    }

    /// What the peer has owed for too long. The time counts from the first look that finds it; look often.
    func watch(at now: Instant, _ limits: ServerLimits) -> Refusal? {
        let owes = owes
        if owes == .nothing || owed == .nothing || owedRequest != requests { (owedSince, owedRequest) = (now, requests) }
        owed = owes
        switch owes {
        case .nothing: return nil
        case .head: return now - owedSince > limits.headTimeout ? .headTime : nil
        case .body: return now - owedSince > limits.requestTimeout ? .requestTime : nil
        }
    }

    /// 408, and the end.
    func refuseAsTooSlow() {
        guard !isAnswering, !isFinished else { return }
        refuse(status: 408, "the request took too long")
    }

    func receive(_ bytes: Span<UInt8>) {
        guard !isFinished else { return }
        input.append(bytes)
        if isAnswering, input.count > maxInputBytes { isFinished = true }
    }

    /// The next whole request, unless one is being answered.
    func nextRequest() -> NextRequest? {
        guard isHeldUp, output.count < Self.maxWaitingBytes else { return nil }
        let input = input
        let bytes = input.bytes
        let taken = parser.consume(bytes)
        input.consume(taken)
        if input.isEmpty { input.clear(keepingUpTo: Self.keptInputBytes) }
        switch parser.progress {
        case .needsMore:
            if parser.expectsContinue, !saidContinue {
                saidContinue = true
                HTTP1Writer.continueResponse(into: output)
            }
            return nil
        case .complete:
            isAnswering = true
            saidContinue = false
            requests &+= 1
            return .whole(requests)
        case .failed(let status, let message):
            refuse(status: status, message)
            return .refused
        }
    }

    private func refuse(status: Int, _ message: StaticString) {
        responseHead.clear()
        responseHead.append("content-type", "text/plain")
        message.withUTF8Buffer { text in
            HTTP1Writer.response(
                status: status, head: responseHead, body: text.span, keepAlive: false, isHEAD: false, into: output)
        }
        isFinished = true
    }

    func respond(status: Int, body: Span<UInt8>, ends: Bool) {
        guard isAnswering else { return }
        let keepAlive = parser.keepAlive && !closesAfterAnswer
        if ends {
            // Who speaks HTTP/1.0 takes an answer without it for the last, and waits for the end (RFC 9112 §9.3).
            if keepAlive, parser.isHTTP10 { responseHead.append("connection", "keep-alive") }
            let head = parser.head
            let isHEAD = head.count > 0 && head.value(at: 0).equals("HEAD")
            HTTP1Writer.response(
                status: status, head: responseHead, body: body, keepAlive: keepAlive, isHEAD: isHEAD, into: output)
            endAnswer(keepAlive: keepAlive)
        } else {
            HTTP1Writer.streamingHead(status: status, head: responseHead, into: output)
        }
    }

    /// 101: what follows is another protocol's, on both sides, until the connection ends.
    func switchProtocols() {
        guard isAnswering else { return }
        HTTP1Writer.response(status: 101, head: responseHead, body: Span(), keepAlive: true, isHEAD: false, into: output)
        isSwitched = true
    }

    /// Gives what has come in another protocol to whoever speaks it.
    func handOver() {
        guard isSwitched, !input.isEmpty else { return }
        let input = input
        exchange?.receiver?(input.bytes)
        input.clear(keepingUpTo: Self.keptInputBytes)
    }

    func stream(_ bytes: Span<UInt8>, ends: Bool) {
        guard isAnswering else { return }
        if isSwitched {
            output.append(bytes)
            if ends { (exchange, isFinished) = (nil, true) }
            return
        }
        if !bytes.isEmpty { HTTP1Writer.chunk(bytes, into: output) }
        if ends {
            HTTP1Writer.lastChunk(into: output)
            endAnswer(keepAlive: parser.keepAlive && !closesAfterAnswer)
        }
    }

    func takeOutput(into buffer: ByteBuffer) {
        let output = output
        let bytes = output.bytes
        buffer.append(bytes)
        output.clear(keepingUpTo: 4_096)
    }

    private func endAnswer(keepAlive: Bool) {
        exchange = nil
        isAnswering = false
        responseHead.clear()
        parser.reset()
        if !keepAlive { isFinished = true }
    }
}
