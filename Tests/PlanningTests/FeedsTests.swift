// Which row a session has, and what its calls say by it: the same in every shard, run and replay.

import Basics
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

@Suite("Rows of feeders")
struct FeedsTests {
    private static func rows(_ count: Int) -> FeedRows {
        var draft = FeedRows.Draft(columns: ["user", "limit"])
        for row in 0..<count {
            draft.add("u\(row)".utf8, .text)
            if row % 2 == 0 { draft.add("\(row)".utf8, .plain) } else { draft.add("".utf8, .null) }
        }
        return draft.finish()
    }

    private static func scenario(
        _ take: FeederSpec.Take = .inOrder, rows count: Int = 3, fed: [FedPart] = [.text([62]), .column(0)], perUser: Int = 1
    ) -> Scenario {
        var value = VariableValue(text: "")
        value.fed = fed
        var steps = [Knobs.step(0, .at(.constant(0))), Knobs.step(3, .after(.constant(1)))]
        for index in steps.indices { steps[index].values = [StepValue(choices: [value])] }
        var scenario = Knobs.scenario(steps: steps, sessionsPerUser: perUser)
        scenario.workload.feeders = [FeederSpec(file: "u.csv", take: take, rows: rows(count), place: "a.yaml:3:5")]
        scenario.relay.profile.feeds = ["limit", "nothing"]
        return scenario
    }

    private static func texts(_ plan: Plan, _ variable: TemplateVariable) -> [UInt32: [String?]] {
        var texts: [UInt32: [String?]] = [:]
        for index in 0..<plan.sessionCount {
            let session = plan.session(index)
            texts[session.index] = session.events.map { plan.text(variable, of: $0, script: session.script) }
        }
        return texts
    }

    @Test("A session has one row from its first event to its last")
    func order() {
        let plan = Knobs.plan(Self.scenario())
        let texts = Self.texts(plan, .own(0))
        #expect((0..<5).map { texts[$0] } == [[">u0", ">u0"], [">u1", ">u1"], [">u2", ">u2"], [">u0", ">u0"], [">u1", ">u1"]])
        // A template that names a column itself; one that no feeder has is null.
        #expect(plan.text(.fed(0), of: plan.session(2).events[1], script: 0) == "2")
        #expect(plan.text(.fed(0), of: plan.session(1).events[0], script: 0) == nil)
        #expect(plan.text(.fed(1), of: plan.session(0).events[0], script: 0) == nil)
        // Alone a column is its value itself.
        let alone = Knobs.plan(Self.scenario(fed: [.column(1)]))
        #expect(Self.texts(alone, .own(0))[1] == [nil, nil] && Self.texts(alone, .own(0))[2] == ["2", "2"])
    }

    @Test("At random the seed decides, and neither shard nor run", arguments: FeederSpec.Take.allCases)
    func shards(take: FeederSpec.Take) throws {
        let scenario = Self.scenario(take, rows: 20)
        let whole = Self.texts(Knobs.plan(scenario), .own(0))
        #expect(Self.texts(Knobs.plan(scenario, run: 9), .own(0)) == whole)
        var parts: [UInt32: [String?]] = [:]
        for index in 0..<3 {
            parts.merge(Self.texts(Knobs.plan(scenario, shard: Shard(index: index, count: 3)), .own(0))) { _, _ in ["twice"] }
        }
        #expect(parts == whole)
        let other = Self.texts(Knobs.plan(scenario, seed: 2), .own(0))
        #expect((other == whole) == (take != .atRandom))
        if take == .once { #expect(Set(whole.values.map { $0[0] }).count == whole.count) }
    }

    @Test("The plan's digest tells other rows, and is as ever without")
    func digest() {
        let one = Knobs.plan(Self.scenario(rows: 20)).digest()
        #expect(one == Knobs.plan(Self.scenario(rows: 20)).digest())
        #expect(one != Knobs.plan(Self.scenario(rows: 21)).digest())
        #expect(one != Knobs.plan(Self.scenario(.atRandom, rows: 20)).digest())
        #expect(Knobs.plan().digest() == "668ed777f3c25cb3")
    }

    @Test("Rows that are taken once have to be enough")
    func enough() throws {
        try Knobs.plan(Self.scenario(.once, rows: 20)).checkRows()
        try Knobs.plan(Self.scenario(.inOrder, rows: 1)).checkRows()
        let failure = #expect(throws: Failure.self) { try Knobs.plan(Self.scenario(.once, rows: 19)).checkRows() }
        #expect(
            failure?.description == "a.yaml:3:5: `u.csv` has 19 rows to be taken once, and 20 sessions begin"
                + " (add rows, write `maxSessions: 19`, or `take: in-order`)")
    }
}
