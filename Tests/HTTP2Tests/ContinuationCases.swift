// RFC 9113 §6.10: a header block in several frames, with nothing between them.

import WireClient

let continuationCases = section("RFC 9113 §6.10") {
    when("a block in two frames", .accepted) { client in
        client.send(.headers(1, Array(good.block.prefix(40)), whole: false))
        client.send(.continuation(1, Array(good.block.dropFirst(40))), .data(1, alert))
    }
    when("a block in eight frames, cut anywhere", .accepted) { client in
        let block = good.block
        client.send(.headers(1, [], whole: false))
        for piece in 0..<8 {
            let bytes = block[block.count * piece / 8..<block.count * (piece + 1) / 8]
            client.send(.continuation(1, Array(bytes), whole: piece == 7))
        }
        client.send(.data(1, alert))
    }
    when("frames without end", .connectionError([ErrorCode.enhanceYourCalm])) { client in
        client.send(.headers(1, good.block, whole: false))
        for _ in 0..<100 { client.send(.continuation(1, HPACK.literal("x", "y"), whole: false)) }
    }
    when("CONTINUATION without any bytes", .accepted) {
        $0.send(.headers(1, good.block, whole: false), .continuation(1, [], whole: false), .continuation(1, []))
        $0.send(.data(1, alert))
    }
    when("HEADERS that end the stream, in two frames", .answer([400])) {
        $0.send(.headers(1, good.block, end: true, whole: false), .continuation(1, []))
    }
    when("trailers in two frames", .accepted) {
        $0.send(.headers(1, good.block), .data(1, alert, end: false))
        $0.send(.headers(1, HPACK.literal("x-a", "1"), end: true, whole: false), .continuation(1, HPACK.literal("x-b", "2")))
    }
    when("CONTINUATION after END_HEADERS", .protocolError) {
        $0.send(.headers(1, good.block), .continuation(1, HPACK.literal("x-a", "1")))
    }
    when("CONTINUATION after DATA", .protocolError) {
        $0.send(.headers(1, good.block), .data(1, alert, end: false), .continuation(1, []))
    }
    when("CONTINUATION on stream 0", .protocolError) {
        $0.send(.headers(1, good.block, whole: false), .continuation(0, []))
    }
    when("CONTINUATION on another stream", .protocolError) {
        $0.send(.headers(1, good.block, whole: false), .continuation(3, []))
    }
    when("DATA before END_HEADERS", .protocolError) {
        $0.send(.headers(1, good.block, whole: false), .data(1, alert))
    }
    when("HEADERS of another stream before END_HEADERS", .protocolError) {
        $0.send(.headers(1, good.block, whole: false), .headers(3, good.block))
    }
    when("PING before END_HEADERS", .protocolError) { $0.send(.headers(1, good.block, whole: false), .ping()) }
    when("SETTINGS before END_HEADERS", .protocolError) { $0.send(.headers(1, good.block, whole: false), .settings()) }
    when("WINDOW_UPDATE before END_HEADERS", .protocolError) {
        $0.send(.headers(1, good.block, whole: false), .windowUpdate(0, 1))
    }
    when("RST_STREAM before END_HEADERS", .protocolError) { $0.send(.headers(1, good.block, whole: false), .reset(1)) }
    when("a frame of unknown type before END_HEADERS", .protocolError) {
        $0.send(.headers(1, good.block, whole: false), Frame(0xF0, stream: 1, [1]))
    }
}
