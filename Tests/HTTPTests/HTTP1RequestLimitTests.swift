// Limits, pipelines, reuse and expectations of the request parser.

import Basics
import HTTP
import Testing

struct HTTP1RequestLimitTests {
    @Test func theHeadIsLimitedToTheByte() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n"
        let exact = HTTP1Limits(maxHeadBytes: text.utf8.count)
        let less = HTTP1Limits(maxHeadBytes: text.utf8.count - 1)
        for cuts in [[]] + allCuts(of: text) {
            guard case .message = readRequest(text, cutAt: cuts, limits: exact) else {
                Issue.record("refused at its limit, cut at \(cuts)")
                return
            }
            #expect(readRequest(text, cutAt: cuts, limits: less) == .refused(431))
        }
    }

    @Test func aRequestLineWithoutEndIsRefusedAsTooLong() {
        let limits = HTTP1Limits(maxHeadBytes: 64)
        let text = "GET /" + String(repeating: "a", count: 200)
        for cuts in [[], [1], [63], [64], [65], Array(0..<text.utf8.count)] {
            #expect(readRequest(text, cutAt: cuts, limits: limits) == .refused(414))
        }
    }

    @Test func fieldsAreCounted() {
        let fields = (0..<9).map { "X\($0): \($0)\r\n" }.joined()
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        guard case .message = readRequest(text, limits: HTTP1Limits(maxFields: 9)) else {
            Issue.record("refused at its limit")
            return
        }
        #expect(readRequest(text, limits: HTTP1Limits(maxFields: 8)) == .refused(431))
    }

    @Test func bodiesAreLimitedWhetherCountedOrInChunks() {
        let limits = HTTP1Limits(maxBodyBytes: 8)
        let head = "POST / HTTP/1.1\r\nHost: a\r\n"
        guard case .message = readRequest(head + "Content-Length: 8\r\n\r\n12345678", limits: limits) else {
            Issue.record("refused at its limit")
            return
        }
        #expect(readRequest(head + "Content-Length: 9\r\n\r\n", limits: limits) == .refused(413))
        let chunked = head + "Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n"
        guard case .message = readRequest(chunked + "4\r\n5678\r\n0\r\n\r\n", limits: limits) else {
            Issue.record("refused at its limit")
            return
        }
        #expect(readRequest(chunked + "5\r\n", limits: limits) == .refused(413))
    }

    @Test func trailersAreLimitedInBytesAndNumber() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        let trailers = (0..<20).map { "T\($0): x\r\n" }.joined()
        #expect(readRequest(head + trailers + "\r\n", limits: HTTP1Limits(maxFields: 19)) == .refused(431))
        #expect(readRequest(head + trailers + "\r\n", limits: HTTP1Limits(maxHeadBytes: 100)) == .refused(431))
        guard case .message(let message) = readRequest(head + trailers + "\r\n", limits: HTTP1Limits(maxFields: 20))
        else {
            Issue.record("refused at its limit")
            return
        }
        #expect(message.fields.count == 4)
    }

    @Test func theBytesOfAHeadAreCountedWithoutWhatIsBetweenThem() {
        for (text, fields, _, _, _) in HTTP1RequestParserTests.good {
            let parser = HTTP1RequestParser()
            _ = feed(text, cutAt: []) { parser.consume($0) }
            #expect(parser.head.byteCount == fields.reduce(0) { $0 + $1.utf8.count - 2 })
        }
    }

    @Test func pipelinedRequestsAreTakenOneByOne() {
        let texts = [HTTP1RequestParserTests.full, "GET /a HTTP/1.1\r\nHost: b\r\n\r\n", HTTP1RequestParserTests.full]
        let bytes = Array(texts.joined().utf8)
        let parser = HTTP1RequestParser()
        var start = 0
        var seen: [String] = []
        #expect(parser.isIdle)
        while start < bytes.count {
            let rest = Array(bytes[start...])
            start += parser.consume(rest.span)
            guard case .complete = parser.progress else { break }
            #expect(!parser.isIdle)
            let more = parser.consume(rest.span)
            #expect(more == 0)
            seen.append("\(parser.head.text(":path") ?? "") \(parser.body.text)")
            parser.reset()
        }
        #expect(seen == ["/3/device/ab hello", "/a ", "/3/device/ab hello"])
        #expect(parser.isIdle)
    }

    @Test func aParserForgetsTheFormerRequestOnReset() {
        let parser = HTTP1RequestParser()
        for (text, _) in HTTP1RequestParserTests.bad {
            _ = feed(text, cutAt: [text.utf8.count / 2]) { parser.consume($0) }
            parser.reset()
            let rest = feed(HTTP1RequestParserTests.full, cutAt: []) { parser.consume($0) }
            #expect(rest == "" && parser.head.count == 5 && parser.body.text == "hello" && parser.keepAlive)
            parser.reset()
        }
    }

    @Test func theExpectationIsShownBetweenHeadAndBody() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        let parser = HTTP1RequestParser()
        #expect(!parser.expectsContinue)
        _ = feed(head, cutAt: [20]) { parser.consume($0) }
        #expect(parser.expectsContinue)
        _ = feed("o", cutAt: []) { parser.consume($0) }
        #expect(!parser.expectsContinue)
        _ = feed("k", cutAt: []) { parser.consume($0) }
        #expect(parser.body.text == "ok" && !parser.expectsContinue)
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", true),
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n2", false),
        ("POST / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n", false),
    ])
    func onlyABodyToComeFromANewPeerIsInvited(text: String, expected: Bool) {
        let parser = HTTP1RequestParser()
        _ = feed(text, cutAt: []) { parser.consume($0) }
        #expect(parser.expectsContinue == expected)
    }

    @Test func randomBytesNeverMakeMoreThanAReading() {
        let seed = Seed(77)
        for number in 0..<3_000 {
            var generator = seed.child(UInt64(number)).generator()
            var bytes = Array(HTTP1RequestParserTests.good.randomElement(using: &generator)!.0.utf8)
            for _ in 0...2 {
                let place = Int(generator.next() % UInt64(bytes.count))
                let letter = Array("\r\n :;,0aA/\t".utf8).randomElement(using: &generator)!
                if generator.next() % 2 == 0 { bytes[place] = letter } else { bytes.insert(letter, at: place) }
            }
            guard let text = String(validating: bytes, as: UTF8.self) else { continue }
            let whole = readRequest(text)
            let cut = Int(generator.next() % UInt64(bytes.count))
            #expect(readRequest(text, cutAt: [cut]) == whole, "seed \(seed), case \(number): \(text.debugDescription)")
        }
    }
}
