// The sessions that have begun and are not over: rows in one block of memory, in order of their next event. This is
// where a million idle sessions live, so a row holds nothing that can be computed again.

package import Basics
package import Scenarios

/// An event whose turn has come.
package struct DueEvent {
    /// The session's row in the table.
    package var row: UInt32
    package var event: PlannedEvent
    package var script: UInt16
    /// An earlier event of the session has not been answered yet.
    package var isOverlapping: Bool
    /// The instant at which the order of its session let it go; long ago where there is no such order.
    package var freeAt: Instant
}

package struct SessionTable {
    package struct Row {
        var cursor: SessionCursor
        /// Script step of the event that is due next.
        var dueStep: UInt16 = 0
        var dueCall: UInt16 = 0
        /// Events sent and not answered.
        var unanswered: UInt16 = 0
        /// No event will become due any more.
        var isOver = false
        /// The session has a memory, and may still speak when its events are over.
        var isKept = false
        /// When the event that was settled last was settled, where the next waits for that.
        var settledAt = Instant(nanoseconds: .min)
        /// One more than the highest number of an event that was handed to the kernel.
        var handedOver: UInt32 = 0
        /// Place in `backlogs`; none when no event waits for its turn.
        var backlog: UInt32 = .max

        var hasBacklog: Bool { backlog != .max }
    }

    /// Events of one session that are due and wait for their turn. Only the first of them is there; the cursor behind it
    /// computes the others again.
    private struct Backlog {
        var cursor: SessionCursor
        var at: Interval
        var dueStep: UInt16
        var dueCall: UInt16
        var count: UInt32
    }

    /// Events wait until the one before them is answered.
    private let isOrdered: Bool
    private var rows: [Row] = []
    private var free: [UInt32] = []
    private var queue: EventQueue
    private var backlogs: [Backlog] = []
    private var freeBacklogs: [UInt32] = []
    /// Sessions with events that have not left.
    package private(set) var active = 0
    package private(set) var peak = 0
    /// Events that are due and wait for the answer to an earlier one of their session.
    package private(set) var waiting = 0

    /// `capacity`: address space set aside, so that growing seldom copies; memory is taken only as it fills.
    package init(capacity: Int, order: Profile.Order) {
        isOrdered = order == .answered
        rows.reserveCapacity(capacity)
        queue = EventQueue(capacity: capacity)
    }

    /// Bytes for one idle session.
    package static var bytesPerSession: Int { MemoryLayout<Row>.stride + MemoryLayout<EventQueue.Entry>.stride }
    /// What a session takes besides while events of it wait for their turn, however many.
    static var bytesPerBacklog: Int { MemoryLayout<Backlog>.stride }

    package var nextDue: Interval? { queue.top.map { Interval(nanoseconds: $0.time) } }

    /// A session begins. One without events is over at once.
    /// `isKept`: its row stays until `release`. Gives the row.
    @discardableResult
    package mutating func begin(_ start: SessionCursor, _ workload: Workload, isKept: Bool = false) -> UInt32? {
        var cursor = start
        guard let first = cursor.next(workload) else { return nil }
        var row = Row(cursor: cursor)
        row.note(first)
        row.isKept = isKept
        let place: UInt32
        if let reused = free.popLast() {
            place = reused
            rows[Int(place)] = row
        } else {
            place = UInt32(rows.count)
            rows.append(row)
        }
        queue.push(first.at.nanoseconds, place)
        active += 1
        peak = max(peak, active)
        return place
    }

    /// Takes the event that is due first and moves its session on to its next one. Nil when the event has to wait: it
    /// comes with `takeWaiting` once those before it are settled.
    package mutating func takeDue(_ workload: Workload) -> DueEvent? {
        let entry = queue.top!
        let place = Int(entry.row)
        let row = rows[place]
        // A request that the relay never answers would hold up all that follow.
        let isMalformed = workload.profile.calls[Int(row.dueCall)].malformed != nil
        let mustWait = isOrdered && !isMalformed && (row.unanswered > 0 || row.hasBacklog)
        if mustWait { wait(place, at: Interval(nanoseconds: entry.time)) }
        if let next = rows[place].cursor.next(workload) {
            rows[place].note(next)
            queue.replaceTop(time: next.at.nanoseconds)
        } else {
            rows[place].isOver = true
            queue.pop()
        }
        guard !mustWait else { return nil }
        if rows[place].isOver { active -= 1 }
        return DueEvent(
            row: entry.row, event: row.cursor.event(row.dueStep, row.dueCall, at: Interval(nanoseconds: entry.time)),
            script: row.cursor.script, isOverlapping: row.unanswered > 0, freeAt: row.settledAt)
    }

    private mutating func wait(_ place: Int, at time: Interval) {
        waiting += 1
        let row = rows[place]
        guard !row.hasBacklog else {
            backlogs[Int(row.backlog)].count += 1
            return
        }
        let backlog = Backlog(cursor: row.cursor, at: time, dueStep: row.dueStep, dueCall: row.dueCall, count: 1)
        if let reused = freeBacklogs.popLast() {
            rows[place].backlog = reused
            backlogs[Int(reused)] = backlog
        } else {
            rows[place].backlog = UInt32(backlogs.count)
            backlogs.append(backlog)
        }
    }

    /// Takes the session's first waiting event. There must be one: `settled` says so.
    package mutating func takeWaiting(_ row: UInt32, _ workload: Workload) -> DueEvent {
        let place = Int(rows[Int(row)].backlog)
        let first = backlogs[place]
        let due = DueEvent(
            row: row, event: first.cursor.event(first.dueStep, first.dueCall, at: first.at),
            script: first.cursor.script, isOverlapping: false, freeAt: rows[Int(row)].settledAt)
        waiting -= 1
        if first.count > 1 {
            guard let next = backlogs[place].cursor.next(workload) else {
                preconditionFailure("an event that was due once is computed again")
            }
            backlogs[place].at = next.at
            backlogs[place].dueStep = UInt16(next.scriptStep)
            backlogs[place].dueCall = UInt16(next.call)
            backlogs[place].count -= 1
        } else {
            freeBacklogs.append(rows[Int(row)].backlog)
            rows[Int(row)].backlog = .max
            if rows[Int(row)].isOver { active -= 1 }
        }
        return due
    }

    package mutating func sent(_ row: UInt32) { rows[Int(row)].unanswered += 1 }

    /// The event was handed to the kernel. True when a later one of its session was handed over before it.
    package mutating func handedOver(_ row: UInt32, step: UInt32) -> Bool {
        guard step >= rows[Int(row)].handedOver else { return step + 1 < rows[Int(row)].handedOver }
        rows[Int(row)].handedOver = step + 1
        return false
    }

    /// An event of the row was answered, failed or was dropped. True when one waits for that. A row that is needed no
    /// more is used again.
    package mutating func settled(_ row: UInt32, wasSent: Bool, at instant: Instant) -> Bool {
        let place = Int(row)
        if wasSent { rows[place].unanswered -= 1 }
        if isOrdered { rows[place].settledAt = instant }
        guard !rows[place].hasBacklog else { return rows[place].unanswered == 0 }
        freeIfOver(row)
        return false
    }

    private mutating func freeIfOver(_ row: UInt32) {
        if isIdle(row), !rows[Int(row)].isKept { free.append(row) }
    }

    // MARK: Rows of sessions with a memory

    /// The row of the event that is due first.
    package var nextRow: UInt32? { queue.top?.row }

    package func session(_ row: UInt32) -> UInt32 { rows[Int(row)].cursor.session }

    /// All events of its plan have become due.
    package func isOver(_ row: UInt32) -> Bool { rows[Int(row)].isOver }

    /// They have left, too, and are settled.
    package func isIdle(_ row: UInt32) -> Bool {
        rows[Int(row)].isOver && rows[Int(row)].unanswered == 0 && !rows[Int(row)].hasBacklog
    }

    /// An event that is no part of the plan may leave now.
    package func isFree(_ row: UInt32) -> Bool { !isOrdered || rows[Int(row)].unanswered == 0 && !rows[Int(row)].hasBacklog }

    /// When the first of its waiting events was due; nil when none waits, or an earlier one is unanswered.
    package func waitingSince(_ row: UInt32) -> Interval? {
        guard rows[Int(row)].hasBacklog, rows[Int(row)].unanswered == 0 else { return nil }
        return backlogs[Int(rows[Int(row)].backlog)].at
    }

    package func isAnswered(_ row: UInt32) -> Bool { !isOrdered || rows[Int(row)].unanswered == 0 }

    /// Whether `takeWaiting` has something to take, and its turn has come.
    package func mayTakeWaiting(_ row: UInt32) -> Bool { rows[Int(row)].hasBacklog && rows[Int(row)].unanswered == 0 }

    /// An event outside the plan, whose turn is now.
    package func due(_ row: UInt32, _ event: PlannedEvent) -> DueEvent {
        DueEvent(
            row: row, event: event, script: rows[Int(row)].cursor.script, isOverlapping: rows[Int(row)].unanswered > 0,
            freeAt: rows[Int(row)].settledAt)
    }

    /// Events of the plan that had their turn.
    package func taken(_ row: UInt32) -> UInt32 {
        let taken = rows[Int(row)].cursor.taken
        guard rows[Int(row)].hasBacklog else { return rows[Int(row)].isOver ? taken : taken - 1 }
        return backlogs[Int(rows[Int(row)].backlog)].cursor.taken - 1
    }

    /// The session speaks no more, and its row may be used again. It must be idle.
    package mutating func release(_ row: UInt32) {
        rows[Int(row)].isKept = false
        freeIfOver(row)
    }
}

extension SessionTable.Row {
    fileprivate mutating func note(_ event: PlannedEvent) {
        dueStep = UInt16(event.scriptStep)
        dueCall = UInt16(event.call)
    }
}

extension SessionCursor {
    /// The event that was computed last.
    fileprivate func event(_ scriptStep: UInt16, _ call: UInt16, at time: Interval) -> PlannedEvent {
        PlannedEvent(session: session, step: taken - 1, at: time, call: Int(call), scriptStep: Int(scriptStep))
    }
}
