// Responses of HTTP/1.1 as a client reads them.

package import Basics

/// Reads one response after the other. Say `begin` before each, for what a response means depends on its request.
/// Confined to one thread; nothing is allocated once the buffers have grown to the traffic.
package final class HTTP1ResponseParser {
    /// The fields, without the status line.
    package let head = HeaderBlock()
    /// The body, freed of its chunks.
    package let body = ByteBuffer()
    private var machine: HTTP1Machine

    package init(limits: HTTP1Limits = HTTP1Limits()) {
        machine = HTTP1Machine(role: .response, limits: limits, head: head, body: body)
    }

    /// Ready for the next response. `switches`: the request asks for another protocol, so that a response of 101 is one; the
    /// bytes behind its head are that protocol's.
    package func begin(isHEAD: Bool, switches: Bool = false) {
        machine.reset()
        machine.framing.isHEAD = isHEAD
        machine.framing.switches = switches
    }

    /// Takes bytes up to the end of one response, and says how many. Interim responses (1xx) are skipped. Nothing
    /// more is taken until `begin`: bytes left over then are nobody's answer.
    package func consume(_ input: Span<UInt8>) -> Int {
        input.withUnsafeBufferPointer { machine.consume($0) }
    }

    /// The peer has closed its side: that completes a body which nothing else delimits, and fails any other.
    package func endOfInput() { machine.endOfInput() }

    package var progress: HTTP1Progress { machine.progress }

    /// 200 to 599 once the status line has come, or 101; 0 before, or that of an interim response.
    package var status: Int { machine.framing.status }

    /// Whether another request may follow on this connection (RFC 9112 §9.3). Meaningful once complete.
    package var keepAlive: Bool {
        machine.phase != .failed && !machine.framing.saysClose && !machine.framing.isDelimitedByClose
            && (machine.framing.minorVersion > 0 || machine.framing.saysKeepAlive)
    }
}
