// HTTP/1.1 responses.

package import Basics

package final class HTTP1ResponseParser {
    package let head = HeaderBlock()
    package let body = ByteBuffer()
    package var status: Int { fatalError() }
    package init(limits: HTTP1Limits = HTTP1Limits()) { fatalError() }
    package func begin(isHEAD: Bool) { fatalError() }
    package func consume(_ input: Span<UInt8>) -> Int { fatalError() }
    package func endOfInput() { fatalError() }
    package var progress: HTTP1Progress { fatalError() }
    package var keepAlive: Bool { fatalError() }
}
