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
        Plan(
            scenario: scenario, seed: Seed(seed), run: run,
            shard: Shard(index: shardIndex, count: shardCount, users: replay?.users))
    }
}
