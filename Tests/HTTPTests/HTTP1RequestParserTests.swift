// Requests as a server reads them: one valid request, and what becomes of it when one thing changes.

import Basics
import HTTP
import Testing

struct HTTP1RequestParserTests {
    static let get = "GET / HTTP/1.1\r\nHost: a\r\n"
    static let post = "POST / HTTP/1.1\r\nHost: a\r\n"
    static let full =
        "POST /3/device/ab HTTP/1.1\r\nHost: localhost:80\r\nContent-Length: 5\r\nX-One: 1\r\n\r\nhello"

    /// Text, then what it means: fields, body, whether the connection stays, what is left over.
    static let good: [(String, [String], String, Bool, String)] = [
        (
            full,
            [":method: POST", ":path: /3/device/ab", ":authority: localhost:80", "content-length: 5", "x-one: 1"],
            "hello", true, ""
        ),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", [":method: GET", ":path: /", ":authority: "], "", true, ""),
        ("\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n", [":method: GET", ":path: /", ":authority: a"], "", true, ""),
        ("GET / HTTP/1.0\r\n\r\n", [":method: GET", ":path: /"], "", false, ""),
        (
            "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", [":method: GET", ":path: /", "connection: keep-alive"],
            "", true, ""
        ),
        (
            get + "Connection: upgrade , Close\r\n\r\n",
            [":method: GET", ":path: /", ":authority: a", "connection: upgrade , Close"], "", false, ""
        ),
        ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", [":method: GET", ":path: /", ":authority: a"], "", true, ""),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", [":method: OPTIONS", ":path: *", ":authority: a"], "", true, ""),
        (
            "GET http://b:1/x?y HTTP/1.1\r\nHost: a\r\n\r\n", [":method: GET", ":path: /x?y", ":authority: b:1"], "",
            true, ""
        ),
        (
            "GET HTTPS://b?y HTTP/1.1\r\nX: 1\r\nHost: a\r\n\r\n",
            [":method: GET", ":path: /?y", ":authority: b", "x: 1"], "", true, ""
        ),
        ("GET http://b HTTP/1.1\r\nHost: b\r\n\r\n", [":method: GET", ":path: /", ":authority: b"], "", true, ""),
        (
            "PUT /a HTTP/1.1\r\nEmpty:\r\nSpaced: \t a\tb \t \r\nHost: a\r\nWeird!#$%&'*+.^_`|~: \u{E4}\r\n\r\n",
            [":method: PUT", ":path: /a", ":authority: a", "empty: ", "spaced: a\tb", "weird!#$%&'*+.^_`|~: \u{E4}"],
            "", true, ""
        ),
        (
            post + "Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n01;x=y\r\n!\r\n0\r\nTrailer: 1\r\n\r\n",
            [":method: POST", ":path: /", ":authority: a", "transfer-encoding: Chunked"], "hello!", true, ""
        ),
        (
            post + "Transfer-Encoding: chunked\r\n\r\nA \t;ext\r\n0123456789\r\n000\r\n\r\nGET",
            [":method: POST", ":path: /", ":authority: a", "transfer-encoding: chunked"], "0123456789", true, "GET"
        ),
        (
            post + "Content-Length: 0\r\n\r\nGET /next",
            [":method: POST", ":path: /", ":authority: a", "content-length: 0"], "", true, "GET /next"
        ),
        (
            post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            [":method: POST", ":path: /", ":authority: a", "content-length: 3", "content-length: 3"], "abc", true, ""
        ),
    ]

    @Test(arguments: good.indices)
    func aGoodRequestMeansTheSameHoweverItIsCut(index: Int) {
        let (text, fields, body, keepAlive, rest) = Self.good[index]
        guard case .message(let message) = readRequest(text) else {
            Issue.record("\(text.debugDescription) was \(readRequest(text))")
            return
        }
        #expect(message.fields == fields)
        #expect(message.body == body)
        #expect(message.keepAlive == keepAlive)
        #expect(message.rest == rest)
        for cuts in allCuts(of: text) { #expect(readRequest(text, cutAt: cuts) == .message(message), "cut at \(cuts)") }
    }

    /// One line of the valid request replaced or added, and the status it earns.
    static let bad: [(String, Int)] = [
        // The request line.
        ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400), (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /\r\nHost: a\r\n\r\n", 400), ("GET\r\n\r\n", 400), ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400),
        ("GET / http/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505), ("GET / HTTP/11\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.\r\nHost: a\r\n\r\n", 400),
        ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\u{E4} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /\t HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET http://u@b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501), ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("\u{16}\u{3}\u{1}", 400), ("{\"json\":1}\r\n\r\n", 400),
        ("\(String(repeating: "G", count: 33)) / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        // Line ends and folds.
        ("GET / HTTP/1.1\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\n\r\n", 400), (get + "\n", 400),
        ("GET / HTTP/1.1\rHost: a\r\n\r\n", 400), (get + "X: b\rY: c\r\n\r\n", 400),
        (get + "X: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
        (get + "X: b\r\n\tc: d\r\n\r\n", 400),
        // Names and values.
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), (get + "X\r\n\r\n", 400),
        (get + ": x\r\n\r\n", 400), (get + "X Y: x\r\n\r\n", 400),
        (get + "X\u{E4}: x\r\n\r\n", 400), (get + "X(: x\r\n\r\n", 400),
        (get + "X: \u{0}\r\n\r\n", 400), (get + "X: abcdefgh\u{1}ijklmnop\r\n\r\n", 400),
        (get + "X: \u{7F}\r\n\r\n", 400), (get + "X\u{0}: x\r\n\r\n", 400),
        // Host.
        ("GET / HTTP/1.1\r\nX: a\r\n\r\n", 400), (get + "Host: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        // Framing: what two readers might see differently.
        (post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
        (post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
        (post + "Content-Length: 5, 5\r\n\r\nhello", 400), (post + "Content-Length: +5\r\n\r\nhello", 400),
        (post + "Content-Length: -5\r\n\r\nhello", 400), (post + "Content-Length: 0x5\r\n\r\nhello", 400),
        (post + "Content-Length: \r\n\r\nhello", 400), (post + "Content-Length: 5 5\r\n\r\nhello", 400),
        (post + "Content-Length: 18446744073709551621\r\n\r\nhello", 413),
        (post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (post + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", 501),
        (post + "Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n", 400),
        (post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (post + "Expect: the-worst\r\nContent-Length: 1\r\n\r\nx", 417),
    ]

    @Test(arguments: bad.indices)
    func aBadRequestIsRefusedHoweverItIsCut(index: Int) {
        let (text, status) = Self.bad[index]
        #expect(readRequest(text) == .refused(status), "\(text.debugDescription)")
        for cuts in allCuts(of: text) {
            #expect(readRequest(text, cutAt: cuts) == .refused(status), "\(text.debugDescription) cut at \(cuts)")
        }
    }

    @Test(arguments: [
        "x\r\n", "\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "0x5\r\nhello\r\n", "+5\r\nhello\r\n", "-5\r\nhello\r\n",
        "5\nhello\r\n",
        "5\r\nhello\n", "5\r\nhello!\r\n", "5\r\nhell\r\n0\r\n", "5;\u{0}\r\nhello\r\n", "5;a\rb\r\nhello\r\n",
        "5 x\r\nhello\r\n",
        "5;\(String(repeating: "x", count: 260))\r\nhello\r\n", "0\r\nBad Trailer: x\r\n\r\n", "0\r\n folded\r\n\r\n",
        "0\r\nX: \u{1}\r\n\r\n",
        "0\r\nX\r\n\r\n", "0\r\n\n",
    ])
    func aBadChunkIsRefusedHoweverItIsCut(chunks: String) {
        let head = Self.post + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(readRequest(head + chunks) == .refused(400))
        for cuts in allCuts(of: chunks) {
            #expect(readRequest(head + chunks, cutAt: cuts.map { $0 + head.utf8.count }) == .refused(400))
        }
    }

    @Test(arguments: ["fffffffffffffffff", "8000000000000000", "10000000000000005", "00000000000000005", "7fffffff"])
    func aChunkSizeBeyondTheLimitIsRefusedBeforeItOverflows(size: String) {
        #expect(readRequest(Self.post + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n") == .refused(413))
    }

    @Test func everyPrefixOfAGoodRequestIsUnfinished() {
        for count in 0..<Self.full.utf8.count {
            let prefix = String(decoding: Self.full.utf8.prefix(count), as: UTF8.self)
            #expect(readRequest(prefix) == .unfinished)
        }
    }
}
