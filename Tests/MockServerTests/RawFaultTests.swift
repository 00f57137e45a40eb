// Lawless frames: each byte as the rule says, in its place among the lawful ones, and the connection can go on.

import Basics
import EventLoop
import Journal
import MockServer
import Net
import Pushes
import Testing

@Suite struct RawFaultTests {
    private static let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

    /// HEADERS with a status by index, the push's own id, and what comes with it.
    private static func headers(_ status: UInt8, flags: UInt8, more: [UInt8] = []) -> [UInt8] {
        let block = [status, 0x10, 7] + Array("apns-id".utf8) + [36] + Array(id.utf8) + more
        return [0, 0, UInt8(block.count), 1, flags, 0, 0, 0, 1] + block
    }

    private static func data(_ text: String, flags: UInt8) -> [UInt8] {
        let count = text.utf8.count
        return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), 0, flags, 0, 0, 0, 1] + Array(text.utf8)
    }

    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        /// What is expected on the wire, besides the plain answer.
        var bytes: [UInt8]
        /// Where the plain answer stands: 0 nowhere, 1 after the bytes, -1 before them.
        var answer: Int
        var testDescription: String { name }
    }

    private static let samples: [Sample] = [
        Sample(name: "empty-data", bytes: headers(0x88, flags: 4) + data("", flags: 1), answer: 0),
        Sample(name: "data-after-end", bytes: headers(0x88, flags: 5) + data("{}", flags: 1), answer: 0),
        Sample(
            name: "content-type",
            bytes: headers(0x8C, flags: 4, more: [0x1F, 0x10, 16] + Array("application/json".utf8))
                + data(#"{"reason":"BadDeviceToken"}"#, flags: 1), answer: 0),
        Sample(
            name: "spaced-body",
            bytes: headers(0x8C, flags: 4) + data(#"{ "reason" : "BadDeviceToken" }"#, flags: 1), answer: 0),
        Sample(
            name: "split-body",
            bytes: headers(0x8C, flags: 4) + data(#"{"reason":"#, flags: 0) + data(#""BadDeviceToken"}"#, flags: 1),
            answer: 0),
        Sample(name: "goaway-empty", bytes: [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], answer: -1),
        Sample(
            name: "oversized-frame",
            bytes: headers(0x88, flags: 4) + data(String(repeating: " ", count: 16_385), flags: 1), answer: 0),
        Sample(name: "bad-setting", bytes: [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 100], answer: 1),
        Sample(name: "unknown-frame", bytes: [0, 0, 8, 0xFA, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], answer: 1),
        Sample(name: "bad-hpack", bytes: [0, 0, 1, 1, 5, 0, 0, 0, 1, 0x80], answer: 0),
        Sample(name: "informational", bytes: [0, 0, 5, 1, 4, 0, 0, 0, 1, 8, 3, 49, 48, 51], answer: 1),
        Sample(name: "zero-window-update", bytes: [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0], answer: 1),
        Sample(
            name: "push-promise", bytes: [0, 0, 7, 5, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0x82, 0x87, 0x84], answer: 1),
        Sample(name: "data-before-headers", bytes: data("{}", flags: 1), answer: 0),
    ]

    @Test(arguments: samples) func `named frames are on the wire byte for byte`(sample: Sample) throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"raw":"\#(sample.name)"},"times":1}"#)
            let provider = try RawProvider(mock)
            provider.push(id: Self.id)
            provider.echo()
            provider.push(stream: 3)
            provider.readAnswer(stream: 3)
            // SETTINGS, their acknowledgement and the thousand streams come first; then what this test is about.
            let wide = try #require(provider.frames.firstIndex { $0.type == 4 && $0.payload.count == 6 })
            var frames = provider.frames[(wide + 1)...].filter {
                $0.type != 6 && $0.stream != 3 && !($0.type == 4 && $0.flags == 1)
            }
            if sample.answer != 0 {
                let plain = sample.answer > 0 ? frames.removeLast() : frames.removeFirst()
                #expect(plain.type == 1 && plain.flags == 5 && plain.stream == 1 && plain.payload[0] == 0x88)
            }
            #expect(frames.flatMap(\.bytes) == sample.bytes)
            // The connection goes on; but what a GOAWAY for nothing stands before is not processed any more.
            let isGoAway = sample.name == "goaway-empty"
            #expect(provider.frames.on(stream: 3).map(\.type) == (isGoAway ? [] : [1]))
            let push = try #require(try mock.journal().first)
            #expect(push.faultAction == 10 && push.status == (sample.answer == 0 ? 0 : 200))
            #expect((push.outcome == nil) == (sample.answer == 0))
            #expect(mock.service.statistics().openStreams == 0)
        }
    }

    @Test func `all named frames are tested`() throws {
        try withMock { mock in
            let reply = try mock.admin.ask(
                "POST", "/v1/faults", [("content-type", "application/json")], body: #"{"action":{"raw":"zzzzzzzzzzzz"}}"#)
            let known = Set((reply.json["error"]?["hint"]?.string ?? "").split { " ,".contains($0) }.dropFirst())
            #expect(known == Set(Self.samples.map { Substring($0.name) }))
        }
    }

    @Test(arguments: ["before", "after", "instead"]) func `bytes of one's own stand in their place`(place: String) throws {
        try withMock { mock in
            let hex = "000004 fb 07 {stream} 01020304 000024 FC 00 00000000 {apnsId}"
            try mock.fault(#"{"action":{"raw":{"hex":"\#(hex)","place":"\#(place)"}}}"#)
            let provider = try RawProvider(mock)
            provider.push(id: Self.id)
            let own = provider.echo().filter { [1, 0xFB, 0xFC].contains($0.type) }
            let types: [UInt8] = place == "before" ? [0xFB, 0xFC, 1] : place == "after" ? [1, 0xFB, 0xFC] : [0xFB, 0xFC]
            #expect(own.map(\.type) == types)
            let first = try #require(own.first { $0.type == 0xFB })
            #expect(first.stream == 1 && first.flags == 7 && first.payload == [1, 2, 3, 4])
            #expect(own.first { $0.type == 0xFC }?.payload == Array(Self.id.utf8))
        }
    }

    @Test func `a connection is met with frames after the first SETTINGS`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"raw":"unknown-frame"}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            let types = provider.readAnswer().map(\.type)
            #expect(types.prefix(2) == [4, 0xFA])
            #expect(try mock.faultNotes().map { $0["action"]?.string } == ["raw"])
        }
    }

    @Test func `answers of other pushes keep their order around raw bytes`() throws {
        try withMock { mock in
            try mock.fault(#"{"action":{"raw":"unknown-frame"},"match":{"nthOfConnection":{"every":3}}}"#)
            let provider = try RawProvider(mock)
            provider.push()
            provider.readAnswer()
            for stream in stride(from: UInt32(3), through: 21, by: 2) { provider.push(stream: stream) }
            let frames = provider.readAnswer(stream: 21).filter { $0.type == 1 || $0.type == 0xFA }
            let order = frames.map { $0.type == 1 ? "\($0.stream)" : "!" }
            #expect(order == ["1", "3", "!", "5", "7", "9", "!", "11", "13", "15", "!", "17", "19", "21"])
        }
    }
}
