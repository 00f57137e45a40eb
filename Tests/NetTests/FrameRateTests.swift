// Frames that come too often: what is within the rate is served, one more ends the connection with the reason.

import Basics
import EventLoop
import Glibc
import Net
import Testing

@testable import HTTP2

@Suite("Frames that are no requests", .timeLimit(.minutes(10))) struct FrameRateTests {
    /// A kind of frame and how a peer sends it for the n-th time.
    struct Kind: CustomTestStringConvertible, Sendable {
        let refusal: Refusal
        let rate: any WritableKeyPath<HTTP2Rates, HTTP2Rate> & Sendable
        let text: String
        let send: @Sendable (UInt32) -> [Frame]
        var testDescription: String { "\(refusal)" }

        static let all = [
            Kind(refusal: .resets, rate: \.resets, text: "reset streams") { number in
                [.request(number * 2 + 1, ends: false), .reset(number * 2 + 1)]
            },
            // A window beyond 2^31 - 1 is a stream error, for which the server resets the stream (RFC 9113 §6.9.1).
            Kind(refusal: .resets, rate: \.resets, text: "reset streams") { number in
                [
                    .request(number * 2 + 1, path: "/never"),
                    Frame(type: 8, stream: number * 2 + 1, payload: Frame.word(0x7FFF_FFFF)),
                ]
            },
            // The client's first SETTINGS counts too.
            Kind(refusal: .settings, rate: \.settings, text: "SETTINGS") { $0 == 0 ? [] : [.settings] },
            Kind(refusal: .pings, rate: \.pings, text: "PING") { _ in [.ping] },
            Kind(refusal: .pings, rate: \.pings, text: "PING") { _ in [Frame(type: 6, flags: 1, payload: Frame.ping.payload)] },
            Kind(refusal: .shortData, rate: \.shortData, text: "DATA") { number in
                (number == 0 ? [.request(1, ends: false)] : []) + [Frame(type: 0, stream: 1)]
            },
            Kind(refusal: .shortData, rate: \.shortData, text: "DATA") { number in
                (number == 0 ? [.request(1, ends: false)] : [])
                    + [Frame(type: 0, flags: 8, stream: 1, payload: [255] + Array(repeating: 0, count: 255))]
            },
            Kind(refusal: .windowUpdates, rate: \.windowUpdates, text: "WINDOW_UPDATE") { _ in
                [Frame(type: 8, payload: Frame.word(1))]
            },
            Kind(refusal: .otherFrames, rate: \.otherFrames, text: "PRIORITY") { _ in
                [Frame(type: 2, stream: 9, payload: Frame.word(0) + [16])]
            },
            Kind(refusal: .otherFrames, rate: \.otherFrames, text: "PRIORITY") { _ in [Frame(type: 0xFE, payload: [1, 2, 3])] },
            Kind(refusal: .headerLists, rate: \.headerLists, text: "header lists over 200 bytes") { number in
                let long = String(repeating: "x", count: 100)
                return [.request(number * 2 + 1, extra: Frame.field("a", long) + Frame.field("b", long))]
            },
        ]
    }

    @Test("are served up to the rate", arguments: Kind.all)
    func within(kind: Kind) throws {
        let service = try service(kind)
        let peer = try RawPeer(http2: service.address)
        peer.send((0..<5).flatMap(kind.send) + [.request(99)])
        #expect(peer.frame(1, on: 99) != nil)
        #expect(service.thread.ask { $0.handler.refusals[kind.refusal] ?? 0 } == (kind.refusal == .headerLists ? 5 : 0))
    }

    @Test("end the connection with the reason when there is one more", arguments: Kind.all)
    func beyond(kind: Kind) throws {
        let service = try service(kind)
        let peer = try RawPeer(http2: service.address)
        // More than one more, so that there is input left which the server will not read.
        peer.send((0..<5).flatMap(kind.send))
        peer.send((5..<40).flatMap(kind.send))
        let goAway = try #require(peer.goAway())
        #expect(goAway.code == 11 && goAway.text.contains(kind.text) && goAway.text.contains("5 at once"))
        #expect(peer.endsSoon())
        let counted = service.thread.ask { $0.handler.refusals[kind.refusal] ?? 0 }
        #expect(counted == (kind.refusal == .headerLists ? 7 : 1))
        // Others are served as before.
        let other = try RawPeer(http2: service.address)
        other.send([.request(1)])
        #expect(other.frame(1, on: 1) != nil)
    }

    private func service(_ kind: Kind) throws -> EchoService {
        try EchoService(tls: false) {
            $0.limits.rates[keyPath: kind.rate] = HTTP2Rate(burst: 5, perSecond: 0)
            $0.limits.maxHeaderListBytes = kind.refusal == .headerLists ? 200 : 8_000
        }
    }

    @Test("answers that we reset ourselves are not held against the peer")
    func ownResets() throws {
        let service = try EchoService(tls: false) { $0.limits.rates.resets = HTTP2Rate(burst: 1, perSecond: 0) }
        let peer = try RawPeer(http2: service.address)
        for number in 0..<5 { peer.send([.request(UInt32(number) * 2 + 1, path: "/reset")]) }
        peer.send([.request(99)])
        #expect(peer.frame(1, on: 99) != nil)
    }

    // MARK: Header blocks

    @Test("a header block has as many CONTINUATION frames as allowed, and not one more", arguments: [false, true])
    func continuations(isOneMore: Bool) throws {
        let service = try EchoService(tls: false) { $0.limits.maxContinuations = 4 }
        let peer = try RawPeer(http2: service.address)
        let count = isOneMore ? 5 : 4
        peer.send([.request(1, more: true)])
        for number in 1...count { peer.send([Frame(type: 9, flags: number == count ? 4 : 0, stream: 1)]) }
        if isOneMore {
            let goAway = try #require(peer.goAway())
            #expect(goAway.code == 11 && goAway.text == "a header block of more than 4 CONTINUATION frames")
            #expect(peer.endsSoon())
            #expect(service.thread.ask { $0.handler.refusals } == [.continuations: 1])
        } else {
            #expect(peer.frame(1, on: 1) != nil)
        }
    }

    @Test("a header block has as many encoded bytes as allowed, and not one more", arguments: [false, true])
    func headerBlocks(isOneMore: Bool) throws {
        let plain = Frame.request(1, more: true).payload.count
        let service = try EchoService(tls: false) { $0.limits.maxHeaderBlockBytes = plain + 3_000 }
        let peer = try RawPeer(http2: service.address)
        // Padding for nothing: updates of the table's size may only begin a block, so indexed fields, at 1 byte each.
        let rest = Array(repeating: UInt8(0x90), count: isOneMore ? 3_001 : 3_000)
        peer.send([.request(1, more: true), Frame(type: 9, flags: 4, stream: 1, payload: rest)])
        if isOneMore {
            #expect(try #require(peer.goAway()).code == 11)
            #expect(service.thread.ask { $0.handler.refusals } == [.headerBlocks: 1])
        } else {
            // Decoded it is larger than a list may be: the stream is reset, the connection lives.
            #expect(peer.frame(3, on: 1) != nil)
            peer.send([.request(3)])
            #expect(peer.frame(1, on: 3) != nil)
        }
    }

    // MARK: The account

    @Test("what is used up comes back with time and with requests, at most the burst")
    func refill() {
        var limits = HTTP2Limits(maxBodyBytes: 1, maxHeaderListBytes: 8_000)
        limits.rates.pings = HTTP2Rate(burst: 3, perSecond: 10, perRequest: 2)
        var meter = HTTP2Meter(limits: limits)
        var now = Instant(nanoseconds: 5_000_000_000)
        func pings() -> Int {
            var count = 0
            var copy = meter
            while copy.admits(length: 8, type: 6, flags: 0, at: now) {
                meter = copy
                count += 1
            }
            return count
        }
        let first = pings()
        now = now + .milliseconds(99)
        let tooSoon = pings()
        now = now + .milliseconds(1)
        let one = pings()
        _ = meter.admits(length: 10, type: 1, flags: 5, at: now)
        let byRequest = pings()
        now = now + .seconds(60)
        let full = pings()
        #expect([first, tooSoon, one, byRequest, full] == [3, 0, 1, 2, 3])
    }

    @Test("DATA is paid for if it is short or may be padding, unless it ends its stream; SETTINGS unless they acknowledge")
    func free() {
        var limits = HTTP2Limits(maxBodyBytes: 1, maxHeaderListBytes: 8_000)
        limits.rates.shortData = HTTP2Rate(burst: 0, perSecond: 0)
        limits.rates.settings = HTTP2Rate(burst: 0, perSecond: 0)
        func isFree(_ length: Int, _ type: UInt8, flags: UInt8) -> Bool {
            var meter = HTTP2Meter(limits: limits)
            return meter.admits(length: length, type: type, flags: flags, at: Instant(nanoseconds: 1))
        }
        #expect(!isFree(15, 0, flags: 0) && isFree(16, 0, flags: 0) && isFree(0, 0, flags: 1))
        #expect(!isFree(256, 0, flags: 8) && isFree(257, 0, flags: 8) && isFree(256, 0, flags: 9))
        #expect(!isFree(0, 4, flags: 0) && isFree(0, 4, flags: 1))
    }

    @Test("frames are counted however the bytes are cut", arguments: [1, 2, 3, 7, 10, 1_000])
    func cut(size: Int) {
        var limits = HTTP2Limits(maxBodyBytes: 1, maxHeaderListBytes: 8_000)
        limits.rates.pings = HTTP2Rate(burst: 3, perSecond: 0)
        let session = HTTP2Session(role: .server, settings: [], limits: limits, pool: HTTP2Pool())
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame.settings.bytes
        bytes += (0..<4).flatMap { _ in Frame.ping.bytes }
        let end = bytes.count - 17
        var fed = 0
        while fed < bytes.count, session.offence == nil {
            let piece = Array(bytes[fed..<min(bytes.count, fed + size)])
            #expect(session.receive(piece.span) == nil)
            fed += piece.count
        }
        #expect(session.offence == .pings)
        // Known from the header's fifth byte on, at the latest by the piece that completes it.
        #expect(fed >= end + 5 && fed < end + 9 + size)
    }
}
