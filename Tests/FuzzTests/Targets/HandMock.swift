// A whole mock on one loop that is turned by hand, in clear text over socket pairs: no thread, no waiting, and a clock
// that stands still, so that one input does the same each time.

import APNs
import Basics
import EventLoop
@testable import FCM
import Faults
import Glibc
@testable import MockServer
import Net
import OperatingSystem
import Pushes
import TLS

final class HandMock {
    let loop: EventLoop
    let time: ManualTime
    private let pushWorker: PushWorker<APNsPipeline>
    private let channelWorker: ChannelWorker
    private let adminWorker: AdminWorker
    private let messageWorker: FCMWorker
    /// Of FCM: good for sends as long as the mock.
    let accessToken: String
    /// `bearer …` with a token signed by the mock's key, anew when time has gone on.
    private(set) var authorization = ""
    private let shared: MockShared
    private let sign: (WallTime) -> String
    private var signedAt: WallTime?

    init(folder: String) throws {
        loop = try EventLoop()
        time = ManualTime()
        var options = MockOptions(stateDirectory: folder + "/state")
        options.clock = time
        options.fcm = SocketAddress(host: "127.0.0.1", port: 1)
        let state = try StateDirectory(path: options.stateDirectory)
        let identity = try MockIdentity(in: state, seed: options.seed, extraNames: [], extraAddresses: [])
        let key = try P256PrivateKey(pem: try state.read("AuthKey_\(identity.keyID).p8") ?? "")
        let (keyID, teamID) = (identity.keyID, identity.teamID)
        sign = { "bearer " + ProviderToken.sign(keyID: keyID, teamID: teamID, issuedAt: $0, signer: key.sign) }
        let coordinates = MockCoordinates(
            apns: SocketAddress(host: "127.0.0.1", port: 1), admin: nil, ca: identity.caFile,
            apnsKey: identity.providerKeyFile, keyID: identity.keyID, teamID: identity.teamID,
            topics: ["com.example.app"], adminToken: nil)
        shared = try MockShared(options: options, state: state, identity: identity) { _ in }
        pushWorker = try PushWorker<APNsPipeline>(loop: loop, shared: shared, index: 0, tls: nil)
        channelWorker = try ChannelWorker(loop: loop, shared: shared, tls: nil)
        messageWorker = try FCMWorker(loop: loop, shared: shared, tls: nil)
        let grant = TokenGrant(account: "sender", project: FCMIdentity.project, maySend: true)
        accessToken = shared.fcm?.access.issue(grant, now: WallTime(seconds: 4_000_000_000)) ?? ""
        adminWorker = try AdminWorker(loop: loop, shared: shared, coordinates: coordinates)
    }

    deinit { loop.letGo() }

    /// As new but for its clock and its journal.
    func reset() {
        shared.forget()
        guard signedAt != time.wall() else { return }
        signedAt = time.wall()
        authorization = sign(time.wall())
    }

    func add(rule text: String) {
        guard let json = try? JSONValue(parsing: text), let rule = try? FaultRule(json: json) else { return }
        shared.faults.add(rule, now: loop.now)
    }

    var pushes: Server { pushWorker.server(of: .production) }
    var channels: Server { channelWorker.server(of: .production)! }
    var messages: Server { messageWorker.server }
    var admin: Server { adminWorker.server }
    var openConnections: Int { shared.statistics().connectionsOpen }
    var openStreams: Int { shared.statistics().openStreams }
    var failure: Failure? { shared.failure }

    /// Hands out a mock, and a new one after so many times, lest its journal and keys fill the disk.
    final class Supply {
        private let folder: String
        private var mock: HandMock?
        private var left = 0

        init(folder: String) { self.folder = folder }

        func mockForOneInput() -> HandMock {
            if left == 0 || mock == nil {
                mock = nil
                FileSystem.removeAll(folder + "/state")
                do { mock = try HandMock(folder: folder) } catch { fatalError("no mock: \(error)") }
                left = 1_000
            }
            left -= 1
            mock!.reset()
            return mock!
        }
    }
}

/// The client's end of a connection to the mock.
final class HandWire {
    private let loop: EventLoop
    private let server: Server
    private let descriptor: Int32
    /// What the mock has sent so far.
    private(set) var received: [UInt8] = []
    /// The mock has closed its end.
    private(set) var isEnded = false
    var isReading = true
    private var room = [UInt8](repeating: 0, count: 1 << 12)

    init(to server: Server, on loop: EventLoop) {
        self.loop = loop
        self.server = server
        var pair: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let made = socketpair(AF_UNIX, kind, 0, &pair)
        precondition(made == 0, "no socket pair: \(String(cString: strerror(errno)))")
        descriptor = pair[0]
        server.adopt(descriptor: pair[1])
    }

    deinit { close(descriptor) }

    /// Sends, turns the loop, and reads. What the mock does not take because its answers are not read is dropped.
    func send(_ bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        var idle = 0
        while !rest.isEmpty, idle < 3, !isEnded {
            let count = rest.withUnsafeBufferPointer {
                Glibc.send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) } else { idle += 1 }
            turn()
        }
    }

    func turn() {
        loop.turn()
        guard isReading else { return }
        while true {
            let count = recv(descriptor, &room, room.count, 0)
            if count > 0 { received += room[..<count] }
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { isEnded = true }
            if count < room.count { return }
        }
    }

    /// Turns until nothing new comes.
    func settle(atMost turns: Int = 20) {
        var quiet = 0
        for _ in 0..<turns where quiet < 2 && !isEnded {
            let before = received.count
            turn()
            quiet = received.count == before ? quiet + 1 : 0
        }
    }

    /// Goes away and sees that the mock forgets the connection.
    func leave() throws(Violation) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        for _ in 0..<20 where server.connectionCount > 0 { loop.turn() }
        try hold(server.connectionCount == 0, "the mock keeps a connection whose client has gone")
    }
}
