// RFC 9113 §6.9.1, where a socket would not do: what a server grants meanwhile depends on how the bytes are cut on their
// way, so the session is fed directly.

import Basics
import HTTP2
import Testing
import WireClient

@Suite("A server session counts what it is sent")
struct ReceivedWindowTests {
    /// `frames` of 2^14 bytes on one stream, all at once; the code of the GOAWAY, if there is one.
    private func send(frames: Int) -> UInt32? {
        let session = HTTP2Session(
            role: .server, settings: [.maxConcurrentStreams(10)],
            limits: HTTP2Limits(maxBodyBytes: 100, maxHeaderListBytes: 8_000), pool: HTTP2Pool())
        let request = HPACK.indexed(3) + HPACK.indexed(7) + HPACK.indexed(4) + HPACK.literal("host", "a")
        var bytes = WireClient.preface + Frame.settings().bytes + Frame.headers(1, request).bytes
        for _ in 0..<frames { bytes += Frame.data(1, [UInt8](repeating: 0, count: 16_384), end: false).bytes }
        _ = session.receive(bytes.span)
        let output = ByteBuffer()
        _ = session.takeOutput(into: output)
        let sent = output.array()
        var at = 0
        while at + 9 <= sent.count {
            let length = Int(sent[at]) << 16 | Int(sent[at + 1]) << 8 | Int(sent[at + 2])
            if sent[at + 3] == FrameType.goAway { return sent[at + 13..<at + 17].reduce(0) { $0 << 8 | UInt32($1) } }
            at += 9 + length
        }
        return nil
    }

    @Test("as much as was granted is fine, a second window's worth is a connection error")
    func overflow() {
        #expect(send(frames: 3) == nil)
        // What was read is granted again at half, once, because nothing can be sent in between.
        #expect(send(frames: 9) == ErrorCode.flowControl)
    }
}
