// A server on its own loop whose answer says what it was asked, and a pool on another loop: real sockets, real TLS.

import Basics
import EventLoop
import Glibc
import HTTP
import Net
import OperatingSystem
import TLS

/// Answers by path: `/echo` with the body, `/status/NNN`, `/later` after 50 ms, `/never`, `/reset`, `/goaway`, `/close`,
/// `/stream` in three pieces, `/big/NNN` with so many bytes. `/closeReused` closes a connection that has carried a request
/// before, `/half` after half a status line, `/refuseOnce` and `/goawayOnce` do so the first time, `/twice` answers twice,
/// `/stray` says something more a moment later.
/// `/goaway/NNN` with that last stream, `/last/clean` and `/last/reset` close with an answer, `/raw` sends an unknown frame
/// before the answer. Each exchange is marked with its stream.
final class EchoHandler: ServerHandler {
    private let loop: EventLoop
    var handled = 0
    var abandonedCount = 0
    var turns = 0
    var refusesToSend = false
    var refusals: [Refusal: Int] = [:]
    /// Bodies in the order in which they came.
    var bodies: [String] = []
    private var isOnceOver = false
    /// Paths in the order they came.
    var paths: [String] = []
    var arrivals: [Instant] = []
    var undelivered: [UInt64] = []
    /// Of each connection, without the port.
    var peers: [String] = []

    init(loop: EventLoop) { self.loop = loop }

    func handle(_ exchange: ServerExchange) {
        handled += 1
        arrivals.append(exchange.arrivedAt)
        let path = exchange.head.text(":path") ?? ""
        exchange.responseHead.append("x-path", path)
        bodies.append(exchange.body.text)
        if handleOddly(path, exchange) { return }
        exchange.mark = UInt64(exchange.streamID)
        paths.append(path)
        switch path {
        case "/later":
            _ = loop.after(.milliseconds(50)) { exchange.respond(status: 200, body: Array("later".utf8)) }
        case "/never": break
        case "/reset": exchange.reset(code: 7)
        case "/goaway":
            exchange.connection.goAway(code: 0, lastStreamID: nil, debug: Array("bye".utf8))
            exchange.respond(status: 200)
        case "/close": exchange.connection.close()
        case "/last/clean", "/last/reset":
            exchange.respond(status: 200)
            exchange.connection.close(path == "/last/clean" ? .clean : .reset)
        case "/raw":
            exchange.connection.sendRaw(Frame(type: 0xFA, payload: [1]).bytes)
            exchange.respond(status: 200)
        case let path where path.hasPrefix("/goaway/"):
            exchange.connection.goAway(code: 0, lastStreamID: Int32(path.dropFirst(8)))
            exchange.respond(status: 200)
        case "/stream":
            exchange.startStreaming(status: 200)
            for piece in ["one ", "two ", "three"] { exchange.stream(Array(piece.utf8)) }
            exchange.finishStreaming()
        case let path where path.hasPrefix("/big/"):
            exchange.respond(status: 200, body: Array(repeating: 120, count: Int(path.dropFirst(5)) ?? 0))
        case let path where path.hasPrefix("/status/"):
            exchange.respond(status: Int(path.dropFirst(8)) ?? 500)
        default: exchange.respond(status: 200, body: exchange.body.array())
        }
    }

    private func handleOddly(_ path: String, _ exchange: ServerExchange) -> Bool {
        let connection = exchange.connection!
        switch path {
        case "/closeReused" where exchange.streamID > 1: connection.close()
        case "/half":
            connection.sendRaw(Array("HTTP/1.1 20".utf8))
            connection.close()
        case "/refuseOnce" where !isOnceOver: exchange.reset(code: 7)
        case "/goawayOnce" where !isOnceOver:
            connection.goAway(code: 0, lastStreamID: 0, debug: [])
        case "/twice": connection.sendRaw(Self.answer + Self.answer)
        case "/stray":
            connection.sendRaw(Self.answer)
            _ = loop.after(.milliseconds(5)) { connection.sendRaw(Self.answer) }
        default: return false
        }
        if path.hasSuffix("Once") { isOnceOver = true }
        return true
    }

    private static let answer = Array("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".utf8)

    func abandoned(_ exchange: ServerExchange) { abandonedCount += 1 }

    func undelivered(_ mark: UInt64) { undelivered.append(mark) }

    func refused(_ refusal: Refusal, times: Int) { refusals[refusal, default: 0] += times }

    func admit(number: UInt64, peer: String) -> Admission {
        peers.append(String(peer.prefix { $0 != ":" }))
        return .serve
    }

    func willSend() -> Bool {
        turns += 1
        return !refusesToSend
    }
}

final class EchoState {
    let handler: EchoHandler
    let server: Server

    init(loop: EventLoop, socket: ListeningSocket, configuration: ServerConfiguration) throws {
        handler = EchoHandler(loop: loop)
        server = try Server(loop: loop, configuration: configuration, handler: handler)
        server.listen(on: socket)
    }
}

final class EchoService: Sendable {
    let address: SocketAddress
    let thread: LoopThread<EchoState>
    let caFile: String?
    private let folder: TestCertificates?

    init(tls: Bool, clock: RunClock? = nil, configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        address = socket.boundAddress
        var configuration = ServerConfiguration()
        if tls {
            let files = try TestCertificates()
            configuration.tls = TLSServerSettings(certificateFile: files.certificate, keyFile: files.key)
            caFile = files.ca
            folder = files
        } else {
            caFile = nil
            folder = nil
        }
        configure(&configuration)
        let settings = configuration
        thread = try LoopThread(name: "echo", clock: clock, rank: nil) { loop in
            try EchoState(loop: loop, socket: socket, configuration: settings)
        }
    }

    /// Waits until that holds on the server's loop, two seconds at most.
    func await(_ holds: @escaping @Sendable (EchoState) -> Bool) {
        for _ in 0..<2_000 where !thread.ask(holds) { usleep(1_000) }
    }

    var origin: Origin { Origin(isTLS: caFile != nil, host: "127.0.0.1", port: address.port) }

    /// Calls `target`, or else the service's own address.
    func client(
        _ version: ClientConfiguration.Version, target: CheckedOrigin? = nil,
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> LoopThread<ClientPool> {
        var configuration = ClientConfiguration(version: version, tls: TLSClientSettings(caFile: caFile))
        configuration.requestTimeout = .seconds(5)
        configure(&configuration)
        let settings = configuration
        let target = try target ?? TargetPolicy.loopback(origin)
        return try LoopThread(name: "client") { loop in
            try ClientPool(loop: loop, target: target, configuration: settings)
        }
    }
}

/// An outcome as plain text, for comparing.
struct Answer: Equatable, Sendable {
    var status = 0
    var body = ""
    var path = ""
    var failure: ClientFailure.Kind?
    var isSafeToResend = false
    var attempts: UInt8 = 1
    var waitedAtLimit = false
}

extension LoopThread where State == ClientPool {
    /// Sends all requests at once and waits for all answers, in the order of the requests.
    func send(_ requests: [(method: String, path: String, body: String)], timeout: Interval? = nil) -> [Answer] {
        let box = Handover<[Answer]>()
        post { pool in
            let gathered = Gathered(count: requests.count, box: box)
            for (index, request) in requests.enumerated() {
                let request = OutgoingRequest(
                    method: request.method, path: request.path, body: Array(request.body.utf8))
                pool.send(request, timeout: timeout) { gathered.take($0, of: request, at: index) }
            }
        }
        return box.take()
    }

    func get(_ path: String) -> Answer { send([("GET", path, "")])[0] }
    func post(_ path: String, _ body: String) -> Answer { send([("POST", path, body)])[0] }
}

private final class Gathered {
    private var answers: [Answer]
    private var missing: Int
    private let box: Handover<[Answer]>

    init(count: Int, box: Handover<[Answer]>) {
        answers = Array(repeating: Answer(), count: count)
        missing = count
        self.box = box
    }

    func take(_ outcome: ClientOutcome, of request: OutgoingRequest, at index: Int) {
        switch outcome {
        case .response(let response):
            answers[index] = Answer(
                status: response.status, body: response.body.text, path: response.head.text("x-path") ?? "")
        case .failed(let failure):
            answers[index] = Answer(failure: failure.kind, isSafeToResend: failure.isSafeToResend)
        }
        answers[index].attempts = request.attempts
        answers[index].waitedAtLimit = request.waitedAtLimit > .zero
        missing -= 1
        if missing == 0 { box.give(answers) }
    }
}

/// A fresh authority and a certificate for loopback in a folder under /tmp, gone with the value.
final class TestCertificates: Sendable {
    private let folder: String

    var ca: String { folder + "/ca.pem" }
    var certificate: String { folder + "/server.pem" }
    var key: String { folder + "/server.key" }

    init() throws {
        folder = try FileSystem.makeTemporaryFolder()
        let authority = CertificateAuthority(commonName: "Net tests")
        let issued = authority.issue(commonName: "localhost", dnsNames: ["localhost"], addresses: ["127.0.0.1"])
        try FileSystem.replace(ca, with: authority.certificatePEM)
        try FileSystem.replace(certificate, with: issued.certificatePEM)
        try FileSystem.replace(key, with: issued.keyPEM)
    }

    deinit { FileSystem.removeAll(folder) }
}
