// RFC 9113 §6.1–§6.8: DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY.

import Testing
import WireClient

let definitionCases = [
    dataCases, headersCases, priorityCases, resetCases, settingsCases, pushCases, pingCases, goAwayCases,
].flatMap { $0 }

private let dataCases = section("RFC 9113 §6.1 DATA") {
    when("on stream 0", .protocolError) { $0.send(.data(0, alert)) }
    when("with padding is read", .accepted) { $0.send(.headers(1, good.block), Frame.data(1, alert).padded(200)) }
    when("with padding of no bytes is read", .accepted) { $0.send(.headers(1, good.block), Frame.data(1, alert).padded(0)) }
    when("of nothing but padding is read", .answer([400])) {
        $0.send(.headers(1, good.block), Frame.data(1, []).padded(255))
    }
    when("without any bytes ends the stream", .answer([400])) { $0.push(body: []) }
    when("in many small frames is one body", .accepted) { client in
        client.send(.headers(1, good.block))
        for byte in alert { client.send(.data(1, [byte], end: false)) }
        client.send(.data(1, []))
    }
    when("whose padding is as long as its payload", .protocolError) {
        $0.send(.headers(1, good.block))
        $0.send(Frame(FrameType.data, flags: FrameFlag.padded, stream: 1, [4, 1, 2, 3]))
    }
    when("whose padding is longer than its payload", .protocolError) {
        $0.send(.headers(1, good.block))
        $0.send(Frame(FrameType.data, flags: FrameFlag.padded, stream: 1, [200, 1, 2, 3]))
    }
    when("that is padded and has no pad length", .frameSizeError, .protocolError) {
        $0.send(.headers(1, good.block), Frame(FrameType.data, flags: FrameFlag.padded, stream: 1))
    }
}

private let headersCases = section("RFC 9113 §6.2 HEADERS") {
    when("on stream 0", .protocolError) { $0.send(.headers(0, good.block)) }
    when("with padding is read", .accepted) { $0.send(Frame.headers(1, good.block).padded(100), .data(1, alert)) }
    when("with padding and priority is read", .accepted) {
        $0.send(Frame.headers(1, good.block).prioritised().padded(7), .data(1, alert))
    }
    when("that ends the stream is a request without body", .answer([400])) { $0.send(.headers(1, good.block, end: true)) }
    when("whose padding is longer than its payload", .protocolError) {
        $0.send(Frame(FrameType.headers, flags: 0xC, stream: 1, [255] + good.block.prefix(30)))
    }
    when("whose padding leaves no room for the priority", .protocolError) {
        $0.send(Frame(FrameType.headers, flags: 0x2C, stream: 1, [6, 0, 0, 0, 0, 0, 0]))
    }
    when("that is padded and has no pad length", .frameSizeError, .protocolError) {
        $0.send(Frame(FrameType.headers, flags: 0xC, stream: 1))
    }
    when("that is too short for its priority", .frameSizeError) {
        $0.send(Frame(FrameType.headers, flags: 0x24, stream: 1, [0, 0, 0, 0]))
    }
}

private let priorityCases = section("RFC 9113 §6.3 PRIORITY") {
    when("on stream 0", .protocolError) { $0.send(.priority(0)) }
    when("of four bytes", .streamError([6]), .frameSizeError) {
        $0.send(.headers(1, good.block), Frame(FrameType.priority, stream: 1, [0, 0, 0, 0]))
    }
    when("of six bytes", .streamError([6]), .frameSizeError) {
        $0.send(.headers(1, good.block), Frame(FrameType.priority, stream: 1, [0, 0, 0, 0, 1, 1]))
    }
    when("between HEADERS and CONTINUATION", .protocolError) {
        $0.send(.headers(1, good.block, whole: false), .priority(1))
    }
}

private let resetCases = section("RFC 9113 §6.4 RST_STREAM") {
    when("on stream 0", .protocolError) { $0.send(.reset(0)) }
    when("of three bytes", .frameSizeError) {
        $0.send(.headers(1, good.block), Frame(FrameType.reset, stream: 1, [0, 0, 8]))
    }
    when("of five bytes", .frameSizeError) {
        $0.send(.headers(1, good.block), Frame(FrameType.reset, stream: 1, [0, 0, 0, 8, 0]))
    }
    when("with an unknown code is one like any other", .nothing) { $0.send(.headers(1, good.block), .reset(1, .max)) }
}

private let settingsCases = section("RFC 9113 §6.5 SETTINGS") {
    when("on a stream", .protocolError) { $0.send(Frame.settings().on(stream: 1)) }
    when("acknowledgement with a payload", .frameSizeError) {
        $0.send(Frame.settings([(3, 100)]).adding(flags: FrameFlag.acknowledge))
    }
    when("of three bytes", .frameSizeError) { $0.send(Frame(FrameType.settings, [0, 3, 0])) }
    when("of seven bytes", .frameSizeError) { $0.send(Frame(FrameType.settings, [0, 3, 0, 0, 0, 9, 0])) }
    when("are acknowledged, each frame once", .nothing) { client in
        for size in 1...3 { client.send(.settings([(4, UInt32(size) * 30_000)])) }
        for _ in 1...3 { try client.expect { $0 == .settingsAcknowledgement } }
        _ = try client.awaitPing()
        #expect(client.received.filter { $0 == .settingsAcknowledgement }.count == 4)
    }
    when("without parameters are acknowledged", .nothing) { client in
        client.send(.settings())
        try client.expect { $0 == .settingsAcknowledgement }
    }
    when("with an unknown parameter are acknowledged", .nothing) { client in
        client.send(.settings([(0xF0F0, 7), (0, 1), (0xFFFF, .max)]))
        try client.expect { $0 == .settingsAcknowledgement }
    }
    when("ENABLE_PUSH 0 and 1 are allowed", .nothing) { $0.send(.settings([(2, 0)]), .settings([(2, 1)])) }
    when("ENABLE_PUSH 2", .protocolError) { $0.send(.settings([(2, 2)])) }
    when("INITIAL_WINDOW_SIZE of 2^31 - 1 is allowed", .nothing) { $0.send(.settings([(4, 0x7FFF_FFFF)])) }
    when("INITIAL_WINDOW_SIZE of 2^31", .connectionError([3])) { $0.send(.settings([(4, 0x8000_0000)])) }
    when("MAX_FRAME_SIZE of 2^14 and 2^24 - 1 are allowed", .nothing) {
        $0.send(.settings([(5, 16_384)]), .settings([(5, 16_777_215)]))
    }
    when("MAX_FRAME_SIZE below 2^14", .protocolError) { $0.send(.settings([(5, 16_383)])) }
    when("MAX_FRAME_SIZE of 2^24", .protocolError) { $0.send(.settings([(5, 16_777_216)])) }
    when("MAX_CONCURRENT_STREAMS 0 of a client concerns pushes of the server only", .accepted) {
        $0.send(.settings([(3, 0)]))
        $0.push()
    }
    when("HEADER_TABLE_SIZE of any size is allowed", .accepted) {
        $0.send(.settings([(1, .max)]), .settings([(1, 0)]), .settings([(1, 4_096)]))
        $0.push()
    }
    when("MAX_HEADER_LIST_SIZE is advice", .accepted) {
        $0.send(.settings([(6, 1)]))
        $0.push()
    }
    when("the last of two values counts", .answer([400])) { client in
        client.send(.settings([(4, 0), (4, 65_535)]))
        client.push(body: [])
        try client.expect { $0 == .data(1, Array(#"{"reason":"PayloadEmpty"}"#.utf8)) }
    }
}

private let pushCases = section("RFC 9113 §6.6 PUSH_PROMISE") {
    when("from a client", .protocolError) {
        $0.send(.headers(1, good.block))
        $0.send(Frame(FrameType.pushPromise, flags: 4, stream: 1, UInt32(2).bigEndianBytes + good.block))
    }
    when("from a client on stream 0", .protocolError) {
        $0.send(Frame(FrameType.pushPromise, flags: 4, UInt32(2).bigEndianBytes + good.block))
    }
}

private let pingCases = section("RFC 9113 §6.7 PING") {
    when("is answered with its own eight bytes", .nothing) { client in
        for opaque in ["firstone", "secondng"] {
            client.send(.ping(opaque))
            try client.expect { $0 == .ping(opaque, acknowledges: true) }
        }
    }
    when("acknowledgement that nobody asked for is not answered", .nothing) { client in
        client.send(.ping("unwanted", acknowledges: true))
        _ = try client.awaitPing()
        #expect(!client.received.contains { $0.payload == Array("unwanted".utf8) })
    }
    when("on a stream", .protocolError) { $0.send(Frame.ping().on(stream: 1)) }
    when("of seven bytes", .frameSizeError) { $0.send(.ping("1234567")) }
    when("of nine bytes", .frameSizeError) { $0.send(.ping("123456789")) }
    when("of no bytes", .frameSizeError) { $0.send(.ping("")) }
}

private let goAwayCases = section("RFC 9113 §6.8 GOAWAY") {
    when("on a stream", .protocolError) { $0.send(Frame.goAway().on(stream: 1)) }
    when("of seven bytes", .frameSizeError) { $0.send(Frame(FrameType.goAway, [0, 0, 0, 0, 0, 0, 0])) }
    when("with an unknown code and debug data lets open streams end", .accepted, .close) { client in
        client.send(.headers(1, good.block), .goAway(code: .max, debug: "bye"), .data(1, alert))
        try client.expect(status: 200, on: 1)
    }
}
