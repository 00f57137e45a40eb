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
        for token in sent { peers.request(authorization: token) }
        #expect(peers.exchange() == sent)
        #expect(peers.server.credential.restored == restored)
    }

    /// A frame whose first part came with the read before stands in front of one that repeats the credential.
    @Test(arguments: Array(stride(from: 30, to: 900, by: 13)))
    func cutAnywhere(at cut: Int) {
        let peers = Peers(cut: cut)
        let sent = (0..<40).map { tokens[$0 % 8 == 7 ? 1 : 0] }
        for token in sent { peers.request(authorization: token) }
        #expect(peers.exchange() == sent)
    }

    @Test func `a value that looks like the placeholder stays what it is`() {
        let peers = Peers(cut: 4_096)
        let sent = [tokens[0], "*", tokens[0], "*"]
        for token in sent { peers.request(authorization: token) }
        #expect(peers.exchange() == sent)
        #expect(peers.server.credential.restored == 1)
    }

    @Test func `frames of other shapes are read as they are`() throws {
        let peers = Peers(cut: 4_096)
        peers.request(authorization: tokens[0])
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
        #expect(peers.deliver(all, cut: 100_000) == Array(repeating: tokens[0], count: 5))
        #expect(peers.server.credential.restored == 2)
        #expect(peers.server.receive(frame(1, flags: 0x05, stream: 11, block + [0x0F]).span) == nil)
        let output = ByteBuffer()
        #expect(peers.server.takeOutput(into: output))
        #expect(output.allBytes.frames(from: 0).last?[3] == 7, "a GOAWAY")
    }

    @Test func `lengths outside the useful ones are left to nghttp2`() {
        let peers = Peers(cut: 100_000)
        let long = "bearer " + String(repeating: "x", count: 3_000)
        let sent = ["bearer short", "bearer short", long, long, tokens[0], tokens[0]]
        for token in sent { peers.request(authorization: token) }
        #expect(peers.exchange() == sent)
        #expect(peers.server.credential.restored == 1)
    }

    private func frame(_ type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
    }
}

/// A client and a server session joined in memory.
private final class Peers {
    let client: HTTP2Session
    let server: HTTP2Session
    private let cut: Int
    private let ear = Ear()

    init(cut: Int) {
        self.cut = cut
        let limits = HTTP2Limits(maxBodyBytes: 1_000, maxHeaderListBytes: 8_000)
        client = HTTP2Session(role: .client, settings: [], limits: limits, pool: HTTP2Pool())
        server = HTTP2Session(role: .server, settings: [], limits: limits, pool: HTTP2Pool())
    }

    func request(authorization: String) {
        let head = HeaderBlock()
        head.append(":method", "GET")
        head.append(":path", "/")
        head.append("authorization", authorization)
        ear.heads.append(head)
        precondition(client.request(head, scheme: "https", authority: "localhost", body: ByteBuffer(), owner: ear))
    }

    func clientBytes() -> [UInt8] {
        let output = ByteBuffer()
        precondition(client.takeOutput(into: output))
        return output.allBytes
    }

    /// What the server was told to authorize, request after request.
    func exchange() -> [String] { deliver(clientBytes(), cut: cut) }

    func deliver(_ bytes: [UInt8], cut: Int) -> [String] {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(cut))
            rest = rest.dropFirst(cut)
            precondition(server.receive(piece.span) == nil)
            server.handOutEvents(to: ear)
        }
        return ear.authorizations
    }
}

private final class Ear: HTTP2EventHandler {
    var authorizations: [String] = []
    var heads: [HeaderBlock] = []

    func message(_ stream: HTTP2Stream) { authorizations.append(stream.head.text("authorization") ?? "none") }
    func closed(_ stream: HTTP2Stream, code: UInt32) {}
    func happened(_ event: HTTP2Event) {}
}

extension ByteBuffer {
    fileprivate var allBytes: [UInt8] {
        let bytes = bytes
        return bytes.withUnsafeBufferPointer { Array($0) }
    }
}

extension [UInt8] {
    fileprivate func frames(from start: Int) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var at = start
        while at + 9 <= count {
            let end = at + 9 + Int(self[at]) << 16 + Int(self[at + 1]) << 8 + Int(self[at + 2])
            found.append(Array(self[at..<end]))
            at = end
        }
        return found
    }
}
