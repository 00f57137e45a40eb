// Responses as a client reads them.

import Basics
import HTTP
import Testing

struct HTTP1ResponseParserTests {
    struct Case: Sendable {
        var text: String
        var status: Int
        var fields: [String] = []
        var body = ""
        var keepAlive = true
        var rest = ""
        var isHEAD = false
        var closed = false
    }

    static let ok = "HTTP/1.1 200 OK\r\n"

    static let good: [Case] = [
        Case(
            text: ok + "Content-Length: 5\r\nServer: x\r\n\r\nhello", status: 200,
            fields: ["content-length: 5", "server: x"], body: "hello"),
        Case(
            text: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\nHTTP", status: 200, fields: ["content-length: 0"],
            rest: "HTTP"),
        Case(
            text:
                "HTTP/1.1 410 Gone \u{E4}\t!\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x\r\ncde\r\n0\r\nT: 1\r\n\r\n",
            status: 410,
            fields: ["transfer-encoding: chunked"], body: "abcde"),
        Case(text: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", status: 204, fields: ["content-length: 5"]),
        Case(text: "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", status: 304, fields: ["etag: x"]),
        Case(text: ok + "Content-Length: 5\r\n\r\n", status: 200, fields: ["content-length: 5"], isHEAD: true),
        Case(
            text: ok + "Transfer-Encoding: chunked\r\n\r\n", status: 200, fields: ["transfer-encoding: chunked"],
            isHEAD: true),
        Case(text: ok + "\r\nto the end", status: 200, body: "to the end", keepAlive: false, closed: true),
        Case(text: "HTTP/1.0 200 OK\r\n\r\n", status: 200, keepAlive: false, closed: true),
        Case(
            text: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", status: 200, fields: ["content-length: 1"],
            body: "x", keepAlive: false),
        Case(
            text: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx", status: 200,
            fields: ["connection: Keep-Alive", "content-length: 1"], body: "x"),
        Case(
            text: "HTTP/1.1 500 X\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", status: 500,
            fields: ["connection: close", "content-length: 1"], body: "x", keepAlive: false),
        Case(
            text:
                "HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n"
                + "HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\n"
                + "Content-Length: 2\r\n\r\nok", status: 201, fields: ["content-length: 2"], body: "ok"),
        Case(
            text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", status: 200,
            fields: ["content-length: 2"],
            isHEAD: true),
    ]

    @Test(arguments: good.indices)
    func aGoodResponseMeansTheSameHoweverItIsCut(index: Int) {
        let known = Self.good[index]
        guard case .message(let message) = readResponse(known.text, isHEAD: known.isHEAD, closed: known.closed) else {
            Issue.record("\(known.text.debugDescription) was refused")
            return
        }
        #expect(message.status == known.status)
        #expect(message.fields == known.fields)
        #expect(message.body == known.body)
        #expect(message.keepAlive == known.keepAlive)
        #expect(message.rest == known.rest)
        for cuts in allCuts(of: known.text) {
            let reading = readResponse(known.text, isHEAD: known.isHEAD, closed: known.closed, cutAt: cuts)
            #expect(reading == .message(message), "cut at \(cuts)")
        }
    }

    static let bad = [
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 600 X\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n", "SSH-2.0-x\r\n", "\r\n\r\n",
        "HTTP/1.1 200 O\u{0}K\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
        ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        ok + "Transfer-Encoding: gzip\r\n\r\nx", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ok + "X: y\r\n folded\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\nz\r\n",
        String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17),
    ]

    @Test(arguments: bad)
    func aBadResponseIsRefusedHoweverItIsCut(text: String) {
        #expect(readResponse(text) == .refused(502))
        for cuts in allCuts(of: text) { #expect(readResponse(text, cutAt: cuts) == .refused(502), "cut at \(cuts)") }
    }

    @Test func aSwitchOfProtocolsIsAResponseToARequestForOne() {
        let text = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
        let bytes = Array((text + "\u{1}\u{2}").utf8)
        for cut in 0...bytes.count {
            let parser = HTTP1ResponseParser()
            parser.begin(isHEAD: false, switches: true)
            let (start, end) = (Array(bytes[..<cut]), Array(bytes[cut...]))
            let taken = parser.consume(start.span)
            let rest = taken == cut ? parser.consume(end.span) : 0
            #expect(taken + rest == text.utf8.count && parser.status == 101, "cut at \(cut)")
            #expect(parser.head.text("upgrade") == "websocket")
            guard case .complete = parser.progress else {
                Issue.record("cut at \(cut): \(parser.progress)")
                return
            }
        }
    }

    @Test func aResponseCutShortByTheCloseIsRefused() {
        let text = Self.ok + "Content-Length: 5\r\n\r\nhello"
        for count in 0..<text.utf8.count {
            #expect(
                readResponse(String(decoding: text.utf8.prefix(count), as: UTF8.self), closed: true) == .refused(502))
        }
        let chunked = Self.ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
        #expect(readResponse(chunked, closed: true) == .refused(502))
    }

    @Test(arguments: ["Content-Length: 9\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n9\r\n", "\r\n123456789"])
    func aBodyBeyondTheLimitIsRefused(rest: String) {
        #expect(readResponse(Self.ok + rest, closed: true, limits: HTTP1Limits(maxBodyBytes: 8)) == .refused(502))
    }

    @Test func aParserServesOneResponseAfterTheOther() {
        let parser = HTTP1ResponseParser()
        for round in 0..<50 {
            parser.begin(isHEAD: round % 3 == 0)
            #expect(parser.status == 0)
            let body = round % 3 == 0 ? "" : "12345"
            let rest = feed("HTTP/1.1 20\(round % 3) OK\r\nContent-Length: 5\r\n\r\n\(body)", cutAt: [round]) {
                parser.consume($0)
            }
            #expect(
                rest == "" && parser.status == 200 + round % 3 && parser.body.text == body && parser.head.count == 1)
        }
    }
}
