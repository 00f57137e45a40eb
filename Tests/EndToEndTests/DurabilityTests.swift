import Basics
import EventLoop
import Foundation
import Journal
import Net
import Synchronization
import Testing

@Suite("Nothing that was answered is lost", .serialized)
struct DurabilityTests {
    @Test("kill -9 under load: each of 50,000 pushes that got its 200 is in the journal")
    func killed() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state")
            let answered = try Storm(pushesTo: mock).run(untilAnswered: 50_000) { mock.kill9() }
            #expect(answered.count >= 50_000)
            var missing = Set(answered)
            _ = try JournalReader(directory: mock.journal).forEach(since: nil) { entry in
                if case .push(let push) = entry, push.status == 200 { missing.remove(push.apnsID.low) }
                return true
            }
            #expect(missing.isEmpty, "\(missing.count) answered pushes are not in the journal")
        }
    }

    @Test("kill -9 under load of FCM: each of 50,000 messages that was answered 200 is in the journal")
    func killedMessaging() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state", arguments: ["--fcm", "127.0.0.1:0"])
            let storm = try Storm(messagesTo: mock)
            let answered = try storm.run(untilAnswered: 50_000) { mock.kill9() }
            #expect(answered.count >= 50_000)
            var missing = Set(answered)
            _ = try JournalReader(directory: mock.journal).forEach(since: nil) { entry in
                if case .push(let push) = entry, push.status == 200, let id = UInt64(push.token.dropFirst(2)) {
                    missing.remove(id)
                }
                return true
            }
            #expect(missing.isEmpty, "\(missing.count) answered messages are not in the journal")
        }
    }

    @Test("a full disk: the mock stops with a clear line, and every answered push is in the journal")
    func fullDisk() throws {
        try Rig.withFolder { folder in
            // The journal may grow to 2 MiB; the storm asks for more.
            let mock = try MockProcess(folder: folder + "/state", limit: 2_048)
            let answered = try Storm(pushesTo: mock).run(untilAnswered: 200_000) {}
            #expect(!answered.isEmpty && answered.count < 200_000)
            mock.process.waitUntilExit()
            #expect(mock.process.terminationStatus == 1)
            let words = try String(contentsOfFile: mock.errorPath, encoding: .utf8)
            #expect(words.contains("journal"), "\(words)")
            #expect(words.split(separator: "\n").count == 1)
            var missing = Set(answered)
            _ = try JournalReader(directory: mock.journal).forEach(since: nil) { entry in
                if case .push(let push) = entry, push.status == 200 { missing.remove(push.apnsID.low) }
                return true
            }
            #expect(missing.isEmpty)
        }
    }
}

/// Many pushes at once, each with a number of its own.
private final class Storm: Sendable {
    private let origin: Origin
    private let ca: String
    private let request: @Sendable (UInt64) -> OutgoingRequest

    /// The number is the low half of the apns-id.
    init(pushesTo mock: MockProcess) throws {
        (origin, ca) = (mock.origin, mock.ca)
        let headers = mock.headers
        request = { id in
            let name = UUIDBytes(high: 0, low: id).text()
            let token = Hex.encode([UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 32).span)
            return OutgoingRequest(
                method: "POST", path: "/3/device/" + token, fields: headers + [("apns-id", name)],
                body: Array(#"{"aps":{"alert":"push \#(id)"}}"#.utf8))
        }
    }

    /// To FCM: the number is in the token.
    init(messagesTo mock: MockProcess) throws {
        let address = try SocketAddress(parsing: try #require(mock.ready["fcm"]?.string))
        origin = Origin(isTLS: true, host: address.host, port: address.port)
        ca = mock.ca
        let script = """
            import sys
            from google.oauth2 import service_account
            from google.auth.transport.requests import Request
            credentials = service_account.Credentials.from_service_account_file(
                sys.argv[1], scopes=["https://www.googleapis.com/auth/firebase.messaging"])
            credentials.refresh(Request())
            print(credentials.token, end="")
            """
        let answer = try Rig.run(
            "/usr/bin/env",
            [
                "REQUESTS_CA_BUNDLE=" + mock.ca, Rig.root + "/.build/messaging-clients/bin/python", "-c", script,
                try #require(mock.ready["serviceAccount"]?.string),
            ])
        let token = answer.out
        try #require(token.hasPrefix("ya29."), "\(answer.error)")
        request = { id in
            OutgoingRequest(
                method: "POST", path: "/v1/projects/pushrig-mock/messages:send",
                fields: [("authorization", "Bearer " + token), ("content-type", "application/json")],
                body: Array(#"{"message":{"token":"n:\#(id)","data":{"k":"v"}}}"#.utf8))
        }
    }

    /// Pushes until so many were answered 200 (then calls `stop`) and the connections have died, or all were answered.
    /// Gives the ids of those answered 200.
    func run(untilAnswered goal: Int, stop: () -> Void) throws -> [UInt64] {
        let (origin, ca, request) = (origin, ca, request)
        let reached = Handover<Void>()
        let over = Handover<[UInt64]>()
        let thread = try LoopThread(name: "storm") { loop in
            var configuration = ClientConfiguration(version: .http2)
            configuration.tls.caFile = ca
            configuration.maxConnections = 4
            configuration.maxConcurrentStreams = 100
            let pool = try ClientPool(loop: loop, origin: origin, configuration: configuration)
            return StormState(pool: pool, request: request, goal: goal, reached: reached, over: over)
        }
        thread.post { $0.begin() }
        reached.take()
        stop()
        let answered = over.take()
        thread.post { $0.pool.close() }
        thread.stop()
        return answered
    }
}

private final class StormState {
    let pool: ClientPool
    private let request: (UInt64) -> OutgoingRequest
    private let goal: Int
    private let reached: Handover<Void>
    private let over: Handover<[UInt64]>
    private var next: UInt64 = 0
    private var open = 0
    private var answered: [UInt64] = []
    private var isDying = false
    private var isReached = false

    init(
        pool: ClientPool, request: @escaping (UInt64) -> OutgoingRequest, goal: Int, reached: Handover<Void>, over: Handover<[UInt64]>
    ) {
        self.pool = pool
        self.request = request
        self.goal = goal
        self.reached = reached
        self.over = over
    }

    func begin() { for _ in 0..<400 { push() } }

    private func push() {
        next += 1
        let id = next
        open += 1
        pool.send(request(id)) { [self] outcome in
            open -= 1
            switch outcome {
            case .response(let response): if response.status == 200 { answered.append(id) }
            case .failed: isDying = true
            }
            if !isReached, isDying || answered.count >= goal {
                isReached = true
                reached.give(())
            }
            // Past the goal the storm goes on until the connections die under it, or for a while.
            if !isDying, answered.count < goal * 3 { push() }
            if open == 0 { over.give(answered) }
        }
    }
}
