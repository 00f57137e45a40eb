// The sessions that have begun and are not over: rows in one block of memory, in order of their next event. This is
// where a million idle sessions live, so a row holds nothing that can be computed again.

import Basics

struct SessionTable {
    struct Row {
        var cursor: SessionCursor
        /// Script step of the event that is due next.
        var dueStep: UInt16 = 0
        var dueCall: UInt16 = 0
        /// Events sent and not answered.
        var unanswered: UInt16 = 0
        var isOver = false
    }

    private var rows: [Row] = []
    private var free: [UInt32] = []
    private var queue: EventQueue
    private(set) var peak = 0

    /// `capacity`: address space set aside, so that growing seldom copies; memory is taken only as it fills.
    init(capacity: Int) {
        rows.reserveCapacity(capacity)
        queue = EventQueue(capacity: capacity)
    }

    /// Bytes for one waiting session.
    static var bytesPerSession: Int { MemoryLayout<Row>.stride + MemoryLayout<EventQueue.Entry>.stride }

    /// Sessions with events still to come.
    var active: Int { queue.count }
    var nextDue: Interval? { queue.top.map { Interval(nanoseconds: $0.time) } }

    /// A session begins. One without events is over at once.
    mutating func begin(_ start: SessionCursor, _ workload: Workload) {
        var cursor = start
        guard let first = cursor.next(workload) else { return }
        var row = Row(cursor: cursor)
        row.note(first)
        let place: UInt32
        if let reused = free.popLast() {
            place = reused
            rows[Int(place)] = row
        } else {
            place = UInt32(rows.count)
            rows.append(row)
        }
        queue.push(first.at.nanoseconds, place)
        peak = max(peak, queue.count)
    }

    /// Takes the event that is due first and moves its session on to its next one. `isOverlapping`: an earlier event of
    /// the session has not been answered yet.
    mutating func takeDue(_ workload: Workload) -> (
        row: UInt32, event: PlannedEvent, script: UInt16, isOverlapping: Bool
    ) {
        let entry = queue.top!
        let place = Int(entry.row)
        let row = rows[place]
        let event = PlannedEvent(
            session: row.cursor.session, step: row.cursor.taken - 1, at: Interval(nanoseconds: entry.time),
            call: Int(row.dueCall), scriptStep: Int(row.dueStep))
        if let next = rows[place].cursor.next(workload) {
            rows[place].note(next)
            queue.replaceTop(time: next.at.nanoseconds)
        } else {
            rows[place].isOver = true
            queue.pop()
        }
        return (entry.row, event, row.cursor.script, row.unanswered > 0)
    }

    mutating func sent(_ row: UInt32) { rows[Int(row)].unanswered += 1 }

    /// An event of the row was answered, failed or was dropped. A row that is needed no more is used again.
    mutating func settled(_ row: UInt32, wasSent: Bool) {
        if wasSent { rows[Int(row)].unanswered -= 1 }
        guard rows[Int(row)].isOver, rows[Int(row)].unanswered == 0 else { return }
        free.append(row)
    }
}

extension SessionTable.Row {
    fileprivate mutating func note(_ event: PlannedEvent) {
        dueStep = UInt16(event.scriptStep)
        dueCall = UInt16(event.call)
    }
}
