// Calls and pushes joined while a run goes on, in whatever order they are told of.

import Basics
import Metrics
import Pushes
import Testing

@testable import Harness
@testable import Journal

@Suite struct `Calls and pushes of a run that goes on` {
    private static let terms = LiveJoin.Terms(run: 7, owesMarked: [true, false], expectedStatuses: [[200], [200]])

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    private func call(
        _ session: UInt32, at milliseconds: Int64, kind: UInt16 = 0, status: UInt16 = 200, failure: EventFailure = .none
    ) -> JournalEntry {
        var event = EventEntry(id: 0, session: session, step: 1, plannedAt: at(milliseconds))
        event.kind = kind
        event.sentAt = at(milliseconds)
        event.answeredAt = status == 0 ? Instant(nanoseconds: 0) : at(milliseconds + 10)
        event.status = status
        event.failure = failure.rawValue
        event.lateness = .milliseconds(1)
        return .event(event)
    }

    private func push(
        _ session: UInt32, at milliseconds: Int64, status: UInt16 = 200, token: String = "aa", run: UInt32 = 7
    ) -> JournalEntry {
        var push = PushEntry(id: 0, arrivedAt: at(milliseconds), arrivedWall: WallTime(nanoseconds: 0), token: token)
        push.status = status
        push.marker = Marker(run: run, session: session, step: 1)
        return .push(push)
    }

    private func figures(_ entries: [JournalEntry], _ terms: LiveJoin.Terms = terms, most: Int = 100) -> LiveFigures {
        var join = LiveJoin(terms, most: most)
        for entry in entries { join.see(entry) }
        return join.settled()
    }

    @Test func `count from the planned instant to the first accepted arrival, whichever is told of first`() {
        let story = [call(1, at: 1_000), push(1, at: 1_500, status: 429), push(1, at: 3_000), push(1, at: 9_000)]
        let first = figures(story)
        #expect(abs(Double(first.delivery.max) - 2e9) < 2e6 && first.awaited == 0)
        let late = figures([story[2], story[0]])
        #expect(abs(Double(late.delivery.max) - 2e9) < 2e6 && late.awaited == 0 && late.oldestAwaited == nil)
    }

    @Test func `count each token of a call once, and nothing of other runs or without its marker`() {
        let known = figures([
            call(1, at: 0), push(1, at: 100), push(1, at: 200, token: "bb"), push(1, at: 300, token: "bb"),
            push(2, at: 100, run: 8),
        ])
        #expect(known.delivery.count == 2)
        #expect(known.readTo == at(300))
    }

    @Test func `await what was taken and owes a push, the oldest of it first`() {
        let known = figures([
            call(1, at: 0), call(2, at: 10), call(3, at: 20, kind: 1), call(4, at: 30, status: 500),
            call(5, at: 40, status: 0, failure: .timeout), call(6, at: 50, failure: .dropped), push(1, at: 60),
        ])
        #expect(known.awaited == 1 && known.oldestAwaited == at(10))
        #expect(known.events == 6 && known.failed == 2 && known.dropped == 1)
    }

    @Test func `await nothing behind which a later call of its session has come, whichever is told of first`() {
        func step(_ step: UInt32, _ entry: JournalEntry) -> JournalEntry {
            switch entry {
            case .event(var event):
                event.step = step
                return .event(event)
            case .push(var push):
                push.marker?.step = step
                return .push(push)
            default: return entry
            }
        }
        let calls = [step(1, call(1, at: 0)), step(2, call(1, at: 10)), step(3, call(1, at: 20)), call(2, at: 5)]
        #expect(figures(calls).awaited == 4)
        let come = step(2, push(1, at: 30))
        for entries in [calls + [come], [come] + calls] {
            let known = figures(entries)
            #expect(known.awaited == 2 && known.oldestAwaited == at(5) && known.delivery.count == 1)
        }
        // What had been let go of before does not come back.
        #expect(figures(calls + [come, step(3, push(1, at: 40)), push(2, at: 50)]).awaited == 0)
    }

    @Test func `leave the warm-up out of what gates see, but for what they count of all`() {
        var terms = Self.terms
        terms.measuredFrom = at(1_000)
        let known = figures([call(1, at: 0), push(1, at: 5_000), call(2, at: 2_000), push(2, at: 2_100)], terms)
        #expect(known.delivery.count == 2 && known.measuredDelivery[0]?.count == 1 && known.answer.count == 1)
        #expect(known.lateness.count == 1 && known.events == 2)
        #expect((known.measuredDelivery[0]?.max ?? 0) < 200_000_000)
        let correlation = known.correlation(["progress", "quiet"])
        #expect(correlation.deliveryByKind["progress"]?.count == 1 && correlation.delivery.count == 1 && correlation.events == 2)
    }

    @Test func `are bounded: the oldest make room, and what was let go of is counted`() {
        var entries: [JournalEntry] = []
        for session in 0..<UInt32(1_000) { entries.append(call(session, at: Int64(session))) }
        let known = figures(entries, most: 10)
        #expect(known.awaited == 10 && known.forgotten == 990 && known.oldestAwaited == at(990))
        // A push of one that is gone is none that can be joined.
        let late = figures(entries + [push(3, at: 2_000)], most: 10)
        #expect(late.delivery.count == 0 && late.awaited == 9)
    }
}
