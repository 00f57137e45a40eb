// A plan is a pure function of scenario, seed, run and shard.

import Basics
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

struct PlanTests {
    private let random = [
        Knobs.step(0, .at(.uniform(0, 1))),
        Knobs.step(
            3, .after(.exponential(mean: 2)),
            repeating: Repetition(every: .uniform(1, 3), limit: .count(.uniform(2, 9)))),
        Knobs.step(4, .after(.logNormal(median: 10, p95: 60)), probability: 0.5, text: ["a", "b", "c"]),
    ]

    @Test func `the same seed gives the same plan`() {
        let scenario = Knobs.scenario(steps: random)
        let one = Knobs.plan(scenario, seed: 5)
        let other = Knobs.plan(scenario, seed: 5)
        #expect(one.digest() == other.digest())
        #expect(one.session(7).events == other.session(7).events)
        #expect(one.session(7).identity == other.session(7).identity)
    }

    @Test func `another seed gives another plan`() {
        let scenario = Knobs.scenario(steps: random)
        #expect(Knobs.plan(scenario, seed: 5).digest() != Knobs.plan(scenario, seed: 6).digest())
    }

    @Test func `the digest is the same on every machine`() {
        #expect(Knobs.plan().digest() == "668ed777f3c25cb3")
    }

    @Test func `the run changes tokens and not the schedule`() {
        let one = Knobs.plan(Knobs.scenario(steps: random), run: 1)
        let other = Knobs.plan(Knobs.scenario(steps: random), run: 2)
        #expect(one.digest() == other.digest())
        #expect(one.session(0).identity.deviceToken != other.session(0).identity.deviceToken)
    }

    @Test func `a different choice of values changes the digest`() {
        let one = Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)), text: ["a"])])
        let two = Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)), text: ["a", "b"])])
        #expect(Knobs.plan(one).digest() != Knobs.plan(two).digest())
    }

    @Test func `steps happen at their times`() {
        let session = Knobs.plan().session(3)
        #expect(session.start == .milliseconds(300))
        #expect(session.seconds == [0, 1, 3, 5, 15, 25, 35, 45, 60, 61])
        #expect(session.events.map(\.call) == [0, 1, 2, 3, 3, 3, 3, 3, 4, 5])
        #expect(session.events.map(\.step) == Array(0..<10))
        #expect(session.events.map(\.scriptStep) == [0, 1, 2, 3, 3, 3, 3, 3, 4, 5])
    }

    @Test func `an absolute time that has passed means now`() {
        let steps = [Knobs.step(0, .at(.constant(10))), Knobs.step(1, .at(.constant(4)))]
        #expect(Knobs.plan(Knobs.scenario(steps: steps)).session(0).seconds == [10, 10])
    }

    @Test func `pace divides the times of scripts but not of arrivals`() {
        let session = Knobs.plan(Knobs.scenario(pace: 10)).session(3)
        #expect(session.start == .milliseconds(300))
        #expect(session.seconds == [0, 0.1, 0.3, 0.5, 1.5, 2.5, 3.5, 4.5, 6, 6.1])
    }

    @Test func `a repetition ends before its end`() {
        let steps = [
            Knobs.step(
                3, .at(.constant(10)), repeating: Repetition(every: .constant(10), limit: .until(.constant(40)))),
            Knobs.step(4, .after(.constant(1))),
        ]
        #expect(Knobs.plan(Knobs.scenario(steps: steps)).session(0).seconds == [10, 20, 30, 31])
    }

    @Test func `a repetition of none does not move the clock`() {
        let none = Repetition(every: .constant(10), limit: .count(.constant(0)))
        let past = Repetition(every: .constant(10), limit: .until(.constant(5)))
        let steps = [
            Knobs.step(0, .at(.constant(1))), Knobs.step(3, .after(.constant(50)), repeating: none),
            Knobs.step(3, .at(.constant(50)), repeating: past), Knobs.step(4, .after(.constant(1))),
        ]
        #expect(Knobs.plan(Knobs.scenario(steps: steps)).session(0).seconds == [1, 2])
    }

    @Test func `a repetition without a gap still has one of a millisecond`() {
        let steps = [
            Knobs.step(3, .at(.constant(0)), repeating: Repetition(every: .constant(0), limit: .until(.constant(0.01))))
        ]
        #expect(Knobs.plan(Knobs.scenario(steps: steps)).session(0).events.count == 10)
    }

    @Test func `a session without end is cut off`() {
        let steps = [
            Knobs.step(3, .at(.constant(0)), repeating: Repetition(every: .constant(0), limit: .until(.constant(1e9))))
        ]
        let plan = Knobs.plan(Knobs.scenario(steps: steps, maxSessions: 1))
        #expect(plan.session(0).events.count == Int(SessionCursor.maxEvents))
    }

    @Test func `a step is left out as often as its probability says`() {
        let steps = [Knobs.step(0, .at(.constant(1)), probability: 0.3), Knobs.step(1, .after(.constant(1)))]
        let plan = Knobs.plan(
            Knobs.scenario(arrivals: [.constant(rate: 1_000, duration: .seconds(10))], steps: steps))
        let both = (0..<10_000).filter { plan.session($0).events.count == 2 }.count
        #expect(2_850...3_150 ~= both)
        // Left out, it does not move the clock.
        let without = (0..<100).map(plan.session).first { $0.events.count == 1 }
        #expect(without?.seconds == [1])
    }

    @Test func `times follow their distribution`() {
        let steps = [Knobs.step(0, .after(.logNormal(median: 180, p95: 1_500)))]
        let plan = Knobs.plan(
            Knobs.scenario(arrivals: [.constant(rate: 1_000, duration: .seconds(20))], steps: steps))
        let times = (0..<20_000).map { plan.session($0).seconds[0] }.sorted()
        #expect(abs(times[10_000] / 180 - 1) < 0.05)
        #expect(abs(times[19_000] / 1_500 - 1) < 0.08)
    }

    @Test func `scripts are drawn by weight`() {
        let scripts = [3.0, 1.0].map { weight in
            WeightedScript(weight: weight, script: SessionScript(name: "s", steps: Knobs.steps))
        }
        let plan = Knobs.plan(
            Knobs.scenario(arrivals: [.constant(rate: 1_000, duration: .seconds(10))], scripts: scripts))
        let first = (0..<10_000).filter { plan.session($0).script == 0 }.count
        #expect(7_350...7_650 ~= first)
    }

    @Test func `the summary counts what the sessions hold`() {
        let summary = Knobs.plan().summary
        #expect(summary.sessions == 20)
        #expect(summary.events == 200)
        #expect(summary.duration == .milliseconds(62_900))
        #expect(summary.eventsByCall.map(\.count) == [20, 20, 20, 100, 20, 20])
        #expect(summary.eventsPerSecond.reduce(0, +) == 200)
        #expect(summary.eventsPerSecond[0] == 10)
        #expect(summary.peakSessions == 20)
        // Per session one start, five updates, one alert, one end.
        #expect(summary.expectedPushes == 20 * 8)
    }

    @Test func `sessions that are over do not count for the peak`() {
        let steps = [Knobs.step(0, .at(.constant(0))), Knobs.step(1, .at(.constant(0.25)))]
        #expect(Knobs.plan(Knobs.scenario(steps: steps)).summary.peakSessions == 3)
    }

    @Test func `a script without events plans nothing`() {
        let plan = Knobs.plan(Knobs.scenario(steps: [Knobs.step(0, .at(.constant(0)), probability: 0)]))
        #expect(plan.sessionCount == 20)
        #expect(plan.eventCount == 0)
        #expect(plan.duration == .zero)
    }

    @Test(arguments: [1, 3]) func `shards deal every session exactly once, and whole users`(sessionsPerUser: Int) {
        let scenario = Knobs.scenario(
            arrivals: [.constant(rate: 101, duration: .seconds(1))], sessionsPerUser: sessionsPerUser)
        let whole = Knobs.plan(scenario)
        var seen: [UInt32: PlannedSession] = [:]
        var ownerOfToken: [String: Int] = [:]
        for index in 0..<4 {
            let part = Knobs.plan(scenario, shard: Shard(index: index, count: 4))
            for session in (0..<part.sessionCount).map(part.session) {
                #expect(seen.updateValue(session, forKey: session.index) == nil)
                let owner = ownerOfToken[session.identity.deviceToken, default: index]
                #expect(owner == index)
                ownerOfToken[session.identity.deviceToken] = index
            }
        }
        #expect(seen.count == 101)
        for index in 0..<101 {
            let session = whole.session(index)
            #expect(seen[session.index]?.events == session.events)
            #expect(seen[session.index]?.identity == session.identity)
        }
    }

    @Test func `the peak is of sessions between their first and last event, whenever they begin`() {
        let steps = [Knobs.step(0, .at(.uniform(0, 100))), Knobs.step(1, .after(.constant(2)))]
        let plan = Knobs.plan(Knobs.scenario(arrivals: [.constant(rate: 500, duration: .seconds(1))], steps: steps))
        let spans = (0..<plan.sessionCount).map { plan.session($0).events.map(\.at) }
        let most = spans.map { own in spans.count { $0[0] <= own[0] && own[0] <= $0[1] } }.max()
        #expect(plan.summary.peakSessions == most && most ?? 0 > 5)
    }
}
