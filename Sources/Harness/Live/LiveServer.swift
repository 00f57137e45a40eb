// The page and the metrics of a run, on a thread of their own: the same server as the mock's admin API, with tighter limits,
// and nothing that changes anything.

import Basics
import EventLoop
import HTTP
import Net
import Synchronization

/// Thread-safe.
final class LiveServer: Sendable {
    /// With the real port where port 0 was asked for.
    let address: SocketAddress
    private let thread: LoopThread<LiveWorker>
    private let board: LiveBoard
    private let isStopped = Mutex(false)

    /// Listens when it returns, and shows `state`.
    init(_ address: SocketAddress, _ state: LiveState) throws(Failure) {
        let socket = try ListeningSocket(address)
        self.address = socket.boundAddress
        let board = LiveBoard(state)
        self.board = board
        do {
            thread = try LoopThread(name: "watch", rank: nil) { loop in
                try LiveWorker(loop: loop, board: board, isLocal: address.isLoopback)
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot start the page of the run: \(error)")
        }
        thread.post { $0.server.listen(on: socket) }
    }

    /// Reads `9464`, `:9464` or `0.0.0.0:9464`: without an address it is this machine's loopback.
    static func address(_ text: String) throws(Failure) -> SocketAddress {
        let port = text.hasPrefix(":") ? String(text.dropFirst()) : text
        let isPort = !port.isEmpty && port.utf8.allSatisfy { 48...57 ~= $0 }
        do throws(Failure) { return try SocketAddress(parsing: isPort ? "127.0.0.1:" + port : text) } catch {
            throw Failure(
                .usage, "--watch \(text) is no address to listen on",
                hint: "a port, such as 9464 (0 picks one), or ADDRESS:PORT")
        }
    }

    func show(_ state: LiveState) { board.show(state) }

    /// Lets answers end that are under way, for a moment. Idempotent.
    func stop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        let done = Handover<Void>()
        thread.post { $0.server.drain(within: .milliseconds(200)) { done.give(()) } }
        _ = done.take(atMost: .seconds(1))
        thread.stop()
    }
}

/// What is shown, and what it was made into: however many ask, each kind of answer is made once for each state.
final class LiveBoard: Sendable {
    private struct Shown {
        var state: LiveState
        var number = 0
        var json: [UInt8]?
        var metrics: [UInt8]?
    }

    private let shown: Mutex<Shown>

    init(_ state: LiveState) { shown = Mutex(Shown(state: state)) }

    func show(_ state: LiveState) {
        shown.withLock { $0 = Shown(state: state, number: $0.number + 1) }
    }

    var json: [UInt8] { made(\.json) { $0.json.encoded() + [0x0A] } }
    var metrics: [UInt8] { made(\.metrics) { Array($0.metrics.utf8) } }

    /// Whoever shows something new meanwhile does not wait.
    private func made(_ kind: WritableKeyPath<Shown, [UInt8]?>, _ make: (LiveState) -> [UInt8]) -> [UInt8] {
        let (state, number, known) = shown.withLock { ($0.state, $0.number, $0[keyPath: kind]) }
        if let known { return known }
        let bytes = make(state)
        shown.withLock { if $0.number == number { $0[keyPath: kind] = bytes } }
        return bytes
    }
}

/// Confined to its loop.
private final class LiveWorker {
    let server: Server
    private let handler: LiveHandler

    init(loop: EventLoop, board: LiveBoard, isLocal: Bool) throws {
        handler = LiveHandler(board: board, isLocal: isLocal)
        var configuration = ServerConfiguration()
        configuration.limits.maxBodyBytes = 1_024
        configuration.limits.maxHeadBytes = 8_192
        configuration.limits.maxHeaderListBytes = 8_192
        configuration.limits.maxConcurrentStreams = 16
        configuration.limits.maxConnections = 64
        configuration.limits.requestTimeout = .seconds(10)
        configuration.limits.answerTimeout = .seconds(10)
        configuration.limits.idleTimeout = .seconds(60)
        configuration.limits.maxPendingOutputBytes = 1 << 20
        configuration.limits.maxHeldBytes = 32 << 20
        server = try Server(loop: loop, configuration: configuration, handler: handler)
    }
}

/// Confined to its loop.
private final class LiveHandler: ServerHandler {
    private let board: LiveBoard
    private let isLocal: Bool

    init(board: LiveBoard, isLocal: Bool) {
        self.board = board
        self.isLocal = isLocal
    }

    func handle(_ exchange: ServerExchange) {
        let path = (exchange.head.text(":path") ?? "").prefix { $0 != "?" }
        guard ["/", "/state", "/metrics"].contains(path) else {
            return answer(exchange, 404, "there is no such path; there are /, /state and /metrics\n")
        }
        if let strange = StrangePage(exchange.head, isDocument: path == "/", isLocal: isLocal) {
            return answer(exchange, 403, strange.message + "\n")
        }
        let method = exchange.head.text(":method") ?? ""
        guard method == "GET" || method == "HEAD" else {
            exchange.responseHead.append("allow", "GET, HEAD")
            return answer(exchange, 405, "\(method.prefix(20)) is not for this path\n")
        }
        switch path {
        case "/state": answer(exchange, 200, board.json, "application/json")
        case "/metrics": answer(exchange, 200, board.metrics, ExpositionText.contentType)
        default:
            exchange.responseHead.append("content-security-policy", LivePage.page.policy)
            exchange.responseHead.append("referrer-policy", "no-referrer")
            answer(exchange, 200, LivePage.bytes, "text/html; charset=utf-8")
        }
    }

    private func answer(_ exchange: ServerExchange, _ status: Int, _ words: String) {
        answer(exchange, status, Array(words.utf8), "text/plain; charset=utf-8")
    }

    private func answer(_ exchange: ServerExchange, _ status: Int, _ body: [UInt8], _ type: String) {
        let fields = exchange.responseHead
        fields.append("content-type", type)
        fields.append("cache-control", "no-store")
        fields.append("x-content-type-options", "nosniff")
        exchange.respond(status: status, body: body)
    }
}
