// A mock for one test, and clients that talk to it as anybody's would: over sockets, TLS and HTTP/2.

import APNs
import Basics
import EventLoop
import Glibc
import HTTP
import Journal
import MockServer
import Net
import OperatingSystem
import TLS

/// An answer, copied out of the client's loop.
struct Reply: Sendable {
    var status: Int
    var fields: [(name: String, value: String, neverIndexed: Bool)]
    var body: [UInt8]
    /// When it was read.
    var answeredAt: Instant

    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue(parsing: body.span)) ?? .null }
}

/// One origin, asked from the test's thread.
final class TestClient: Sendable {
    private final class State {
        let pool: ClientPool
        init(_ pool: ClientPool) { self.pool = pool }
    }

    private let thread: LoopThread<State>

    init(_ origin: Origin, _ configuration: ClientConfiguration) throws {
        thread = try LoopThread(name: "test-client") { loop in
            State(try ClientPool(loop: loop, origin: origin, configuration: configuration))
        }
    }

    deinit {
        thread.ask { $0.pool.close() }
        thread.stop()
    }

    /// Sends now; `take` on what it gives waits for the outcome.
    func send(
        _ method: String, _ path: String, _ fields: [(String, String)] = [], body: String = "",
        bytes: [UInt8]? = nil, timeout: Interval = .seconds(10)
    ) -> Handover<Result<Reply, ClientFailure>> {
        let outcome = Handover<Result<Reply, ClientFailure>>()
        thread.post { state in
            let request = OutgoingRequest(method: method, path: path, fields: fields, body: bytes ?? Array(body.utf8))
            state.pool.send(request, timeout: timeout) { result in
                switch result {
                case .failed(let failure): outcome.give(.failure(failure))
                case .response(let response):
                    let head = response.head
                    let fields = (0..<head.count).map { index in
                        (head.name(at: index).text, head.value(at: index).text, head.isNeverIndexed(at: index))
                    }
                    outcome.give(.success(Reply(
                                status: response.status, fields: fields, body: response.body.array(),
                                answeredAt: response.answeredAt)))
                }
            }
        }
        return outcome
    }

    func ask(_ method: String, _ path: String, _ fields: [(String, String)] = [], body: String = "") throws -> Reply {
        try send(method, path, fields, body: body).take().get()
    }
}

/// A running mock in a directory of its own, with what a provider of one app needs.
final class TestMock {
    let service: MockService
    let directory: String
    let key: P256PrivateKey
    let admin: TestClient
    private var clients: [TestClient] = []

    static let device = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    init(
        _ directory: String, onFailure: @escaping @Sendable () -> Void = {}, _ adjust: (inout MockOptions) -> Void
    ) throws {
        self.directory = directory
        var options = MockOptions(stateDirectory: directory)
        options.apns = SocketAddress(host: "127.0.0.1", port: 0)
        options.admin = SocketAddress(host: "127.0.0.1", port: 0)
        adjust(&options)
        service = try MockService(options: options) { _ in onFailure() }
        key = try P256PrivateKey(pem: readText(service.coordinates.apnsKey) ?? "")
        let address = service.coordinates.admin!
        admin = try TestClient(
            Origin(isTLS: false, host: address.host, port: address.port), ClientConfiguration(version: .http1))
    }

    /// A client with one connection of its own, to `apns` unless told otherwise.
    func provider(
        at address: SocketAddress? = nil, name: String = "localhost", streams: Int = 1_000,
        certificate: CredentialList.Certificate? = nil
    ) throws -> TestClient {
        let address = address ?? service.coordinates.apns
        var configuration = ClientConfiguration(
            version: .http2, tls: TLSClientSettings(caFile: service.coordinates.ca, serverName: name))
        if let certificate {
            configuration.tls.certificateFile = directory + "/" + certificate.file
            configuration.tls.keyFile = directory + "/" + certificate.keyFile
        }
        configuration.maxConcurrentStreams = streams
        let client = try TestClient(Origin(isTLS: true, host: address.host, port: address.port), configuration)
        clients.append(client)
        return client
    }

    /// One token for the whole test, as a good provider does.
    private(set) lazy var authorization =
        "bearer "
        + ProviderToken.sign(
            keyID: service.coordinates.keyID, teamID: service.coordinates.teamID, issuedAt: SystemTime().wall(),
            signer: key.sign)

    /// A token that was issued then.
    func authorization(at time: WallTime) -> String {
        "bearer "
            + ProviderToken.sign(
                keyID: service.coordinates.keyID, teamID: service.coordinates.teamID, issuedAt: time, signer: key.sign)
    }

    /// The fields of a valid alert.
    func fields(topic: String = "com.example.app", _ more: [(String, String)] = []) -> [(String, String)] {
        [
            ("authorization", authorization), ("apns-topic", topic), ("apns-push-type", "alert"),
            ("apns-priority", "10"),
        ] + more
    }

    func stop() {
        clients = []
        service.drainAndStop()
    }
}

let alert = #"{"aps":{"alert":{"title":"Build 7","body":"passed"}}}"#

/// Runs `body` with a mock of its own and takes it down.
func withMock(
    _ adjust: (inout MockOptions) -> Void = { _ in }, _ body: (TestMock) throws -> Void
) throws {
    try withDirectory { directory in
        let mock = try TestMock(directory + "/state", adjust)
        defer { mock.stop() }
        try body(mock)
    }
}

func withDirectory(_ body: (String) throws -> Void) throws {
    let path = try FileSystem.makeTemporaryFolder()
    defer { FileSystem.removeAll(path) }
    try body(path)
}

func readText(_ path: String) -> String? { FileSystem.text(of: path) }

func mode(of path: String) -> UInt32 { FileStatus(path)?.permissions ?? 0 }

func write(_ text: String, to path: String) throws { try FileSystem.replace(path, with: text, mode: 0o600) }

// MARK: Shortcuts

extension TestMock {
    /// Adds a rule and gives its id.
    @discardableResult
    func fault(_ rule: String) throws -> String {
        let reply = try admin.ask("POST", "/v1/faults", [("content-type", "application/json")], body: rule)
        guard reply.status == 201, let id = reply.json["id"]?.string else { throw Failure(.run, reply.text) }
        return id
    }

    /// Delays every answer from now on.
    func slow(by delay: String) throws { try fault(#"{"action":{"delay":"\#(delay)"}}"#) }

    /// What stands in the journal, oldest first.
    func journal() throws -> [PushEntry] {
        var pushes: [PushEntry] = []
        _ = try JournalReader(directory: service.journalDirectory).forEach(since: nil) { entry in
            if case .push(let push) = entry { pushes.append(push) }
            return true
        }
        return pushes
    }

    /// Pushes, broadcasts and operations on channels.
    func requests() throws -> [PushEntry] {
        var requests: [PushEntry] = []
        _ = try JournalReader(directory: service.journalDirectory).forEach(since: nil) { entry in
            if let request = entry.request { requests.append(request) }
            return true
        }
        return requests
    }

    /// The connections that opened more streams than they knew they may, as the journal has them.
    func overruns() throws -> [(connection: UInt64, streams: Int)] {
        var overruns: [(connection: UInt64, streams: Int)] = []
        _ = try JournalReader(directory: service.journalDirectory).forEach(since: nil) { entry in
            if case .note(let note) = entry, let overrun = note.overrun { overruns.append(overrun) }
            return true
        }
        return overruns
    }

    /// The ids of the pushes whose answers did not reach the provider, once there are so many, or after ten seconds.
    func undelivered(atLeast count: Int = 1) throws -> [UInt64] {
        var ids: [UInt64] = []
        for _ in 0..<2_000 {
            ids = []
            _ = try JournalReader(directory: service.journalDirectory).forEach(since: nil) { entry in
                if case .note(let note) = entry, let push = note.undelivered { ids.append(push) }
                return true
            }
            if ids.count >= count { break }
            usleep(5_000)
        }
        return ids
    }

    func cursorOfAll() throws -> String {
        try JournalReader(directory: service.journalDirectory).forEach(since: nil) { _ in true }.text
    }
}

func now() -> Instant { SystemTime().now() }

/// What a command prints, standard error included; nil when there is no such command.
func run(_ command: String) -> String? {
    guard let pipe = popen(command + " 2>&1", "r") else { return nil }
    var text: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&room, 1, room.count, pipe), count > 0 { text.append(contentsOf: room[..<count]) }
    let status = pclose(pipe)
    return status == 127 << 8 ? nil : String(decoding: text, as: UTF8.self)
}

func has(_ command: String) -> Bool { run("command -v \(command)")?.isEmpty == false }

extension TestMock {
    /// What the journal tells of faults that met connections, oldest first.
    func faultNotes() throws -> [JSONValue] {
        var notes: [JSONValue] = []
        _ = try JournalReader(directory: service.journalDirectory).forEach(since: nil) { entry in
            if case .note(let note) = entry, note.kind == .fault {
                notes.append((try? JSONValue(parsing: note.text)) ?? .null)
            }
            return true
        }
        return notes
    }
}

func sleepFor(_ interval: Interval) { usleep(UInt32(interval.nanoseconds / 1_000)) }
