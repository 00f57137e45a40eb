// A relay of a hundred lines: it answers as told, or not at all, and remembers what it was sent.

import Basics
import EventLoop
import Glibc
import HTTP
import Metrics
import Net
@testable import LoadGenerator
import Pushes
import Synchronization

final class TinyRelay: Sendable {
    enum Manner: Sendable {
        case answer(Int), silence
        /// Each event is answered so that many times, and then with 200.
        case refusesTimes(Int, Int)
        /// 200 with that body.
        case says(String)
        /// Each answer comes so much later.
        case late(Interval)
        /// One request after another, so long for each.
        case oneByOne(Interval)
        /// At the first request nothing happens at all for so long.
        case stopsOnce(Interval)
        /// A connection that has carried a request before is closed without an answer.
        case closesReused
        /// Like a proxy that keeps no idle connection longer than that.
        case closesIdle(Interval)
        case answersTwice
        /// HTTP/2: every so many requests are left out by a GOAWAY.
        case goAwayEvery(Int)
        /// HTTP/2: the first event of each session is refused so much later, once.
        case refusesFirst(Interval)
    }

    struct Event: Hashable, Sendable {
        var session: UInt32
        var step: UInt32
    }

    struct Request: Sendable {
        var path: String
        var body: String
        var event: Event?
        /// Counted from 0 in order of first use.
        var connection: Int
    }

    private final class Service: ServerHandler {
        let manner: Manner
        let loop: EventLoop
        let seen: Seen
        /// Kept until their connection ends, never answered.
        private var silent: [ServerExchange] = []
        private var connections: [ServerConnection] = []
        private var queue: [ServerExchange] = []
        private var refused: Set<UInt32> = []
        private var latest: [ObjectIdentifier: Int32] = [:]
        private var tries: [Event: Int] = [:]
        private var count = 0

        init(_ manner: Manner, loop: EventLoop, seen: Seen) {
            self.manner = manner
            self.loop = loop
            self.seen = seen
        }

        func handle(_ exchange: ServerExchange) {
            let request = request(exchange)
            count += 1
            seen.requests.withLock { $0.append(request) }
            switch manner {
            case .answer(let status): exchange.respond(status: status, body: Array((status == 200 ? "{}" : "{\"is\":\(status)}").utf8))
            case .says(let text): exchange.respond(status: 200, body: Array(text.utf8))
            case .refusesTimes(let times, let status):
                if let event = request.event { tries[event, default: 0] += 1 }
                exchange.respond(status: request.event.map { tries[$0]! <= times } ?? false ? status : 200)
            case .silence: silent.append(exchange)
            case .late(let delay): _ = loop.after(delay) { exchange.respond(status: 200) }
            case .oneByOne(let time):
                queue.append(exchange)
                if queue.count == 1 { serve(time) }
            case .stopsOnce(let time):
                if count == 1 { usleep(UInt32(time.nanoseconds / 1_000)) }
                exchange.respond(status: 200)
            case .closesReused:
                if exchange.streamID > 1 { exchange.connection.close() } else { exchange.respond(status: 200) }
            case .closesIdle(let time):
                exchange.respond(status: 200)
                closeIdle(exchange.connection, after: time, at: exchange.streamID)
            case .answersTwice:
                let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
                exchange.connection.sendRaw(Array((answer + answer).utf8))
            case .goAwayEvery(let number):
                guard count % number == 0 else { return exchange.respond(status: 200) }
                exchange.connection.goAway(code: 0, lastStreamID: max(0, exchange.streamID - 2), debug: [])
            case .refusesFirst(let time):
                guard let event = request.event, event.step == 0, refused.insert(event.session).inserted else {
                    return exchange.respond(status: 200)
                }
                _ = loop.after(time) { exchange.reset(code: 7) }
            }
        }

        private func request(_ exchange: ServerExchange) -> Request {
            let connection = exchange.connection!
            let known = connections.firstIndex { $0 === connection }
            if known == nil { connections.append(connection) }
            return Request(
                path: exchange.head.text(":path") ?? "", body: exchange.body.text,
                event: Marker.find(in: exchange.body.array().span, run: 7).map { Event(session: $0.session, step: $0.step) },
                connection: known ?? connections.count - 1)
        }

        private func serve(_ time: Interval) {
            _ = loop.after(time) { [self] in
                queue.removeFirst().respond(status: 200)
                if !queue.isEmpty { serve(time) }
            }
        }

        private func closeIdle(_ connection: ServerConnection, after time: Interval, at request: Int32) {
            latest[ObjectIdentifier(connection)] = request
            _ = loop.after(time) { [self] in
                if latest[ObjectIdentifier(connection)] == request { connection.close() }
            }
        }

        func abandoned(_ exchange: ServerExchange) { silent.removeAll { $0 === exchange } }
    }

    private final class Seen: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private let seen = Seen()
    private let thread: LoopThread<Server>
    let origin: Origin

    init(_ manner: Manner = .answer(200)) throws {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        origin = Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
        let seen = seen
        thread = try LoopThread(name: "tiny-relay") { loop in
            let service = Service(manner, loop: loop, seen: seen)
            let server = try Server(loop: loop, configuration: ServerConfiguration(), handler: service)
            server.listen(on: socket)
            return server
        }
    }

    /// In order of arrival.
    var requests: [Request] { seen.requests.withLock { $0 } }

    /// The numbers of the events of each session, in order of arrival.
    var steps: [UInt32: [UInt32]] {
        var steps: [UInt32: [UInt32]] = [:]
        for event in requests.compactMap(\.event) { steps[event.session, default: []].append(event.step) }
        return steps
    }

    func stop() { thread.stop() }

    deinit { thread.stop() }

    /// A port where nobody listens.
    static func nowhere() throws -> Origin {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        return Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
    }
}
