// A load that is ended before its time: nothing more leaves, and what is under way has its own end.

import Basics
import Journal
import LoadGenerator
import Net
@testable import Planning
import PlanKnobs
import Pushes
import Scenarios
import Testing

@Suite("A load that is ended early", .serialized, .timeLimit(.minutes(10)))
struct EarlyEndTests {
    /// 200 sessions a second for five seconds, each over in 61 ms: 10,000 events.
    private func plan(_ requestTimeout: Interval = .seconds(10)) -> Plan {
        Knobs.plan(
            Knobs.scenario(
                arrivals: [.constant(rate: 200, duration: .seconds(5))], pace: 1_000, requestTimeout: requestTimeout))
    }

    @Test("sends nothing more, and all that was sent has its answer", arguments: [1, 2])
    func answered(loops: Int) throws {
        let relay = try TinyRelay(.late(.milliseconds(60)))
        defer { relay.stop() }
        let start = ContinuousClock.now
        let drive = try Drive(plan(), at: relay.origin, loops: loops, endEarlyAfter: .milliseconds(400))
        #expect(drive.isDone && ContinuousClock.now - start < .seconds(3))
        let load = drive.snapshot
        #expect(load.sent > 20 && load.sent < 3_000 && load.answered == load.sent && load.failed == 0 && load.inFlight == 0)
        #expect(drive.events.count == load.answered && drive.events.allSatisfy { $0.failure == EventFailure.none.rawValue })
        // What was due, and waited for an answer before it, is told as such.
        #expect(load.planned == load.sent + load.waiting)
        let last = drive.events.map(\.sentAt).max() ?? drive.origin
        #expect(last < drive.origin + .milliseconds(900))
    }

    @Test("waits for no longer than its calls do")
    func silent() throws {
        let relay = try TinyRelay(.silence)
        defer { relay.stop() }
        let start = ContinuousClock.now
        let drive = try Drive(plan(.milliseconds(700)), at: relay.origin, endEarlyAfter: .milliseconds(300))
        #expect(drive.isDone && ContinuousClock.now - start < .seconds(3))
        #expect(drive.snapshot.sent > 0 && drive.snapshot.answered == 0 && drive.snapshot.failed == drive.snapshot.sent)
        #expect(drive.events.allSatisfy { $0.failure == EventFailure.timeout.rawValue })
    }
}
