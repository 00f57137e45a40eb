// A relay that asks for patience, and one that says in the body what its status does not.

import Basics
import Journal
import Net
@testable import LoadGenerator
import PlanKnobs
import Scenarios
import Testing

@Suite(.serialized)
struct RetryTests {
    private func scenario(_ rules: [AnswerRule], _ change: (inout RetrySpec) -> Void = { _ in }) -> Scenario {
        var scenario = Knobs.scenario(arrivals: [.constant(rate: 200, duration: .seconds(0.1))], pace: 1_000)
        for index in scenario.relay.profile.calls.indices { scenario.relay.profile.calls[index].answers = rules }
        scenario.relay.profile.retries.wait = .milliseconds(1)
        change(&scenario.relay.profile.retries)
        return scenario
    }

    private static let throttled = AnswerRule(statuses: [429, 503], meaning: .throttled)

    @Test func `who is told to wait tries again, in order, and is answered in the end`() throws {
        let relay = try TinyRelay(.refusesTimes(2, 429))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario([Self.throttled])), at: relay.origin)
        #expect(drive.isDone && drive.isWhole)
        #expect(drive.snapshot.answered == 200 && drive.snapshot.unexpectedStatus == 0 && relay.requests.count == 600)
        #expect(drive.snapshot.throttled == 400 && drive.snapshot.triedAgain == 400)
        #expect(drive.events.allSatisfy { $0.status == 200 && $0.failure == 0 && $0.attempts == 1 })
        // The next event of a session leaves only when the one before it was taken.
        for session in drive.sessions {
            for (a, b) in zip(session, session.dropFirst()) { #expect(a.answeredAt <= b.sentAt) }
        }
        #expect(drive.notes.count(where: { $0.retry?.isThrottled == true && $0.retry?.status == 429 }) == 400)
    }

    @Test func `patience ends, and the event has failed by name`() throws {
        let relay = try TinyRelay(.answer(503))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario([Self.throttled])), at: relay.origin)
        #expect(drive.isWhole && relay.requests.count == 800)
        #expect(drive.events.allSatisfy { $0.status == 503 && $0.failure == EventFailure.throttled.rawValue })
        #expect(drive.snapshot.failures(of: .throttled) == 200 && drive.snapshot.throttled == 800)
        #expect(drive.snapshot.triedAgain == 600)
    }

    @Test func `the seconds of the body count, and a longer wait than ours is none`() throws {
        let place = JSONPointerPath("/wait")
        let rule = AnswerRule(statuses: [200], pointer: place, meaning: .throttled, wait: place)
        let relay = try TinyRelay(.says(#"{"wait":0.002}"#))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario([rule])), at: relay.origin)
        #expect(drive.isWhole && drive.snapshot.triedAgain == 600)
        #expect(drive.notes.compactMap(\.retry).allSatisfy { $0.wait == .milliseconds(2) })
        let impatient = try Drive(Knobs.plan(scenario([rule]) { $0.longest = .milliseconds(1) }), at: relay.origin)
        #expect(impatient.isWhole && impatient.snapshot.triedAgain == 0 && impatient.snapshot.failures(of: .throttled) == 200)
    }

    @Test(arguments: [
        ("FAIL", EventFailure.answeredNo, 1), ("REMOVE", .pruned, 1), ("LATER", .answeredNo, 2), ("OK", .none, 1),
        ("?", .none, 1),
    ])
    func `what the body says counts where the status is always 200`(word: String, failure: EventFailure, tries: Int) throws {
        func rule(_ value: String, _ meaning: AnswerRule.Meaning) -> AnswerRule {
            AnswerRule(statuses: [200], pointer: JSONPointerPath("/status"), values: [value], meaning: meaning)
        }
        let rules = [rule("OK", .ok), rule("FAIL", .permanent), rule("REMOVE", .pruned), rule("LATER", .retry)]
        let relay = try TinyRelay(.says(#"{"status":"\#(word)"}"#))
        defer { relay.stop() }
        let drive = try Drive(Knobs.plan(scenario(rules) { $0.most = 1 }), at: relay.origin)
        #expect(drive.isWhole && relay.requests.count == 200 * tries)
        #expect(drive.events.allSatisfy { $0.failure == failure.rawValue && $0.status == 200 && Int($0.attempts) == tries })
        #expect(drive.snapshot.throttled == 0 && drive.snapshot.triedAgain == 200 * (tries - 1))
    }

    @Test func `what still waits when the load ends is on record`() throws {
        let relay = try TinyRelay(.answer(429))
        defer { relay.stop() }
        let patient = scenario([Self.throttled]) { $0.wait = .seconds(50) }
        let drive = try Drive(Knobs.plan(patient), at: relay.origin, timeout: .seconds(1))
        #expect(!drive.isDone && drive.events.count == 20)
        #expect(drive.events.allSatisfy { $0.failure == EventFailure.throttled.rawValue && $0.status == 429 })
        #expect(drive.snapshot.inFlight == 0 && drive.snapshot.answered == 20)
    }

    @Test func `dates are read as HTTP writes them`() {
        #expect(WallTime(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")?.seconds == 784_111_777)
        for text in [
            "", "Sun, 06 Nov 1994 08:49:37", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
        ] {
            #expect(WallTime(httpDate: text) == nil)
        }
    }
}
