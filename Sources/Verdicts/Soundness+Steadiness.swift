// Whether the relay kept up with a load that stays the same. Where it did not, each latency of the run says how long the run was.

import Basics
import Conformance
import Metrics
import Scenarios

extension Soundness {
    /// Adds the check for a load of one rate that nothing of ours troubles: what faults, restarts and a changing rate do to
    /// latencies is no backlog.
    mutating func addSteadiness(_ slope: BacklogSlope?, _ scenario: Scenario) {
        guard let slope, scenario.faults.isEmpty, scenario.relay.restarts.isEmpty, scenario.workload.isOfOneRate else { return }
        let isSteady = slope.least <= BacklogSlope.limit
        add(
            "a steady relay", isSteady,
            isSteady
                ? "pushes came \(Numbers.slope(slope.slope)) later, by \(slope.seconds) seconds of load"
                : "the relay fell behind by \(Numbers.slope(slope.slope)): latencies of this run depend on its length")
    }
}

extension WorkloadSpec {
    fileprivate var isOfOneRate: Bool {
        let rates = arrivals.map { stage in
            switch stage {
            case .constant(let rate, _): (rate, rate)
            case .ramp(let from, let to, _): (from, to)
            }
        }
        return rates.allSatisfy { $0.0 == $0.1 && $0.0 == rates[0].0 }
    }
}
