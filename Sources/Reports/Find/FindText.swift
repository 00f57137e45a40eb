// A search on the console: a line for each trial, and what it came to.

package import Basics
package import Capacity
package import Verdicts

package enum FindText {
    /// `800/s`, `800 sessions`.
    package static func rate(_ rate: Double, _ axis: FindRecord.Axis) -> String {
        axis == .events ? Numbers.rate(rate) : "\(Numbers.trimmed(rate, places: 1)) sessions"
    }

    /// Without signs that a folder's name should not have.
    package static func plain(_ rate: Double) -> String {
        rate == rate.rounded() && rate < 1e15 ? String(Int(rate)) : "\((rate * 100).rounded() / 100)"
    }

    package static func head(_ record: FindRecord, sessions: Double, folder: String) -> String {
        let terms = record.terms
        let gates = record.goals.map { ($0.name.isEmpty ? "" : $0.name + ": ") + $0.gates.joined(separator: ", ") }
        let asked = gates.filter { !$0.isEmpty }
        return """
            searching \(rate(terms.from, record.axis)) to \(rate(terms.to, record.axis)), seed \(record.seed), \
            at most \(minutes(terms.budget)); trials of \(Numbers.trimmed(terms.trial, places: 1)) s behind \
            \(Numbers.trimmed(record.warmUp, places: 1)) s in which sessions begin
            \(asked.isEmpty ? "holds: nobody falls behind" : "holds: \(asked.joined(separator: "; "))"); search in \(folder)

            """
    }

    /// `budget`: how late our own calls may be for a trial to count.
    package static func floor(_ lateness: Double, budget: Interval) -> String {
        "this machine alone: our calls were late by \(Numbers.duration(nanoseconds: lateness)) at p99"
            + (lateness > Double(budget.nanoseconds)
                ? ", more than latenessBudget (\(budget)) allows: trials will be void; make the machine quieter, or give "
                    + "--set latenessBudget=… and expect latencies no finer than that" : "") + "\n"
    }

    /// ` 12  3,150/s  10 s  good  p99 12 ms, …  at most 6 min left`.
    package static func line(_ trial: FindRecord.Trial, _ axis: FindRecord.Axis, left: Double) -> String {
        let word =
            trial.void != nil
            ? "void" : trial.kind == .warmUp ? "warm-up" : Set(trial.words.map(\.rawValue)).sorted().joined(separator: "/")
        var parts: [String] = []
        if let void = trial.void { parts.append(void) }
        parts += trial.reasons
        let figures = trial.figures
        if let p99 = figures.p99 { parts.append("p99 \(Numbers.duration(nanoseconds: p99))") }
        if let slope = figures.slope { parts.append("later by \(Numbers.slope(slope))") }
        if let processor = figures.processor { parts.append("relay \(Numbers.percent(processor)) of a core") }
        let kind = trial.kind == .confirm ? "confirm " : ""
        let seconds = Numbers.trimmed(trial.seconds, places: 1)
        return "  \(trial.number)  \(rate(trial.rate, axis))  \(seconds) s  \(kind)\(word)  "
            + parts.joined(separator: ", ") + (left > 0 ? "  (at most \(minutes(left)) left)" : "") + "\n"
    }

    package static func text(_ record: FindRecord, folder: String) -> String {
        var lines = record.goals.map { goal in
            (goal.name.isEmpty ? "" : goal.name + "  ") + bounds(goal, record)
        }
        if let stop = record.stop, !stop.isAnAnswer {
            let isNear = record.goals.contains { FindNumbers.lacksConfirmation($0, record) }
            let lacking = isNear ? "; only the confirmation is missing" : ""
            lines.append("\(stop.rawValue): \(record.detail.isEmpty ? stop.meaning : record.detail)\(lacking)")
        }
        lines += FindNumbers.lines(record)
        let voids = record.trials.count { $0.void != nil }
        var effort = "\(record.trials.count) trials (\(voids) void) in \(minutes(record.duration.seconds))"
        let highest = record.trials.filter { $0.void == nil && $0.rate == record.goals[0].result.lower }.last
        if let figures = highest?.figures {
            if let processor = figures.processor { effort = "relay \(Numbers.percent(processor)) of one core, \(effort)" }
            if let memory = figures.memoryBytes { effort = "relay \(Numbers.bytes(memory)), \(effort)" }
            if let lateness = figures.lateness {
                effort = "our lateness p99 \(Numbers.duration(nanoseconds: lateness)), \(effort)"
            }
            effort = "at \(rate(highest?.rate ?? 0, record.axis)): \(effort)"
        }
        lines.append(effort)
        for (rule, from) in record.broken.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            let holds = record.goals.compactMap(\.result.lower).min().map { from <= $0 } ?? false
            lines.append("\(rule) is broken from \(rate(from, record.axis)) on\(holds ? "" : ", which does not hold anyway")")
        }
        lines.append("find.json, curve.html and the runs: \(folder)")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func bounds(_ goal: FindRecord.Goal, _ record: FindRecord) -> String {
        let result = goal.result
        func seconds(_ part: Double, _ whole: Double, _ word: String) -> String {
            "(\(Numbers.trimmed(part, places: 1)) of \(Numbers.trimmed(whole, places: 1)) s \(word))"
        }
        var parts: [String] = []
        switch result.answer {
        case .found?, .aboveMax?:
            let sign = result.answer == .aboveMax ? "at least " : ""
            parts.append("capacity \(sign)\(result.lower.map { rate($0, record.axis) } ?? "–")")
        case .belowMin?:
            parts.append("capacity below \(rate(record.terms.from, record.axis)): search again with a lower --from")
        default: parts.append(FindNumbers.lacksConfirmation(goal, record) ? "capacity not confirmed" : "capacity not known")
        }
        if let lower = result.lower {
            let length = Numbers.trimmed(record.terms.confirm, places: 1)
            let confirmed = result.isConfirmed ? "confirmed \(length) s" : "not confirmed"
            parts.append(
                "holds \(rate(lower, record.axis)) \(seconds(result.lowerGood, result.lowerSeconds, "good")), \(confirmed)")
        }
        if let upper = result.upper {
            parts.append("fails \(rate(upper, record.axis)) \(seconds(result.upperBad, result.upperSeconds, "bad"))")
            let bad = record.trials.last { $0.rate == upper && $0.words.contains(.bad) }
            if let reason = bad?.reasons.first { parts.append("limit: \(reason)") }
            if result.lower == nil, let guess = bad.flatMap(FindNumbers.guess) {
                parts.append("its backlog grows as that of a relay of \(rate(guess, record.axis)) would")
            }
        }
        return parts.joined(separator: "   ")
    }

    static func minutes(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s")
    }
}

extension StopReason {
    /// What it says, in words.
    package var meaning: String {
        switch self {
        case .found: "the bounds are as near as was asked for, and the lower was confirmed"
        case .aboveMax: "the highest load holds"
        case .belowMin: "the least load does not hold"
        case .rigLimit: "the rig could not offer or measure the load: what the relay carries is not known"
        case .unstable: "the same load held and did not, again and again: what the relay carries is not known"
        case .noRecovery: "the relay did not come to rest behind a trial"
        case .relayDied: "the relay ended by itself"
        case .deadline: "the time was over: these are the bounds so far; go on with --resume and a higher --budget"
        case .stopped: "a signal ended the search: these are the bounds so far; go on with --resume"
        }
    }
}
