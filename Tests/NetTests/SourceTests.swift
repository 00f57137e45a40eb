import Basics
import EventLoop
import Net
import Testing

@Suite("Connections of a pool", .timeLimit(.minutes(10)))
struct SourceTests {
    @Test("come from the addresses that were given, in turn", arguments: [Way.http1Clear, .http2TLS])
    func inTurn(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let sources = try TargetPolicy.loopback(service.origin).sources(["127.0.0.2", "127.0.0.3"])
        let client = try service.client(way.version) {
            $0.sources = sources
            $0.maxConnections = 4
            $0.opensEagerly = true
        }
        #expect(client.get("/echo").status == 200)
        service.await { $0.handler.peers.count == 4 }
        #expect(service.thread.ask { $0.handler.peers.sorted() } == ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3"])
    }

    @Test("come from no address that is not this host's, not the target's kind, or none", arguments: [
        ("192.0.2.7", "connections cannot come from 192.0.2.7"), ("::1", "an address of another family"), ("here", "not an IP address"),
    ])
    func refused(text: String, message: String) throws {
        let target = try TargetPolicy.loopback(Origin(parsing: "http://127.0.0.1:9"))
        let failure = #expect(throws: Failure.self) { try target.sources(["127.0.0.2", text]) }
        #expect(failure?.kind == .usage && failure?.message.contains(message) == true, "\(failure?.message ?? "")")
        #expect(failure?.hint != nil)
    }
}
