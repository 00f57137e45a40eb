// RFC 9113 §8: which requests are well-formed.

import WireClient

let messageCases = [framingCases, fieldCases, connectionFieldCases, pseudoCases, lengthCases, methodCases].flatMap { $0 }

private let framingCases = section("RFC 9113 §8.1") {
    when("trailers end a request", .accepted) {
        $0.send(.headers(1, good.block), .data(1, alert, end: false))
        $0.send(.headers(1, HPACK.literal("x-checksum", "1"), end: true))
    }
    when("trailers that do not end the stream", .malformed) {
        $0.send(.headers(1, good.block), .data(1, alert, end: false))
        $0.send(.headers(1, HPACK.literal("x-checksum", "1")))
    }
    when("a second HEADERS that does not end the stream", .malformed) {
        $0.send(.headers(1, good.block), .headers(1, good.block))
    }
    when("trailers with a pseudo-header field", .malformed) {
        $0.send(.headers(1, good.block), .data(1, alert, end: false))
        $0.send(.headers(1, HPACK.literal(":method", "POST"), end: true))
    }
    when("DATA after trailers", .streamClosed, .connectionStreamClosed) {
        $0.send(.headers(1, silent.block), .data(1, alert, end: false))
        $0.send(.headers(1, HPACK.literal("x-checksum", "1"), end: true))
        $0.send(.data(1, alert))
    }
    when("a request is answered though another one is still open", .accepted, stream: 3) {
        $0.send(.headers(1, good.block))
        $0.push(3)
    }
}

private let fieldCases = section("RFC 9113 §8.2.1") {
    malformed("an upper-case letter in a name", good.adding("Content-Type", "application/json"))
    malformed("an upper-case letter in trailing position of a name", good.adding("x-tagS", "1"))
    malformed("a blank in a name", good.adding("x tag", "1"))
    malformed("a control character in a name", good.adding("x\u{1}tag", "1"))
    malformed("DEL in a name", good.adding("x\u{7F}tag", "1"))
    malformed("a byte beyond ASCII in a name", good.adding("x-\u{E9}", "1"))
    malformed("a colon within a name", good.adding("x:tag", "1"))
    malformed("an empty name", good.adding("", "1"))
    malformed("NUL in a value", good.adding("x-tag", "a\u{0}b"))
    malformed("a line feed in a value", good.adding("x-tag", "a\nb"))
    malformed("a carriage return in a value", good.adding("x-tag", "a\rb"))
    malformed("a blank before a value", good.adding("x-tag", " a"))
    malformed("a blank after a value", good.adding("x-tag", "a "))
    malformed("a tab before a value", good.adding("x-tag", "\ta"))
    malformed("a tab after a value", good.adding("x-tag", "a\t"))
    when("blanks and tabs within a value are fine", .accepted) { $0.push(1, good.adding("x-tag", "a b\tc")) }
    when("an empty value is fine", .accepted) { $0.push(1, good.adding("x-tag", "")) }
    when("bytes beyond ASCII in a value are fine", .accepted) { $0.push(1, good.adding("x-tag", "gr\u{FC}n")) }
    when("every punctuation mark of a token is fine in a name", .accepted) {
        $0.push(1, good.adding("!#$%&'*+-.^_`|~", "1"))
    }
    when("an invalid field in trailers", .malformed) {
        $0.send(.headers(1, good.block), .data(1, alert, end: false))
        $0.send(.headers(1, HPACK.literal("X-Checksum", "1"), end: true))
    }
    when("cookies in several fields are fine", .accepted) { $0.push(1, good.adding("cookie", "a=b").adding("cookie", "c=d")) }
    when(
        "a header list beyond what was announced", .answer([431]), .streamError([1, 2, 11]),
        .connectionError([1, 11])
    ) { $0.push(1, good.adding("x-filler", String(repeating: "f", count: 9_000))) }
}

private let connectionFieldCases = section("RFC 9113 §8.2.2") {
    malformed("connection", good.adding("connection", "keep-alive"))
    malformed("keep-alive", good.adding("keep-alive", "timeout=5"))
    malformed("proxy-connection", good.adding("proxy-connection", "keep-alive"))
    malformed("transfer-encoding", good.adding("transfer-encoding", "chunked"))
    malformed("upgrade", good.adding("upgrade", "h2c"))
    malformed("te with anything but trailers", good.adding("te", "gzip"))
    malformed("te with trailers and more", good.adding("te", "trailers, deflate;q=0.5"))
    when("te: trailers is fine", .accepted) { $0.push(1, good.adding("te", "trailers")) }
}

private let pseudoCases = section("RFC 9113 §8.3") {
    malformed("an unknown pseudo-header field", good.leading(":protocol-version", "2"))
    malformed("a pseudo-header field of answers", good.leading(":status", "200"))
    malformed(":protocol without extended CONNECT", good.leading(":protocol", "websocket"))
    malformed("a pseudo-header field after a regular one", good.without(":path").adding(":path", "/3/device/aa"))
    malformed("no :method", good.without(":method"))
    malformed("no :scheme", good.without(":scheme"))
    malformed("no :path", good.without(":path"))
    malformed("an empty :path", good.setting(":path", ""))
    malformed("an empty :method", good.setting(":method", ""))
    malformed("an empty :scheme", good.setting(":scheme", ""))
    malformed("two :method", good.leading(":method", "POST"))
    malformed("two :scheme", good.leading(":scheme", "https"))
    malformed("two :path", good.leading(":path", "/3/device/bb"))
    malformed("two :authority", good.leading(":authority", "localhost"))
    malformed("a :path without its slash", good.setting(":path", "3/device/aa"))
    when("pseudo-header fields in another order are fine", .accepted) {
        $0.push(1, Request([good.fields[2], good.fields[1], good.fields[3], good.fields[0]] + good.fields[4...]))
    }
    when("host beside :authority is fine", .accepted) { $0.push(1, good.adding("host", "localhost")) }
}

private let lengthCases = section("RFC 9113 §8.1.1") {
    when("the right content-length is fine", .accepted) { $0.push(1, good.adding("content-length", "\(alert.count)")) }
    when("the right content-length of several DATA is fine", .accepted) {
        $0.send(.headers(1, good.adding("content-length", "\(alert.count)").block))
        $0.send(.data(1, Array(alert.prefix(9)), end: false), Frame.data(1, Array(alert.dropFirst(9))).padded(9))
    }
    malformed("a content-length above the body", good.adding("content-length", "\(alert.count + 1)"))
    malformed("a content-length below the body", good.adding("content-length", "\(alert.count - 1)"))
    malformed("a content-length that is no number", good.adding("content-length", "many"))
    malformed("a negative content-length", good.adding("content-length", "-1"))
    malformed(
        "two content-lengths", good.adding("content-length", "\(alert.count)").adding("content-length", "1"))
    when("a content-length and no body", .malformed) {
        $0.send(.headers(1, good.adding("content-length", "1").block, end: true))
    }
    when("a content-length below several DATA", .malformed) {
        $0.send(.headers(1, good.adding("content-length", "\(alert.count)").block))
        $0.send(.data(1, alert, end: false), .data(1, [0x20]))
    }
    when("a content-length that trailers leave unmet", .malformed) {
        $0.send(.headers(1, good.adding("content-length", "\(alert.count)").block), .data(1, [0x20], end: false))
        $0.send(.headers(1, HPACK.literal("x-checksum", "1"), end: true))
    }
}

private let methodCases = section("RFC 9113 §8.5") {
    when("CONNECT is a method like another that is not allowed", .answer([405])) {
        $0.send(.headers(1, Request([(":method", "CONNECT"), (":authority", "localhost:443")]).block, end: true))
    }
    malformed("CONNECT with :scheme and :path", good.setting(":method", "CONNECT"))
    malformed("CONNECT without :authority", Request([(":method", "CONNECT")]))
    when("OPTIONS of the server as a whole", .answer([405])) {
        $0.send(.headers(1, good.setting(":method", "OPTIONS").setting(":path", "*").block, end: true))
    }
    when("HEAD is answered without DATA", .answer([405])) {
        $0.send(.headers(1, good.setting(":method", "HEAD").block, end: true))
    }
}
