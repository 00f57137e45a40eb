// Stands before a relay: hands each request on as it is, and notes it with what was answered. HTTP/1.1.

import Basics
import EventLoop
import HTTP
import Net

/// Thread-safe.
final class WatchingProxy: Sendable {
    /// With the real port where port 0 was asked for.
    let address: SocketAddress
    private let thread: LoopThread<ProxyWorker>
    /// Requests that are noted, at most.
    static let most = 5_000

    /// Listens when it returns.
    init(_ address: SocketAddress, before relay: CheckedOrigin) throws(Failure) {
        let socket = try ListeningSocket(address)
        self.address = socket.boundAddress
        do {
            thread = try LoopThread(name: "proxy", rank: nil) { loop in
                try ProxyWorker(loop: loop, socket: socket, relay: relay)
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot stand before the relay: \(error)")
        }
    }

    /// What was seen so far, in the order in which it was sent.
    var seen: [ObservedCall] { thread.ask { $0.handler.seen }.sorted { $0.sentAt < $1.sentAt } }

    /// Makes a request itself, and waits while `isWanted` says so. Nil: no answer came.
    func ask(_ call: CurlCall, while isWanted: () -> Bool) -> Int? {
        let answer = Handover<Int?>()
        thread.post { worker in
            worker.handler.hand(
                on: call.method, call.path, call.headers.map { ($0.name.lowercased(), $0.value) }, Array((call.body ?? "").utf8)
            ) { answer.give($0?.status) }
        }
        while isWanted() {
            if let told = answer.take(atMost: .milliseconds(50)) { return told }
        }
        return nil
    }

    /// Whether the relay takes connections.
    var isUp: Bool {
        let answer = Handover<Bool>()
        thread.post { $0.handler.knock { answer.give($0) } }
        // Who is silent has taken one.
        return answer.take(atMost: Self.silence) ?? true
    }
    private static let silence = Interval.seconds(2)

    func stop() { thread.stop() }
}

/// Confined to its loop.
private final class ProxyWorker {
    let handler: ProxyHandler
    private let server: Server

    init(loop: EventLoop, socket: ListeningSocket, relay: CheckedOrigin) throws {
        var client = ClientConfiguration(version: .http1)
        client.maxConnections = 64
        client.resends = true
        handler = ProxyHandler(pool: try ClientPool(loop: loop, target: relay, configuration: client))
        var configuration = ServerConfiguration()
        configuration.limits.maxBodyBytes = ProxyHandler.mostBytes
        server = try Server(loop: loop, configuration: configuration, handler: handler)
        server.listen(on: socket)
    }
}

/// Confined to its loop.
private final class ProxyHandler: ServerHandler {
    private let pool: ClientPool
    private(set) var seen: [ObservedCall] = []

    /// Of a request's body.
    static let mostBytes = 8 << 20

    /// Of one hop alone (RFC 9110, 7.6.1), or written anew by whoever sends.
    private static let ofOneHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "host",
        // What is compressed could not be read.
        "content-length", "expect", "accept-encoding",
    ]

    init(pool: ClientPool) { self.pool = pool }

    func handle(_ exchange: ServerExchange) {
        guard exchange.body.count <= Self.mostBytes else {
            return exchange.respond(status: 413, body: Array("pushrig learn hands on bodies of 8 MiB at most\n".utf8))
        }
        let head = exchange.head
        let fields = (0..<head.count).map { (name: head.name(at: $0).text, value: head.value(at: $0).text) }
        hand(
            on: head.text(":method") ?? "GET", head.text(":path") ?? "/", fields.filter { !$0.name.hasPrefix(":") },
            exchange.body.array()
        ) { response in
            guard let response else { return exchange.respond(status: 502, body: Array("the relay did not answer\n".utf8)) }
            for (name, value) in response.fields { exchange.responseHead.append(name: name, value: value) }
            exchange.respond(status: response.status, body: response.body)
        }
    }

    /// Of which nothing is noted.
    func knock(_ completion: @escaping (Bool) -> Void) {
        pool.send(OutgoingRequest(method: "GET", path: "/")) { outcome in
            if case .failed(let failure) = outcome { completion(failure.kind != .connect) } else { completion(true) }
        }
    }

    struct Answer {
        var status: Int
        var fields: [(String, String)]
        var body: [UInt8]
    }

    func hand(
        on method: String, _ path: String, _ fields: [(name: String, value: String)], _ body: [UInt8],
        _ completion: @escaping (Answer?) -> Void
    ) {
        let request = OutgoingRequest(
            method: method, path: path, fields: fields.filter { !Self.ofOneHop.contains($0.name) }.map { ($0.name, $0.value) },
            body: body)
        let time = SystemTime()
        let (sentAt, wall) = (time.now(), time.wall())
        pool.send(request) { [unowned self] outcome in
            guard case .response(let response) = outcome else { return completion(nil) }
            let head = response.head
            let told = (0..<head.count).map { (head.name(at: $0).text, head.value(at: $0).text) }
                .filter { !$0.0.hasPrefix(":") && !Self.ofOneHop.contains($0.0) }
            func noted(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(ObservedCall.mostBytes), as: UTF8.self) }
            if seen.count < WatchingProxy.most {
                seen.append(
                    ObservedCall(
                        method: method, path: path, headers: fields, body: noted(body), status: response.status,
                        answer: noted(response.body.array()), sentAt: sentAt, answeredAt: time.now(), sentWall: wall))
            }
            completion(Answer(status: response.status, fields: told, body: response.body.array()))
        }
    }
}
