// What a client sends again, what it never sends again, and how it opens connections.

import Basics
import EventLoop
import Net
import Testing

@Suite("A client pool", .timeLimit(.minutes(10)))
struct ClientResendTests {
    private static let http1 = [Way.http1Clear, .http1TLS]
    private static let http2 = [Way.http2Clear, .http2TLS]

    private func pair(_ way: Way, resends: Bool = true, connections: Int = 4) throws
        -> (EchoService, LoopThread<ClientPool>)
    {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version) {
            $0.resends = resends
            $0.maxConnections = connections
        }
        return (service, client)
    }

    private func handled(_ service: EchoService) -> Int { service.thread.ask { $0.handler.handled } }

    // MARK: Reused connections

    @Test("sends once more, on a fresh connection, what a reused one took with it", arguments: http1)
    func reused(way: Way) throws {
        let (service, client) = try pair(way)
        #expect(client.get("/echo").attempts == 1)
        #expect(client.post("/closeReused", "x") == Answer(status: 200, body: "x", path: "/closeReused", attempts: 2))
        let statistics = client.ask { $0.statistics }
        #expect(statistics.connectionsOpened == 2 && statistics.sentTwice == 1 && statistics.queued == 0)
        #expect(handled(service) == 3)
    }

    @Test("leaves that to whoever asked unless it is told to", arguments: http1)
    func reusedWithoutResending(way: Way) throws {
        let (service, client) = try pair(way, resends: false)
        _ = client.get("/echo")
        #expect(client.get("/closeReused").failure == .closed)
        #expect(handled(service) == 2)
    }

    @Test("takes no other reused connection for the second attempt")
    func freshOnly() throws {
        let (service, client) = try pair(.http1Clear)
        defer { service.thread.stop() }
        // Two connections, both used once.
        #expect(client.send([("GET", "/later", ""), ("GET", "/later", "")]).allSatisfy { $0.status == 200 })
        let answers = client.send([("POST", "/closeReused", "a"), ("POST", "/closeReused", "b")])
        #expect(answers.map(\.status) == [200, 200] && answers.map(\.attempts) == [2, 2])
        #expect(client.ask { $0.statistics.connectionsOpened } == 4)
    }

    @Test("finds a fresh connection for it though the limit is reached and others wait")
    func freshAtTheLimit() throws {
        let (service, client) = try pair(.http1Clear, connections: 1)
        defer { service.thread.stop() }
        _ = client.get("/echo")
        let answers = client.send([("POST", "/closeReused", "a"), ("POST", "/echo", "b"), ("POST", "/closeReused", "c")])
        #expect(answers.map(\.body) == ["a", "b", "c"])
        #expect(answers.map(\.attempts) == [2, 1, 2])
    }

    @Test("does not send again what a fresh connection was closed under", arguments: http1)
    func fresh(way: Way) throws {
        let (service, client) = try pair(way)
        let answer = client.get("/close")
        #expect(answer.failure == .closed && answer.attempts == 1)
        #expect(handled(service) == 1)
    }

    @Test("tries no third time")
    func twiceAtMost() throws {
        let (service, client) = try pair(.http1Clear)
        _ = client.get("/echo")
        let answer = client.get("/close")
        #expect(answer.failure == .closed && answer.attempts == 2)
        #expect(handled(service) == 3)
    }

    @Test("does not send again what was answered in part, or not in time")
    func begun() throws {
        let (service, client) = try pair(.http1Clear)
        _ = client.get("/echo")
        let half = client.get("/half")
        #expect(half.failure != nil && half.attempts == 1)
        let impatient = try service.client(.http1) {
            $0.resends = true
            $0.requestTimeout = .milliseconds(100)
        }
        _ = impatient.get("/echo")
        let late = impatient.get("/never")
        #expect(late.failure == .timeout && late.attempts == 1)
        #expect(handled(service) == 4)
    }

    // MARK: Not processed

    @Test("sends a refused stream again, which is no second attempt", arguments: http2)
    func refused(way: Way) throws {
        let (service, client) = try pair(way)
        #expect(client.get("/refuseOnce") == Answer(status: 200, path: "/refuseOnce"))
        #expect(client.ask { $0.statistics.sentAgainUnprocessed } == 1)
        #expect(handled(service) == 2)
    }

    @Test("tells of a stream that is refused again and again", arguments: http2)
    func refusedAlways(way: Way) throws {
        let (service, client) = try pair(way)
        let answer = client.get("/reset")
        #expect(answer.failure == .refused && answer.isSafeToResend && answer.attempts == 1)
        #expect(handled(service) == 6)
    }

    @Test("sends what a GOAWAY left out again in its order, on the next connection", arguments: http2)
    func goAway(way: Way) throws {
        let (service, client) = try pair(way, connections: 1)
        let wanted = (0..<10).map { String($0) }
        let answers = client.send(wanted.map { ("POST", "/goawayOnce", $0) })
        #expect(answers.map(\.body) == wanted)
        #expect(answers.allSatisfy { $0.attempts == 1 })
        let statistics = client.ask { $0.statistics }
        #expect(statistics.connectionsOpened == 2 && statistics.sentAgainUnprocessed == 10)
        #expect(service.thread.ask { $0.handler.bodies.suffix(10) } == wanted[...])
    }

    // MARK: Answers that nobody asked for

    @Test("takes two answers to one request for an error and says so")
    func twoAnswers() throws {
        let (service, client) = try pair(.http1Clear)
        defer { service.thread.stop() }
        #expect(client.get("/twice").failure == .protocolError)
        #expect(client.ask { $0.statistics.strayAnswers } == 1)
        #expect(client.get("/echo").status == 200)
        #expect(client.ask { $0.statistics.connectionsOpened } == 2)
    }

    @Test("counts an answer that comes when nobody waits, and goes on")
    func strayAnswer() throws {
        let (service, client) = try pair(.http1Clear)
        defer { service.thread.stop() }
        #expect(client.get("/stray").status == 200)
        while client.ask({ $0.statistics.strayAnswers }) == 0 {}
        #expect(client.get("/echo").status == 200)
        #expect(client.ask { $0.statistics.connectionsOpened } == 2)
    }

    // MARK: Connections

    @Test("opens a connection when all are busy, up to its limit; what waits beyond it knows", arguments: http1)
    func opens(way: Way) throws {
        let (service, client) = try pair(way, connections: 6)
        defer { service.thread.stop() }
        let answers = client.send((0..<8).map { ("GET", "/later", "\($0)") })
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(answers.map(\.waitedAtLimit) == Array(repeating: false, count: 6) + [true, true])
        #expect(client.ask { $0.statistics.connectionsOpened } == 6)
    }

    @Test("fills the streams of one connection before it opens another", arguments: http2)
    func streamsFirst(way: Way) throws {
        let (service, client) = try pair(way)
        defer { service.thread.stop() }
        #expect(client.send((0..<50).map { ("GET", "/later", "\($0)") }).allSatisfy { $0.status == 200 })
        #expect(client.ask { $0.statistics.connectionsOpened } == 1)
    }

    @Test("opens another connection when the streams of the first are taken", arguments: http2)
    func fullStreams(way: Way) throws {
        let service = try EchoService(tls: way.isTLS)
        let client = try service.client(way.version) {
            $0.maxConnections = 4
            $0.maxConcurrentStreams = 5
        }
        let answers = client.send((0..<15).map { ("GET", "/later", "\($0)") })
        #expect(answers.allSatisfy { $0.status == 200 && !$0.waitedAtLimit })
        #expect(client.ask { $0.statistics.connectionsOpened } == 3)
    }
}
