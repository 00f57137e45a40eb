// A handler is told of each answer that did not reach its peer, and of no other.

import Basics
import EventLoop
import Glibc
import Net
import Testing

@Suite("Answers that do not reach the peer")
struct UndeliveredTests {
    /// The marks that were told, once there are so many, or after a while.
    private func undelivered(_ service: EchoService, atLeast count: Int = 1) -> [UInt64] {
        var marks: [UInt64] = []
        for _ in 0..<2_000 {
            marks = service.thread.ask { $0.handler.undelivered }
            if marks.count >= count { break }
            usleep(1_000)
        }
        return marks.sorted()
    }

    /// Waits until all connections have gone.
    private func quiet(_ service: EchoService) -> [UInt64] {
        for _ in 0..<2_000 where service.thread.ask({ $0.server.connectionCount }) > 0 { usleep(1_000) }
        return undelivered(service, atLeast: 0)
    }

    @Test("those that were read are not told, however the connection ends", arguments: [false, true])
    func delivered(withReset: Bool) throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1), .request(3), .request(5, path: "/stream")])
        while let frame = peer.frame(), !(frame.stream == 5 && frame.flags & 1 == 1) {}
        if withReset {
            // What was read a while ago is the peer's own affair.
            usleep(300_000)
        }
        peer.hangUp(withReset: withReset)
        #expect(quiet(service) == [])
    }

    @Test("the peer resets the stream before the answer")
    func reset() throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1, path: "/never"), .request(3), .reset(1)])
        #expect(undelivered(service) == [1])
    }

    @Test("the peer resets the stream while part of the answer waits for its window")
    func resetWithinAnswer() throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1, path: "/big/100000"), .request(3)])
        #expect(peer.frame(1, on: 1) != nil)
        peer.send([.reset(1)])
        #expect(undelivered(service) == [1])
    }

    @Test("the peer gives the stream up while the answer is on its way to it")
    func crossed() throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1), .request(3), .request(5)])
        while let frame = peer.frame(), !(frame.stream == 5 && frame.flags & 1 == 1) {}
        peer.send([.reset(3)])
        #expect(undelivered(service) == [3])
        // Told once, and none that was never answered, or that the peer has let go in peace.
        peer.send([.reset(3), .reset(5, code: 0), .ping])
        #expect(peer.frame(6, on: 0) != nil)
        peer.hangUp()
        #expect(quiet(service) == [3])
    }

    @Test("a stream given up long after its answer had the answer")
    func resetLate() throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1), .request(3)])
        while let frame = peer.frame(), !(frame.stream == 3 && frame.flags & 1 == 1) {}
        usleep(300_000)
        peer.send([.reset(3), .ping])
        #expect(peer.frame(6, on: 0) != nil)
        peer.hangUp()
        #expect(quiet(service) == [])
    }

    @Test("the server resets the stream")
    func ownReset() throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1, path: "/reset"), .request(3)])
        #expect(peer.frame(1, on: 3) != nil)
        #expect(undelivered(service) == [1])
    }

    @Test("the connection goes before the answer", arguments: [Way.http1Clear, .http2Clear])
    func gone(way: Way) throws {
        let service = try EchoService(tls: false)
        let peer = try ask(["/never"], way, service)
        for _ in 0..<1_000 where service.thread.ask({ $0.handler.handled }) == 0 { usleep(1_000) }
        peer.hangUp()
        #expect(undelivered(service) == [1])
    }

    @Test("the answer waits for a peer that does not read", arguments: [Way.http1Clear, .http2Clear])
    func unread(way: Way) throws {
        let service = try EchoService(tls: false) { $0.limits.maxPendingOutputBytes = 64 << 20 }
        let peer = try ask(["/big/16777216"], way, service, receiveBuffer: 16_384)
        for _ in 0..<1_000 where service.thread.ask({ $0.handler.handled }) == 0 { usleep(1_000) }
        peer.hangUp()
        #expect(undelivered(service) == [1])
    }

    @Test("RST right behind the answers throws away what the peer has not read", arguments: [Way.http1Clear, .http2Clear])
    func lastReset(way: Way) throws {
        let service = try EchoService(tls: false)
        let peer = try ask(["/echo", "/last/reset"], way, service)
        #expect(peer.endsSoon())
        #expect(undelivered(service, atLeast: 2) == (way == .http1Clear ? [1, 2] : [1, 3]))
    }

    @Test("on a clock that is stepped RST throws nothing away of before the last step", arguments: [0, 250, 251] as [Int64])
    func stepped(milliseconds: Int64) throws {
        let clock = RunClock(base: SystemTime(), mode: .stepped)
        let service = try EchoService(tls: false, clock: clock)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1)])
        while let frame = peer.frame(), !(frame.stream == 1 && frame.flags & 1 == 1) {}
        // The turn in which it was handed over is at its end.
        _ = service.thread.ask { $0.server.connectionCount }
        clock.step(to: clock.now() + .milliseconds(milliseconds))
        peer.hangUp(withReset: true)
        #expect(undelivered(service, atLeast: milliseconds > 250 ? 0 : 1) == (milliseconds > 250 ? [] : [1]))
        #expect(quiet(service) == (milliseconds > 250 ? [] : [1]))
    }

    @Test("whoever takes his leave in order has read his answers, however his socket goes then", arguments: [0, 2] as [UInt32])
    func leave(code: UInt32) throws {
        let clock = RunClock(base: SystemTime(), mode: .stepped)
        let service = try EchoService(tls: false, clock: clock)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1)])
        while let frame = peer.frame(), !(frame.stream == 1 && frame.flags & 1 == 1) {}
        _ = service.thread.ask { $0.server.connectionCount }
        peer.send([.goAway(code: code), .ping])
        _ = peer.frame(6, on: 0)
        peer.hangUp(withReset: true)
        #expect(undelivered(service, atLeast: code == 0 ? 0 : 1) == (code == 0 ? [] : [1]))
        #expect(quiet(service) == (code == 0 ? [] : [1]))
    }

    @Test("a clean end behind the answers does not", arguments: [Way.http1Clear, .http2Clear])
    func lastClean(way: Way) throws {
        let service = try EchoService(tls: false)
        let peer = try ask(["/echo", "/last/clean"], way, service)
        #expect(peer.endsSoon())
        peer.hangUp()
        #expect(quiet(service) == [])
    }

    @Test("a GOAWAY takes back what was begun above its last stream")
    func goAway() throws {
        let service = try EchoService(tls: false)
        let peer = try ask(["/never", "/never", "/echo", "/goaway/1"], .http2Clear, service)
        #expect(peer.goAway() != nil)
        // Stream 5 was answered before, 7 after it was said that it would not be.
        #expect(undelivered(service, atLeast: 2) == [3, 7])
        peer.hangUp()
        #expect(undelivered(service, atLeast: 3) == [1, 3, 7])
    }

    @Test("after lawless bytes a peer that goes at once may have read no further")
    func raw() throws {
        let service = try EchoService(tls: false)
        let peer = try ask(["/raw", "/echo"], .http2Clear, service)
        #expect(peer.frame(1, on: 3) != nil)
        peer.hangUp()
        #expect(undelivered(service, atLeast: 2) == [1, 3])
    }

    private func ask(
        _ paths: [String], _ way: Way, _ service: EchoService, receiveBuffer: Int32? = nil
    ) throws -> RawPeer {
        let peer = try RawPeer(service.address, receiveBuffer: receiveBuffer)
        if way == .http1Clear {
            peer.send(text: paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        } else {
            // Windows that hold everything.
            let settings = Frame(type: 4, payload: [0, 4, 127, 255, 255, 255])
            let window = Frame(type: 8, payload: Frame.word(1 << 30))
            let requests = paths.enumerated().map { Frame.request(UInt32($0.offset * 2 + 1), path: $0.element) }
            peer.send(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + ([settings, window] + requests).flatMap(\.bytes))
        }
        return peer
    }
}
