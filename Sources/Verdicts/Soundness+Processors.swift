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
        let (relay, rig) = story.longestWait
        let allowed = Interval.seconds(Self.longestWait.seconds / scenario.pace)
        var costs: Rule.Basis = max(relay, rig) > allowed ? .timing : []
        // A relay that hardly ran does not come to what it would do, and gives up what is answered in time.
        if relay > allowed * Self.starvation { costs.formUnion([.absence, .running]) }
        let isInDoubt = !costs.isDisjoint(with: blame)
        add(
            "processors to spare", !isInDoubt,
            "within a second a thread of the relay was kept waiting for a processor for \(relay) at most, and one of ours for "
                + "\(rig)" + (isInDoubt ? "; \(allowed) is what blame for lateness can bear, "
                    + "\(allowed * Self.starvation) of the relay's what blame for something missing can" : ""),
            costs: costs)
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

    /// Thousandths of the time: a thread that is busy for more has none to spare (spec/capacity.md §3).
    static let mostUse = 900

    /// Of a second of the host's clock, while the run's clock goes by it.
    static let longestWait = Interval.milliseconds(250)

    /// So many times that is a relay which hardly ran.
    private static let starvation = 2.0
}
