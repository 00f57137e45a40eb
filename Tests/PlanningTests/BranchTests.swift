// Branches, waits and measured times in a plan: drawn by weight, from the seed alone, and nothing else moves.

import Basics
import Metrics
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

@Suite("Branches of a plan")
struct BranchTests {
    /// Register at 0; three in four: wait 2 s, progress twice; one in four: wait 5 s, complete. Then unregister after 1 s.
    private static func script(probability: Double = 1, wait: Distribution = .constant(2)) -> SessionScript {
        SessionScript(
            name: "ways",
            steps: [
                Knobs.step(0, .at(.constant(0))),
                Knobs.step(
                    3, .after(.constant(0)), repeating: Repetition(every: .constant(1), limit: .count(.constant(2)))),
                Knobs.step(4, .after(.constant(0))), Knobs.step(5, .after(.constant(1))),
            ],
            moves: [
                .step(0),
                .branch([ScriptArm(weight: 3, first: 2), ScriptArm(weight: 1, first: 5)], probability: probability, end: 8),
                .wait(wait, probability: 1), .step(1), .jump(8), .wait(.constant(5), probability: 1), .step(2), .jump(8),
                .step(3),
            ])
    }

    private static func plan(_ script: SessionScript, pace: Double = 1, sessions: Int = 20, seed: UInt64 = 1) -> Plan {
        Knobs.plan(
            Knobs.scenario(
                arrivals: [.constant(rate: Double(sessions), duration: .seconds(1))],
                scripts: [WeightedScript(weight: 1, script: script)], pace: pace), seed: seed)
    }

    @Test("A session plays one arm, and then what stands behind the branch")
    func arms() {
        let plan = Self.plan(Self.script(), sessions: 4_000)
        var counts = [0, 0]
        for index in 0..<plan.sessionCount {
            let session = plan.session(index)
            let isFirst = session.events[1].call == 3
            counts[isFirst ? 0 : 1] += 1
            #expect(session.seconds == (isFirst ? [0, 2, 3, 4] : [0, 5, 6]))
            #expect(session.events.map(\.scriptStep) == (isFirst ? [0, 1, 1, 3] : [0, 2, 3]))
            #expect(session.events.map(\.step) == Array(0..<UInt32(session.events.count)))
        }
        #expect(2_880...3_120 ~= counts[0], "\(counts)")
        #expect(plan.eventCount == counts[0] * 4 + counts[1] * 3)
        #expect(plan.digest() == Self.plan(Self.script(), sessions: 4_000).digest())
        #expect(plan.digest() != Self.plan(Self.script(), sessions: 4_000, seed: 2).digest())
    }

    @Test("Scripts are played in turn where they are not drawn")
    func inTurn() {
        var scenario = Knobs.scenario(
            arrivals: [.constant(rate: 20, duration: .seconds(1))],
            scripts: (0..<3).map { _ in WeightedScript(weight: 1, script: Self.script()) })
        scenario.workload.draw = .inTurn
        let plan = Knobs.plan(scenario, seed: 1)
        #expect((0..<plan.sessionCount).map { plan.cursor($0).script } == (0..<20).map { UInt16($0 % 3) })
    }

    @Test("or none, as often as its probability says")
    func none() {
        let plan = Self.plan(Self.script(probability: 0.3), sessions: 4_000)
        let none = (0..<plan.sessionCount).count { plan.session($0).seconds == [0, 1] }
        #expect(2_700...2_900 ~= none, "\(none)")
    }

    @Test("Pace divides waits, measured ones too")
    func pace() {
        let measured = Self.script(wait: .measured(MeasuredValues([2, 6])))
        let plan = Self.plan(measured, pace: 2, sessions: 200)
        let seconds = Set((0..<plan.sessionCount).map { plan.session($0).seconds })
        #expect(seconds == [[0, 1, 1.5, 2], [0, 3, 3.5, 4], [0, 2.5, 3]])
    }

    @Test("A scenario without branches has the plan that it had before there were any")
    func steps() throws {
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile:
                topic: com.example.app
                calls:
                  one: { path: /one, variables: { text: a }, json: { text: "{{text}}" } }
                  two: { path: /two }
            workload:
              arrivals: [{ rate: 100, for: 2s }]
              scripts:
                - weight: 2
                  script:
                    steps:
                      - { call: two, at: { uniform: [0s, 1s] }, probability: 0.7 }
                      - { call: one, after: { exponential: 2s }, every: { uniform: [1s, 3s] }, count: { uniform: [2, 9] } }
                      - call: one
                        after: { logNormal: { median: 10s, p95: 60s } }
                        probability: 0.5
                        with: { text: [a, b, c] }
                - script: { steps: [{ call: two, every: { exponential: 1s }, until: { uniform: [2s, 9s] } }] }
            """
        let plan = Knobs.plan(try Scenario.parse(text: text, path: "old.yaml"), seed: 5)
        #expect(plan.eventCount == 1_259 && plan.digest() == "f6fddb155e216bd2")
    }

    @Test("Draws without references are those of the distribution, one for one")
    func draws() {
        let all: [Distribution] = [
            .constant(3), .uniform(1, 2), .exponential(mean: 4), .normal(mean: 1, deviation: 3),
            .logNormal(median: 2, p95: 9), .measured(MeasuredValues([1, 4, 9]), divisor: 2),
        ]
        let steps = all.map { Knobs.step(0, .after($0)) }
        let workload = Self.plan(SessionScript(name: "all", steps: steps)).workload
        var (one, other) = (Seed(7).generator(), Seed(7).generator())
        for _ in 0..<50 {
            for (distribution, move) in zip(all, workload.table.moves) {
                guard case .step(let step) = move else { continue }
                #expect(step.time.sample(&one, workload) == distribution.sample(&other))
            }
        }
    }

    @Test("What a script may call is asked of all its arms")
    func calls() {
        let plan = Self.plan(Self.script())
        let calls = Self.script().calls(plan.scenario.relay.profile).map(\.name)
        #expect(calls == ["register", "progress", "complete", "unregister"])
        // The pushes of the arm that is played are owed, and no others.
        for index in 0..<plan.sessionCount {
            let account = plan.account(index, origin: Instant(nanoseconds: 0))
            let progressed = plan.session(index).events[1].call == 3
            #expect(account.calls.map { Int($0.kind) } == (progressed ? [0, 3, 3, 5] : [0, 4, 5]))
            #expect(account.rows.allSatisfy { ($0.kind == 3) == progressed }, "session \(index)")
        }
    }
}
