// The goals of a search: the user's gates, alone or by name, and what every load has to hold.

import Basics
import Capacity
import Metrics
import Scenarios
import Verdicts

struct FindGoals {
    /// One at least.
    let goals: [FindRecord.Goal]
    let gates: [[Gate]]
    /// Of every load, whatever the goal: nobody falls behind, and hardly anything is refused or lost.
    let common: [Gate]
    /// The scenario's, by their texts.
    private let own: Set<String>
    /// So that none of the scenario's ends a trial: how long one was is counted.
    let overrides: [(path: String, value: String)]

    static let slope = "backlog.slope < \(BacklogSlope.limit)"
    /// Where no gate speaks of them.
    private static let usual = ["errors.rate <= 0.1%", "lost.rate <= 0.1%"]

    /// Gates without a name belong to each goal that has one. Throws for a gate that is none, or that rests on what trials
    /// lack.
    init(_ texts: [String], scenario: Scenario, keepsRelay: Bool) throws(Failure) {
        let kinds = scenario.relay.profile.calls.filter { !$0.pushes.isEmpty }.map(\.name)
        var unnamed: [Gate] = scenario.gates
        own = Set(unnamed.map(\.text))
        overrides = scenario.overridesAgainstAbort
        var named: [(name: String, gates: [Gate])] = []
        for text in texts {
            let (name, expression) = Self.split(text)
            let gate = try Gate(parsing: expression, kinds: kinds)
            guard !name.isEmpty else {
                unnamed.append(gate)
                continue
            }
            if let index = named.firstIndex(where: { $0.name == name }) {
                named[index].gates.append(gate)
            } else {
                named.append((name, [gate]))
            }
        }
        if named.isEmpty { named = [("", [])] }
        var common: [Gate] = []
        let all = unnamed + named.flatMap(\.gates)
        if !all.contains(where: { $0.measure == .backlogSlope }) { common.append(try Gate(parsing: Self.slope)) }
        for text in Self.usual {
            let gate = try Gate(parsing: text)
            if !all.contains(where: { $0.measure.isKin(of: gate.measure) }) { common.append(gate) }
        }
        self.common = common
        gates = named.map { unnamed + $0.gates }
        goals = zip(named, gates).map { FindRecord.Goal(name: $0.name, gates: $1.map(\.text)) }
        for gate in all {
            if keepsRelay, case .relay = gate.measure {
                throw Failure(
                    .usage, "the gate `\(gate.text)` is about the relay's process, which lives through all trials",
                    hint: "give --restart, or strike the gate")
            }
            if let objection = scenario.objection(to: gate) { throw objection }
        }
    }

    /// Those of all goals, each once, beside the scenario's own.
    var texts: [String] {
        var seen = own
        return (common + gates.flatMap { $0 }).map(\.text).filter { seen.insert($0).inserted }
    }

    /// The most samples that any of its percentiles asks of a trial before none above it says anything.
    var fewestSamples: Int {
        gates.flatMap { $0 }.compactMap { gate -> Int? in
            guard case .latency(let latency, nil, let statistic) = gate.measure, latency != .staleness,
                let percentile = statistic.percentile
            else { return nil }
            return percentile < 100 ? BinomialBounds.fewest(for: 1 - percentile / 100) : nil
        }.max() ?? 0
    }

    /// `fast: delivery.p99 < 1s` is a gate of the goal `fast`.
    private static func split(_ text: String) -> (name: String, expression: String) {
        guard let colon = text.firstIndex(of: ":") else { return ("", text) }
        let name = text[..<colon]
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) else {
            return ("", text)
        }
        return (String(name), String(text[text.index(after: colon)...].drop { $0 == " " }))
    }
}

extension GateMeasure {
    /// Both are shares of the same, or the one is its count.
    fileprivate func isKin(of other: GateMeasure) -> Bool {
        switch (self, other) {
        case (.deliveries(let one, _, _), .deliveries(let two, _, _)): one == two
        default: self == other
        }
    }
}
