// How a scenario becomes a search: its goals, its loads, and what is refused before anything starts.

import Basics
import Capacity
import Planning
import Scenarios
import Testing
import Verdicts

@testable import Harness

@Suite("A search is made of a scenario")
struct FindPlanTests {
    private func scenario(_ overrides: [(path: String, value: String)] = []) throws -> Scenario {
        try Place.scenario("capacity", overrides)
    }

    @Test("whose load has the wanted events in each measured second", arguments: [40.0, 200, 1_000])
    func load(rate: Double) throws {
        let plan = try FindPlan(try scenario(), axis: .events)
        #expect(plan.longest > 3 && plan.longest < 9 && plan.warmUp >= plan.longest)
        let trial = try scenario(plan.overrides(rate: rate, seconds: 10))
        let summary = Plan(scenario: trial, seed: Seed(7), run: 1).summary
        let first = Int(plan.warmUp)
        #expect(summary.eventsPerSecond.count == first + 10 || summary.eventsPerSecond.count == first + 11)
        let measured = summary.eventsPerSecond[first..<first + 10]
        let mean = Double(measured.reduce(0, +)) / 10
        #expect(abs(mean / rate - 1) < 0.06, "\(mean)")
        #expect(trial.phases.warmUp == .seconds(plan.warmUp))
    }

    @Test("also where few sessions make most of the calls")
    func branches() throws {
        let call = try #require(try scenario().relay.profile.calls.first { $0.neededCaptures.isEmpty && !$0.needsPhoneToken }).name
        let many = "{ call: \(call), every: 10ms, count: 20 }"
        let arms = "[{ weight: 19, steps: [] }, { steps: [\(many)] }]"
        let script = "{ steps: [{ call: \(call) }, { oneOf: \(arms) }] }"
        let plan = try FindPlan(
            try scenario([("workload.scripts", "[{ script: \(script) }]")]), axis: .events)
        #expect(abs(plan.eventsPerSession - 2) < 0.04, "\(plan.eventsPerSession)")
    }

    @Test("or as many sessions at once")
    func sessions() throws {
        let plan = try FindPlan(try scenario(), axis: .sessions)
        let trial = try scenario(plan.overrides(rate: 300, seconds: 10))
        let peak = Plan(scenario: trial, seed: Seed(7), run: 1).summary.peakSessions
        #expect(abs(Double(peak) / 300 - 1) < 0.1, "\(peak)")
        #expect(abs(plan.events(at: 300) - plan.arrivals(at: 300) * plan.eventsPerSession) < 1e-9)
    }

    @Test("goals are gates of one name, and gates without a name belong to each")
    func goals() throws {
        let scenario = try scenario()
        let both = try FindGoals(
            ["fast: delivery.p99 < 1s", "slow: delivery.p99 < 5s", "late.rate < 1%"], scenario: scenario, keepsRelay: true)
        #expect(both.goals.map(\.name) == ["fast", "slow"])
        #expect(both.gates.map { $0.map(\.text) } == [
            ["late.rate < 1%", "delivery.p99 < 1s"], ["late.rate < 1%", "delivery.p99 < 5s"],
        ])
        #expect(both.common.map(\.text) == [FindGoals.slope, "errors.rate <= 0.1%", "lost.rate <= 0.1%"])
        #expect(both.texts.count == 6)
        let own = try FindGoals(["lost == 0", "backlog.slope < 0.05"], scenario: scenario, keepsRelay: true)
        #expect(own.common.map(\.text) == ["errors.rate <= 0.1%"], "the user's own take their place")
        #expect(try FindGoals(["delivery.p999 < 1s"], scenario: scenario, keepsRelay: true).fewestSamples > 2_000)
    }

    @Test("what contradicts itself, or has nothing to measure, is told before anything starts", arguments: [
        ("relay.cpu < 1", "relay's process"), ("delivery.nothing.p99 < 1s", "no call"), ("bad", "no comparison"),
    ])
    func refusals(gate: String, words: String) throws {
        let failure = #expect(throws: Failure.self) { try FindGoals([gate], scenario: try scenario(), keepsRelay: true) }
        #expect(failure.map { "\($0)" }?.contains(words) == true, "\(String(describing: failure))")
    }

    @Test("terms that contradict each other are one line")
    func terms() throws {
        func refuses(_ turn: (inout FindOptions) throws -> Void, _ words: String) {
            var options = FindOptions(scenarioPath: "s")
            let failure = #expect(throws: Failure.self) { try turn(&options) }
            #expect(failure.map { "\($0)" }?.contains(words) == true, "\(String(describing: failure))")
        }
        func read(_ from: String? = nil, to: String? = nil, trial: String? = nil, sum: String? = nil, confirm: String? = nil,
            budget: String? = nil, width: String? = nil, atLeast: String? = nil) -> (inout FindOptions) throws -> Void {
            { options in
                try options.readTerms(
                    from: from, to: to, width: width, trial: trial, sum: sum, exceed: nil, confirm: confirm, budget: budget,
                    atLeast: atLeast)
            }
        }
        refuses(read("100", to: "50"), "--from is above --to")
        refuses(read("-1"), "--from -1 is no load")
        refuses(read(trial: "3s"), "--trial 3s is no time from 7 s")
        refuses(read(trial: "30s", sum: "20s"), "--sum is shorter")
        refuses(read(confirm: "2s"), "--confirm is shorter")
        refuses(read(width: "80%"), "--width 80% is no share")
        refuses(read(to: "500", atLeast: "900"), "--at-least is above --to")
        var options = FindOptions(scenarioPath: "s")
        try read("100/s", to: "5000", trial: "8s", sum: "24s", confirm: "0s", budget: "1h", width: "5%", atLeast: "200")(&options)
        #expect(options.terms.from == 100 && options.terms.width == 0.05 && options.terms.budget == 3_600 && options.atLeast == 200)

        let scenario = try scenario()
        let plan = try FindPlan(scenario, axis: .events)
        var short = CapacityTerms()
        short.budget = 20
        let none = try FindGoals([], scenario: scenario, keepsRelay: true)
        #expect(throws: Failure.self) { try FindCheck.check(short, plan, none) }
        let many = try FindGoals(["delivery.p999 < 1s"], scenario: scenario, keepsRelay: true)
        #expect(throws: Failure.self) { try FindCheck.check(CapacityTerms(), plan, many) }
        try FindCheck.check(CapacityTerms(), plan, none)
        let restarted = try self.scenario([("relay.restarts", "[{ at: 2s }]")])
        #expect(throws: Failure.self) { try FindCheck.check(restarted, FindOptions(scenarioPath: "s")) }
        var fast = scenario
        fast.clockScale = 2
        #expect(throws: Failure.self) { try FindCheck.check(fast, FindOptions(scenarioPath: "s")) }
        try FindCheck.check(scenario, FindOptions(scenarioPath: "s"))
    }
}
