// Gates that may end the load: only those of which it can be known for certain, while the run goes on, that they can hold no
// more, whatever still comes.

import Basics

extension Scenario {
    /// Why nobody can know during the run that the gate can hold no more, and what to change; nil where somebody can.
    func objection(toAbortBy gate: Gate) -> Failure? {
        func never(_ reason: String, _ hint: String = "strike `abort`, and it is judged at the end") -> Failure {
            Failure(.usage, "the gate `\(gate.text)` cannot end a run early: \(reason)", hint: hint)
        }
        if isStepped { return never("on a clock that is stepped a run takes no more time than its work") }
        guard [.less, .lessOrEqual, .equal].contains(gate.comparison) else {
            return never("what is too little so far may be enough in the end", "only `<`, `<=` and `==` can")
        }
        guard let needsWhole = gate.measure.needsWholeToAbort else {
            return never("`\(gate.metric)` is known only when the run is over")
        }
        if needsWhole, workload.scripts.contains(where: { !$0.script.reactions.isEmpty }) {
            return never("its scripts react to phones, so that nobody knows how many calls there will be")
        }
        if case .latency(.delivery, let kind, _) = gate.measure {
            let calls = relay.profile.calls.filter { kind == nil || $0.name == kind }
            guard calls.flatMap(\.pushes).contains(where: \.isMarked) else {
                return never("no push that it speaks of bears a marker, so that they are told apart only by the judge")
            }
        }
        return nil
    }

    /// What `--set` has to be told so that no gate ends the load.
    package var overridesAgainstAbort: [(path: String, value: String)] {
        gates.enumerated().filter(\.element.aborts).map { ("gates[\($0.offset)].abort", "false") }
    }
}

extension GateMeasure {
    /// Whether it takes the number of all calls or pushes that there will be to know that it cannot hold; nil: that is never
    /// known before the end.
    fileprivate var needsWholeToAbort: Bool? {
        switch self {
        case .latency(.staleness, _, _), .latency(_, _, .mean), .latency(_, _, .count): nil
        case .latency(_, _, .max), .relay(.memoryPeak), .relay(.descriptors): false
        case .latency, .errorRate: true
        default: nil
        }
    }
}
