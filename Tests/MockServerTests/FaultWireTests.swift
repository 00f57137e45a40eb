// What faults of HTTP/2 look like on the wire, frame by frame, and what the journal tells of them.

import Basics
import EventLoop
import Journal
import MockServer
import Net
import Pushes
import Testing

@Suite struct FaultWireTests {
    private let path = "/3/device/" + TestMock.device
    private typealias Frame = RawProvider.Frame

    private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Streams

    @Test func `RST_STREAM comes in place of the answer, and the connection goes on`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"reset-stream":true},"times":1}"#)
            let provider = try RawProvider(mock)
            provider.push()
            #expect(provider.readAnswer().on(stream: 1) == [Frame(type: 3, flags: 0, stream: 1, payload: word(7))])
            provider.push(stream: 3)
            #expect(provider.readAnswer(stream: 3).on(stream: 3).map(\.type) == [1])
            let pushes = try mock.journal()
            #expect(pushes.map(\.status) == [0, 200] && pushes[0].outcome == nil && pushes[0].faultAction == 4)
            #expect(mock.service.statistics().silenced == 1)
        }
    }

    @Test func `RST_STREAM follows the HEADERS of a success, and the push has arrived`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"reset-stream":{"code":"INTERNAL_ERROR","after":"headers"}}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            let frames = provider.read { $0.type == 3 }.on(stream: 1)
            #expect(frames.map(\.type) == [1, 3] && frames[0].flags == 4 && frames[0].payload[0] == 0x88)
            #expect(frames[1].payload == word(2))
            #expect(try mock.journal().map(\.outcome) == [.shown])
            provider.echo()
            #expect(mock.service.statistics().openStreams == 0)
        }
    }

    @Test func `our own client learns that a refused stream may be sent again`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"reset-stream":true},"times":1}"#)
            let client = try mock.provider()
            let failure = #expect(throws: ClientFailure.self) {
                try client.ask("POST", path, mock.fields(), body: alert)
            }
            #expect(failure?.isSafeToResend == true)
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 200)
        }
    }

    // MARK: GOAWAY

    @Test func `GOAWAY carries the reason as compact JSON, the push is answered, and the connection ends`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"goaway":"Shutdown"},"match":{"nthOfConnection":2}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            provider.push(stream: 3)
            let frames = provider.read()
            let goAway = try #require(frames.of(type: 7).first)
            #expect(goAway.payload.prefix(8) == (word(3) + word(0))[...])
            #expect(text(goAway.payload.dropFirst(8)) == #"{"reason":"Shutdown"}"#)
            #expect(frames.on(stream: 3).map(\.type) == [1])
            #expect(provider.ending == .closed)
            #expect(try mock.journal().map(\.status) == [200, 200])
            #expect(mock.service.statistics().connectionsEndedByFaults == 1)
        }
    }

    @Test func `a push beyond the last stream is not processed`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"goaway":{"reason":"Shutdown","last":"before"}},"match":{"nthOfConnection":2}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            provider.push(stream: 3)
            let frames = provider.read()
            #expect(frames.of(type: 7).map { Array($0.payload.prefix(4)) } == [word(1)])
            #expect(frames.on(stream: 3).isEmpty && provider.ending == .closed)
            let pushes = try mock.journal()
            #expect(pushes.map(\.status) == [200, 0] && pushes[1].outcome == nil && pushes[1].faultAction == 5)
        }
    }

    @Test(arguments: [("none", UInt32(0)), ("7", 7), ("\"this\"", 3)])
    func `the last stream is what the rule says`(last: String, id: UInt32) throws {
        try withMock { mock in
            let last = last == "none" ? "\"none\"" : last
            try mock.fault(#"{"action":{"goaway":{"last":\#(last),"code":2}},"match":{"nthOfConnection":2}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            provider.push(stream: 3)
            let frames = provider.read()
            #expect(frames.of(type: 7).map(\.payload) == [word(id) + word(2)])
            #expect(frames.on(stream: 3).count == (id == 0 ? 0 : 1))
        }
    }

    @Test func `after a GOAWAY that leaves the connection open every later push is ignored`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"goaway":{"reason":"Shutdown","then":"open"}},"times":1}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            provider.push(stream: 3)
            let frames = provider.echo()
            #expect(frames.of(type: 7).count == 1 && frames.on(stream: 1).count == 1)
            #expect(frames.on(stream: 3).isEmpty && provider.ending == .open)
            #expect(try mock.journal().count == 1)
        }
    }

    @Test func `plain text, another code, and a second GOAWAY without debug data`() throws {
        try withMock { mock in
            let words = "Maximum active streams violated for this endpoint."
            try mock.fault(
                #"{"action":{"goaway":{"debug":"\#(words)","code":"REFUSED_STREAM","last":"none","twice":true}}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            let goAways = provider.read().of(type: 7).map(\.payload)
            #expect(goAways == [word(0) + word(7) + Array(words.utf8), word(0) + word(7)])
            #expect(provider.ending == .closed)
        }
    }

    @Test func `a connection is told to go after the first SETTINGS, and no stream is answered`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"goaway":"BadCertificateEnvironment"},"times":1}"#)
            let provider = try RawProvider(mock)
            provider.push()
            let frames = provider.read()
            #expect(frames.prefix(2).map(\.type) == [4, 7])
            #expect(frames[0].payload.count == 30 && frames[1].payload.count == 46)
            #expect(frames[1].payload.prefix(8) == (word(0) + word(0))[...])
            #expect(text(frames[1].payload.dropFirst(8)) == #"{"reason":"BadCertificateEnvironment"}"#)
            #expect(frames.on(stream: 1).isEmpty)
            #expect(try mock.journal().isEmpty)
            let next = try RawProvider(mock)
            next.push()
            #expect(next.readAnswer().on(stream: 1).count == 1)
        }
    }

    @Test func `a connection is told to go after a while`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"goaway":{"reason":"IdleTimeout","last":1,"wait":"100ms"}}}"#)
            let begin = now()
            let provider = try RawProvider(mock)
            let frames = provider.read()
            #expect(frames.of(type: 7).map { Array($0.payload.prefix(4)) } == [word(1)])
            #expect(now() - begin >= .milliseconds(100) && provider.ending == .closed)
        }
    }

    // MARK: Limits

    @Test func `MAX_CONCURRENT_STREAMS is announced before the answer`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"max-streams":1},"match":{"nthOfConnection":2}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            provider.push(stream: 3)
            let frames = provider.readAnswer(stream: 3)
            #expect(frames.settings.dropFirst() == [[3: 1_000], [3: 1]])
            #expect(frames.on(stream: 3).map(\.type) == [1])
            #expect(frames.last?.stream == 3)
        }
    }

    @Test func `a connection that is met keeps its number of streams`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"max-streams":7}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            #expect(provider.frames.settings.dropFirst() == [[3: 7]])
        }
    }

    @Test func `a small initial window is announced, and bodies still come through`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"window":{"initial":16}}}"#)
            let client = try mock.provider()
            for _ in 0..<3 {
                #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 200)
            }
            let provider = try RawProvider(mock)
            #expect(provider.echo().settings.dropFirst() == [[4: 16]])
        }
    }

    @Test func `WINDOW_UPDATEs are held back, and come in the end`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"window":{"withhold":"300ms"}},"times":1}"#)
            for isHeldBack in [true, false] {
                let provider = try RawProvider(mock)
                let body = String(repeating: " ", count: 12_000)
                for stream in [1, 3, 5] as [UInt32] {
                    provider.push(stream: stream, body: body)
                    provider.readAnswer(stream: stream)
                }
                provider.echo()
                #expect(provider.frames.of(type: 8).isEmpty == isHeldBack)
                let update = provider.read { $0.type == 8 }.of(type: 8).first
                #expect(update.map { number($0.payload[...]) } ?? 0 >= 32_768)
            }
        }
    }

    // MARK: Endings

    @Test(arguments: ["clean", "fin", "reset"], ["before-answer", "half-answer", "after-answer"])
    func `a connection ends as it is told`(how: String, when: String) throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"close":{"how":"\#(how)","when":"\#(when)"}},"match":{"nthOfConnection":2}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            provider.push(stream: 3)
            let frames = provider.read()
            #expect(provider.ending == (how == "clean" ? .closed : how == "fin" ? .cutOff : .reset))
            #expect(frames.on(stream: 3).count == (when == "after-answer" ? 1 : 0))
            // An answer on this connection is 9 bytes of a frame and 40 of its header block.
            let half = when == "half-answer" ? provider.rest : []
            #expect(half.isEmpty == (when != "half-answer"))
            if !half.isEmpty { #expect(half.count < 49 && half[3] == 1 && number(half[5..<9]) == 3) }
            let last = try #require(try mock.journal().last)
            #expect(last.status == (when == "after-answer" ? 200 : 0))
            #expect((last.outcome == nil) == (when == "before-answer"))
        }
    }

    @Test func `a connection ends at once though an answer on it is delayed`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"delay":"30s"},"match":{"nthOfConnection":1}}"#)
            try mock.fault(#"{"action":{"close":"reset"},"match":{"nthOfConnection":2}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.echo()
            provider.push(stream: 3)
            provider.read()
            #expect(provider.ending == .reset)
            #expect(try mock.journal().map(\.status) == [200, 0])
        }
    }

    @Test func `a connection ends a while after it began`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"close":{"how":"fin","wait":"100ms"}},"times":1}"#)
            let begin = now()
            let provider = try RawProvider(mock)
            provider.read()
            #expect(provider.ending == .cutOff && now() - begin >= .milliseconds(100))
        }
    }

    @Test func `TLS is refused in every way, and then no more`() throws {
        try withMock { mock in
            for refusal in ["\"alert\"", "{\"alert\":42}", "\"close\"", "\"reset\"", "\"certificate\""] {
                try mock.fault(#"{"action":{"refuse-tls":\#(refusal)},"times":1}"#)
            }
            var endings = try (0..<5).map { _ in try RawProvider(mock).ending }
            for (index, words) in [(0, "handshake failure"), (1, "bad certificate"), (4, "unable to get")] {
                guard case .refused(let reason) = endings[index] else {
                    Issue.record("\(endings[index])")
                    continue
                }
                #expect(reason.contains(words), "\(reason)")
                endings[index] = .open
            }
            // The ClientHello may reach a socket that is closed already, which answers with RST.
            if endings[2] == .reset { endings[2] = .cutOff }
            #expect(endings == [.open, .open, .cutOff, .reset, .open])
            let provider = try RawProvider(mock)
            provider.push()
            #expect(provider.readAnswer().on(stream: 1).count == 1)
            let notes = try mock.faultNotes()
            #expect(notes.map { $0["action"]?.string } == [String](repeating: "refuse-tls", count: 5))
            #expect(notes.map { $0["number"]?.int } == [1, 2, 3, 4, 5])
            #expect(notes.map { $0["fault"]?.string } == ["f1", "f2", "f3", "f4", "f5"])
            #expect(notes.allSatisfy { $0["peer"]?.string?.hasPrefix("127.0.0.1:") == true })
        }
    }

    @Test(.enabled(if: has("curl"))) func `curl finds a closed door, and then an open one`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"refuse-tls":"alert"},"until-heals":{"quiet":"1s"}}"#)
            let coordinates = mock.service.coordinates
            func curl(_ more: String = "") -> String {
                run(
                    """
                    curl -sS -o /dev/null -w '%{exitcode} %{http_code}' --http2 --cacert '\(coordinates.ca)' \(more) \
                    https://localhost:\(coordinates.apns.port)/
                    """) ?? ""
            }
            #expect(curl().hasSuffix("35 000") && curl().hasSuffix("35 000"))
            sleepFor(.milliseconds(1_050))
            #expect(curl() == "0 405")
        }
    }
}
