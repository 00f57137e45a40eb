// Whether a gate can hold no more. What is known live is enough to ask the judge, and only the judge's own figures decide: so
// what ends a run is what the judge will say of it.

import Basics
import EventLoop
import Journal
import Metrics
import Planning
import Scenarios
import Synchronization
import Verdicts

/// Asked on one thread.
final class AbortDecider: Sendable {
    private let gates: [Gate]
    private let kinds: [String]
    private let whole: GateWhole
    /// The run's.
    private let directory: String
    /// Before this the judge, who said no, is not asked again; and how long it waits then.
    private let patience = Mutex((until: Instant(nanoseconds: 0), wait: Interval.seconds(1)))

    /// `gates`: those that may end the load.
    init(_ gates: [Gate], _ plan: Plan, directory: String) {
        self.gates = gates
        self.directory = directory
        kinds = plan.kinds
        let summary = plan.summary
        whole = GateWhole(
            events: summary.events,
            pushes: Dictionary(uniqueKeysWithValues: zip(plan.kinds, summary.mostPushes)))
    }

    /// Nil while all may hold, or the judge does not see it so.
    func decide(_ figures: LiveFigures, _ greatest: RelaySample?) -> EarlyEndNote? {
        let samples = greatest.map { [$0] } ?? []
        let correlation = figures.correlation(kinds)
        let suspects = gates.filter { $0.excess(correlation, samples: samples, of: whole) != nil }
        let now = SystemTime().now()
        guard !suspects.isEmpty, patience.withLock({ now >= $0.until }) else { return nil }
        if let record = try? Verdicts.judge(directory) {
            for gate in suspects {
                guard record.gates.contains(where: { $0.text == gate.text && $0.passed == false }),
                    let words = gate.excess(record.correlation, samples: samples, of: whole)
                else { continue }
                return EarlyEndNote(gate: gate.text, reason: words)
            }
        }
        patience.withLock { $0 = (until: SystemTime().now() + $0.wait, wait: $0.wait * 2) }
        return nil
    }
}
