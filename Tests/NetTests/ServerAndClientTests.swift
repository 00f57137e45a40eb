import Basics
import EventLoop
import Glibc
import Net
import Testing

/// One body of tests over each way a request can travel.
enum Way: String, CaseIterable, Sendable {
    case http2TLS, http2Clear, http1TLS, http1Clear

    var isTLS: Bool { self == .http2TLS || self == .http1TLS }
    var version: ClientConfiguration.Version { self == .http2TLS || self == .http2Clear ? .http2 : .http1 }
}

@Suite("A server and a client pool over real sockets", .timeLimit(.minutes(10)))
struct ServerAndClientTests {
    @Test("carry a request and its answer", arguments: Way.allCases)
    func carry(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        #expect(client.post("/echo", "hello") == Answer(status: 200, body: "hello", path: "/echo"))
        #expect(client.get("/status/410") == Answer(status: 410, path: "/status/410"))
    }

    @Test("carry a body of a megabyte both ways", arguments: Way.allCases)
    func largeBody(way: Way) throws {
        let service = try EchoService(tls: way.isTLS) { $0.limits.maxBodyBytes = 2 << 20 }
        let client = try service.client(way.version) { $0.maxBodyBytes = 2 << 20 }
        let body = String(repeating: "0123456789abcdef", count: 65_536)
        let answer = client.post("/echo", body)
        #expect(answer.status == 200)
        #expect(answer.body == body)
    }

    @Test("carry a thousand requests at once without mixing them up", arguments: Way.allCases)
    func many(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version) { $0.maxConnections = 4 }
        let answers = client.send((0..<1_000).map { ("POST", "/echo", "body \($0)") })
        for (index, answer) in answers.enumerated() { #expect(answer.body == "body \(index)") }
        let statistics = client.ask { $0.statistics }
        #expect(statistics.connectionsOpened <= 4)
        #expect(statistics.inFlight == 0)
    }

    @Test("deliver an answer that comes later and one in pieces", arguments: Way.allCases)
    func later(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        #expect(client.get("/later").body == "later")
        #expect(client.get("/stream").body == "one two three")
        #expect(client.get("/echo").status == 200)
    }

    @Test("fail a request whose answer never comes, and go on", arguments: Way.allCases)
    func timeout(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        #expect(client.send([("GET", "/never", "")], timeout: .milliseconds(200))[0].failure == .timeout)
        #expect(client.get("/echo").status == 200)
        // Where the connection is given up, the server may hear of it later than of the next one.
        for _ in 0..<2_000 where service.thread.ask({ $0.handler.abandonedCount }) == 0 { usleep(1_000) }
        #expect(service.thread.ask { $0.handler.abandonedCount } == 1)
    }

    @Test("tell a refused stream as safe to resend", arguments: [Way.http2TLS, .http2Clear])
    func refused(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        let answer = client.get("/reset")
        #expect(answer.failure == .refused)
        #expect(answer.isSafeToResend)
    }

    @Test("finish what is open after GOAWAY and use a new connection next", arguments: [Way.http2TLS, .http2Clear])
    func goAway(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        #expect(client.get("/goaway").status == 200)
        #expect(client.get("/echo").status == 200)
        #expect(client.ask { $0.statistics.connectionsOpened } == 2)
    }

    @Test("fail what is open when the connection dies, and reconnect", arguments: Way.allCases)
    func close(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        #expect(client.get("/close").failure == .closed)
        #expect(client.get("/echo").status == 200)
    }

    @Test("send nothing of a turn whose journal failed", arguments: Way.allCases)
    func willSend(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        #expect(client.get("/echo").status == 200)
        service.thread.ask { $0.handler.refusesToSend = true }
        #expect(client.get("/echo").failure == .closed)
    }

    @Test("drain: open answers are finished, new connections are not taken", arguments: Way.allCases)
    func drain(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version)
        #expect(client.get("/echo").status == 200)
        let drained = Handover<Bool>()
        let box = Handover<Answer>()
        client.post { pool in
            pool.send(OutgoingRequest(method: "GET", path: "/later")) { outcome in
                if case .response(let response) = outcome { box.give(Answer(status: response.status)) }
                if case .failed(let failure) = outcome { box.give(Answer(failure: failure.kind)) }
            }
        }
        while service.thread.ask({ $0.handler.handled }) < 2 {}
        service.thread.post { $0.server.drain(within: .seconds(5)) { drained.give(true) } }
        #expect(box.take().status == 200)
        #expect(drained.take())
        #expect(service.thread.ask { $0.server.connectionCount } == 0)
    }

    @Test("tell a refused connection at once")
    func refusedConnection() throws {
        let service = try EchoService(tls: false)
        let port = service.address.port
        service.thread.stop()
        let pool = try LoopThread(name: "client") { loop in
            try ClientPool(
                loop: loop, origin: Origin(isTLS: false, host: "127.0.0.1", port: port == 1 ? 2 : 1),
                configuration: ClientConfiguration(version: .http1))
        }
        let answer = pool.get("/echo")
        #expect(answer.failure == .connect)
        #expect(answer.isSafeToResend)
    }

    @Test("refuse a certificate that the client does not trust")
    func untrusted() throws {
        let service = try EchoService(tls: true)
        let other = try TestCertificates()
        let client = try service.client(.http2) { $0.tls.caFile = other.ca }
        #expect(client.get("/echo").failure == .tls)
    }

    @Test("tell a busy port in one line with the fix")
    func busyPort() throws {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        #expect {
            _ = try ListeningSocket(socket.boundAddress)
        } throws: { error in
            let failure = error as? Failure
            return failure?.message.contains("cannot listen on \(socket.boundAddress)") == true
                && failure?.hint?.contains("port") == true
        }
    }

    @Test("overflow of the queue fails at once instead of growing")
    func overflow() throws {
        let service = try EchoService(tls: false)
        let client = try service.client(.http1) { $0.maxQueued = 2 }
        let answers = client.send((0..<5).map { ("POST", "/echo", "\($0)") })
        #expect(answers.count { $0.failure == .overloaded } >= 2)
        #expect(answers.contains { $0.status == 200 })
    }
}
