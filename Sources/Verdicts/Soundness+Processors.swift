// Whether relay and rig had the processors when they wanted them. A machine that has other things to do makes both late, and
// its lateness is nobody's defect.

import Basics
import Conformance
import Journal
import Scenarios

extension Soundness {
    /// Adds the check where the run's processes were sampled. `blame`: what it rests on that is found broken; only there does
    /// a busy machine cost anything, as what is kept in spite of it is kept.
    mutating func addProcessors(_ story: Story, _ scenario: Scenario, blame: Rule.Basis) {
        guard !story.samples.isEmpty, !scenario.isStepped || scenario.steppedUntil != nil else { return }
        let costs = story.waits.costs(pace: scenario.pace)
        let isInDoubt = !costs.isDisjoint(with: blame)
        add(
            "processors to spare", !isInDoubt, story.waits.words(isInDoubt: isInDoubt, pace: scenario.pace), costs: costs)
    }

    /// Adds a check that fails where lateness is blamed on the relay, and a thread of ours had no time to spare.
    mutating func addThreads(_ story: Story, _ scenario: Scenario, blame: Rule.Basis) {
        let busiest = story.totals?.busiestThread ?? 0
        guard busiest >= Self.mostUse, !scenario.isStepped, blame.contains(.timing) else { return }
        add(
            "our threads", false,
            "one of them had something to do for \(busiest / 10) % of the load: the rig was the limit",
            costs: .timing)
    }

    /// Thousandths of the time: a thread that is busy for more has none to spare (docs/capacity.md).
    static let mostUse = 900
}
