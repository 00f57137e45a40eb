// Whether relay and rig had the processors when they wanted them. A machine that has other things to do makes both late, and
// its lateness is nobody's defect.

import Basics
import Conformance
import Scenarios

extension Soundness {
    /// Adds the check where the run's processes were sampled. `isBlamed`: something that rests on time was found broken; only
    /// then does a busy machine cost anything, as what is kept in spite of it is kept.
    mutating func addProcessors(_ story: Story, _ scenario: Scenario, isBlamed: Bool) {
        guard !story.samples.isEmpty, !scenario.isStepped || scenario.steppedUntil != nil else { return }
        let (relay, rig) = story.longestWait
        let allowed = Interval.seconds(Self.longestWait.seconds / scenario.pace)
        let wasKept = max(relay, rig) > allowed
        add(
            "processors to spare", !(wasKept && isBlamed),
            "within a second a thread of the relay was kept waiting for a processor for \(relay) at most, and one of ours for "
                + "\(rig)" + (wasKept && isBlamed ? "; \(allowed) is what blame for lateness can bear" : ""),
            costs: .timing)
    }

    /// Of a second of the host's clock, while the run's clock goes by it.
    static let longestWait = Interval.milliseconds(250)
}
