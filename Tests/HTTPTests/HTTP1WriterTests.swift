// Messages out, byte for byte, and back in through the parsers.

import Basics
import HTTP
import Testing

struct HTTP1WriterTests {
    private func request(_ fields: [(String, String)], body: String = "") -> String {
        let (content, output) = (ByteBuffer(), ByteBuffer())
        content.append(body)
        HTTP1Writer.request(HeaderBlock(fields), body: content, into: output)
        return output.text
    }

    private func response(
        _ status: Int, _ fields: [(String, String)] = [], body: String = "", keepAlive: Bool = true,
        isHEAD: Bool = false
    ) -> String {
        let output = ByteBuffer()
        withBytes(of: body) {
            HTTP1Writer.response(
                status: status, head: HeaderBlock(fields), body: $0, keepAlive: keepAlive, isHEAD: isHEAD, into: output)
        }
        return output.text
    }

    @Test func aRequestIsWrittenWithItsHostFirstAndItsLengthLast() {
        let text = request(
            [(":method", "POST"), (":scheme", "http"), (":path", "/a?b"), (":authority", "h:1"), ("x", "y")],
            body: "hello")
        #expect(text == "POST /a?b HTTP/1.1\r\nhost: h:1\r\nx: y\r\ncontent-length: 5\r\n\r\nhello")
    }

    @Test(
        arguments: [
            ([(":authority", "a"), ("host", "b")], "a"), ([("host", "b")], "b"), ([], ""),
        ] as [([(String, String)], String)])
    func theHostIsTheAuthorityOrElseTheField(fields: [(String, String)], host: String) {
        let text = request([(":method", "GET"), (":path", "/")] + fields)
        #expect(text == "GET / HTTP/1.1\r\nhost: \(host)\r\n\r\n")
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func aMethodThatExpectsABodyNamesTheLengthOfNone(method: String) {
        #expect(request([(":method", method), (":path", "/")]).hasSuffix("content-length: 0\r\n\r\n"))
        #expect(!request([(":method", "DELETE"), (":path", "/")]).contains("content-length"))
    }

    @Test func framingIsTheWritersOwnBusiness() {
        let fields = [("content-length", "99"), ("transfer-encoding", "chunked"), ("te", "trailers")]
        #expect(
            request([(":method", "POST"), (":path", "/")] + fields, body: "x")
                == "POST / HTTP/1.1\r\nhost: \r\nte: trailers\r\ncontent-length: 1\r\n\r\nx")
        #expect(response(200, fields, body: "x") == "HTTP/1.1 200 OK\r\nte: trailers\r\ncontent-length: 1\r\n\r\nx")
    }

    @Test func noValueEndsItsLine() {
        let text = request([
            (":method", "GET"), (":path", "/a b\r\nX: y\u{E4}"), (":authority", "h\r\nevil: 1"),
            ("x", "1\r\n\r\nGET /\u{0}\t!"),
        ])
        #expect(text == "GET /a%20b%0D%0AX:%20y%C3%A4 HTTP/1.1\r\nhost: h  evil: 1\r\nx: 1    GET / \t!\r\n\r\n")
        #expect(response(200, [("x", "a\r\nb")]).contains("x: a  b\r\n"))
    }

    @Test func responsesSayWhetherTheConnectionStays() {
        #expect(response(200, body: "hi") == "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")
        #expect(
            response(503, [("connection", "keep-alive"), ("a", "b")], keepAlive: false)
                == "HTTP/1.1 503 Service Unavailable\r\na: b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        #expect(response(200, [("connection", "keep-alive")]).contains("connection: keep-alive\r\n"))
    }

    @Test func someResponsesHaveNoBody() {
        #expect(response(200, body: "hello", isHEAD: true) == "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")
        #expect(response(204, body: "hello") == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(response(304, body: "hello") == "HTTP/1.1 304 Not Modified\r\n\r\n")
    }

    @Test func aStreamIsWrittenInChunks() {
        let output = ByteBuffer()
        HTTP1Writer.streamingHead(status: 200, head: HeaderBlock([("content-type", "text/event-stream")]), into: output)
        let parser = HTTP1ResponseParser()
        parser.begin(isHEAD: false)
        var expected = ""
        for count in [1, 0, 15, 16, 255, 256, 4_095, 70_000] {
            let piece = String(repeating: "x", count: count)
            expected += piece
            withBytes(of: piece) { HTTP1Writer.chunk($0, into: output) }
        }
        #expect(output.text.contains("\r\n1117\r\n") == false && output.text.contains("\r\n11170\r\n"))
        HTTP1Writer.lastChunk(into: output)
        let rest = feed(output.text, cutAt: [100, 1_000, 5_000]) { parser.consume($0) }
        #expect(rest == "" && parser.body.text == expected)
        #expect(parser.head.lines == ["content-type: text/event-stream", "transfer-encoding: chunked"])
    }

    @Test func theInvitationIsAnInterimResponse() {
        let output = ByteBuffer()
        HTTP1Writer.continueResponse(into: output)
        #expect(readResponse(output.text + response(200, body: "x")) == readResponse(response(200, body: "x")))
    }

    @Test func whatIsWrittenIsReadBack() throws {
        var generator = Seed(21).generator()
        for _ in 0..<500 {
            let size = Int(generator.next() % 3_000)
            let body = String(repeating: "b", count: size)
            let fields = (0..<Int(generator.next() % 40)).map {
                ("x-\($0)", String(repeating: "v", count: Int(generator.next() % 99)))
            }
            let text = request([(":method", "POST"), (":path", "/p"), (":authority", "h")] + fields, body: body)
            guard case .message(let message) = readRequest(text) else {
                Issue.record("not read back: \(text)")
                return
            }
            let lines = fields.map { "\($0): \($1)" }
            #expect(
                message.fields == [":method: POST", ":path: /p", ":authority: h"] + lines + ["content-length: \(size)"])
            #expect(message.body == body)
        }
    }

    @Test(arguments: [
        (200, "OK"), (410, "Gone"), (429, "Too Many Requests"), (299, "Success"), (499, "Client Error"),
        (599, "Server Error"),
    ])
    func everyStatusHasAReason(status: Int, reason: String) {
        #expect("\(HTTP1Writer.reason(status))" == reason)
    }

    @Test func aFieldNameThatIsNoTokenStopsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let output = ByteBuffer()
            let head = HeaderBlock()
            head.append(":method", "GET")
            head.append(":path", "/")
            head.append(name: "x\r\ny", value: "z")
            HTTP1Writer.request(head, body: ByteBuffer(), into: output)
        }
    }
}
