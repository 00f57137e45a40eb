// RFC 9113 §6.9.2, where a socket would not do: what a server sends while SETTINGS are still coming in takes from the
// windows that they are measured by, so the session is fed directly.

import Basics
import HTTP
import Testing
import WireClient

@testable import HTTP2

@Suite("SETTINGS that a read cuts in two")
struct GrownWindowTests {
    /// The window of a stream's answer is as large as may be; then SETTINGS make it larger by `more`, and between their
    /// halves 65,535 bytes of the answer are sent. Nil, or why the connection ended.
    private func grow(by more: UInt32) -> String? {
        let session = HTTP2Session(
            role: .server, settings: [], limits: HTTP2Limits(maxBodyBytes: 100, maxHeaderListBytes: 8_000),
            pool: HTTP2Pool())
        let request = HPACK.indexed(3) + HPACK.indexed(7) + HPACK.indexed(4) + HPACK.literal("host", "a")
        let start =
            WireClient.preface + Frame.settings().bytes + Frame.headers(1, request, end: true).bytes
            + Frame.windowUpdate(1, 0x7FFF_FFFF - 65_535).bytes
        let settings = Frame.settings([(4, 65_535 + more)]).bytes
        #expect(session.receive(start.span) == nil)
        session.respond(
            session.streams[0], status: 200, head: HeaderBlock(), body: [UInt8](repeating: 0, count: 100_000).span)
        #expect(session.receive(Array(settings.prefix(12)).span) == nil)
        let output = ByteBuffer()
        while session.wantsWrite, session.takeOutput(into: output) {}
        #expect(output.count > 65_535)
        return session.receive(Array(settings.dropFirst(12)).span)
    }

    @Test("are judged by what is left of the windows when they are whole")
    func measuredAgain() {
        #expect(grow(by: 65_535) == nil)
        #expect(grow(by: 65_536) != nil)
    }
}
