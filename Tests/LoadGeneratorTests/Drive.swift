// One plan driven against one relay, and what is left of it: the counters and the record.

import Basics
import EventLoop
import Glibc
import Journal
import Net
import OperatingSystem
@testable import Planning
import Scenarios
import Synchronization

@testable import LoadGenerator

struct Drive {
    var snapshot = LoadSnapshot()
    var events: [EventEntry] = []
    var kinds: [String] = []
    var notes: [NoteEntry] = []
    var origin: Instant
    var isDone: Bool

    init(
        _ plan: Plan, at target: Origin, loops: Int = 1, window: Int = 16_384, connections: Int = 256,
        timeout: Interval = .seconds(20), tokenTargets: [String: CheckedOrigin] = [:], endEarlyAfter: Interval? = nil
    ) throws {
        let folder = try Folder()
        let service = try LoadService(
            plan: plan, target: TargetPolicy.loopback(target), connections: connections, journalDirectory: folder.path, loops: loops,
            window: window, tokenTargets: tokenTargets)
        origin = SystemTime().now() + .milliseconds(5)
        service.start(at: origin)
        if let endEarlyAfter {
            usleep(UInt32(endEarlyAfter.nanoseconds / 1_000))
            service.endEarly()
            service.endEarly()
        }
        isDone = service.waitUntilDone(timeout: timeout)
        service.stop()
        snapshot = service.snapshot()
        try read(folder)
    }

    /// One loop whose client is changed before it starts.
    init(_ plan: Plan, at target: Origin, client change: (inout ClientConfiguration) -> Void) throws {
        let folder = try Folder()
        var client = ClientConfiguration(version: .http1)
        client.requestTimeout = plan.scenario.workload.requestTimeout
        change(&client)
        let settings = LoadLoopSettings(
            plan: plan, target: try TargetPolicy.check(target), client: client, index: 0, stride: 1, window: 16_384,
            journalDirectory: folder.path)
        let board = Published(LoadSnapshot())
        let thread = try LoopThread(name: "load") { try LoadLoop(settings, loop: $0, published: board) }
        let start = SystemTime().now()
        origin = start
        thread.post { $0.start(at: start) }
        while !board.snapshot.withLock({ $0.isDone }), SystemTime().now() < start + .seconds(20) { usleep(1_000) }
        isDone = board.snapshot.withLock { $0.isDone }
        thread.ask { $0.stop() }
        thread.stop()
        snapshot = board.snapshot.withLock { $0 }
        try read(folder)
    }

    private mutating func read(_ folder: Folder) throws {
        var events: [EventEntry] = []
        var kinds: [String] = []
        var notes: [NoteEntry] = []
        _ = try JournalReader(directory: folder.path).forEach(since: nil) { entry in
            if case .event(let event) = entry { events.append(event) }
            if case .note(let note) = entry { notes.append(note) }
            if case .note(let note) = entry, note.kind == .kinds {
                kinds = (try? JSONValue(parsing: note.text))?.array?.compactMap(\.string) ?? []
            }
            return true
        }
        self.events = events
        self.kinds = kinds
        self.notes = notes
    }

    /// The events of each session in the order of the plan.
    var sessions: [[EventEntry]] {
        Dictionary(grouping: events, by: \.session).values.map { $0.sorted { $0.step < $1.step } }
    }

    /// Every event that was planned has one record and is counted once.
    var isWhole: Bool {
        let places = Set(events.map { UInt64($0.session) << 32 | UInt64($0.step) })
        let counted = snapshot.answered + snapshot.failed + snapshot.dropped
        let sent = events.count { $0.sentAt.nanoseconds != 0 }
        let dropped = events.count { $0.failure == EventFailure.dropped.rawValue }
        return places.count == events.count && snapshot.planned == events.count && snapshot.planned == counted
            && snapshot.waiting == 0 && snapshot.inFlight == 0 && snapshot.sent == sent && snapshot.dropped == dropped
    }

    /// The median of our own lateness: a machine under load may delay single events, but not half of them.
    var usualLateness: Interval { events.map(\.lateness).sorted()[events.count / 2] }
    /// The median time from the planned instant to the answer.
    var usualAnswer: Interval { events.map { $0.answeredAt - $0.plannedAt }.sorted()[events.count / 2] }
}

/// Runs `body` with a folder that is gone afterwards.
func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = try Folder()
    return try withExtendedLifetime(folder) { try body(folder.path) }
}

/// A folder that goes with its owner.
private final class Folder {
    let path: String

    init() throws { path = try FileSystem.makeTemporaryFolder() }

    deinit { FileSystem.removeAll(path) }
}
