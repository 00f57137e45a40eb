// HTTP/1.1 requests.

package import Basics

package final class HTTP1RequestParser {
    package let head = HeaderBlock()
    package let body = ByteBuffer()
    package init(limits: HTTP1Limits = HTTP1Limits()) { fatalError() }
    package func consume(_ input: Span<UInt8>) -> Int { fatalError() }
    package var progress: HTTP1Progress { fatalError() }
    package var keepAlive: Bool { fatalError() }
    /// An HTTP/1.0 peer: it understands no chunks, and wants `connection: keep-alive` to keep one alive.
    package var isHTTP10: Bool { fatalError() }
    package var expectsContinue: Bool { fatalError() }
    package func reset() { fatalError() }
}
