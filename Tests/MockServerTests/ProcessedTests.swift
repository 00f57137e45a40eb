// What was processed and what the provider can know of it (docs/apns.md 2.3): many pushes in one read, and a fault that ends
// the connection among them; answers that never reach the provider.

import Basics
import EventLoop
import Glibc
import Journal
import MockServer
import Net
import Testing

@Suite struct ProcessedTests {
    private static let streams = (0..<20).map { UInt32($0 * 2 + 1) }

    /// Twenty pushes in one read, of which the eleventh (stream 21) meets the action. What the provider saw, what the
    /// journal holds, and the streams whose answers are told as not delivered.
    private func play(
        _ action: String, _ body: (_ frames: [RawProvider.Frame], _ pushes: [PushEntry], _ undelivered: [Int32]) throws -> Void
    ) throws {
        try withMock { mock in
            try mock.fault(#"{"action":\#(action),"match":{"nthOfConnection":11}}"#)
            let provider = try RawProvider(mock)
            provider.pushAll(Self.streams)
            let frames = provider.read()
            provider.hangUp()
            for _ in 0..<400 where mock.service.statistics().connectionsOpen > 0 { usleep(5_000) }
            let pushes = try mock.journal()
            let undelivered = try mock.undelivered(atLeast: 0)
            try body(frames, pushes, undelivered.map { id in pushes.first { $0.id == id }?.stream ?? -1 }.sorted())
        }
    }

    private func ids(_ streams: ClosedRange<Int32>) -> [Int32] { streams.filter { $0 % 2 == 1 } }

    @Test func `behind a GOAWAY nothing is processed`() throws {
        try play(#"{"goaway":"Shutdown"}"#) { frames, pushes, undelivered in
            #expect(frames.of(type: 7).map { number($0.payload[..<4]) } == [21])
            #expect(frames.of(type: 1).map(\.stream) == ids(1...21).map(UInt32.init))
            #expect(pushes.map(\.stream) == ids(1...21) && pushes.allSatisfy { $0.status == 200 })
            #expect(undelivered.isEmpty)
        }
    }

    @Test(arguments: [(#""before""#, 19), (#""none""#, 0), ("5", 5)] as [(String, UInt32)])
    func `a last stream below the push's own: neither it nor what stands behind`(last: String, id: UInt32) throws {
        try play(#"{"goaway":{"last":\#(last)}}"#) { frames, pushes, undelivered in
            #expect(frames.of(type: 7).map { number($0.payload[..<4]) } == [id])
            #expect(pushes.map(\.stream) == ids(1...21) && pushes.map(\.status) == [UInt16](repeating: 200, count: 10) + [0])
            #expect(pushes[10].outcome == nil)
            // The ten before were answered ahead of the GOAWAY.
            #expect(frames.of(type: 1).map(\.stream) == ids(1...19).map(UInt32.init) && undelivered.isEmpty)
        }
    }

    @Test func `a last stream above: up to there`() throws {
        try play(#"{"goaway":{"last":29}}"#) { frames, pushes, _ in
            #expect(frames.of(type: 7).map { number($0.payload[..<4]) } == [29])
            #expect(pushes.map(\.stream) == ids(1...29) && frames.of(type: 1).count == 15)
        }
    }

    @Test func `a GOAWAY among raw frames counts`() throws {
        try play(#"{"raw":"goaway-empty"}"#) { frames, pushes, _ in
            #expect(frames.of(type: 7).map { number($0.payload[..<4]) } == [21])
            #expect(pushes.map(\.stream) == ids(1...21))
        }
    }

    @Test(arguments: ["clean", "fin", "reset"], ["before-answer", "half-answer", "after-answer"])
    func `behind a close nothing is processed`(how: String, when: String) throws {
        try play(#"{"close":{"how":"\#(how)","when":"\#(when)"}}"#) { frames, pushes, undelivered in
            #expect(pushes.map(\.stream) == ids(1...21))
            #expect(pushes.map(\.status) == [UInt16](repeating: 200, count: 10) + [when == "after-answer" ? 200 : 0])
            // RST throws away what was not read; an orderly end does not.
            let doubtful = how == "reset" ? ids(1...19) + (when == "after-answer" ? [21] : []) : []
            #expect(undelivered == doubtful)
            if how != "reset" { #expect(frames.of(type: 1).count == (when == "after-answer" ? 11 : 10)) }
        }
    }

    @Test func `a lawful client that sends again what it may gets each push through once`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"goaway":"Shutdown"},"match":{"nth":{"every":15}}}"#)
            let client = try mock.provider()
            var open = (0..<300).map { "eabeae54-14a8-11e5-b60b-" + String(100_000_000_000 + $0) }
            var rounds = 0
            while !open.isEmpty, rounds < 60 {
                rounds += 1
                let sent = open.map { id in
                    (id, client.send("POST", "/3/device/" + TestMock.device, mock.fields([("apns-id", id)]), body: alert))
                }
                open = []
                for (id, outcome) in sent {
                    switch outcome.take() {
                    case .success(let reply): #expect(reply.status == 200)
                    case .failure(let failure):
                        #expect(failure.isSafeToResend, "\(failure)")
                        open.append(id)
                    }
                }
            }
            let pushes = try mock.journal().filter { $0.status != 0 }
            #expect(open.isEmpty && pushes.count == 300 && Set(pushes.map { $0.apnsID.text() }).count == 300)
            #expect(rounds > 3)
        }
    }

    @Test func `when the mock stops, what it has not begun is not processed, and what it has is answered`() throws {
        try withMock { mock in
            try mock.slow(by: "50ms")
            let provider = try RawProvider(mock)
            provider.pushAll(Self.streams)
            for _ in 0..<400 where mock.service.statistics().openStreams < 20 { usleep(1_000) }
            let service = mock.service
            let stopping = Thread { service.drainAndStop() }
            let frames = provider.read { $0.type == 7 }
            provider.pushAll([41, 43])
            provider.read()
            stopping.join()
            #expect(number(frames.of(type: 7)[0].payload[..<4]) == 39)
            #expect(Set(provider.frames.of(type: 1).map(\.stream)) == Set(Self.streams))
            #expect(try mock.journal().count == 20)
            #expect(try mock.undelivered(atLeast: 0).isEmpty)
        }
    }

    // MARK: Answers that never came

    @Test func `an answer later than the provider waits is told`() throws {
        try withMock { mock in
            let client = try mock.provider()
            #expect(try client.ask("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert).status == 200)
            try mock.slow(by: "30s")
            let outcome = client.send(
                "POST", "/3/device/" + TestMock.device, mock.fields(), body: alert, timeout: .milliseconds(200)).take()
            guard case .failure = outcome else { throw Failure(.run, "it was answered") }
            let pushes = try mock.journal()
            #expect(pushes.map(\.status) == [200, 200] && pushes[1].delay == .seconds(30))
            #expect(try mock.undelivered() == [pushes[1].id])
            #expect(mock.service.statistics().undelivered == 1)
        }
    }

    @Test(arguments: ["stream", "close", "reset"])
    func `a provider that gives up does not know`(how: String) throws {
        try withMock { mock in
            let provider = try RawProvider(mock)
            provider.pushAll([1])
            provider.readAnswer()
            try mock.slow(by: "30s")
            provider.pushAll([3])
            provider.echo()
            if how == "stream" {
                provider.send(type: 3, stream: 3, word(8))
            } else {
                usleep(how == "reset" ? 300_000 : 0)
                provider.hangUp(withReset: how == "reset")
            }
            let last = try #require(try mock.journal().last)
            #expect(try mock.undelivered() == [last.id])
        }
    }

    @Test func `a provider that gives up while the answer is on its way does not know`() throws {
        try withMock { mock in
            let provider = try RawProvider(mock)
            provider.pushAll([1, 3, 5])
            provider.readAnswer(stream: 5)
            provider.send(type: 3, stream: 1, word(8))
            provider.send(type: 3, stream: 3, word(0))
            // As curl does when it has read the whole answer.
            provider.send(type: 3, stream: 5, word(5))
            provider.echo()
            let first = try #require(try mock.journal().first)
            #expect(try mock.undelivered() == [first.id])
        }
    }

    @Test func `RST_STREAM behind the HEADERS of an answer leaves it unfinished`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"reset-stream":{"code":"INTERNAL_ERROR","after":"headers"}},"times":1}"#)
            let provider = try RawProvider(mock)
            provider.pushAll([1, 3])
            provider.readAnswer(stream: 3)
            let pushes = try mock.journal()
            #expect(pushes.map(\.status) == [200, 200])
            #expect(try mock.undelivered() == [pushes[0].id])
        }
    }

    @Test func `what is never answered tells when its relay ceases to wait, and what we reset tells nothing`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"silence":true},"match":{"nthOfConnection":1}}"#)
            try mock.fault(#"{"action":{"reset-stream":true},"match":{"nthOfConnection":2}}"#)
            let provider = try RawProvider(mock)
            provider.pushAll([1, 3, 5])
            provider.readAnswer(stream: 5)
            provider.hangUp()
            for _ in 0..<400 where mock.service.statistics().connectionsOpen > 0 { usleep(5_000) }
            let pushes = try mock.journal()
            #expect(pushes.map(\.status) == [0, 0, 200])
            #expect(try mock.undelivered() == [pushes[0].id])
        }
    }

    @Test func `a GOAWAY for nothing takes back the answers that are still to come`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"delay":"30s"},"match":{"nthOfConnection":2}}"#)
            try mock.fault(#"{"action":{"goaway":{"last":"none"}},"match":{"nthOfConnection":3}}"#)
            let provider = try RawProvider(mock)
            provider.pushAll([1, 3, 5])
            provider.read()
            let pushes = try mock.journal()
            #expect(pushes.map(\.status) == [200, 200, 0])
            #expect(try mock.undelivered() == [pushes[1].id])
        }
    }

    @Test func `the answer to an operation on channels is told like that to a push`() throws {
        try withMock({ $0.channels = SocketAddress(host: "127.0.0.1", port: 0) }) { mock in
            try mock.fault(#"{"meets":"broadcast","action":{"delay":"30s"}}"#)
            let provider = try RawProvider(mock, at: mock.service.coordinates.channels)
            provider.post(
                "/1/apps/com.example.app/channels", [("authorization", mock.authorization)],
                body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
            provider.echo()
            provider.hangUp()
            let undelivered = try mock.undelivered()
            #expect(undelivered.count == 1)
            #expect(try mock.requests().map(\.id) == undelivered)
        }
    }
}

/// A thread that is waited for.
private final class Thread: Sendable {
    private let done = Handover<Void>()
    private let thread: LoopThread<Void>

    init(_ body: @escaping @Sendable () -> Void) {
        thread = try! LoopThread(name: "aside") { _ in () }
        let done = done
        thread.post { _ in
            body()
            done.give(())
        }
    }

    func join() {
        done.take()
        thread.stop()
    }
}
