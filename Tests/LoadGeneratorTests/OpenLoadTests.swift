// The load stays open and in order whatever the relay does, and ours and theirs are told apart.

import Basics
import Journal
import Metrics
import Net
import PlanKnobs
import Planning
import Scenarios
import Testing

@testable import LoadGenerator

@Suite("Open, ordered load", .serialized, .timeLimit(.minutes(10)))
struct OpenLoadTests {
    /// A whole session in 61 ms, 20 sessions in a tenth of a second: 200 events.
    private func scenario(
        _ order: Profile.Order = .answered, http: Profile.HTTPVersion = .http1, requestTimeout: Interval = .seconds(10)
    ) -> Scenario {
        Knobs.scenario(
            arrivals: [.constant(rate: 200, duration: .seconds(0.1))], pace: 1_000, order: order, http: http,
            requestTimeout: requestTimeout)
    }

    // MARK: Order

    @Test("An event leaves when the one before it was answered, and that wait is not ours", arguments: [1, 2])
    func answered(loops: Int) throws {
        let relay = try TinyRelay(.late(.milliseconds(20)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario()), at: relay.origin, loops: loops)
        #expect(drive.isDone && drive.isWhole && drive.snapshot.answered == 200)
        #expect(drive.snapshot.overlapped == 0 && drive.snapshot.inverted == 0 && drive.snapshot.dropped == 0)
        #expect(relay.steps.count == 20 && relay.steps.values.allSatisfy { $0 == Array(0..<10) })
        for events in drive.sessions {
            for (earlier, event) in zip(events, events.dropFirst()) {
                #expect(event.sentAt >= earlier.answeredAt)
                #expect(event.lateness <= event.sentAt - max(event.plannedAt, earlier.answeredAt))
            }
            #expect(events[0].lateness <= events[0].sentAt - events[0].plannedAt)
            // Ten answers of 20 ms one after the other, the last planned after 61 ms: the rest is the relay's.
            #expect(events[9].answeredAt - events[9].plannedAt > .milliseconds(130))
        }
        #expect(drive.usualLateness < .milliseconds(20))
    }

    @Test("The events that waited are those of the plan, with their own instants")
    func computedAgain() throws {
        let relay = try TinyRelay(.late(.milliseconds(20)))
        defer { relay.stop() }
        let plan = Knobs.plan(scenario())
        let drive = try Drive(plan, at: relay.origin)
        let planned = (0..<20).flatMap { plan.session($0).events }
        let wanted = Set(planned.map { [Int64($0.session), Int64($0.step), Int64($0.call), $0.at.nanoseconds] })
        let found = drive.events.map {
            [Int64($0.session), Int64($0.step), Int64($0.kind), ($0.plannedAt - drive.origin).nanoseconds]
        }
        #expect(found.count == 200 && Set(found) == wanted)
        #expect(relay.requests.count { $0.path == "/v1/progress" } == 100)
    }

    @Test("An event follows one that timed out too")
    func afterTimeout() throws {
        let relay = try TinyRelay(.silence)
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario(requestTimeout: .milliseconds(100))), at: relay.origin, window: 20)
        #expect(drive.isDone && drive.isWhole)
        // Twenty sessions have one event each on the wire: the window never fills, so nothing is dropped.
        #expect(drive.snapshot.failures(of: .timeout) == 200 && drive.snapshot.dropped == 0)
        #expect(drive.snapshot.sent == 200)
        #expect(relay.steps.values.allSatisfy { $0 == Array(0..<10) })
        #expect(drive.events.allSatisfy { $0.failure == EventFailure.timeout.rawValue && $0.sentAt >= $0.plannedAt })
        #expect(drive.events.allSatisfy { $0.answeredAt.nanoseconds == 0 && $0.status == 0 && $0.answer.isEmpty })
    }

    @Test("What finds the window full is dropped, is ours, and holds nobody up")
    func dropped() throws {
        let relay = try TinyRelay(.late(.milliseconds(50)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario()), at: relay.origin, window: 3)
        #expect(drive.isDone && drive.isWhole && drive.snapshot.dropped > 0 && drive.snapshot.answered > 0)
        #expect(drive.events.allSatisfy { $0.plannedAt >= drive.origin })
        #expect(relay.steps.values.allSatisfy { $0 == $0.sorted() })
        let dropped = drive.events.filter { $0.failure == EventFailure.dropped.rawValue }
        #expect(dropped.allSatisfy { $0.sentAt.nanoseconds == 0 && $0.answeredAt.nanoseconds == 0 })
    }

    @Test("On one stream of frames events do not wait, and arrive in order on one connection")
    func stream() throws {
        let relay = try TinyRelay(.late(.milliseconds(100)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario(.stream, http: .http2)), at: relay.origin, connections: 4)
        #expect(drive.isWhole && drive.snapshot.answered == 200)
        #expect(drive.snapshot.overlapped > 0 && drive.snapshot.inverted == 0)
        #expect(drive.snapshot.connections > 1 && drive.snapshot.connections <= 4)
        #expect(relay.steps.values.allSatisfy { $0 == Array(0..<10) })
        let ways = Dictionary(grouping: relay.requests, by: { $0.event?.session })
        #expect(ways.values.allSatisfy { Set($0.map(\.connection)).count == 1 })
    }

    @Test("An event that is handed over after a later one of its session is counted")
    func inverted() throws {
        let relay = try TinyRelay(.refusesFirst(.milliseconds(200)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario(.stream, http: .http2)), at: relay.origin, connections: 4)
        #expect(drive.snapshot.answered == 200 && drive.snapshot.sentAgainUnprocessed == 20)
        #expect(drive.snapshot.inverted == 20 && drive.snapshot.sent == 200)
    }

    // MARK: A slow relay

    @Test("A relay that answers late is late by itself", arguments: Profile.Order.allCases)
    func late(order: Profile.Order) throws {
        let relay = try TinyRelay(.late(.milliseconds(300)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario(order, http: .http2)), at: relay.origin)
        #expect(drive.isWhole && drive.snapshot.answered == 200)
        #expect(drive.snapshot.waitedForConnection == 0)
        #expect(drive.usualAnswer > .milliseconds(290))
        #expect(drive.usualLateness < .milliseconds(100))
    }

    @Test("A relay that stops for a second loses nothing of ours and shows a second", arguments: Profile.Order.allCases)
    func stops(order: Profile.Order) throws {
        let relay = try TinyRelay(.stopsOnce(.seconds(1)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario(order, http: .http2)), at: relay.origin)
        #expect(drive.isWhole && drive.snapshot.answered == 200)
        #expect(drive.usualAnswer > .milliseconds(700))
        #expect(drive.usualLateness < .milliseconds(300))
    }

    @Test("A relay that serves one after another makes the others wait, not us")
    func oneByOne() throws {
        let relay = try TinyRelay(.oneByOne(.milliseconds(5)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario()), at: relay.origin)
        #expect(drive.isWhole && drive.snapshot.answered == 200 && drive.snapshot.waitedForConnection == 0)
        #expect(drive.snapshot.connections <= 20)
        // 200 times 5 ms.
        #expect(drive.snapshot.answer.max > 700_000_000)
        #expect(drive.usualLateness < drive.usualAnswer * 0.2)
    }

    @Test("Waiting for a connection beyond the limit is the relay's, counted and measured")
    func limit() throws {
        let relay = try TinyRelay(.oneByOne(.milliseconds(5)))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario()), at: relay.origin, connections: 2)
        let snapshot = drive.snapshot
        #expect(drive.isWhole && snapshot.answered == 200 && snapshot.connections == 2)
        #expect(snapshot.waitedForConnection > 100 && snapshot.connectionWait.count == snapshot.waitedForConnection)
        // Twenty sessions take turns on two connections.
        #expect(snapshot.connectionWait.value(at: 50) > 20_000_000)
        #expect(drive.usualLateness < .milliseconds(20))
        #expect(drive.events.allSatisfy { $0.lateness <= $0.sentAt - $0.plannedAt })
        var totals = TotalsNote()
        snapshot.fill(&totals)
        #expect(totals.waitedForConnection == snapshot.waitedForConnection && totals.loadConnections == 2)
        #expect(totals.longestConnectionWait == .nanoseconds(snapshot.connectionWait.max))
        #expect(totals.planned == 200 && totals.sent == 200 && totals.answered == 200 && totals.sessionsBegun == 20)
    }

    @Test("What gets no connection in time has timed out, unsent, and is the relay's")
    func noConnectionInTime() throws {
        let relay = try TinyRelay(.silence)
        defer { relay.stop() }
        let drive = try Drive(
            Knobs.plan(scenario(.parallel, requestTimeout: .milliseconds(300))), at: relay.origin, connections: 2)
        #expect(drive.isWhole && drive.snapshot.failures(of: .timeout) == 200 && drive.snapshot.dropped == 0)
        let unsent = drive.events.count { $0.sentAt.nanoseconds == 0 }
        #expect(unsent > 100 && drive.snapshot.waitedForConnection >= unsent)
        #expect(drive.usualLateness < .milliseconds(100))
    }

    @Test("A full queue of our pool is ours")
    func poolFull() throws {
        let relay = try TinyRelay(.silence)
        defer { relay.stop() }
        let plan = Knobs.plan(scenario(.parallel, requestTimeout: .milliseconds(800)))
        let drive = try Drive(plan, at: relay.origin) {
            $0.maxConnections = 1
            $0.maxQueued = 3
        }
        #expect(drive.isDone && drive.isWhole)
        #expect(drive.snapshot.dropped >= 190 && drive.snapshot.failures(of: .overloaded) == 0)
        #expect(drive.snapshot.failures(of: .dropped) == drive.snapshot.dropped)
    }

    // MARK: Connections that end

    @Test("An event whose reused connection died without a word is sent once more, on record")
    func reused() throws {
        let relay = try TinyRelay(.closesReused)
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario()), at: relay.origin)
        #expect(drive.isWhole && drive.snapshot.answered == 200)
        let twice = drive.events.count { $0.attempts == 2 }
        #expect(twice > 0 && twice == drive.snapshot.sentTwice && relay.requests.count == 200 + twice)
        #expect(drive.events.allSatisfy { $0.attempts == 1 || $0.attempts == 2 })
        #expect(drive.snapshot.sent == 200 && drive.snapshot.inverted == 0)
    }

    @Test("A proxy that closes idle connections at once costs nothing")
    func idle() throws {
        let relay = try TinyRelay(.closesIdle(.milliseconds(20)))
        defer { relay.stop() }
        let slow = Knobs.scenario(arrivals: [.constant(rate: 50, duration: .seconds(0.4))], pace: 100)
        let drive = try Drive(Knobs.plan(slow), at: relay.origin)
        #expect(drive.isWhole && drive.snapshot.answered == 200 && drive.snapshot.failed == 0)
        #expect(drive.snapshot.connections > 4 && drive.snapshot.sentTwice == drive.events.count { $0.attempts == 2 })
    }

    @Test("What a GOAWAY left out is sent again, which is no second attempt", arguments: Profile.Order.allCases)
    func goAway(order: Profile.Order) throws {
        let relay = try TinyRelay(.goAwayEvery(40))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario(order, http: .http2)), at: relay.origin, connections: 4)
        #expect(drive.isWhole)
        #expect(drive.snapshot.failures == LoadSnapshot().failures)
        #expect(drive.snapshot.sentAgainUnprocessed > 0 && drive.snapshot.sentTwice == 0)
        #expect(drive.events.allSatisfy { $0.attempts == 1 })
    }

    @Test("Two answers to one event are an error of the relay's")
    func twoAnswers() throws {
        let relay = try TinyRelay(.answersTwice)
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario()), at: relay.origin)
        #expect(drive.isWhole && drive.snapshot.failures(of: .protocolError) == 200)
        #expect(drive.snapshot.strayAnswers == 200)
    }

    // MARK: Answers

    @Test("A redirect is no acceptance, unless it is expected", arguments: [301, 302, 307])
    func redirect(status: Int) throws {
        let relay = try TinyRelay(.answer(status))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario()), at: relay.origin)
        #expect(drive.snapshot.unexpectedStatus == 200 && relay.requests.count == 200)
        #expect(drive.events.allSatisfy { Int($0.status) == status })
        #expect(drive.events.allSatisfy { $0.failure == EventFailure.redirected.rawValue })
        let words = "a redirect, which is not followed: it names no location"
        #expect(drive.events.allSatisfy { String(decoding: $0.answer, as: UTF8.self) == words })
        var wanted = scenario()
        for index in wanted.relay.profile.calls.indices {
            wanted.relay.profile.calls[index].expectedStatus = [status]
        }
        let other = try Drive(Knobs.plan(wanted), at: relay.origin)
        #expect(other.snapshot.unexpectedStatus == 0)
        #expect(other.events.allSatisfy { $0.failure == 0 && $0.answer.isEmpty })
    }
}
