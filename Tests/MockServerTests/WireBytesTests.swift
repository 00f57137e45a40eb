// The bytes that Apple was seen to send (docs/apns.md §0).

import APNs
import Basics
import MockServer
import Pushes
import Testing
import WireClient

@Suite struct WireBytesTests {
    private let reason = Array(#"{"reason":"BadDeviceToken"}"#.utf8)

    @Test func `a refusal is HEADERS with END_HEADERS, then DATA with END_STREAM, and nothing else`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let answer = try client.ask(1, mock.block(token: "zz"))
            #expect(answer.frames.map(\.type) == [FrameType.headers, FrameType.data])
            #expect(answer.frames.map(\.flags) == [FrameFlag.endHeaders, FrameFlag.endStream])
            #expect(answer.body == reason && reason.count == 27)
            #expect(try client.awaitPing())
            #expect(client.received.filter { $0.stream == 1 }.count == 2)
        }
    }

    @Test func `a success is HEADERS with END_HEADERS and END_STREAM, without DATA`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let answer = try client.ask(1, mock.block())
            #expect(answer.status == 200 && answer.frames.count == 1)
            #expect(answer.frames.first?.flags == FrameFlag.endHeaders | FrameFlag.endStream)
            #expect(try client.awaitPing())
            #expect(client.received.filter { $0.stream == 1 }.count == 1)
        }
    }

    @Test func `an answer has two fields, in the sandbox a success three`() throws {
        try withMock({ $0.environment = .sandbox }) { mock in
            let client = try mock.wire()
            #expect(try client.ask(1, mock.block()).fields.map(\.name) == [":status", "apns-id", "apns-unique-id"])
            #expect(try client.ask(3, mock.block(token: "zz")).fields.map(\.name) == [":status", "apns-id"])
        }
        try withMock { mock in
            let client = try mock.wire()
            #expect(try client.ask(1, mock.block()).fields.map(\.name) == [":status", "apns-id"])
            #expect(try client.ask(3, mock.block(token: "zz")).fields.map(\.name) == [":status", "apns-id"])
        }
    }

    @Test func `the first block teaches the name apns-id, later ones refer to it and are never indexed`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let blocks = try [UInt32(1), 3, 5].map { stream in
                try #require(try client.ask(stream, mock.block(token: "zz")).frames.first?.payload)
            }
            // :status 400, then a literal that is indexed, its name `apns-id` in Huffman code.
            #expect(blocks[0].prefix(8) == [0x8C, 0x40, 0x85, 0x1D, 0x75, 0x21, 0x63, 0x49])
            // :status 400, then a literal never indexed whose name is entry 62, the newest.
            for block in blocks.dropFirst() { #expect(block.prefix(3) == [0x8C, 0x1F, 0x2F]) }
            // The value is Huffman-coded and fills the rest of the block.
            for (block, start) in zip(blocks, [8, 3, 3]) {
                #expect(block[start] == 0x80 | UInt8(block.count - start - 1), "\(Hex.encode(block.span))")
            }
        }
    }

    @Test func `the first frame is SETTINGS with five parameters in Apple's order`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let first = try #require(client.received.first)
            #expect(first.type == FrameType.settings && first.flags == 0 && first.payload.count == 30)
            let pairs = client.settings.first?.map { [UInt32($0.identifier), $0.value] }
            #expect(pairs == [[1, 4_096], [3, 1], [4, 65_535], [5, 16_384], [6, 8_000]])
        }
    }

    @Test func `an apns-id of the mock is an upper-case UUID of random bits, its version nibble anything`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let ids = try (0..<64).map { index in
                try #require(try client.ask(UInt32(index) * 2 + 1, mock.block()).field("apns-id"))
            }
            #expect(Set(ids).count == 64)
            for id in ids { #expect(id == id.uppercased() && id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12]) }
            #expect(Set(ids.map { $0.dropFirst(14).first }).count > 8)
        }
    }

    @Test func `an apns-unique-id is a lower-case UUID of random bits`() throws {
        try withMock({ $0.environment = .sandbox }) { mock in
            let client = try mock.wire()
            let ids = try (0..<64).map { index in
                try #require(try client.ask(UInt32(index) * 2 + 1, mock.block()).field("apns-unique-id"))
            }
            #expect(Set(ids).count == 64 && ids.allSatisfy { $0 == $0.lowercased() })
            #expect(Set(ids.map { $0.dropFirst(14).first }).count > 8)
        }
    }
}
