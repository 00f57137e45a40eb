// Packing and unpacking, with whatever a stranger may send.

import Deflate
import Testing

@Suite struct DeflateTests {
    private let text = Array(String(repeating: "{\"message\": 1}, ", count: 300).utf8)

    private func pack(_ bytes: [UInt8]) -> [UInt8] { GZip.packed(bytes.span) }
    private func unpack(_ bytes: [UInt8], _ limit: Int) -> Unpacked { GZip.unpacked(bytes.span, atMost: limit) }
    private func unpackZlib(_ bytes: [UInt8], _ limit: Int) -> [UInt8]? { Zlib.unpacked(bytes.span, atMost: limit) }

    @Test("what is packed is shorter, begins as gzip does, and unpacks to the same")
    func roundTrip() {
        let packed = pack(text)
        #expect(packed.count < text.count / 4 && packed.prefix(3) == [0x1F, 0x8B, 8])
        #expect(unpack(packed, text.count) == .whole(text))
        #expect(unpack(pack([]), 0) == .whole([]))
    }

    @Test("what another program packed is read")
    func other() {
        // printf hello | gzip -n
        let bytes: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
        ]
        #expect(unpack(bytes, 100) == .whole(Array("hello".utf8)))
    }

    @Test("of a bomb no more is unpacked than was asked for")
    func bomb() {
        let bomb = pack([UInt8](repeating: 32, count: 50_000_000))
        #expect(bomb.count < 300_000)
        #expect(unpack(bomb, 1_000) == .tooLong([UInt8](repeating: 32, count: 1_000)))
    }

    @Test("what is broken is told so", arguments: 0..<5)
    func broken(_ kind: Int) {
        var packed = pack(text)
        switch kind {
        case 0: packed.removeLast()
        case 1: packed.append(0)
        case 2: packed[packed.count - 5] ^= 1
        case 3: packed = text
        default: packed = []
        }
        #expect(unpack(packed, text.count) == .broken)
    }

    @Test("zlib's own format unpacks to the same, whole and within its limit, or not at all")
    func zlib() {
        let packed = Zlib.packed(text.span)
        #expect(unpackZlib(packed, text.count) == text)
        #expect(unpackZlib(packed, text.count - 1) == nil)
        #expect(unpackZlib(Array(packed.dropLast()), text.count) == nil)
    }
}
