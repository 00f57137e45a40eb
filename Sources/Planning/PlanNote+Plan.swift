// From what a run put on record to the plan that it played: the same for whoever judges it, looks at it, or plays it again.

package import Basics
package import Journal
package import Scenarios

extension PlanNote {
    /// Throws what is wrong with its files, with kind `.usage`. `readsSecrets`: calls are to be made.
    package func scenario(readsSecrets: Bool = false) throws(Failure) -> Scenario {
        let scenario = try Scenario.load(
            files.map { SourceText(path: $0.path, text: $0.text) }, from: folder, overrides: overrides.map { ($0[0], $0[1]) },
            readsSecrets: readsSecrets)
        return replay.map { scenario.replayed($0) } ?? scenario
    }

    /// `scenario` must be this note's.
    package func plan(of scenario: Scenario) -> Plan {
        let plan = plan(of: scenario, users: replay?.users)
        guard let merged, !merged.missing.isEmpty else { return plan }
        let missing = Set(merged.missing)
        let users = replay?.users ?? Array(0..<plan.accountCount)
        return self.plan(of: scenario, users: users.filter { !missing.contains($0 % merged.count) })
    }

    private func plan(of scenario: Scenario, users: [Int]?) -> Plan {
        Plan(
            scenario: scenario, seed: Seed(seed), run: run, shard: Shard(index: shardIndex, count: shardCount, users: users))
    }

    /// The digest of the plan in one piece, whichever shard of it this is; costs about 250 ns an event.
    package func wholeDigest(of scenario: Scenario) -> String { whole(of: scenario).digest() }

    /// The plan in one piece.
    package func whole(of scenario: Scenario) -> Plan {
        var whole = self
        (whole.shardIndex, whole.shardCount) = (0, 1)
        return whole.plan(of: scenario)
    }
}
