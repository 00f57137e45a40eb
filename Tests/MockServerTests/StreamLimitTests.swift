// How many streams a provider may open, and when that changes (docs/apns.md §2.1).

import APNs
import Basics
import EventLoop
import Glibc
import Journal
import MockServer
import Pushes
import Testing
import WireClient

@Suite struct StreamLimitTests {
    private let other = String(repeating: "0b", count: 32)

    @Test func `one stream until the first valid provider token, then a thousand, and only then the 200`() throws {
        try withMock { mock in
            let client = try mock.wire()
            #expect(try client.ask(1, mock.block()).status == 200)
            #expect(try client.ask(3, mock.block()).status == 200)
            #expect(client.limitsAndStatuses == [1, 1_000, 200, 200])
        }
    }

    @Test func `no token and a bad one leave the limit at one, a good one in a refused push does not`() throws {
        try withMock { mock in
            let client = try mock.wire()
            #expect(try client.ask(1, mock.block(authorized: false)).status == 403)
            let bad = HPACK.block(TestMock.pseudo() + [("authorization", "bearer a.b.c"), ("apns-topic", "com.example.app")])
            #expect(try client.ask(3, bad).status == 403)
            #expect(try client.ask(5, mock.block(token: "zz")).status == 400)
            #expect(client.limitsAndStatuses == [1, 403, 403, 1_000, 400])
        }
    }

    @Test func `by default a refusal leaves the limit as it is`() throws {
        try withMock { mock in
            let client = try mock.wire()
            _ = try client.ask(1, mock.block())
            _ = try client.ask(3, mock.block(token: "zz"))
            _ = try client.ask(5, mock.block())
            #expect(client.limitsAndStatuses == [1, 1_000, 200, 400, 200])
        }
    }

    @Test func `the drop: a refusal takes the limit to one, the next accepted push brings it back`() throws {
        try withMock({ $0.rules.rejectionDropsStreamLimit = true }) { mock in
            let client = try mock.wire()
            for (stream, token) in [(1, TestMock.device), (3, "zz"), (5, "zz"), (7, TestMock.device), (9, TestMock.device)] {
                _ = try client.ask(UInt32(stream), mock.block(token: token))
            }
            #expect(client.limitsAndStatuses == [1, 1_000, 200, 1, 400, 400, 1_000, 200, 200])
        }
    }

    @Test func `the drop comes with a 410 as well`() throws {
        try withMock({ $0.rules.rejectionDropsStreamLimit = true }) { mock in
            _ = try mock.admin.ask(
                "PUT", "/v1/tokens/" + other, [("content-type", "application/json")],
                body: #"{"kind":"device","topic":"com.example.app","state":"unregistered"}"#)
            let client = try mock.wire()
            _ = try client.ask(1, mock.block())
            _ = try client.ask(3, mock.block(token: other))
            #expect(client.limitsAndStatuses == [1, 1_000, 200, 1, 410])
        }
    }

    @Test func `announced only: streams beyond a limit that was not acknowledged are served, young connection or dropped`() throws {
        try withMock({ $0.rules.rejectionDropsStreamLimit = true }) { mock in
            let client = try mock.wire(hello: nil)
            client.acknowledgesSettings = false
            client.send(bytes: WireClient.preface + Frame.settings().bytes)
            for stream: UInt32 in [1, 3, 5] { client.send(.headers(stream, mock.block())) }
            for stream: UInt32 in [5, 3, 1] { client.send(.data(stream, WireClient.alertBody)) }
            for stream: UInt32 in [5, 3, 1] { #expect(try client.answer(on: stream)?.status == 200) }
            _ = try client.ask(7, mock.block(token: "zz"))
            for stream: UInt32 in [9, 11] { client.send(.headers(stream, mock.block())) }
            for stream: UInt32 in [9, 11] { client.send(.data(stream, WireClient.alertBody)) }
            for stream: UInt32 in [9, 11] { #expect(try client.answer(on: stream)?.status == 200) }
        }
    }

    @Test func `announced only: streams beyond a limit that was acknowledged are refused, young connection or dropped`() throws {
        try withMock({ $0.rules.rejectionDropsStreamLimit = true }) { mock in
            let client = try mock.wire()
            func tryTwo(_ first: UInt32, _ second: UInt32) throws {
                for stream in [first, second] { client.send(.headers(stream, mock.block())) }
                for stream in [first, second] { client.send(.data(stream, WireClient.alertBody)) }
                #expect(try client.answer(on: first)?.status == 200)
                _ = try client.awaitPing()
                // Refused; DATA that is read after the refusal is on a closed stream, and may be told so.
                let codes = client.received.filter { $0.stream == second }.map { $0.number(at: 0) }
                #expect(codes.first == 7 && codes.dropFirst().allSatisfy { $0 == 5 })
            }
            try tryTwo(1, 3)
            // By now there are a thousand.
            for stream: UInt32 in [5, 7, 9] { client.push(stream, mock.block()) }
            for stream: UInt32 in [5, 7, 9] { #expect(try client.answer(on: stream)?.status == 200) }
            _ = try client.ask(11, mock.block(token: "zz"))
            try tryTwo(13, 15)
            let pushes = try mock.journal()
            #expect(pushes.map(\.stream) == [1, 5, 7, 9, 11, 13])
            // On record once a connection, however often.
            let overruns = try mock.overruns()
            #expect(overruns.map(\.connection) == [pushes[0].connection] && overruns.map(\.streams) == [1])
        }
    }

    @Test func `ignored: every stream up to a thousand is served, whatever was acknowledged`() throws {
        try withMock({ $0.rules.streamLimit = .ignored }) { mock in
            let client = try mock.wire()
            for stream: UInt32 in [1, 3, 5] { client.send(.headers(stream, mock.block())) }
            for stream: UInt32 in [1, 3, 5] { client.send(.data(stream, WireClient.alertBody)) }
            for stream: UInt32 in [1, 3, 5] { #expect(try client.answer(on: stream)?.status == 200) }
            #expect(try mock.journal().count == 3)
        }
    }

    @Test(arguments: [
        ("x-long", 8_001, "8000 bytes"), ("X-Upper", 1, "malformed"), ("connection", 5, "malformed"),
        (":late", 1, "malformed"),
    ])
    func `what cannot be read as a push is refused, and on record`(name: String, length: Int, why: String) throws {
        try withMock { mock in
            let client = try mock.wire()
            client.push(1, mock.block())
            #expect(try client.answer(on: 1)?.status == 200)
            let value = String(repeating: "a", count: length)
            for stream: UInt32 in [3, 5] { client.push(stream, mock.block([(name, value)])) }
            client.push(7, mock.block())
            #expect(try client.answer(on: 7)?.status == 200)
            let connection = try mock.journal()[0].connection
            func unread() throws -> [UnreadNote] {
                var found: [UnreadNote] = []
                _ = try JournalReader(directory: mock.service.journalDirectory).forEach(since: nil) { entry in
                    if case .note(let note) = entry, let told = note.unread { found.append(told) }
                    return true
                }
                return found
            }
            // The last reset is on record when the one that tells of it has left.
            let deadline = ContinuousClock.now + .seconds(5)
            while try unread().reduce(0, { $0 + $1.requests }) < 2, ContinuousClock.now < deadline { usleep(5_000) }
            let notes = try unread()
            #expect(notes.reduce(0) { $0 + $1.requests } == 2)
            #expect(notes.allSatisfy { $0.connection == connection && $0.provider == .apns && $0.why.contains(why) })
        }
    }

    /// How the frames of pushes that were under way are cut into writes.
    enum Cut: CaseIterable, Sendable { case headersThenData, oneWrite, byteByByte }

    @Test(arguments: Cut.allCases)
    func `enforced: streams in flight beyond a dropped limit are refused, and closed for their DATA`(cut: Cut) throws {
        try withMock({
            $0.rules.rejectionDropsStreamLimit = true
            $0.rules.streamLimit = .enforced
        }) { mock in
            let client = try mock.wire()
            _ = try client.ask(1, mock.block())
            // Five pushes that the client had under way before it could read of the drop.
            client.push(3, mock.block(token: "zz"))
            try client.wait(for: { $0.stream == 3 && $0.type == FrameType.data })
            let headers = [5, 7, 9].flatMap { Frame.headers($0, mock.block()).bytes }
            let data = [7, 9, 5].flatMap { Frame.data($0, WireClient.alertBody).bytes }
            switch cut {
            case .headersThenData: for bytes in [headers, data] { client.send(bytes: bytes) }
            case .oneWrite: client.send(bytes: headers + data)
            case .byteByByte: for byte in headers + data { client.send(bytes: [byte]) }
            }
            #expect(try client.answer(on: 5)?.status == 200)
            try client.readResets(upTo: 4)
            for stream: UInt32 in [7, 9] {
                let resets = client.received.filter { $0.stream == stream }
                #expect(resets.map(\.type) == [FrameType.reset, FrameType.reset])
                #expect(resets.map { $0.number(at: 0) } == [ErrorCode.refusedStream, ErrorCode.streamClosed])
            }
            // What was refused was not processed and may be sent again, now that a push was accepted.
            for stream: UInt32 in [11, 13] { client.push(stream, mock.block()) }
            for stream: UInt32 in [11, 13] { #expect(try client.answer(on: stream)?.status == 200) }
            #expect(client.limitsAndStatuses == [1, 1_000, 200, 1, 400, 1_000, 200, 200, 200])
            #expect(try mock.journal().map(\.stream) == [1, 3, 5, 11, 13])
        }
    }

    @Test func `enforced: a thousand refusals are not held against the provider`() throws {
        try withMock({
            $0.rules.rejectionDropsStreamLimit = true
            $0.rules.streamLimit = .enforced
        }) { mock in
            let client = try mock.wire()
            _ = try client.ask(1, mock.block())
            _ = try client.ask(3, mock.block(token: "zz"))
            client.send(.headers(5, mock.block()))
            // At once, or a slow machine takes longer than stream 5 may stay open.
            let block = mock.block(authorized: false)
            client.send(
                bytes: stride(from: UInt32(7), to: 5_007, by: 2).flatMap {
                    Frame.headers($0, block).bytes + Frame.data($0, WireClient.alertBody).bytes
                })
            client.send(.data(5, WireClient.alertBody))
            #expect(try client.answer(on: 5)?.status == 200)
            _ = try client.awaitPing()
            let refused = client.received.filter { $0.type == FrameType.reset && $0.number(at: 0) == 7 }
            #expect(refused.count == 2_500)
            #expect(!client.received.contains { $0.type == FrameType.goAway })
        }
    }

    @Test func `enforced: a young connection has one stream`() throws {
        try withMock({ $0.rules.streamLimit = .enforced }) { mock in
            let client = try mock.wire()
            client.send(.headers(1, mock.block()), .headers(3, mock.block()))
            client.send(.data(1, WireClient.alertBody), .data(3, WireClient.alertBody))
            #expect(try client.answer(on: 1)?.status == 200)
            try client.readResets(upTo: 2)
            #expect(client.received.filter { $0.stream == 3 }.map { $0.number(at: 0) } == [7, 5])
            // It had acknowledged the limit.
            #expect(try mock.overruns().map(\.streams) == [1])
            for stream: UInt32 in [5, 7, 9] { client.push(stream, mock.block()) }
            for stream: UInt32 in [5, 7, 9] { #expect(try client.answer(on: stream)?.status == 200) }
        }
    }

    @Test func `enforced: who has not acknowledged the limit is refused, and not blamed`() throws {
        try withMock({ $0.rules.streamLimit = .enforced }) { mock in
            let client = try mock.wire(hello: nil)
            client.acknowledgesSettings = false
            client.send(bytes: WireClient.preface + Frame.settings().bytes)
            client.send(.headers(1, mock.block()), .headers(3, mock.block()))
            client.send(.data(1, WireClient.alertBody))
            #expect(try client.answer(on: 1)?.status == 200)
            try client.readResets(upTo: 1)
            #expect(try mock.journal().map(\.stream) == [1])
            #expect(try mock.overruns().isEmpty)
        }
    }

    @Test func `a client that obeys the limits loses nothing, whatever the mode`() throws {
        try withMock({
            $0.rules.rejectionDropsStreamLimit = true
            $0.rules.streamLimit = .enforced
        }) { mock in
            let client = try mock.provider()
            let path = "/3/device/"
            for round in 0..<5 {
                let bad = client.send("POST", path + "zz", mock.fields(), body: alert)
                #expect(try bad.take().get().status == 400)
                #expect(try client.ask("POST", path + TestMock.device, mock.fields(), body: alert).status == 200)
                let many = (0..<20).map { _ in
                    client.send("POST", path + TestMock.device, mock.fields(), body: alert)
                }
                for one in many { #expect(try one.take().get().status == 200, "round \(round)") }
            }
        }
    }
}

extension WireClient {
    fileprivate func readResets(upTo count: Int) throws {
        while received.filter({ $0.type == FrameType.reset }).count < count, try next() != nil {}
    }

    fileprivate func wait(for fits: (Frame) -> Bool) throws {
        while let frame = try next() { if fits(frame) { return } }
        Issue.record("the connection ended: \(received)")
    }
}
