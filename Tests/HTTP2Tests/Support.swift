// One mock for all cases of this target, and the push that it accepts.

import APNs
import Basics
import EventLoop
import Faults
import Glibc
import MockServer
import Net
import OperatingSystem
import TLS
import Testing
import WireClient

/// A mock that lives as long as the test process; each case has a connection of its own to it.
final class SharedMock: Sendable {
    static let instance: SharedMock = {
        let mock = try! SharedMock()
        atexit { SharedMock.instance.remove() }
        return mock
    }()

    /// Pushes to this token are accepted and never answered: their streams stay half-closed.
    static let silentToken = String(repeating: "51", count: 32)

    let service: MockService
    /// The fields of a push that is answered 200.
    let push: Request
    private let directory: String

    private init() throws {
        directory = try FileSystem.makeTemporaryFolder()
        var options = MockOptions(stateDirectory: directory + "/state")
        options.apns = SocketAddress(host: "127.0.0.1", port: 0)
        options.admin = nil
        // The cases send what they send, and do not wait for the first token to be taken.
        options.rules.streamLimit = .ignored
        options.drainLimit = .milliseconds(100)
        service = try MockService(options: options)
        let rule = FaultRule(match: FaultMatch(token: Self.silentToken), action: .silence)
        _ = service.faults.add(rule, now: SystemTime().now())
        let coordinates = service.coordinates
        let key = try P256PrivateKey(pem: FileSystem.text(of: coordinates.apnsKey) ?? "")
        let token = ProviderToken.sign(
            keyID: coordinates.keyID, teamID: coordinates.teamID, issuedAt: SystemTime().wall(), signer: key.sign)
        push = Request([
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + String(repeating: "a1", count: 32)),
            (":authority", "localhost"), ("authorization", "bearer " + token), ("apns-topic", "com.example.app"),
            ("apns-push-type", "alert"),
        ])
    }

    private func remove() {
        service.drainAndStop()
        FileSystem.removeAll(directory)
    }

    func connect(hello: [(UInt16, UInt32)]? = []) throws -> WireClient {
        try WireClient(port: service.coordinates.apns.port, trusting: service.coordinates.ca, hello: hello)
    }
}

/// The fields of a request, one knob at a time.
struct Request: Sendable {
    var fields: [(String, String)]

    init(_ fields: [(String, String)]) { self.fields = fields }

    /// Literals without indexing, which need no state and leave none; the credential in Huffman code, as clients send it.
    var block: [UInt8] {
        fields.flatMap { field in
            field.0 == "authorization"
                ? HPACK.literal(.neverIndexed, nameIndex: 23, field.1, huffman: true) : HPACK.literal(field.0, field.1)
        }
    }

    func without(_ name: String) -> Request { Request(fields.filter { $0.0 != name }) }
    func adding(_ name: String, _ value: String) -> Request { Request(fields + [(name, value)]) }
    func leading(_ name: String, _ value: String) -> Request { Request([(name, value)] + fields) }
    func setting(_ name: String, _ value: String) -> Request {
        Request(fields.map { $0.0 == name ? (name, value) : $0 })
    }
}

let good = SharedMock.instance.push
let silent = good.setting(":path", "/3/device/" + SharedMock.silentToken)
let alert = Array(#"{"aps":{"alert":"hello"}}"#.utf8)

extension WireClient {
    /// A whole request in two frames.
    func push(_ stream: UInt32 = 1, _ request: Request = good, body: [UInt8] = alert) {
        send(.headers(stream, request.block), .data(stream, body))
    }

    /// A push that is accepted and not answered: the stream is half-closed on the client's side.
    func halfClose(_ stream: UInt32 = 1) throws {
        push(stream, silent)
        _ = try awaitPing()
    }

    /// A stream that both sides have ended.
    func complete(_ stream: UInt32 = 1) throws {
        push(stream)
        _ = try answer(on: stream)
        _ = try awaitPing()
        mark = received.count
    }
}

extension WireClient {
    /// Waits for a frame that fits, and fails when the connection ends before.
    @discardableResult
    func expect(_ fits: (Frame) -> Bool) throws -> Frame {
        while let frame = try next() { if fits(frame) { return frame } }
        throw WireError.silence(after: received.map(\.description))
    }

    /// Waits for a whole answer.
    func expect(status: Int, on stream: UInt32) throws {
        let answer = try answer(on: stream)
        #expect(answer?.status == status, "stream \(stream): \(received)")
    }
}
