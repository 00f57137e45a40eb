// One request and its answer, whichever protocol carries it.

package import Basics
package import HTTP
import HTTP2

/// Confined to the server's loop. May be kept to answer later; once `isOpen` is false answering does nothing.
package final class ServerExchange {
    package let connection: ServerConnection
    /// `:method`, `:path`, `:authority`, `:scheme` (HTTP/2) and the fields, in order of arrival.
    package let head: HeaderBlock
    /// The whole body, cut to the limit plus one byte.
    package let body: ByteBuffer
    /// Fields of the answer, without `:status` and `content-length`.
    package let responseHead: HeaderBlock
    /// When the bytes that completed the request were read.
    package let arrivedAt: Instant
    /// The HTTP/2 stream, or the request's number on an HTTP/1.1 connection.
    package let streamID: Int32
    /// Nobody has answered yet and somebody waits for it.
    package internal(set) var isOpen = true
    var isStreaming = false
    var stream: HTTP2Stream?

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
        self.stream = stream
    }

    /// Sends the answer, once. An empty body on HTTP/2 is HEADERS with END_STREAM and no DATA.
    package func respond(status: Int, body: [UInt8] = []) {
        guard isOpen else { return }
        isOpen = false
        connection.respond(self, status: status, body: body.span, ends: true)
    }

    /// RST_STREAM with `code`; HTTP/1.1 has no such thing and closes the connection.
    package func reset(code: UInt32) {
        guard isOpen || isStreaming else { return }
        isOpen = false
        isStreaming = false
        connection.reset(self, code: code)
    }

    /// Sends the head of an answer whose body comes in pieces.
    package func startStreaming(status: Int) {
        guard isOpen else { return }
        isOpen = false
        isStreaming = true
        connection.respond(self, status: status, body: Span(), ends: false)
    }

    package func stream(_ bytes: [UInt8]) {
        guard isStreaming, !bytes.isEmpty else { return }
        connection.stream(bytes.span, on: self, ends: false)
    }

    package func finishStreaming() {
        guard isStreaming else { return }
        isStreaming = false
        connection.stream(Span(), on: self, ends: true)
    }
}
