// RFC 9113 §5: what may come on a stream in each of its states, which identifiers it may have, how many there may be.

import Testing
import WireClient

let streamCases = [
    idleCases, halfClosedCases, endedCases, abandonedCases, resetCases, openCases, identifierCases, concurrencyCases,
    priorityCases, errorCases,
].flatMap { $0 }

private let idleCases = section("RFC 9113 §5.1 idle") {
    when("DATA", .protocolError) { $0.send(.data(1, alert)) }
    when("DATA on an identifier that only the server may use", .protocolError) { $0.send(.data(2, alert)) }
    when("RST_STREAM", .protocolError) { $0.send(.reset(1)) }
    when("WINDOW_UPDATE", .protocolError) { $0.send(.windowUpdate(1, 100)) }
    when("CONTINUATION", .protocolError) { $0.send(.continuation(1, good.block)) }
    when("PRIORITY is allowed", .nothing) { $0.send(.priority(1)) }
    when("PRIORITY does not open a lower stream's successor", .accepted) {
        $0.send(.priority(5))
        $0.push()
    }
}

private let halfClosedCases = section("RFC 9113 §5.1 half-closed (remote)") {
    when("DATA", .streamClosed, .connectionStreamClosed) {
        try $0.halfClose()
        $0.send(.data(1, alert))
    }
    when("HEADERS", .streamClosed, .connectionStreamClosed) {
        try $0.halfClose()
        $0.send(.headers(1, good.block, end: true))
    }
    when("CONTINUATION", .protocolError) {
        try $0.halfClose()
        $0.send(.continuation(1, good.block))
    }
    when("WINDOW_UPDATE is allowed", .nothing) {
        try $0.halfClose()
        $0.send(.windowUpdate(1, 100))
    }
    when("PRIORITY is allowed", .nothing) {
        try $0.halfClose()
        $0.send(.priority(1))
    }
    when("RST_STREAM ends the stream", .nothing) {
        try $0.halfClose()
        $0.send(.reset(1))
    }
}

private let endedCases = section("RFC 9113 §5.1 closed by both ends") {
    when("DATA", .streamClosed, .connectionStreamClosed) {
        try $0.complete()
        $0.send(.data(1, alert))
    }
    when("HEADERS", .connectionStreamClosed) {
        try $0.complete()
        $0.send(.headers(1, good.block, end: true))
    }
    when("CONTINUATION", .protocolError) {
        try $0.complete()
        $0.send(.continuation(1, good.block))
    }
    when("WINDOW_UPDATE is tolerated", .nothing) {
        try $0.complete()
        $0.send(.windowUpdate(1, 100))
    }
    when("RST_STREAM is tolerated", .nothing) {
        try $0.complete()
        $0.send(.reset(1))
    }
    when("PRIORITY is allowed", .nothing) {
        try $0.complete()
        $0.send(.priority(1))
    }
}

private let abandonedCases = section("RFC 9113 §5.1 closed by the client's RST_STREAM") {
    when("DATA", .streamClosed, .connectionStreamClosed) {
        try $0.abandonStream()
        $0.send(.data(1, alert))
    }
    when("HEADERS", .connectionStreamClosed) {
        try $0.abandonStream()
        $0.send(.headers(1, good.block, end: true))
    }
    when("CONTINUATION", .protocolError) {
        try $0.abandonStream()
        $0.send(.continuation(1, good.block))
    }
    when("WINDOW_UPDATE is tolerated", .nothing) {
        try $0.abandonStream()
        $0.send(.windowUpdate(1, 100))
    }
    when("a second RST_STREAM is tolerated", .nothing) {
        try $0.abandonStream()
        $0.send(.reset(1))
    }
    when("PRIORITY is allowed", .nothing) {
        try $0.abandonStream()
        $0.send(.priority(1))
    }
}

private let resetCases = section("RFC 9113 §5.1 closed by the server's RST_STREAM") {
    when("DATA that was on its way", .streamClosed) {
        try $0.provokeReset()
        $0.send(.data(1, alert))
    }
    when("trailers that were on their way", .nothing) {
        try $0.provokeReset()
        $0.send(.headers(1, HPACK.block([("x-checksum", "1")]), end: true))
    }
    when("WINDOW_UPDATE that was on its way", .nothing) {
        try $0.provokeReset()
        $0.send(.windowUpdate(1, 100))
    }
    when("RST_STREAM that was on its way", .nothing) {
        try $0.provokeReset()
        $0.send(.reset(1))
    }
}

private let openCases = section("RFC 9113 §5.1 open") {
    when("WINDOW_UPDATE and PRIORITY between HEADERS and DATA", .accepted) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 1), .priority(1), .data(1, alert))
    }
    when("RST_STREAM ends the stream without an answer", .nothing) {
        $0.send(.headers(1, good.block), .data(1, alert, end: false), .reset(1))
    }
    when("streams interleave", .accepted, stream: 3) {
        $0.send(.headers(1, good.block), .headers(3, good.block))
        $0.send(.data(3, Array(alert.prefix(5)), end: false), .data(1, alert), .data(3, Array(alert.dropFirst(5))))
    }
}

private let identifierCases = section("RFC 9113 §5.1.1") {
    when("a request on an even stream", .protocolError, stream: 2) { $0.push(2) }
    when("a request on a stream below one already used", .protocolError, stream: 3) {
        try $0.complete(5)
        $0.push(3)
    }
    when("a request on a stream that was passed over long ago", .protocolError, stream: 3) { client in
        client.push(1)
        for stream: UInt32 in [7, 9, 21] { client.push(stream) }
        client.push(3)
    }
    when("streams may be passed over", .accepted, stream: 101) {
        $0.push(1)
        $0.push(101)
    }
    when("the highest identifier may be used", .accepted, stream: 0x7FFF_FFFF) { $0.push(0x7FFF_FFFF) }
}

private let concurrencyCases = section("RFC 9113 §5.1.2") {
    when("one stream more than was announced", .streamError([1, 7]), .protocolError, stream: 2_003) { client in
        try client.complete(1)
        for stream in stride(from: UInt32(3), through: 2_003, by: 2) { client.send(.headers(stream, small)) }
        _ = try client.awaitPing()
        // Room for the push that shows that the connection serves on.
        client.send(.reset(3))
    }
    when("streams that are over do not count", .nothing) { client in
        try client.complete(1)
        // Fewer than the resets that a server may take for an attack.
        for stream in stride(from: UInt32(3), through: 1_201, by: 2) { client.send(.headers(stream, small), .reset(stream)) }
        for stream in stride(from: UInt32(1_203), through: 2_401, by: 2) { client.send(.headers(stream, small)) }
    }
}

/// A request of four bytes; never ended, it keeps its stream open.
private let small = [HPACK.indexed(3), HPACK.indexed(7), HPACK.indexed(4), HPACK.literal("host", "a")].flatMap { $0 }

private let priorityCases = section("RFC 9113 §5.3") {
    when("PRIORITY on itself is ignored or refused", .nothing, .protocolError, .streamError([1])) {
        $0.send(.priority(1, dependsOn: 1))
    }
    when("HEADERS that depend on themselves are served or refused", .accepted, .protocolError, .streamError([1])) {
        $0.send(Frame.headers(1, good.block).prioritised(dependsOn: 1), .data(1, alert))
    }
    when("priorities in HEADERS are ignored", .accepted) {
        $0.send(Frame.headers(1, good.block).prioritised(dependsOn: 0x8000_0007, weight: 255), .data(1, alert))
    }
    when("a circle of PRIORITY is ignored", .accepted) {
        $0.send(.priority(1, dependsOn: 3), .priority(3, dependsOn: 5), .priority(5, dependsOn: 1))
        $0.push()
    }
}

private let errorCases = section("RFC 9113 §5.4") {
    when("GOAWAY names the last stream that was served", .protocolError, stream: 7) { client in
        try client.complete(7)
        client.send(.data(0, alert))
        let frame = try client.expect { $0.type == FrameType.goAway }
        #expect(frame.number(at: 0) == 7)
    }
    when("a stream error leaves other streams as they are", .accepted, stream: 3) {
        $0.send(.headers(3, good.block))
        $0.push(5, good.adding("Upper", "case"))
        $0.send(.data(3, alert))
    }
    when("RST_STREAM is not answered by RST_STREAM", .nothing) {
        try $0.halfClose()
        $0.send(.reset(1))
        _ = try $0.awaitPing()
        $0.send(.reset(1))
    }
}

extension WireClient {
    fileprivate func abandonStream() throws {
        send(.headers(1, good.block), .reset(1))
        _ = try awaitPing()
    }

    /// Stream 1 is reset for an upper-case field name.
    fileprivate func provokeReset() throws {
        send(.headers(1, good.adding("Upper", "case").block))
        try expect { $0.type == FrameType.reset && $0.stream == 1 }
        mark = received.count
    }
}
