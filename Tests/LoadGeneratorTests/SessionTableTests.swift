// Sessions wait in few bytes and come out in order of time.

import Basics
import Scenarios
import Testing

@testable import LoadGenerator

struct SessionTableTests {
    private func drain(_ table: inout SessionTable, _ plan: Plan) -> [PlannedEvent] {
        var events: [PlannedEvent] = []
        while table.nextDue != nil {
            let due = table.takeDue(plan.workload)
            table.settled(due.row, wasSent: false)
            events.append(due.event)
        }
        return events
    }

    @Test func `events come in order of time and are those of the plan`() {
        let plan = Knobs.plan(
            Knobs.scenario(steps: [
                Knobs.step(0, .at(.uniform(0, 5))),
                Knobs.step(
                    3, .after(.uniform(0, 1)),
                    repeating: Repetition(every: .uniform(0, 2), limit: .count(.uniform(0, 9)))),
            ]))
        var table = SessionTable(capacity: 0)
        for index in 0..<plan.sessionCount { table.begin(plan.cursor(index), plan.workload) }
        #expect(table.active == 20 && table.peak == 20)
        let events = drain(&table, plan)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.at <= $1.at })
        let planned = (0..<plan.sessionCount).flatMap { plan.session($0).events }
        #expect(events.count == planned.count && Set(events) == Set(planned))
    }

    @Test func `a row is used again only when its session is over and answered`() {
        let plan = Knobs.plan(Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)))]))
        var table = SessionTable(capacity: 0)
        table.begin(plan.cursor(0), plan.workload)
        let first = table.takeDue(plan.workload).row
        table.sent(first)
        table.begin(plan.cursor(1), plan.workload)
        let second = table.takeDue(plan.workload).row
        #expect(second != first)
        table.settled(first, wasSent: true)
        table.begin(plan.cursor(2), plan.workload)
        #expect(table.takeDue(plan.workload).row == first)
    }

    @Test func `an event that overtakes an answer is noticed`() {
        let plan = Knobs.plan()
        var table = SessionTable(capacity: 0)
        table.begin(plan.cursor(0), plan.workload)
        let first = table.takeDue(plan.workload)
        table.sent(first.row)
        let second = table.takeDue(plan.workload)
        table.settled(first.row, wasSent: true)
        let third = table.takeDue(plan.workload)
        #expect([first, second, third].map(\.isOverlapping) == [false, true, false])
    }

    @Test func `an idle session takes no more than the goal of 192 bytes`() {
        #expect(SessionTable.bytesPerSession <= 192)
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

    @Test func `the window gives no more flights than its limit`() {
        var window = Window(limit: 2)
        defer { window.close() }
        let flights = (0..<3).compactMap { _ in window.take { Flight { _, _ in } } }
        #expect(flights.count == 2 && window.inFlight == 2)
        window.giveBack(flights[0])
        #expect(window.inFlight == 1)
        #expect(window.take { Flight { _, _ in } } === flights[0])
    }
}
