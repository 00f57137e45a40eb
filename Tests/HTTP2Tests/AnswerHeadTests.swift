// Whatever a server remembers of the header blocks of its answers: the client reads the fields that were given.

import Basics
import HTTP
import Testing

@testable import HTTP2

@Suite struct AnswerHeadTests {
    private struct Answer {
        var status = 200
        var fields = [("date", "today"), ("vary", "Origin"), ("server", "s"), ("x-a", "1"), ("x-b", "2"), ("x-c", "none")]
        var body = "{}"

        /// As a client reads it.
        var said: String { (["\(status)"] + fields.map { "\($0.0): \($0.1)" } + [body]).joined(separator: "; ") }
    }

    private let peers = Peers()

    /// Asks for one answer each, and answers a burst at once; what the client has read of it.
    private func send(_ answers: [Answer], on peers: Peers) -> [String] {
        for _ in answers { peers.request([("x", "y")]) }
        peers.exchange()
        // The newest stream is the first.
        for (stream, answer) in zip(peers.server.streams.reversed().filter { $0.isComplete && $0.status == 0 }, answers) {
            for (name, value) in answer.fields { stream.outHead.append(name: name, value: value) }
            withBytes(of: answer.body) {
                peers.server.respond(stream, status: answer.status, head: stream.outHead, body: $0)
            }
        }
        return peers.readAnswers()
    }

    @Test func `equal answers are encoded twice`() {
        for _ in 0..<10 { #expect(send([Answer()], on: peers) == [Answer().said]) }
        #expect(peers.server.answerHead?.repeated == 8)
    }

    @Test func `an answer of few fields is encoded each time, and costs no memory`() {
        var few = Answer()
        few.fields.removeLast()
        for _ in 0..<5 { #expect(send([few], on: peers) == [few.said]) }
        #expect(peers.server.answerHead == nil)
    }

    @Test func `a burst is encoded whole, for nothing has been learned yet`() {
        let burst = Array(repeating: Answer(), count: 10)
        #expect(send(burst, on: peers) == burst.map(\.said))
        #expect(peers.server.answerHead?.repeated == 0)
        #expect(send(burst, on: peers) == burst.map(\.said))
        #expect(peers.server.answerHead?.repeated == 10)
    }

    @Test func `bodies may differ; without one the head is encoded each time`() {
        for count in [0, 1, 2, 0, 3, 4] {
            var answer = Answer()
            answer.body = String(repeating: "x", count: count)
            #expect(send([answer], on: peers) == [answer.said])
        }
        #expect(peers.server.answerHead?.repeated == 3)
    }

    @Test func `any difference in status or fields is encoded by nghttp2, and learned`() {
        var (status, value, more, fewer) = (Answer(), Answer(), Answer(), Answer())
        status.status = 404
        value.fields[0].1 = "later"
        more.fields.append(("retry-after", "60"))
        fewer.fields.removeLast(3)
        for other in [status, value, more, fewer] {
            let peers = Peers()
            for answer in [Answer(), Answer(), Answer(), other, other, other, Answer(), Answer(), Answer()] {
                #expect(send([answer], on: peers) == [answer.said])
            }
            #expect((1...6).contains(peers.server.answerHead?.repeated ?? 0))
        }
    }

    /// Answers of few kinds in bursts of changing length, so that kept blocks, whole ones and new ones wait side by side.
    @Test(arguments: 1...20)
    func `bursts of mixed answers are read right`(seed: UInt64) {
        var generator = Seed(seed).generator()
        for _ in 0..<60 {
            let burst = (0...generator.next() % 5).map { _ in
                var answer = Answer()
                let kind = generator.next() % 6
                answer.status = kind == 5 ? 429 : 200
                if kind > 3 { answer.fields[3].1 = "\(generator.next() % 3)" }
                if kind == 4 { answer.fields.removeLast() }
                answer.body = String(repeating: "x", count: Int(generator.next() % 3))
                return answer
            }
            // Answers without a body are whole before those in front of them that have one.
            #expect(send(burst, on: peers).sorted() == burst.map(\.said).sorted())
        }
        #expect(peers.server.answerHead!.repeated > 0)
    }

    /// A table too small for the fields, or none: every block is whole, or nothing is lost with a smaller table.
    @Test(arguments: [0, 64, 200, 4_096, 65_536])
    func `the peer may change the size of the table`(size: UInt32) {
        for round in 0..<12 {
            if round == 5 { peers.client.submit(settings: [.headerTableSize(size)]) }
            #expect(send([Answer(), Answer()], on: peers) == [Answer().said, Answer().said])
        }
        #expect(peers.server.answerHead!.repeated > 0)
    }

    /// The peer's SETTINGS come while a replaced block waits: its fields are written without the table.
    @Test(arguments: [0, 64, 4_095])
    func `a block that waits outlives the table`(size: UInt32) {
        for _ in 0..<3 { #expect(send([Answer()], on: peers) == [Answer().said]) }
        peers.request([("x", "y")])
        peers.exchange()
        let stream = peers.server.streams[0]
        for (name, value) in Answer().fields { stream.outHead.append(name: name, value: value) }
        withBytes(of: Answer().body) { peers.server.respond(stream, status: 200, head: stream.outHead, body: $0) }
        peers.client.submit(settings: [.headerTableSize(size)])
        peers.exchange()
        #expect(peers.readAnswers() == [Answer().said])
        #expect(peers.server.answerHead?.repeated == 1, "of the three before")
        #expect(send([Answer()], on: peers) == [Answer().said])
    }

    @Test func `an answer whose stream is reset before it is out leaves no debt`() {
        for _ in 0..<3 { #expect(send([Answer()], on: peers) == [Answer().said]) }
        peers.request([("x", "y")])
        peers.exchange()
        var other = Answer()
        other.fields[0].1 = "later"
        let (stream, asked) = (peers.server.streams[0], peers.client.streams[0])
        for (name, value) in other.fields { stream.outHead.append(name: name, value: value) }
        peers.server.respond(stream, status: 200, head: stream.outHead, body: Span())
        peers.client.reset(asked, code: HTTP2ErrorCode.cancel)
        peers.exchange()
        _ = peers.readAnswers()
        for _ in 0..<3 { #expect(send([Answer()], on: peers) == [Answer().said]) }
        #expect(peers.server.answerHead!.repeated >= 3)
    }
}
