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
            let answered = try Storm(mock).run(untilAnswered: 50_000) { mock.kill9() }
            #expect(answered.count >= 50_000)
            var missing = Set(answered)
            _ = try JournalReader(directory: mock.journal).forEach(since: nil) { entry in
                if case .push(let push) = entry, push.status == 200 { missing.remove(push.apnsID.low) }
                return true
            }
            #expect(missing.isEmpty, "\(missing.count) answered pushes are not in the journal")
        }
    }

    @Test("a full disk: the mock stops with a clear line, and every answered push is in the journal")
    func fullDisk() throws {
        try Rig.withFolder { folder in
            // The journal may grow to 2 MiB; the storm asks for more.
            let mock = try MockProcess(folder: folder + "/state", limit: 2_048)
            let answered = try Storm(mock).run(untilAnswered: 200_000) {}
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

/// Many pushes at once, each with an apns-id of its own.
private final class Storm: Sendable {
    private let mock: (origin: Origin, ca: String, headers: [(String, String)])

    init(_ mock: MockProcess) { self.mock = (mock.origin, mock.ca, mock.headers) }

    /// Pushes until so many were answered 200 (then calls `stop`) and the connections have died, or all were answered.
    /// Gives the ids of those answered 200.
    func run(untilAnswered goal: Int, stop: () -> Void) throws -> [UInt64] {
        let mock = mock
        let reached = Handover<Void>()
        let over = Handover<[UInt64]>()
        let thread = try LoopThread(name: "storm") { loop in
            var configuration = ClientConfiguration(version: .http2)
            configuration.tls.caFile = mock.ca
            configuration.maxConnections = 4
            configuration.maxConcurrentStreams = 100
            let pool = try ClientPool(loop: loop, origin: mock.origin, configuration: configuration)
            return StormState(pool: pool, headers: mock.headers, goal: goal, reached: reached, over: over)
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
    private let headers: [(String, String)]
    private let goal: Int
    private let reached: Handover<Void>
    private let over: Handover<[UInt64]>
    private var next: UInt64 = 0
    private var open = 0
    private var answered: [UInt64] = []
    private var isDying = false
    private var isReached = false

    init(
        pool: ClientPool, headers: [(String, String)], goal: Int, reached: Handover<Void>, over: Handover<[UInt64]>
    ) {
        self.pool = pool
        self.headers = headers
        self.goal = goal
        self.reached = reached
        self.over = over
    }

    func begin() { for _ in 0..<400 { push() } }

    private func push() {
        next += 1
        let id = next
        let name = UUIDBytes(high: 0, low: id).text()
        let token = Hex.encode([UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 32).span)
        open += 1
        let request = OutgoingRequest(
            method: "POST", path: "/3/device/" + token, fields: headers + [("apns-id", name)],
            body: Array(#"{"aps":{"alert":"push \#(id)"}}"#.utf8))
        pool.send(request) { [self] outcome in
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
