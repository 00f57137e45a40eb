// The load generator against real sockets: what it sends, when, and what it puts on record.

import Basics
import EventLoop
import Journal
import Metrics
import Net
import PlanKnobs
import Planning
import Pushes
import Scenarios
import Testing

@testable import LoadGenerator

@Suite(.serialized)
struct LoadServiceTests {
    /// A whole session in 61 ms, 20 sessions in a tenth of a second: 200 events.
    private let scenario = Knobs.scenario(arrivals: [.constant(rate: 200, duration: .seconds(0.1))], pace: 1_000)

    @Test(arguments: [1, 3]) func `every planned event is sent, answered and on record`(loops: Int) throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        let plan = Knobs.plan(scenario)
        let outcome = try Drive(plan, at: relay.origin, loops: loops)
        #expect(outcome.isDone)
        let snapshot = outcome.snapshot
        #expect(snapshot.planned == 200 && snapshot.sent == 200 && snapshot.answered == 200)
        #expect(snapshot.failed == 0 && snapshot.dropped == 0 && snapshot.unexpectedStatus == 0)
        #expect(snapshot.sessionsBegun == 20 && snapshot.sessionsPlanned == 20 && snapshot.activeSessions == 0)
        #expect(snapshot.answersByClass[2] == 200)
        #expect(snapshot.lateness.count == 200 && snapshot.answer.count == 200)
        #expect(outcome.kinds == plan.kinds)

        let planned = (0..<20).flatMap { plan.session($0).events }
        #expect(outcome.events.count == 200)
        let entries = Dictionary(grouping: outcome.events) { UInt64($0.session) << 32 | UInt64($0.step) }
        for event in planned {
            let entry = try #require(entries[UInt64(event.session) << 32 | UInt64(event.step)]?.first)
            #expect(entry.plannedAt == outcome.origin + event.at)
            #expect(entry.sentAt >= entry.plannedAt && entry.answeredAt >= entry.sentAt)
            #expect(Int(entry.kind) == event.call && entry.status == 200 && entry.failure == 0)
        }
    }

    @Test func `the relay is sent what the templates say`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        let plan = Knobs.plan(scenario)
        _ = try Drive(plan, at: relay.origin)
        let seen = relay.requests
        #expect(seen.count == 200)
        let secrets = Set(seen.compactMap { (try? JSONValue(parsing: $0.body))?["secret"]?.string })
        #expect(secrets == Set((0..<20).map { plan.session($0).identity.secret }))
        #expect(seen.filter { $0.path == "/v1/progress" }.count == 100)
    }

    @Test func `HTTP/2 is spoken when the profile says so`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var scenario = scenario
        scenario.relay.profile.httpVersion = .http2
        let snapshot = try Drive(Knobs.plan(scenario), at: relay.origin, connections: 1).snapshot
        #expect(snapshot.answered == 200 && snapshot.failed == 0)
    }

    @Test func `a status of no class is an answer of none of the five`() throws {
        let relay = try TinyRelay(.answer(700))
        defer { relay.stop() }
        var scenario = scenario
        scenario.relay.profile.httpVersion = .http2
        let snapshot = try Drive(Knobs.plan(scenario), at: relay.origin, connections: 1).snapshot
        #expect(snapshot.answered == 200 && snapshot.answersByClass == [200, 0, 0, 0, 0, 0])
    }

    @Test func `events in parallel do not wait for answers`() throws {
        let relay = try TinyRelay(.late(.milliseconds(300)))
        defer { relay.stop() }
        var scenario = scenario
        scenario.relay.profile.order = .parallel
        let outcome = try Drive(Knobs.plan(scenario), at: relay.origin, connections: 400)
        #expect(outcome.snapshot.answered == 200)
        #expect(outcome.snapshot.overlapped == 180)
        // Planned within 156 ms, answered 300 ms later each: done long before 200 × 300 ms.
        let last = try #require(outcome.events.map(\.answeredAt).max())
        #expect(last - outcome.origin < .seconds(2))
        #expect(outcome.snapshot.answer.min >= 290_000_000)
    }

    @Test func `what finds the window full is dropped and on record`() throws {
        let relay = try TinyRelay(.silence)
        defer { relay.stop() }
        var scenario = scenario
        scenario.relay.profile.order = .parallel
        scenario.workload.requestTimeout = .milliseconds(800)
        let outcome = try Drive(Knobs.plan(scenario), at: relay.origin, window: 7, connections: 16)
        let snapshot = outcome.snapshot
        #expect(outcome.isDone && snapshot.isDone)
        #expect(snapshot.planned == 200 && snapshot.sent == 7 && snapshot.dropped == 193 && snapshot.failed == 7)
        #expect(snapshot.failures(of: .dropped) == 193 && snapshot.failures(of: .timeout) == 7)
        #expect(outcome.events.count == 200)
        #expect(
            outcome.events.filter { $0.failure == EventFailure.dropped.rawValue }.allSatisfy {
                $0.sentAt.nanoseconds == 0 && $0.answeredAt.nanoseconds == 0
            })
        #expect(outcome.events.filter { $0.failure == EventFailure.timeout.rawValue }.count == 7)
    }

    @Test func `a relay that is not there fails every event and the run goes on`() throws {
        let outcome = try Drive(Knobs.plan(scenario), at: try TinyRelay.nowhere())
        #expect(outcome.isDone)
        #expect(outcome.snapshot.failed == 200)
        #expect(outcome.snapshot.failures(of: .connect) == 200)
        #expect(outcome.events.allSatisfy { $0.failure == EventFailure.connect.rawValue && $0.status == 0 })
        #expect(outcome.snapshot.sent == 0 && outcome.events.allSatisfy { $0.sentAt.nanoseconds == 0 })
    }

    @Test func `a status the profile does not expect is a failed event`() throws {
        let relay = try TinyRelay(.answer(503))
        defer { relay.stop() }
        let outcome = try Drive(Knobs.plan(scenario), at: relay.origin)
        #expect(outcome.snapshot.answered == 200 && outcome.snapshot.unexpectedStatus == 200)
        #expect(outcome.snapshot.answersByClass[5] == 200)
        #expect(outcome.events.allSatisfy { $0.status == 503 && $0.answeredAt >= $0.sentAt })
        #expect(outcome.events.allSatisfy { $0.failure == EventFailure.unexpectedStatus.rawValue })
        #expect(outcome.events.allSatisfy { $0.answer == Array(#"{"is":503}"#.utf8) })
    }

    @Test func `a start in the past is told as lateness`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        try withFolder { folder in
            let service = try LoadService(
                plan: Knobs.plan(scenario), target: TargetPolicy.loopback(relay.origin), connections: 4, journalDirectory: folder)
            service.start(at: SystemTime().now() - .seconds(2))
            #expect(service.waitUntilDone(timeout: .seconds(10)))
            #expect(service.snapshot().latenessP99 > .seconds(1.5))
            service.stop()
        }
    }

    @Test func `stopped in the middle, it ends at once and its record can be read`() throws {
        let relay = try TinyRelay(.silence)
        defer { relay.stop() }
        try withFolder { folder in
            let service = try LoadService(
                plan: Knobs.plan(Knobs.scenario()), target: TargetPolicy.loopback(relay.origin), connections: 4,
                journalDirectory: folder)
            service.start(at: SystemTime().now())
            #expect(!service.waitUntilDone(timeout: .milliseconds(1_200)))
            #expect(service.snapshot().sent > 0, "what has been done can be seen while it goes on")
            service.stop()
            service.stop()
            let snapshot = service.snapshot()
            #expect(snapshot.sent > 0 && snapshot.failed >= snapshot.sent && snapshot.inFlight == 0)
            #expect(snapshot.planned == snapshot.failed + snapshot.waiting && snapshot.dropped == 0)
            var events = 0
            _ = try JournalReader(directory: folder).forEach(since: nil) { entry in
                if case .event = entry { events += 1 }
                return true
            }
            #expect(events == snapshot.failed)
        }
    }
}
