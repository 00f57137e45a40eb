// One valid push, one fresh directory, and the whole history read back.

import Basics
import Glibc
import HTTP
import OperatingSystem
import Pushes
import Synchronization

@testable import Journal

/// A directory of its own, removed when done.
func withDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let directory = try FileSystem.makeTemporaryFolder()
    defer { FileSystem.removeAll(directory) }
    return try body(directory)
}

func names(in directory: String) -> [String] { ((try? FileSystem.names(in: directory)) ?? []).sorted() }

func contents(_ path: String) -> [UInt8] { (try? FileSystem.read(path, limit: 1 << 30)) ?? [] }

func overwrite(_ path: String, _ bytes: [UInt8]) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    _ = write(descriptor, bytes, bytes.count)
}

let sampleToken = String(repeating: "ab", count: 32)

func sampleHead(token: String = sampleToken, authorization: String = "bearer aaaa.bbbb.cccc") -> HeaderBlock {
    let head = HeaderBlock()
    head.append(":method", "POST")
    head.append(":path", "/3/device/" + token)
    head.append("authorization", authorization)
    head.append("apns-topic", "com.example.app.push-type.liveactivity")
    head.append("apns-push-type", "liveactivity")
    head.append("apns-priority", "5")
    return head
}

func draft(at nanoseconds: Int64, status: UInt16 = 200) -> PushDraft {
    PushDraft(arrivedAt: Instant(nanoseconds: nanoseconds), status: status, outcome: .updated)
}

extension JournalWriter {
    /// Adds the sample push at that instant with that body.
    @discardableResult
    func push(at nanoseconds: Int64, body: String = "{}", head: HeaderBlock = sampleHead()) -> UInt64 {
        withBytes(of: body) { append(push: draft(at: nanoseconds), head: head, body: $0) }
    }
}

extension JournalReader {
    func all(since cursor: JournalCursor? = nil) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        _ = try forEach(since: cursor) {
            entries.append($0)
            return true
        }
        return entries
    }

    func pushes(since cursor: JournalCursor? = nil) throws -> [PushEntry] { try all(since: cursor).compactMap(\.push) }

    func bodies() throws -> [String] { try pushes().map { String(decoding: $0.payload, as: UTF8.self) } }
}

extension JournalEntry {
    var push: PushEntry? { if case .push(let push) = self { push } else { nil } }
    var event: EventEntry? { if case .event(let event) = self { event } else { nil } }
    var note: NoteEntry? { if case .note(let note) = self { note } else { nil } }

    var nanoseconds: Int64 {
        switch self {
        case .push(let push), .broadcast(let push): push.arrivedAt.nanoseconds
        case .event(let event): max(event.plannedAt, event.sentAt, event.answeredAt).nanoseconds
        case .note(let note): note.at.nanoseconds
        }
    }
}

/// A monotonic clock and a wall clock that are set apart.
struct FixedTime: TimeSource {
    var instant: Int64
    var wallSeconds: Int64

    func now() -> Instant { Instant(nanoseconds: instant) }
    func wall() -> WallTime { WallTime(seconds: wallSeconds) }
}

/// A disk that takes `room` bytes, at most `step` at a time, and is interrupted before each step if asked to.
final class SmallDisk: Sendable {
    private let state: Mutex<(room: Int, isInterrupted: Bool)>
    let step: Int
    let interrupts: Bool
    let error: Int32

    init(room: Int, step: Int = .max, interrupts: Bool = false, error: Int32 = ENOSPC) {
        state = Mutex((room, interrupts))
        self.step = step
        self.interrupts = interrupts
        self.error = error
    }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        let allowed = state.withLock { state in
            if interrupts, state.isInterrupted {
                state.isInterrupted = false
                return -1
            }
            state.isInterrupted = true
            let allowed = min(count, step, state.room)
            state.room -= allowed
            return allowed
        }
        if allowed < 0 {
            errno = EINTR
            return -1
        }
        if allowed == 0 {
            errno = error
            return -1
        }
        return Glibc.write(descriptor, bytes, allowed)
    }
}
