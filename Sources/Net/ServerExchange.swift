// One request and its answer, whichever protocol carries it.

package import Basics
package import HTTP
import HTTP2

/// Confined to the server's loop. May be kept to answer later; once `isOpen` is false answering does nothing.
package final class ServerExchange {
    /// Always there for whoever holds the exchange.
    package private(set) var connection: ServerConnection!
    /// `:method`, `:path`, `:authority`, `:scheme` (HTTP/2) and the fields, in order of arrival.
    package let head: HeaderBlock
    /// The whole body, cut to the limit plus one byte.
    package let body: ByteBuffer
    /// Fields of the answer, without `:status` and `content-length`.
    package let responseHead: HeaderBlock
    /// When the bytes that completed the request were read.
    package private(set) var arrivedAt: Instant
    /// The HTTP/2 stream, or the request's number on an HTTP/1.1 connection.
    package private(set) var streamID: Int32
    /// Nobody has answered yet and somebody waits for it.
    package internal(set) var isOpen = true
    /// By what the handler knows this exchange on its record: `undelivered` is told it when the answer did not reach the
    /// peer. 0: it does not care. Set before answering.
    package var mark: UInt64 = 0
    package internal(set) var isStreaming = false
    /// Takes what comes in another protocol.
    var receiver: ((Span<UInt8>) -> Void)?
    /// Nil once the stream is over; until then its session keeps it alive.
    private var heldStream: Unmanaged<HTTP2Stream>?

    init(
        connection: ServerConnection, head: HeaderBlock, body: ByteBuffer, responseHead: HeaderBlock,
        arrivedAt: Instant, streamID: Int32, stream: HTTP2Stream?
    ) {
        self.connection = connection
        self.head = head
        self.body = body
        self.responseHead = responseHead
        self.arrivedAt = arrivedAt
        self.streamID = streamID
        heldStream = stream.map(Unmanaged.passUnretained)
    }

    /// Lends the stream, if it is still there, without counting references.
    @inline(__always)
    func withStream(_ body: (HTTP2Stream) -> Void) { heldStream?._withUnsafeGuaranteedRef(body) }

    func detach() { heldStream = nil }

    /// Nobody holds the exchange but its stream object, which keeps it for its next request.
    func park() { connection = nil }

    /// Takes the object, which nobody holds any more, for the next request on the same stream object.
    func begin(on stream: HTTP2Stream, connection: ServerConnection, arrivedAt: Instant) {
        self.connection = connection
        self.arrivedAt = arrivedAt
        streamID = stream.id
        isOpen = true
        isStreaming = false
        mark = 0
        heldStream = Unmanaged.passUnretained(stream)
    }

    /// Sends the answer, once. An empty body on HTTP/2 is HEADERS with END_STREAM and no DATA.
    package func respond(status: Int, body: [UInt8] = []) { respond(status: status, bytes: body.span) }

    /// The same with a body that stands in memory of the handler's own.
    package func respond(status: Int, bytes: Span<UInt8>) {
        guard isOpen else { return }
        isOpen = false
        connection.respond(self, status: status, body: bytes, ends: true)
    }

    /// RST_STREAM with `code`; HTTP/1.1 has no such thing and closes the connection.
    package func reset(code: UInt32) {
        guard isOpen || isStreaming else { return }
        isOpen = false
        isStreaming = false
        receiver = nil
        connection.reset(self, code: code)
    }

    /// Sends the head of an answer whose body comes in pieces.
    package func startStreaming(status: Int) {
        guard isOpen else { return }
        isOpen = false
        isStreaming = true
        connection.respond(self, status: status, body: Span(), ends: false)
    }

    /// HTTP/1.1: the connection is one of another protocol from here on (101). `receive` takes what the peer says in it,
    /// `stream` says something, and `finishStreaming` is the end.
    package func switchProtocols(_ receive: @escaping (Span<UInt8>) -> Void) {
        guard isOpen else { return }
        isOpen = false
        isStreaming = true
        receiver = receive
        connection.switchProtocols(self)
    }

    package func stream(_ bytes: [UInt8]) {
        guard isStreaming, !bytes.isEmpty else { return }
        connection.stream(bytes.span, on: self, ends: false)
    }

    /// Bytes of this answer, and of those before it on the connection, that the kernel has not taken yet. Whoever streams
    /// looks here before giving more: what a peer does not read waits in memory.
    package var waitingBytes: Int {
        guard isStreaming else { return 0 }
        var count = connection.waitingBytes
        withStream { count += $0.waitingBytes }
        return count
    }

    package func finishStreaming() {
        guard isStreaming else { return }
        isStreaming = false
        receiver = nil
        connection.stream(Span(), on: self, ends: true)
    }
}

extension ServerConnection {
    func switchProtocols(_ exchange: ServerExchange) {
        guard !isClosed else { return }
        guard case .http1(let engine) = engine else { preconditionFailure("only HTTP/1.1 switches protocols") }
        sentResponses += 1
        engine.switchProtocols()
        markDirty()
    }
}
