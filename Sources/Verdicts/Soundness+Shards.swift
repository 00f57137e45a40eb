// Whether a run on several machines is whole, and whether their clocks agree well enough for what is said about time.

import Basics
import Conformance
import Journal
import Metrics
import Scenarios

extension Soundness {
    /// Adds what a merged run, or a shard that is void, has to say of itself.
    mutating func addShards(_ note: PlanNote, _ story: Story, _ scenario: Scenario) {
        for reason in story.voids { add("the run counts", false, reason, costs: [.absence, .timing, .order]) }
        guard let merged = note.merged else { return }
        add(
            "every shard is there once", merged.voids.isEmpty,
            merged.voids.isEmpty
                ? "\(merged.count) of \(merged.count) shards" + (merged.runID.isEmpty ? "" : " of run \(merged.runID)")
                : "\(merged.parts.count) of \(merged.count) shards were taken, and \(merged.voids.count) "
                    + "\(merged.voids.count == 1 ? "thing is" : "things are") wrong with them", costs: .absence)
        guard merged.bar > .zero else { return }
        let most = scenario.inFlightGrace * Self.clockShare
        add(
            "the machines' clocks agree", merged.bar <= most,
            "times between machines are good to ± \(merged.bar)"
                + (merged.bar <= most ? "" : "; \(most) is what order and lateness can bear"), costs: [.timing, .order])
    }

    /// Of the time in which what is on its way counts as under way: the smallest part of it that any rule allows for.
    private static let clockShare = 0.25
}

extension RunContext {
    /// Nothing is late, or out of order, by less than the clocks may be apart.
    func allow(clocksApart bar: Interval) {
        circumstances.clockBar = bar
        circumstances.inFlightGrace += bar
        jitter += bar
    }
}
