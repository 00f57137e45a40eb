// RFC 9113 §5.1, §6.1: DATA on a stream that was reset is answered STREAM_CLOSED, wherever a read ends; HEADERS on a stream that
// the client closed end the connection. A socket would leave the cuts to chance, so the session is fed directly.

import Basics
import HTTP
import Testing
import WireClient

@testable import HTTP2

@Suite("DATA and HEADERS on a stream that is over")
struct LateDataTests {
    struct Sequence: Sendable, CustomTestStringConvertible {
        var name: String
        /// The most streams that the server takes.
        var limit: UInt32 = 10
        var frames: [Frame]
        /// Each RST_STREAM that comes of it, once: stream and code.
        var resets: [[UInt32]]
        /// The code of a GOAWAY that comes of it.
        var ends: UInt32?
        var testDescription: String { name }
    }

    private static let request = HPACK.indexed(3) + HPACK.indexed(7) + HPACK.indexed(4) + HPACK.literal("host", "a")
    private static let malformed = request + HPACK.literal("Upper", "case")
    private static let large = request + HPACK.literal("x-filler", String(repeating: "f", count: 300))
    private static let credential = HPACK.literal(
        .neverIndexed, nameIndex: 23, "bearer " + String(repeating: "a", count: 60), huffman: true)

    static let sequences = [
        Sequence(
            name: "reset by the client",
            frames: [.headers(1, request), .reset(1), .data(1, [1])], resets: [[1, 5]]),
        Sequence(
            name: "reset by the client, with other streams between",
            frames: [
                .headers(1, request), .headers(3, request), .headers(5, request), .reset(1), .data(3, [1], end: false),
                .reset(5), .data(1, [1], end: false), .data(3, [1]), .data(5, [1]),
            ], resets: [[1, 5], [5, 5]]),
        Sequence(
            name: "reset by the client, its credential repeated",
            frames: [
                .headers(1, request + credential), .headers(3, request + credential), .reset(3), .data(3, [1]),
                .data(1, [1]),
            ], resets: [[3, 5]]),
        Sequence(
            name: "refused", limit: 1,
            frames: [
                .headers(1, request), .headers(3, request), .headers(5, request), .data(3, [1]), .data(5, [1]),
                .data(1, [1]),
            ], resets: [[3, 7], [5, 7], [3, 5], [5, 5]]),
        Sequence(
            name: "refused, then reset by the client", limit: 1,
            frames: [.headers(1, request), .headers(3, request), .reset(3), .data(3, [1])], resets: [[3, 7], [3, 5]]),
        Sequence(
            name: "malformed", frames: [.headers(1, malformed), .data(1, [1])], resets: [[1, 1], [1, 5]]),
        Sequence(
            name: "malformed in its CONTINUATION",
            frames: [
                .headers(1, request, whole: false), .continuation(1, HPACK.literal("Upper", "case")), .data(1, [1]),
            ], resets: [[1, 1], [1, 5]]),
        Sequence(
            name: "malformed in its trailers, which do not end it",
            frames: [
                .headers(1, request), .data(1, [1], end: false), .headers(1, HPACK.literal("x-a", "1")), .data(1, [1]),
            ], resets: [[1, 1], [1, 5]]),
        Sequence(
            name: "HEADERS after a reset by the client",
            frames: [.headers(1, request), .reset(1), .headers(1, HPACK.literal("x-a", "1"), end: true)], resets: [], ends: 5),
        Sequence(
            name: "HEADERS of a request after a reset by the client, among others",
            frames: [
                .headers(1, request), .headers(3, request), .reset(1), .headers(1, request, end: true), .data(3, [1]),
            ], resets: [], ends: 5),
        Sequence(
            name: "trailers of a stream that was refused", limit: 1,
            frames: [.headers(1, request), .headers(3, request), .headers(3, HPACK.literal("x-a", "1"), end: true)],
            resets: [[3, 7]]),
        Sequence(
            name: "trailers of a malformed request",
            frames: [.headers(1, malformed), .headers(1, HPACK.literal("x-a", "1"), end: true)], resets: [[1, 1]]),
        Sequence(
            name: "a header list too large", frames: [.headers(1, large), .data(1, [1])], resets: [[1, 2], [1, 5]]),
    ]

    /// What the server answers when it reads so many bytes at a time and sends after each read, or only in the end.
    private func resets(of sequence: Sequence, reads: [Int], sends: Bool) -> [[UInt32]] {
        let session = HTTP2Session(
            role: .server, settings: [.maxConcurrentStreams(sequence.limit)], streamLimit: sequence.limit,
            limits: HTTP2Limits(maxBodyBytes: 100, maxHeaderListBytes: 300), pool: HTTP2Pool())
        let (ear, output) = (DeafEar(), ByteBuffer())
        var bytes = (WireClient.preface + Frame.settings().bytes + sequence.frames.flatMap(\.bytes))[...]
        for count in reads + [bytes.count] {
            let piece = Array(bytes.prefix(count))
            bytes = bytes.dropFirst(count)
            #expect(session.receive(piece.span) == nil || sequence.ends != nil)
            session.handOutEvents(to: ear)
            guard sends || bytes.isEmpty else { continue }
            #expect(session.takeOutput(into: output))
            session.handOutEvents(to: ear)
        }
        let all = output.array().frames(from: 0)
        #expect(all.first { $0[3] == FrameType.goAway }.map { UInt32($0[16]) } == sequence.ends)
        let found = all.filter { $0[3] == FrameType.reset }.map { [UInt32($0[8]), UInt32($0[12])] }
        return found.enumerated().filter { !found[..<$0.offset].contains($0.element) }.map(\.element)
    }

    @Test("is answered STREAM_CLOSED, wherever a read ends", arguments: sequences)
    func cuts(_ sequence: Sequence) {
        let start = WireClient.preface.count + Frame.settings().bytes.count
        let count = start + sequence.frames.reduce(0) { $0 + $1.bytes.count }
        for sends in [true, false] {
            for cut in start..<count {
                let found = resets(of: sequence, reads: [cut], sends: sends)
                #expect(Set(found) == Set(sequence.resets), "a read ends at \(cut - start), sends: \(sends)")
            }
            let found = resets(of: sequence, reads: Array(repeating: 1, count: count), sends: sends)
            #expect(Set(found) == Set(sequence.resets), "byte by byte, sends: \(sends)")
        }
        #expect(resets(of: sequence, reads: [], sends: true) == sequence.resets, "all at once")
    }
}

private final class DeafEar: HTTP2EventHandler {
    func message(_ stream: HTTP2Stream) {}
    func closed(_ stream: HTTP2Stream, code: UInt32) {}
    func happened(_ event: HTTP2Event) {}
}
