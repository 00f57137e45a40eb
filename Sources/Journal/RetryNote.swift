// An answer after which the caller waits and tries again: the event's own entry is written once, at its end.

package import Basics

package struct RetryNote: Hashable, Sendable {
    package var session: UInt32
    package var step: UInt32
    package var status: Int
    /// It was too much; else it did not work this time.
    package var isThrottled: Bool
    /// How long the caller waits.
    package var wait: Interval
    /// Whether the answer said how long, where the profile names a place for that; nil: it names none.
    package var isSaid: Bool?

    package init(session: UInt32, step: UInt32, status: Int, isThrottled: Bool, wait: Interval, isSaid: Bool? = nil) {
        self.session = session
        self.step = step
        self.status = status
        self.isThrottled = isThrottled
        self.wait = wait
        self.isSaid = isSaid
    }
}

extension JournalWriter {
    package func append(_ note: RetryNote, at instant: Instant) {
        append(
            .retry,
            [
                "session": .integer(Int64(note.session)), "step": .integer(Int64(note.step)),
                "status": .integer(Int64(note.status)), "throttled": .bool(note.isThrottled),
                "waitMilliseconds": .integer(note.wait.nanoseconds / 1_000_000),
                "said": note.isSaid.map { .bool($0) } ?? .null,
            ], at: instant)
    }
}

extension NoteEntry {
    /// Nil for every other note.
    package var retry: RetryNote? {
        guard let value = json(of: .retry), let session = value["session"]?.int,
            let step = value["step"]?.int, let status = value["status"]?.int, let wait = value["waitMilliseconds"]?.int,
            let session = UInt32(exactly: session), let step = UInt32(exactly: step)
        else { return nil }
        return RetryNote(
            session: session, step: step, status: Int(status), isThrottled: value["throttled"]?.bool ?? false,
            wait: .milliseconds(wait), isSaid: value["said"]?.bool)
    }
}
