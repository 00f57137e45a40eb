// HTTP/1.1 messages out.

package import Basics

package enum HTTP1Writer {
    package static func request(_ head: HeaderBlock, body: ByteBuffer, into output: ByteBuffer) { fatalError() }
    package static func response(
        status: Int, head: HeaderBlock, body: Span<UInt8>, keepAlive: Bool, isHEAD: Bool, into output: ByteBuffer
    ) { fatalError() }
    package static func streamingHead(status: Int, head: HeaderBlock, into output: ByteBuffer) { fatalError() }
    package static func chunk(_ bytes: Span<UInt8>, into output: ByteBuffer) { fatalError() }
    package static func lastChunk(into output: ByteBuffer) { fatalError() }
    /// `HTTP/1.1 100 Continue`.
    package static func continueResponse(into output: ByteBuffer) { fatalError() }
    package static func reason(_ status: Int) -> StaticString { fatalError() }
}
