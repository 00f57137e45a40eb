// Requests of HTTP/1.1 as a server reads them, in the shape in which HTTP/2 has them.

package import Basics

/// Reads one request after the other from a connection's bytes. Confined to one thread; nothing is allocated once the
/// buffers have grown to the traffic.
///
///     var taken = 0
///     while taken < input.count {
///         taken += parser.consume(input.extracting(taken...))
///         guard case .complete = parser.progress else { break }
///         answer(parser.head, parser.body)
///         parser.reset()
///     }
package final class HTTP1RequestParser {
    /// `:method`, `:path` and, unless an HTTP/1.0 request names none, `:authority`; then the other fields.
    package let head = HeaderBlock()
    /// The body, freed of its chunks.
    package let body = ByteBuffer()
    private var machine: HTTP1Machine

    package init(limits: HTTP1Limits = HTTP1Limits()) {
        machine = HTTP1Machine(role: .request, limits: limits, head: head, body: body)
    }

    /// Takes bytes up to the end of one request, and says how many. Nothing more is taken until `reset`.
    package func consume(_ input: Span<UInt8>) -> Int {
        input.withUnsafeBufferPointer { machine.consume($0) }
    }

    package var progress: HTTP1Progress { machine.progress }

    /// Whether the connection stays open behind this request (RFC 9112 §9.3). Meaningful once it is complete.
    package var keepAlive: Bool {
        machine.phase != .failed && !machine.framing.saysClose
            && (machine.framing.minorVersion > 0 || machine.framing.saysKeepAlive)
    }

    /// An HTTP/1.0 peer understands no chunks, and wants to read `connection: keep-alive` if it asked for it.
    package var isHTTP10: Bool { machine.framing.minorVersion == 0 }

    /// The peer waits for `100 Continue` before it sends the body. True from the end of the head until the first byte
    /// of the body.
    package var expectsContinue: Bool {
        machine.framing.expectsContinue && (machine.phase == .fixedBody || machine.phase == .chunkSize)
    }

    /// The head is whole and the body is not.
    package var isInBody: Bool {
        switch machine.phase {
        case .fixedBody, .chunkSize, .chunkData, .chunkEnd, .trailers: true
        case .startLine, .fields, .untilClose, .complete, .failed: false
        }
    }

    /// No byte of a next request has come yet: the connection may be closed without harm.
    package var isIdle: Bool { machine.isIdle }

    /// Ready for the next request.
    package func reset() { machine.reset() }
}
