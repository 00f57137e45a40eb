import Basics
import EventLoop
import Glibc
import Net
import Testing

/// What is left when a loop is stopped with everything still under way.
@Suite("A loop that ends", .timeLimit(.minutes(10)))
struct LoopEndTests {
    /// Unchecked: the object is not touched, only looked for after its thread has gone.
    private final class Trace: @unchecked Sendable {
        weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    private func waitUntilOne(_ service: EchoService) {
        for _ in 0..<2_000 where service.thread.ask({ $0.handler.handled }) < 1 { usleep(1_000) }
    }

    @Test("closes the connections of a server that nobody drained, and lets go of it")
    func server() throws {
        let service = try EchoService(tls: false)
        let peer = try RawPeer(http2: service.address)
        peer.send([.request(1, path: "/never")])
        waitUntilOne(service)
        let (server, handler) = service.thread.ask { (Trace($0.server), Trace($0.handler)) }
        service.thread.stop()
        #expect(peer.endsSoon())
        #expect(server.object == nil)
        #expect(handler.object == nil)
    }

    @Test("lets go of a pool that whoever waits for an answer holds", arguments: Way.allCases)
    func pool(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        client.post { pool in
            pool.send(OutgoingRequest(method: "GET", path: "/never", body: [])) { _ in withExtendedLifetime(pool) {} }
        }
        waitUntilOne(service)
        let pool = client.ask { Trace($0) }
        client.stop()
        #expect(pool.object == nil)
    }
}
