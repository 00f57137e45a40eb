// RFC 9113 §3.4, §4: how a connection starts, what a frame is, how long it may be.

import WireClient

let frameCases = [prefaceCases, formatCases, sizeCases, blockCases].flatMap { $0 }

private let prefaceCases = section("RFC 9113 §3.4") {
    when("preface, SETTINGS and a push in one write are served", .accepted, hello: nil) {
        $0.send(bytes: WireClient.preface + Frame.settings().bytes)
        $0.push()
    }
    when("the preface in pieces of one byte is read", .accepted, hello: nil) { client in
        for byte in WireClient.preface { client.send(bytes: [byte]) }
        client.send(.settings())
        client.push()
    }
    when("another protocol's first bytes", .protocolError, .close, hello: nil) {
        $0.send(bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    }
    when("a preface with another last byte", .protocolError, .close, hello: nil) {
        $0.send(bytes: WireClient.preface.dropLast() + [0] + Frame.settings().bytes)
    }
    when("no SETTINGS after the preface, but PING", .protocolError, .close, hello: nil) {
        $0.send(bytes: WireClient.preface + Frame.ping().bytes)
    }
    when("no SETTINGS after the preface, but HEADERS", .protocolError, .close, hello: nil) {
        $0.send(bytes: WireClient.preface)
        $0.push()
    }
    when("an acknowledgement in place of the first SETTINGS", .protocolError, .close, hello: nil) {
        $0.send(bytes: WireClient.preface + Frame.settingsAcknowledgement.bytes)
    }
}

private let formatCases = section("RFC 9113 §4.1") {
    when("a frame of unknown type on the connection is ignored", .nothing) { $0.send(Frame(0xF0, [1, 2, 3])) }
    when("a frame of unknown type without payload is ignored", .nothing) { $0.send(Frame(0xF1)) }
    when("a frame of unknown type on an idle stream does not open it", .accepted) {
        $0.send(Frame(0xF0, flags: 0xFF, stream: 1, [0]))
        $0.push()
    }
    when("a frame of unknown type on an open stream is ignored", .accepted) {
        $0.send(.headers(1, good.block), Frame(0xF0, stream: 1, [0]), .data(1, alert))
    }
    when("ALTSVC from a client is ignored", .nothing) { $0.send(Frame(0x0A, [0, 1, 97, 98])) }
    when("ORIGIN from a client is ignored", .nothing) { $0.send(Frame(0x0C, [0, 1, 97])) }
    when("PRIORITY_UPDATE of RFC 9218 does no harm", .accepted) {
        $0.send(Frame(0x10, UInt32(1).bigEndianBytes + Array("u=0".utf8)))
        $0.push()
    }
    when("flags that PING does not define are ignored", .nothing) { client in
        client.send(Frame.ping("flagflag").adding(flags: 0xFE))
        try client.expect { $0.type == FrameType.ping && $0.flags == FrameFlag.acknowledge }
    }
    when("flags that SETTINGS does not define are ignored", .nothing) { client in
        client.send(Frame.settings().adding(flags: 0xFE))
        try client.expect { $0 == .settingsAcknowledgement }
    }
    when("flags that HEADERS and DATA do not define are ignored", .accepted) {
        $0.send(Frame.headers(1, good.block).adding(flags: 0xD2), Frame.data(1, alert).adding(flags: 0xF6))
    }
    when("the reserved bit of a stream identifier is ignored", .accepted) {
        $0.send(Frame.headers(0x8000_0001, good.block), Frame.data(0x8000_0001, alert))
    }
    when("the reserved bit of the connection's identifier is ignored", .nothing) { client in
        client.send(Frame.ping("reserved").on(stream: 0x8000_0000))
        try client.expect { $0.type == FrameType.ping }
    }
}

private let sizeCases = section("RFC 9113 §4.2") {
    when("DATA of 2^14 bytes is read", .answer([413])) {
        $0.push(body: [UInt8](repeating: 0x20, count: 16_384))
    }
    when("HEADERS that fill a frame's first half are read", .accepted) {
        $0.push(1, good.adding("x-filler", String(repeating: "f", count: 6_000)))
    }
    when("DATA of more than 2^14 bytes", .frameSizeError, .streamError([6])) {
        $0.push(body: [UInt8](repeating: 0x20, count: 16_385))
    }
    when("HEADERS of more than 2^14 bytes", .frameSizeError) {
        $0.push(1, good.adding("x-filler", String(repeating: "f", count: 16_384)))
    }
    when("CONTINUATION of more than 2^14 bytes", .frameSizeError) {
        $0.send(.headers(1, good.block, whole: false))
        $0.send(.continuation(1, HPACK.literal("x-filler", String(repeating: "f", count: 16_384))))
    }
    when("SETTINGS of more than 2^14 bytes", .frameSizeError) {
        $0.send(.settings([(UInt16, UInt32)](repeating: (0xF0F0, 1), count: 2_731)))
    }
    when("a frame of unknown type of more than 2^14 bytes", .frameSizeError) {
        $0.send(Frame(0xF0, [UInt8](repeating: 0, count: 16_385)))
    }
}

private let blockCases = section("RFC 9113 §4.3") {
    when("a header block that cannot be decoded", .compressionError) { $0.send(.headers(1, [0x80], end: true)) }
    when("a header block that ends within a field", .compressionError) {
        $0.send(.headers(1, good.block.dropLast(3) + [], end: true))
    }
    when("the block of a refused request still changes the HPACK table", .accepted, stream: 3) { client in
        let bad = HPACK.literal(.incremental, "apns-topic", "com.example.app")
        client.send(.headers(1, bad + good.without("apns-topic").block, end: true))
        client.send(.headers(3, good.without("apns-topic").block + HPACK.indexed(62)), .data(3, alert))
    }
    when("a block on a stream that the server reset still changes the HPACK table", .accepted, stream: 3) { client in
        client.send(.headers(1, good.adding("Upper", "case").block))
        _ = try client.awaitPing()
        client.send(.headers(1, HPACK.literal(.incremental, "apns-topic", "com.example.app"), end: true))
        client.send(.headers(3, good.without("apns-topic").block + HPACK.indexed(62)), .data(3, alert))
    }
}
