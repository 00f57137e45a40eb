// RFC 9113 §6.9: a server sends no more DATA than it was allowed, and counts what it is sent.

import Testing
import WireClient

let flowCases = [updateCases, windowCases, initialCases].flatMap { $0 }

/// Refused with 31 bytes of DATA: {"reason":"BadDeviceToken"} has 27.
private let refused = good.setting(":path", "/3/device/zz")
private let refusal = Array(#"{"reason":"BadDeviceToken"}"#.utf8)

private let updateCases = section("RFC 9113 §6.9 WINDOW_UPDATE") {
    when("of 0 on the connection", .protocolError) { $0.send(.windowUpdate(0, 0)) }
    when("of 0 on a stream", .streamError([1]), .protocolError) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 0))
    }
    when("of the reserved bit alone is one of 0", .protocolError) { $0.send(.windowUpdate(0, 0x8000_0000)) }
    when("of three bytes", .frameSizeError) { $0.send(Frame(FrameType.windowUpdate, [0, 0, 1])) }
    when("of five bytes", .frameSizeError) { $0.send(Frame(FrameType.windowUpdate, [0, 0, 0, 1, 0])) }
}

private let windowCases = section("RFC 9113 §6.9.1") {
    when("the connection's window may be 2^31 - 1", .nothing) { $0.send(.windowUpdate(0, 0x7FFF_FFFF - 65_535)) }
    when("the connection's window may not be more", .connectionError([3])) {
        $0.send(.windowUpdate(0, 0x7FFF_FFFF - 65_534))
    }
    when("the connection's window may not be more in two steps", .connectionError([3])) {
        $0.send(.windowUpdate(0, 0x4000_0000), .windowUpdate(0, 0x4000_0000))
    }
    when("a stream's window may be 2^31 - 1", .accepted) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 0x7FFF_FFFF - 65_535), .data(1, alert))
    }
    when("a stream's window may not be more", .streamError([3]), .connectionError([3])) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 0x7FFF_FFFF - 65_534))
    }
    when("the reserved bit of an increment is ignored", .answer([400]), hello: [(4, 0)]) { client in
        client.push(1, refused)
        client.send(.windowUpdate(1, 0x8000_0001))
        try client.expect { $0 == .data(1, [refusal[0]], end: false) }
    }
    when("the connection's window holds the DATA of all streams", .answer([400]), stream: 4_801) { client in
        // A header block of a few bytes: after the first request all its fields stand in the dynamic table.
        let pseudo = HPACK.block(Array(refused.fields.prefix(4)))
        let fields = refused.fields.dropFirst(4)
        let taught = fields.flatMap { HPACK.literal(.incremental, $0.0, $0.1) }
        client.send(.headers(1, pseudo + taught), .data(1, alert))
        let again = pseudo + (0..<fields.count).flatMap { HPACK.indexed(62 + $0) }
        for stream in stride(from: UInt32(3), through: 5_001, by: 2) {
            client.send(.headers(stream, again), .data(stream, alert))
        }
        try client.expect { $0.stream == 5_001 && $0.type == FrameType.headers }
        _ = try client.awaitPing()
        #expect(client.dataBytes == 65_535)
        client.send(.windowUpdate(0, 100))
        while client.dataBytes < 65_635, try client.next() != nil {}
        _ = try client.awaitPing()
        #expect(client.dataBytes == 65_635)
        client.send(.windowUpdate(0, 1_000_000))
    }
}

private let initialCases = section("RFC 9113 §6.9.2") {
    when("an initial window of 0 holds DATA but not HEADERS", .answer([400]), hello: [(4, 0)]) { client in
        client.push(1, refused)
        try client.expect { $0.type == FrameType.headers && $0.stream == 1 }
        _ = try client.awaitPing()
        #expect(client.dataBytes == 0)
        client.send(.windowUpdate(1, 27))
        try client.expect { $0 == .data(1, refusal) }
    }
    when("DATA comes as far as the window goes", .answer([400]), hello: [(4, 10)]) { client in
        client.push(1, refused)
        try client.expect { $0 == .data(1, Array(refusal[..<10]), end: false) }
        client.send(.windowUpdate(1, 3))
        try client.expect { $0 == .data(1, Array(refusal[10..<13]), end: false) }
        client.send(.windowUpdate(1, 1_000))
        try client.expect { $0 == .data(1, Array(refusal[13...])) }
    }
    when("a new initial window counts for open streams too", .answer([400]), hello: [(4, 0)]) { client in
        client.push(1, refused)
        try client.expect { $0.type == FrameType.headers && $0.stream == 1 }
        client.send(.settings([(4, 1)]))
        try client.expect { $0 == .data(1, [refusal[0]], end: false) }
        client.send(.settings([(4, 2)]))
        try client.expect { $0 == .data(1, [refusal[1]], end: false) }
    }
    when("a window may become negative, and is first to be filled up again", .answer([400]), hello: [(4, 10)]) { client in
        client.push(1, refused)
        try client.expect { $0 == .data(1, Array(refusal[..<10]), end: false) }
        client.send(.settings([(4, 2)]), .windowUpdate(1, 8))
        _ = try client.awaitPing()
        #expect(client.dataBytes == 10)
        client.send(.windowUpdate(1, 1))
        try client.expect { $0 == .data(1, [refusal[10]], end: false) }
    }
    when("the connection's window is not changed by SETTINGS", .answer([400]), hello: [(4, 0)]) { client in
        client.push(1, refused)
        client.send(.windowUpdate(0, 1_000))
        _ = try client.awaitPing()
        #expect(client.dataBytes == 0)
        client.send(.settings([(4, 100)]))
        try client.expect { $0 == .data(1, refusal) }
    }
    when("a new initial window that makes a stream's too large", .connectionError([3])) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 0x7FFF_FFFF - 65_535))
        $0.send(.settings([(4, 65_536)]))
    }
    when("a new initial window that makes a stream's too large, all in one write", .connectionError([3])) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 0x7FFF_FFFF - 65_535), .settings([(4, 65_536)]))
    }
    when("a new initial window that makes a stream's too large, byte by byte", .connectionError([3])) { client in
        client.send(.headers(1, good.block), .windowUpdate(1, 0x7FFF_FFFF - 65_535))
        for byte in Frame.settings([(4, 65_536)]).bytes { client.send(bytes: [byte]) }
    }
    when("a new initial window that makes one stream's of several too large", .connectionError([3]), stream: 5) {
        for stream: UInt32 in [1, 3, 5] { $0.send(.headers(stream, good.block)) }
        $0.send(.windowUpdate(3, 0x7FFF_FFFF - 65_535), .settings([(4, 65_536)]))
    }
    when("a new initial window that makes the stream's of an answer too large", .connectionError([3])) {
        try $0.halfClose()
        $0.send(.windowUpdate(1, 0x7FFF_FFFF - 65_535), .settings([(4, 65_536)]))
    }
    when("a new initial window may make a stream's 2^31 - 1", .accepted) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 0x7FFF_FFFF - 65_545), .settings([(4, 65_545)]))
        $0.send(.data(1, alert))
    }
    when("a new initial window does not count for streams that are over", .accepted) {
        $0.send(.headers(1, good.block), .windowUpdate(1, 0x7FFF_FFFF - 65_535), .data(1, alert))
        try $0.expect(status: 200, on: 1)
        $0.send(.settings([(4, 65_536)]))
    }
    when("an answer without DATA needs no window", .accepted, hello: [(4, 0)]) { $0.push() }
    when("what is received is granted again", .nothing) { client in
        // 40 bodies of 4,000 bytes are more than twice the connection's window.
        for stream in stride(from: UInt32(1), through: 79, by: 2) {
            client.push(stream, good, body: Array("{}".utf8) + [UInt8](repeating: 0x20, count: 3_998))
            try client.expect(status: 200, on: stream)
        }
        let granted = client.received.filter { $0.type == FrameType.windowUpdate && $0.stream == 0 }
        #expect(granted.reduce(0) { $0 + Int($1.number(at: 0)) } >= 160_000 - 65_535)
        client.mark = client.received.count
    }
}

extension WireClient {
    fileprivate var dataBytes: Int {
        received.filter { $0.type == FrameType.data }.reduce(0) { $0 + $1.payload.count }
    }
}
