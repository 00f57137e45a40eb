// Sessions wait in few bytes and come out in order of time.

import Basics
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

struct SessionTableTests {
    private func table(_ order: Profile.Order = .parallel) -> SessionTable { SessionTable(capacity: 0, order: order) }

    private func take(_ table: inout SessionTable, _ plan: Plan) throws -> DueEvent {
        let due = table.takeDue(plan.workload)
        return try #require(due)
    }

    private func drain(_ table: inout SessionTable, _ plan: Plan) -> [PlannedEvent] {
        var events: [PlannedEvent] = []
        while table.nextDue != nil {
            guard let due = table.takeDue(plan.workload) else { continue }
            _ = table.settled(due.row, wasSent: false, at: Instant(nanoseconds: 9))
            events.append(due.event)
        }
        return events
    }

    @Test(arguments: Profile.Order.allCases)
    func `events come in order of time and are those of the plan`(order: Profile.Order) {
        let plan = Knobs.plan(
            Knobs.scenario(steps: [
                Knobs.step(0, .at(.uniform(0, 5))),
                Knobs.step(
                    3, .after(.uniform(0, 1)),
                    repeating: Repetition(every: .uniform(0, 2), limit: .count(.uniform(0, 9)))),
            ]))
        var table = table(order)
        for index in 0..<plan.sessionCount { table.begin(plan.cursor(index), plan.workload) }
        #expect(table.active == 20 && table.peak == 20)
        let events = drain(&table, plan)
        #expect(table.active == 0 && table.waiting == 0)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.at <= $1.at })
        let planned = (0..<plan.sessionCount).flatMap { plan.session($0).events }
        #expect(events.count == planned.count && Set(events) == Set(planned))
    }

    @Test func `a row is used again only when its session is over and answered`() throws {
        let plan = Knobs.plan(Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)))]))
        var table = table()
        table.begin(plan.cursor(0), plan.workload)
        let first = try take(&table, plan).row
        table.sent(first)
        table.begin(plan.cursor(1), plan.workload)
        let second = try take(&table, plan).row
        #expect(second != first)
        let hasNext = table.settled(first, wasSent: true, at: Instant(nanoseconds: 9))
        #expect(!hasNext)
        table.begin(plan.cursor(2), plan.workload)
        let third = try take(&table, plan).row
        #expect(third == first)
    }

    @Test(arguments: [Profile.Order.parallel, .stream])
    func `an event that overtakes an answer is noticed`(order: Profile.Order) throws {
        let plan = Knobs.plan()
        var table = table(order)
        table.begin(plan.cursor(0), plan.workload)
        let first = try take(&table, plan)
        table.sent(first.row)
        let second = try take(&table, plan)
        _ = table.settled(first.row, wasSent: true, at: Instant(nanoseconds: 9))
        let third = try take(&table, plan)
        #expect([first, second, third].map(\.isOverlapping) == [false, true, false])
    }

    @Test func `events wait for the answer before them and are computed again`() throws {
        let plan = Knobs.plan()
        let planned = plan.session(0).events
        var table = table(.answered)
        table.begin(plan.cursor(0), plan.workload)
        let first = try take(&table, plan)
        table.sent(first.row)
        // All that are left fall due meanwhile.
        var taken = 0
        while table.nextDue != nil { if table.takeDue(plan.workload) != nil { taken += 1 } }
        #expect(taken == 0 && table.waiting == planned.count - 1 && table.active == 1)
        var events = [first.event]
        var hasNext = table.settled(first.row, wasSent: true, at: Instant(nanoseconds: 9))
        while hasNext {
            let due = table.takeWaiting(first.row, plan.workload)
            #expect(!due.isOverlapping && due.row == first.row && due.freeAt == Instant(nanoseconds: 9))
            events.append(due.event)
            table.sent(due.row)
            hasNext = table.settled(due.row, wasSent: true, at: Instant(nanoseconds: 9))
        }
        #expect(events == planned)
        #expect(table.waiting == 0 && table.active == 0)
        // The row is free again.
        table.begin(plan.cursor(1), plan.workload)
        let next = try take(&table, plan)
        #expect(next.row == first.row && next.event == plan.session(1).events[0])
    }

    @Test func `what becomes due behind a waiting event waits behind it`() throws {
        let plan = Knobs.plan()
        let planned = plan.session(0).events
        var table = table(.answered)
        var found: [PlannedEvent?] = []
        var hasNext: [Bool] = []
        table.begin(plan.cursor(0), plan.workload)
        let first = try take(&table, plan)
        table.sent(first.row)
        found.append(table.takeDue(plan.workload)?.event)
        hasNext.append(table.settled(first.row, wasSent: true, at: Instant(nanoseconds: 9)))
        // The second is released, but not taken yet.
        found.append(table.takeDue(plan.workload)?.event)
        found.append(table.takeWaiting(first.row, plan.workload).event)
        table.sent(first.row)
        found.append(table.takeDue(plan.workload)?.event)
        hasNext.append(table.settled(first.row, wasSent: true, at: Instant(nanoseconds: 9)))
        found.append(table.takeWaiting(first.row, plan.workload).event)
        // That one was dropped: the next may leave at once.
        hasNext.append(table.settled(first.row, wasSent: false, at: Instant(nanoseconds: 9)))
        found.append(table.takeWaiting(first.row, plan.workload).event)
        hasNext.append(table.settled(first.row, wasSent: false, at: Instant(nanoseconds: 9)))
        found.append(table.takeDue(plan.workload)?.event)
        #expect(found == [nil, nil, planned[1], nil, planned[2], planned[3], planned[4]])
        #expect(hasNext == [true, true, true, false])
    }

    @Test func `an event handed over after a later one is an inversion`() throws {
        let plan = Knobs.plan()
        var table = table()
        table.begin(plan.cursor(0), plan.workload)
        let row = try take(&table, plan).row
        var inversions: [Bool] = []
        for step: UInt32 in [0, 1, 1, 4, 3, 4, 2, 5] { inversions.append(table.handedOver(row, step: step)) }
        #expect(inversions == [false, false, false, false, true, false, true, false])
    }

    @Test func `an idle session takes no more than the goal of 96 bytes, a waiting one as much again`() {
        #expect(SessionTable.bytesPerSession <= 96)
        #expect(SessionTable.bytesPerBacklog <= 96)
    }

    @Test func `the queue sorts whatever comes`() {
        var generator = Seed(3).generator()
        var queue = EventQueue()
        var left: [Int64] = []
        for turn in 0..<5_000 {
            let time = Int64(generator.next() % 1_000)
            if turn % 3 == 2, let top = queue.top {
                #expect(top.time == left.min())
                left.remove(at: left.firstIndex(of: top.time)!)
                if turn % 2 == 0 {
                    queue.replaceTop(time: top.time + time)
                    left.append(top.time + time)
                } else {
                    queue.pop()
                }
            } else {
                queue.push(time, 0)
                left.append(time)
            }
        }
        var out: [Int64] = []
        while let top = queue.top {
            out.append(top.time)
            queue.pop()
        }
        #expect(out == left.sorted())
    }
}
