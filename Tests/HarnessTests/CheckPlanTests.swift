// What a check asks a second time, and what it leaves out.

import Basics
import Cases
import Conformance
import Testing

@testable import Harness

@Suite("A check's cases")
struct CheckPlanTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    @Test("do not ask relays without tokens what binds only those that keep them")
    func keepers() {
        #expect(CaseCatalogue.ofKeepers == Set(RuleBook.all.filter { $0.keeper == .relay }.map(\.id)))
    }

    /// A relay that runs already knows the sessions of the attempt before.
    @Test("are played again as sessions of others, and by the seed of their file the first time")
    func seeds() {
        func arguments(_ attempt: Int, seed: Seed?) -> [String] {
            let play = CheckPlan.Play(clock: .asItIs, takes: .seconds(5), isStepped: false)
            var job = CheckLanes.Job(
                name: "burst", item: Case(name: "burst", question: "Is it?", exercises: []), play: play, scenario: "burst.yaml")
            (job.seed, job.attempt) = (seed, attempt)
            return job.seedArguments
        }
        #expect(arguments(1, seed: Seed(7)).isEmpty)
        let (second, third) = (arguments(2, seed: Seed(7)), arguments(3, seed: Seed(7)))
        #expect(second.count == 2 && second[0] == "--seed" && second != third && second == arguments(2, seed: Seed(7)))
        #expect(arguments(2, seed: nil).isEmpty, "a scenario that has its own")
    }

    private static func plan(_ name: String) throws -> CheckPlan {
        let options = CheckOptions(path: "\(root)/Scenarios/\(name).yaml")
        return try CheckPlan(options, try CheckBase(options, directory: "/tmp"))
    }

    @Test("that were not played leave their rules open, those too that need a relay that is launched or a sandbox")
    func unasked() throws {
        let plan = try Self.plan("smoke")
        let all = Set(Self.runs(plan))
        #expect(plan.rulesUnasked(but: []).contains("states-delivered"))
        // Smoke's relay is not told where the sandbox is.
        #expect(plan.rulesUnasked(but: all.union(["token-of-other-host"])) == ["other-environment-once"])
        let both = try Self.plan("conformance/environments")
        #expect(both.rulesUnasked(but: Set(Self.runs(both))).isEmpty)
        #expect(both.rulesUnasked(but: Set(Self.runs(both)).subtracting(["hours"])).contains("provider-token-fresh"))
    }

    private static func runs(_ plan: CheckPlan) -> [String] {
        plan.cases.compactMap { if case .runs(let item) = $0 { item.name } else { nil } }
    }
}
