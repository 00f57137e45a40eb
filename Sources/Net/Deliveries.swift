// Which answers were handed to the kernel last, on all connections of a server: where a connection is cut off, its peer may
// not have read them, and cannot know what became of its requests. A ring of fixed size, so that it costs each answer four
// stores and nothing else.

import Basics

/// Confined to its server's loop.
final class Deliveries {
    private struct Entry {
        var connection: UInt64
        /// 0: told already, or nothing.
        var mark: UInt64
        /// 0 with HTTP/1.1.
        var streamID: Int32
        var at: Instant
    }

    /// At 40,000 answers a second the last tenth of one.
    private static let capacity = 4_096
    /// What a peer has not read of by then is its own affair. On the host's clock; on one that is stepped so much of its own,
    /// for it moves only when what was handed over has been read.
    static let doubtful = Interval.milliseconds(250)

    private var entries: UnsafeMutablePointer<Entry>?
    private var next = 0

    deinit { entries?.deallocate() }

    func add(_ mark: UInt64, on connection: UInt64, streamID: Int32, at now: Instant) {
        (entries ?? make())[next] = Entry(connection: connection, mark: mark, streamID: streamID, at: now)
        next = (next + 1) % Self.capacity
    }

    private func make() -> UnsafeMutablePointer<Entry> {
        let made = UnsafeMutablePointer<Entry>.allocate(capacity: Self.capacity)
        made.initialize(
            repeating: Entry(connection: 0, mark: 0, streamID: 0, at: Instant(nanoseconds: .min)), count: Self.capacity)
        entries = made
        return made
    }

    /// Removes the answers that were handed over on this connection shortly before `now`, oldest first.
    func takeDoubtful(on connection: UInt64, at now: Instant, within span: Interval) -> [UInt64] {
        guard let entries else { return [] }
        let since = now - span
        var marks: [UInt64] = []
        for step in 0..<Self.capacity {
            let entry = entries + (next + step) % Self.capacity
            guard entry.pointee.connection == connection, entry.pointee.mark != 0, entry.pointee.at >= since else { continue }
            marks.append(entry.pointee.mark)
            entry.pointee.mark = 0
        }
        return marks
    }

    /// Removes the answer on that stream, if it was handed over shortly before `now`.
    func takeDoubtful(
        on connection: UInt64, streamID: Int32, at now: Instant, within span: Interval = doubtful
    ) -> UInt64? {
        guard let entries else { return nil }
        let since = now - span
        // Newest first: an answer that crosses is among the last.
        for step in 1...Self.capacity {
            let entry = entries + (next + Self.capacity - step) % Self.capacity
            guard entry.pointee.at >= since else { return nil }
            guard entry.pointee.connection == connection, entry.pointee.streamID == streamID, entry.pointee.mark != 0
            else { continue }
            defer { entry.pointee.mark = 0 }
            return entry.pointee.mark
        }
        return nil
    }
}
