// A server hands up the same fields whether it decoded a credential or remembered it, however the bytes were cut.

import Basics
import HTTP
import Testing

@testable import HTTP2

@Suite struct RepeatedCredentialTests {
    private let tokens = (0..<3).map { "bearer " + String(repeating: "eyJhbGciOiJFUzI1NiJ9.\($0)", count: 7) }

    /// Only frames that come whole are looked into.
    @Test("each request has its own value", arguments: [(cut: 1, restored: 0), (50, 0), (4_096, 6)])
    func remembered(cut: Int, restored: Int) {
        let peers = Peers(cut: cut)
        let sent = [0, 0, 0, 1, 1, 0, 2, 2, 2, 2].map { tokens[$0] }
        for token in sent { peers.request([("authorization", token)]) }
        #expect(peers.exchange().map(\.authorization) == sent)
        #expect(peers.server.credential.restored == restored)
    }

    /// A frame whose first part came with the read before stands in front of one that repeats the credential.
    @Test(arguments: Array(stride(from: 30, to: 900, by: 13)))
    func cutAnywhere(at cut: Int) {
        let peers = Peers(cut: cut)
        let sent = (0..<40).map { tokens[$0 % 8 == 7 ? 1 : 0] }
        for token in sent { peers.request([("authorization", token)]) }
        #expect(peers.exchange().map(\.authorization) == sent)
    }

    @Test func `a value that looks like the placeholder stays what it is`() {
        let peers = Peers(cut: 4_096)
        let sent = [tokens[0], "*", tokens[0], "*"]
        for token in sent { peers.request([("authorization", token)]) }
        #expect(peers.exchange().map(\.authorization) == sent)
        #expect(peers.server.credential.restored == 1)
    }

    @Test func `frames of other shapes are read as they are`() throws {
        let peers = Peers(cut: 4_096)
        peers.request([("authorization", tokens[0])])
        let first = peers.clientBytes()
        let headers = try #require(first.frames(from: 24).first { $0[3] == 1 })
        let block = Array(headers[9...])
        // The same block again: padded, with priority, in two pieces, and with trailing octets that are no field.
        var all = first
        all += frame(1, flags: 0x04 | 0x08 | 0x01, stream: 3, [4] + block + [0, 0, 0, 0])
        all += frame(1, flags: 0x04 | 0x20 | 0x01, stream: 5, [0, 0, 0, 0, 15] + block)
        all += frame(1, flags: 0x01, stream: 7, Array(block[..<20]))
        all += frame(9, flags: 0x04, stream: 7, Array(block[20...]))
        all += frame(1, flags: 0x04 | 0x01, stream: 9, block)
        #expect(peers.deliver(all, cut: 100_000).map(\.authorization) == Array(repeating: tokens[0], count: 5))
        #expect(peers.server.credential.restored == 2)
        #expect(peers.server.receive(frame(1, flags: 0x05, stream: 11, block + [0x0F]).span) == nil)
        let output = ByteBuffer()
        #expect(peers.server.takeOutput(into: output))
        #expect(output.array().frames(from: 0).last?[3] == 7, "a GOAWAY")
    }

    @Test func `lengths outside the useful ones are left to nghttp2`() {
        let peers = Peers(cut: 100_000)
        let long = "bearer " + String(repeating: "x", count: 3_000)
        let sent = ["bearer short", "bearer short", long, long, tokens[0], tokens[0]]
        for token in sent { peers.request([("authorization", token)]) }
        #expect(peers.exchange().map(\.authorization) == sent)
        #expect(peers.server.credential.restored == 1)
    }

    private func frame(_ type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
    }
}

extension [String] {
    fileprivate var authorization: String? { first { $0.hasPrefix("authorization: ") }.map { String($0.dropFirst(15)) } }
}
