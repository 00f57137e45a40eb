// Whether the relay kept up with a load that stays the same. Where it did not, each latency of the run says how long the run
// was.

import Basics
import Conformance
import Faults
import Metrics
import Scenarios

extension Soundness {
    /// The one check that is about the relay, and not about us.
    static let steadiness = "a steady relay"

    /// Adds the check for a load of one rate under conditions that stay: what faults that come and go, restarts and a changing
    /// rate do to latencies is no backlog.
    mutating func addSteadiness(_ slope: BacklogSlope?, _ scenario: Scenario, kinds: [String]) {
        guard let slope, scenario.relay.restarts.isEmpty, scenario.workload.isOfOneRate,
            scenario.faults.allSatisfy(\.lastsThroughout)
        else { return }
        let part =
            switch slope.part {
            case .all: ""
            case .kind(let kind): " with `\(kinds[safe: kind] ?? "other")`"
            case .oldest(let kind): " with some of `\(kinds[safe: kind] ?? "other")`"
            }
        let isSteady = slope.least <= BacklogSlope.limit
        add(
            Self.steadiness, isSteady,
            isSteady
                ? "pushes came \(Numbers.slope(slope.slope)) later, give or take "
                    + "\(Numbers.slope(slope.bound)), by \(slope.seconds) seconds of load"
                : "the relay fell behind\(part) by \(Numbers.slope(slope.slope)): latencies of this run depend on its length")
    }
}

extension Soundness {
    /// Adds the check for a warm-up that waits for something: where that never came, a cold relay was measured.
    mutating func addWarmUp(_ phases: [RunRecord.Phase], _ scenario: Scenario) {
        guard let until = scenario.phases.until, let measured = phases.first(where: { $0.name == Story.measurePhase }) else {
            return
        }
        let isWarm = measured.start < scenario.phases.warmUp
        add(
            "a warm relay", isWarm,
            isWarm
                ? "\(until.text) held after \(measured.start)"
                : "\(until.text) did not hold within the warm-up of \(scenario.phases.warmUp)", costs: .timing)
    }
}

extension ScheduledFault {
    /// From the first event to the last.
    fileprivate var lastsThroughout: Bool {
        at == .zero && rule.duration == nil && rule.windows == nil && rule.cure == nil
            && (rule.times == nil || rule.per != .all)
    }
}

extension WorkloadSpec {
    fileprivate var isOfOneRate: Bool {
        guard case .ramp(let rate, _, _, let unit) = arrivals.first else { return false }
        return arrivals.allSatisfy { if case .ramp(rate, rate, _, unit) = $0 { true } else { false } }
    }
}
