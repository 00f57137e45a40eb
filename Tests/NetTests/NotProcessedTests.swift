// What stands behind a GOAWAY or a close in the same read is not processed, whoever the handler is: the peer sends it again
// elsewhere, and it must not happen twice.

import Basics
import EventLoop
import Glibc
import Net
import Testing

@Suite("Requests behind the end of a connection, in the same read")
struct NotProcessedTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame(type: 4).bytes

    /// Twenty requests in one write, streams 1 to 39, of which the tenth goes to that path.
    private func ask(_ path: String, _ service: EchoService) throws -> RawPeer {
        let peer = try RawPeer(service.address)
        let requests = (0..<20).map { Frame.request(UInt32($0 * 2 + 1), path: $0 == 9 ? path : "/echo").bytes }
        peer.send(Self.preface + requests.flatMap(\.self))
        return peer
    }

    private func handled(_ service: EchoService) -> Int { service.thread.ask { $0.handler.handled } }

    @Test("after a GOAWAY for the last one handed up, which says so")
    func goAway() throws {
        let service = try EchoService(tls: false)
        let peer = try ask("/goaway", service)
        var (last, answered): (UInt32?, [UInt32]) = (nil, [])
        while let frame = peer.frame() {
            if frame.type == 7 { last = frame.payload[..<4].reduce(0) { $0 << 8 | UInt32($1) } }
            if frame.type == 1 { answered.append(frame.stream) }
        }
        #expect(last == 19 && answered == (0..<10).map { $0 * 2 + 1 })
        #expect(handled(service) == 10)
    }

    @Test("after a GOAWAY with a last stream of its own", arguments: [(1, 10), (19, 10), (27, 14), (99, 20)])
    func goAwayWithLast(last: Int, processed: Int) throws {
        let service = try EchoService(tls: false)
        let peer = try ask("/goaway/\(last)", service)
        var told: UInt32?
        while let frame = peer.frame() {
            if frame.type == 7 { told = frame.payload[..<4].reduce(0) { $0 << 8 | UInt32($1) } }
            if told != nil, frame.type == 1 { #expect(frame.stream <= UInt32(last)) }
            if told != nil, last == 99, frame.type == 1, frame.stream == 39 { break }
        }
        #expect(told == UInt32(last))
        #expect(handled(service) == processed)
    }

    @Test("after a close, whatever its manner", arguments: ["/close", "/last/clean", "/last/reset"])
    func close(path: String) throws {
        let service = try EchoService(tls: false)
        let peer = try ask(path, service)
        #expect(peer.endsSoon())
        #expect(handled(service) == 10)
    }

    @Test("of HTTP/1.1, pipelined", arguments: ["/close", "/last/clean", "/last/reset"])
    func pipelined(path: String) throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(service.address)
        let paths = ["/echo", path, "/echo", "/echo", "/echo", "/echo"]
        peer.send(text: paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        #expect(peer.endsSoon())
        #expect(service.thread.ask { $0.handler.paths } == ["/echo", path])
    }

    @Test("a clean end is no RST, though the peer goes on sending")
    func cleanEnd() throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(service.address)
        peer.send(Self.preface + Frame.request(1, path: "/last/clean").bytes)
        #expect(peer.frame(1, on: 1) != nil)
        for stream: UInt32 in [3, 5, 7] { #expect(peer.send([.request(stream)])) }
        #expect(peer.endsSoon())
        #expect(!peer.wasReset)
        #expect(handled(service) == 1)
    }
}
