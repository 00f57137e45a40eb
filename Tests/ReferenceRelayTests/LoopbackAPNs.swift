// A very small APNs on loopback, a relay that talks to it, and an HTTP client for the relay: the shell's tests run over
// real sockets.

import Basics
import EventLoop
import Glibc
import HTTP
import Net
import OperatingSystem
import Synchronization
import TLS
import Testing

@testable import ReferenceRelay

struct SeenPush: Sendable {
    var path: String
    var topic: String
    var pushType: String
    var priority: String
    var apnsID: String
    var authorization: String
    var expiration: String?
    var collapseID: String?
    var body: String
    var connection: UInt64
}

enum LoopbackAnswer: Sendable {
    case respond(Int, String)
    case silence
}

/// Takes every push on HTTP/2 over TLS and answers by a function.
final class LoopbackAPNs: Sendable {
    private final class Handler: ServerHandler {
        let seen: Seen
        init(_ seen: Seen) { self.seen = seen }

        func handle(_ exchange: ServerExchange) {
            let head = exchange.head
            let push = SeenPush(
                path: head.text(":path") ?? "", topic: head.text("apns-topic") ?? "",
                pushType: head.text("apns-push-type") ?? "none", priority: head.text("apns-priority") ?? "",
                apnsID: head.text("apns-id") ?? "", authorization: head.text("authorization") ?? "",
                expiration: head.text("apns-expiration"), collapseID: head.text("apns-collapse-id"),
                body: exchange.body.text, connection: exchange.connection.id)
            let answer = seen.state.withLock { state in
                state.pushes.append(push)
                return state.answer(state.pushes.count - 1, push)
            }
            switch answer {
            case .respond(let status, let body): exchange.respond(status: status, body: Array(body.utf8))
            case .silence: break
            }
        }
    }

    final class Seen: Sendable {
        struct State: Sendable {
            var pushes: [SeenPush] = []
            var answer: @Sendable (Int, SeenPush) -> LoopbackAnswer = { _, _ in .respond(200, "") }
        }
        let state = Mutex(State())
    }

    let seen = Seen()
    let origin: Origin
    private let thread: LoopThread<Server>

    init(certificateFile: String, keyFile: String) throws {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        origin = Origin(isTLS: true, host: "127.0.0.1", port: socket.boundAddress.port)
        let seen = seen
        thread = try LoopThread(name: "apns") { loop in
            var configuration = ServerConfiguration(
                tls: TLSServerSettings(certificateFile: certificateFile, keyFile: keyFile))
            configuration.allowsHTTP1 = false
            let server = try Server(loop: loop, configuration: configuration, handler: Handler(seen))
            server.listen(on: socket)
            return server
        }
    }

    var pushes: [SeenPush] { seen.state.withLock { $0.pushes } }

    func answer(_ answer: @escaping @Sendable (Int, SeenPush) -> LoopbackAnswer) {
        seen.state.withLock { $0.answer = answer }
    }

    /// Waits until that many pushes have come; records an issue after ten seconds.
    func await(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) -> [SeenPush] {
        for _ in 0..<1_000 {
            let pushes = pushes
            if pushes.count >= count { return pushes }
            usleep(10_000)
        }
        Issue.record("waited for \(count) pushes, saw \(pushes.count)", sourceLocation: sourceLocation)
        return pushes
    }

    func stop() { thread.stop() }
}

struct CallAnswer: Sendable, Equatable {
    var status: Int
    var body: String
}

/// Calls the relay and waits.
final class RelayClient: Sendable {
    private let thread: LoopThread<ClientPool>

    init(_ address: SocketAddress) throws {
        thread = try LoopThread(name: "client") { loop in
            let origin = Origin(isTLS: false, host: address.host, port: address.port)
            return try ClientPool(loop: loop, origin: origin, configuration: ClientConfiguration(version: .http1))
        }
    }

    func call(
        _ method: String, _ path: String, _ body: String = "", headers: [(name: String, value: String)] = []
    ) -> CallAnswer {
        let handover = Handover<CallAnswer>()
        thread.post { pool in
            let request = OutgoingRequest(method: method, path: path, body: Array(body.utf8))
            for header in headers { request.head.append(name: header.name, value: header.value) }
            pool.send(request) { outcome in
                switch outcome {
                case .response(let response):
                    handover.give(CallAnswer(status: response.status, body: response.body.text))
                case .failed(let failure): handover.give(CallAnswer(status: 0, body: "\(failure)"))
                }
            }
        }
        return handover.take()
    }

    /// Posts that leave at once, each on a connection of its own, in this order; waits for all.
    func together(_ calls: [(path: String, body: String, headers: [(name: String, value: String)])]) {
        let handovers = calls.map { _ in Handover<Int>() }
        thread.post { pool in
            for (call, handover) in zip(calls, handovers) {
                let request = OutgoingRequest(method: "POST", path: call.path, body: Array(call.body.utf8))
                for header in call.headers { request.head.append(name: header.name, value: header.value) }
                pool.send(request) { _ in handover.give(0) }
            }
        }
        for handover in handovers { _ = handover.take() }
    }

    func post(_ path: String, _ body: String) -> CallAnswer { call("POST", path, body) }
    func stop() { thread.stop() }
}

/// A directory, keys and certificates, an APNs and a relay; all gone afterwards.
final class LoopbackRig {
    let directory: String
    let key = P256PrivateKey()
    let apns: LoopbackAPNs
    let relay: RelayServer
    let client: RelayClient
    let options: RelayOptions

    static func with(
        _ change: (inout RelayOptions) -> Void = { _ in }, _ body: (LoopbackRig) throws -> Void
    ) throws {
        let rig = try LoopbackRig(change)
        defer { rig.tearDown() }
        try body(rig)
    }

    private init(_ change: (inout RelayOptions) -> Void) throws {
        directory = try FileSystem.makeTemporaryFolder()
        let authority = CertificateAuthority(commonName: "Test CA")
        let (certificate, certificateKey) = authority.issue(
            commonName: "localhost", dnsNames: ["localhost"], addresses: ["127.0.0.1"])
        for (file, text) in [
            ("ca.pem", authority.certificatePEM), ("cert.pem", certificate), ("cert.key", certificateKey),
            ("key.p8", key.pem),
        ] { try FileSystem.replace(directory + "/" + file, with: text, mode: 0o600) }
        apns = try LoopbackAPNs(certificateFile: directory + "/cert.pem", keyFile: directory + "/cert.key")
        var options = RelayOptions(
            listen: SocketAddress(host: "127.0.0.1", port: 0), production: apns.origin, sandbox: apns.origin,
            caFile: directory + "/ca.pem", keyFile: directory + "/key.p8", keyID: "KEYKEYKEY1", teamID: "TEAMTEAM12",
            topic: "com.example.app", storage: directory + "/relay.db")
        change(&options)
        self.options = options
        relay = try RelayServer(options: options)
        client = try RelayClient(relay.boundAddress)
    }

    private func tearDown() {
        client.stop()
        relay.drainAndStop()
        apns.stop()
        FileSystem.removeAll(directory)
    }

    /// The storage as a killed process would leave it: what the kernel has at this moment.
    func copyStorage() throws -> String {
        for suffix in ["", "-wal"] {
            let bytes = try FileSystem.read(directory + "/relay.db" + suffix, limit: 1 << 30)
            try FileSystem.replace(directory + "/copy.db" + suffix, with: bytes.span)
        }
        return directory + "/copy.db"
    }
}
