// SETTINGS that a client leaves without acknowledgement (RFC 9113 §6.5.3), on a session that is fed directly: a socket
// would need thousands of requests.

import Basics
import HTTP2
import Testing
import WireClient

@Suite struct AnnouncementTests {
    /// The code of the GOAWAY after so many SETTINGS, the last `acknowledged` of which were read; nil: there is none.
    private func announce(_ count: Int, acknowledged: Int) -> UInt32? {
        let session = HTTP2Session(
            role: .server, settings: [.maxConcurrentStreams(10)],
            limits: HTTP2Limits(maxBodyBytes: 100, maxHeaderListBytes: 8_000), pool: HTTP2Pool())
        let output = ByteBuffer()
        _ = session.receive((WireClient.preface + Frame.settings().bytes).span)
        for number in 1..<count {
            session.announce(streams: UInt32(number), enforcing: nil)
            _ = session.takeOutput(into: output)
            if number <= acknowledged { _ = session.receive(Frame.settingsAcknowledgement.bytes.span) }
        }
        let sent = output.array()
        var at = 0
        while at + 9 <= sent.count {
            let length = Int(sent[at]) << 16 | Int(sent[at + 1]) << 8 | Int(sent[at + 2])
            if sent[at + 3] == FrameType.goAway { return sent[at + 13..<at + 17].reduce(0) { $0 << 8 | UInt32($1) } }
            at += 9 + length
        }
        return nil
    }

    @Test func `ten thousand SETTINGS may wait for their acknowledgement, not one more`() {
        #expect(announce(10_000, acknowledged: 0) == nil)
        #expect(announce(10_001, acknowledged: 0) == 4)
        #expect(announce(10_500, acknowledged: 500) == nil)
    }

    @Test func `a limit is kept once it is acknowledged, in order`() {
        let session = HTTP2Session(
            role: .server, settings: [.maxConcurrentStreams(10)], streamLimit: 10,
            limits: HTTP2Limits(maxBodyBytes: 100, maxHeaderListBytes: 8_000), pool: HTTP2Pool())
        _ = session.receive((WireClient.preface + Frame.settings().bytes).span)
        session.announce(streams: 3, enforcing: nil)
        session.announce(streams: 5, enforcing: nil)
        let output = ByteBuffer()
        func acknowledge() -> UInt32 {
            _ = session.takeOutput(into: output)
            _ = session.receive(Frame.settingsAcknowledgement.bytes.span)
            return session.streamLimit
        }
        #expect([acknowledge(), acknowledge(), acknowledge()] == [10, 3, 5])
        session.announce(streams: 2, enforcing: nil)
        session.announce(streams: 9, enforcing: 8)
        #expect(session.streamLimit == 8)
        #expect([acknowledge(), acknowledge()] == [8, 8])
    }
}
