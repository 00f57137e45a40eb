// Two ends of a WebSocket without a socket between them, and frames made by hand for what no end of ours would send.

import Basics
import Testing
import WebSocket

@Suite("A WebSocket")
struct WebSocketSessionTests {
    private let client = WebSocketSession(.client, longest: 100)
    private let server = WebSocketSession(.server, longest: 100)

    /// What one has to say, as the other hears it.
    private func pass(_ from: WebSocketSession, _ to: WebSocketSession) -> [WebSocketEvent] {
        let buffer = ByteBuffer()
        from.takeOutput(into: buffer)
        return to.receive(buffer.bytes)
    }

    private func hear(_ frames: [UInt8]...) -> [WebSocketEvent] { frames.flatMap { client.receive($0.span) } }

    private func output(_ session: WebSocketSession) -> [UInt8] {
        let buffer = ByteBuffer()
        session.takeOutput(into: buffer)
        return buffer.array()
    }

    @Test("carries text and other bytes both ways")
    func messages() {
        withBytes(of: "grüß dich") { client.send(text: $0) }
        #expect(pass(client, server) == [.text(Array("grüß dich".utf8))])
        withBytes(of: "one") { server.send(text: $0) }
        withBytes(of: "two") { server.send(binary: $0) }
        #expect(pass(server, client) == [.text(Array("one".utf8)), .binary(3)])
    }

    @Test("puts fragments together, answers a ping between them, and reads what comes in pieces")
    func fragments() {
        #expect(hear([0x01, 0x02, 0x68], [0x65, 0x89, 0x01, 0x2A]) == [])
        #expect(output(client).prefix(2) == [0x8A, 0x81])
        #expect(hear([0x80, 0x01, 0x79]) == [.text(Array("hey".utf8))] && !client.isOver)
    }

    @Test("ends with a goodbye that is returned, and says its code")
    func goodbye() {
        server.close(code: 4_401)
        #expect(pass(server, client) == [.closed(code: 4_401, reason: "")] && client.isOver)
        #expect(pass(client, server) == [.closed(code: 4_401, reason: "")])
        #expect(hear([0x81, 0x00]) == [])
    }

    @Test("a goodbye may give a reason, or no code")
    func reasons() {
        let other = WebSocketSession(.client, longest: 100)
        #expect(hear([0x88, 0x04, 0x03, 0xE9, 0x68, 0x69]) == [.closed(code: 1_001, reason: "hi")])
        #expect(other.receive(([0x88, 0x00] as [UInt8]).span) == [.closed(code: nil, reason: "")])
    }

    private static let long = [UInt8](repeating: 65, count: 101)
    private static let lawless: [(frames: [UInt8], code: UInt16)] = [
        ([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69], 1_002), ([0xC1, 0x00], 1_002), ([0x80, 0x01, 0x68], 1_002),
        ([0x81, 126, 0, 2, 0x68, 0x69], 1_002), ([0x81, 0x02, 0xC3, 0x28], 1_007), ([0x81, 0x01, 0xC3], 1_007),
        ([0x81, 101] + long, 1_009), ([0x01, 60] + long.prefix(60) + [0x80, 60, 65], 1_009),
    ]

    @Test("is broken by what RFC 6455 forbids, which the peer is told", arguments: lawless.indices)
    func broken(index: Int) {
        let (frames, code) = Self.lawless[index]
        #expect(hear(frames) == [.broken(code: code)] && client.isOver)
        #expect(output(client).first == 0x88)
        #expect(hear([0x81, 0x00]) == [])
    }

    @Test("a client's frames without a mask break it, too")
    func unmasked() { #expect(server.receive(([0x81, 0x01, 0x68] as [UInt8]).span) == [.broken(code: 1_002)]) }

    @Test("masks each frame anew")
    func masks() {
        withBytes(of: "again") { client.send(text: $0) }
        let first = output(client)
        withBytes(of: "again") { client.send(text: $0) }
        #expect(first[1] == 0x85 && first != output(client))
    }
}
