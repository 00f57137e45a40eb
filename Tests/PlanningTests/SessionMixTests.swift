// Events become sessions by one computation, whoever asks.

import Basics
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

@Suite("The mix of a scenario's sessions")
struct SessionMixTests {
    @Test("is a mean by weight, whatever else the workload says")
    func mean() {
        // Ten events in 61 s, and one at once.
        let short = SessionScript(name: "short", steps: [Knobs.step(0, .at(.constant(0)))])
        var scenario = Knobs.scenario(
            scripts: [
                WeightedScript(weight: 1, script: SessionScript(name: "one", steps: Knobs.steps)),
                WeightedScript(weight: 3, script: short),
            ], pace: 2)
        let mix = SessionMix(scenario)
        #expect(mix.eventsPerSession == (10 + 3) / 4.0)
        #expect(mix.longest == 30.5 && mix.meanLength == 30.5 / 4)
        scenario.workload.stopAfter = .seconds(1)
        scenario.workload.pace = 1
        #expect(SessionMix(scenario).eventsPerSession == mix.eventsPerSession)
    }

    @Test("counts what chance leaves out")
    func chance() {
        let steps = [
            Knobs.step(0, .at(.constant(0)), probability: 0.5),
            Knobs.step(3, .after(.constant(1)), repeating: Repetition(every: .constant(1), limit: .count(.uniform(2, 6)))),
        ]
        let mix = SessionMix(Knobs.scenario(steps: steps))
        #expect(abs(mix.eventsPerSession - 4.5) < 0.3)
    }

    @Test("makes the rate of a plan", arguments: [ArrivalSpacing.even, .poisson])
    func plan(spacing: ArrivalSpacing) {
        var scenario = Knobs.scenario(arrivals: [.constant(rate: 100, duration: .seconds(200), of: .events)])
        scenario.workload.spacing = spacing
        let plan = Knobs.plan(scenario)
        #expect(plan.eventsPerSession == 10)
        #expect(spacing == .even ? plan.sessionCount == 2_000 : abs(plan.sessionCount - 2_000) < 180)
        let seconds = plan.summary.eventsPerSecond[70..<190]
        let mean = Double(seconds.reduce(0, +)) / Double(seconds.count)
        #expect(abs(mean / 100 - 1) < (spacing == .even ? 0.01 : 0.1), "\(mean)")
        scenario.workload.pace = 4
        #expect(Knobs.plan(scenario).sessionCount == plan.sessionCount)
        #expect(Knobs.plan(Knobs.scenario()).eventsPerSession == nil)
    }
}
