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
    private var requests: Int32 = 0
    private var isAnswering = false
    private var saidContinue = false

    init(limits: ServerLimits) {
        maxInputBytes = limits.maxBodyBytes + (1 << 17)
        parser = HTTP1RequestParser(
            limits: HTTP1Limits(maxHeadBytes: 16_384, maxFields: 128, maxBodyBytes: limits.maxBodyBytes))
    }

    func receive(_ bytes: Span<UInt8>) {
        guard !isFinished else { return }
        input.append(bytes)
        if isAnswering, input.count > maxInputBytes { isFinished = true }
    }

    /// The next whole request, unless one is being answered.
    func nextRequest() -> NextRequest? {
        guard !isAnswering, !isFinished, !input.isEmpty else { return nil }
        let input = input
        let bytes = input.bytes
        let taken = parser.consume(bytes)
        input.consume(taken)
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
            responseHead.clear()
            responseHead.append("content-type", "text/plain")
            message.withUTF8Buffer { text in
                HTTP1Writer.response(
                    status: status, head: responseHead, body: text.span, keepAlive: false, isHEAD: false, into: output)
            }
            isFinished = true
            return .refused
        }
    }

    func respond(status: Int, body: Span<UInt8>, ends: Bool) {
        guard isAnswering else { return }
        let keepAlive = parser.keepAlive && !closesAfterAnswer
        if ends {
            let head = parser.head
            let isHEAD = head.count > 0 && head.value(at: 0).equals("HEAD")
            HTTP1Writer.response(
                status: status, head: responseHead, body: body, keepAlive: keepAlive, isHEAD: isHEAD, into: output)
            endAnswer(keepAlive: keepAlive)
        } else {
            HTTP1Writer.streamingHead(status: status, head: responseHead, into: output)
        }
    }

    func stream(_ bytes: Span<UInt8>, ends: Bool) {
        guard isAnswering else { return }
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
