// What a run comes to: one exit code, one word, and the reasons in the order of their weight.

import Basics
import Conformance
import Journal
import Metrics
import Scenarios

extension RunRecord.Exit {
    /// Everything that the exit depends on.
    struct Grounds {
        var correlation: Correlation
        var soundness: Soundness
        var results: [RuleResult]
        var gates: [RunRecord.GateResult]
        var exercises: [String]
        var story: Story
        /// A run that a signal ended says so; judged again it says what is proven.
        var saysInterrupted: Bool
        /// The scripts make calls for which the profile declares pushes.
        var callsForPushes = false
        /// Why the run proves nothing, whatever it shows, a line each.
        var voids: [String] = []
        /// How far the clocks of its machines may be apart.
        var bar = Interval.zero
    }

    /// In this order: never ready (1), interrupted (130), void, such as for a shard that is missing (5, with what is proven
    /// all the same), a MUST broken by evidence that rests on nothing of ours that
    /// was unsound (4), a breached gate likewise (3), nothing proven (5), passed (0).
    static func judge(_ grounds: Grounds) -> RunRecord.Exit {
        let story = grounds.story
        if let finish = story.finish, finish.wasNeverReady {
            return RunRecord.Exit(
                code: 1, word: "could not run", reasons: [finish.trouble ?? "the relay was never ready"])
        }
        if let trouble = story.finish?.trouble {
            return RunRecord.Exit(code: 1, word: "could not run", reasons: [trouble])
        }
        let proof = RunRecord.Proof(grounds)
        let failing = grounds.results.filter { $0.standing.failsTheRun && isProven($0, grounds) }
        let failingReasons = reasons(of: failing)
        if story.finish?.isInterrupted == true, grounds.saysInterrupted {
            return RunRecord.Exit(
                code: 130, word: "interrupted", reasons: ["ended by a signal; judged as far as it got"] + failingReasons)
        }
        let breached = grounds.gates.filter { $0.passed == false }
        let isGateDoubtful = !grounds.soundness.lost.isEmpty
        let breachedReasons = breached.map(reason)

        // Shards that are missing, or came late, may have spoilt what the others saw.
        if !grounds.voids.isEmpty {
            return RunRecord.Exit(
                code: 5, word: "inconclusive",
                reasons: grounds.voids + failingReasons.map { "proven all the same: \($0)" } + story.ends
                    + (isGateDoubtful ? [] : breachedReasons) + proof.doubts)
        }
        // A relay that refuses everything from the first call on was perhaps never meant: that is for the user to say.
        if refusesAll(grounds.correlation) {
            return RunRecord.Exit(
                code: 5, word: "inconclusive", reasons: answers(grounds) + proof.doubts + failingReasons)
        }
        if !failingReasons.isEmpty {
            return RunRecord.Exit(
                code: 4, word: "conformance broken",
                reasons: story.ends + answers(grounds) + failingReasons + (isGateDoubtful ? [] : breachedReasons)
                    + proof.doubts)
        }
        if !breached.isEmpty, !isGateDoubtful {
            return RunRecord.Exit(code: 3, word: "gate breached", reasons: breachedReasons + proof.doubts)
        }
        if !proof.doubts.isEmpty {
            return RunRecord.Exit(code: 5, word: "inconclusive", reasons: answers(grounds) + proof.doubts)
        }
        return RunRecord.Exit(code: 0, word: "passed", reasons: [])
    }

    /// It rests on nothing of ours that was not sound.
    fileprivate static func isProven(_ result: RuleResult, _ grounds: Grounds) -> Bool {
        grounds.soundness.lost.isDisjoint(with: result.basis)
    }

    fileprivate static func refusesAll(_ correlation: Correlation) -> Bool {
        correlation.sent > 0 && correlation.taken == 0
            && correlation.wrongAnswers.allSatisfy { (400..<500).contains($0.status) }
    }

    static func reason(_ result: RuleResult) -> String {
        result.standing == .healed
            ? "\(result.id) is kept again: strike it from the list of known breaks"
            : "\(result.id) (\(result.claims.joined(separator: ", "))) is broken: \(result.requirement)"
    }

    /// A line for each that stands for itself, with what follows from it.
    static func reasons(of failing: [RuleResult]) -> [String] {
        let named = Set(failing.filter { !$0.isConsequence }.map(\.id))
        func isNamed(_ result: RuleResult) -> Bool {
            named.contains(result.id) || !result.causes.allSatisfy { named.contains($0.rule) }
        }
        return failing.filter(isNamed).map { cause in
            let with = failing.filter { !isNamed($0) && $0.causes.first?.rule == cause.id }.map(\.id)
            return reason(cause) + (with.isEmpty ? "" : " (From it follows: \(with.joined(separator: ", ")).)")
        }
    }

    fileprivate static func reason(_ gate: RunRecord.GateResult) -> String {
        "gate breached: \(gate.text), measured \(gate.valueText)"
    }

    /// What the relay answered, where that explains the rest.
    private static func answers(_ grounds: Grounds) -> [String] {
        guard grounds.correlation.sent > 0, grounds.correlation.taken * 2 < grounds.correlation.sent else { return [] }
        return grounds.correlation.wrongAnswers.prefix(3).map { answer in
            "the relay answered \(answer.count) of \(grounds.correlation.sent) calls with "
                + (answer.status == 0 ? "nothing" : "\(answer.status)") + (answer.body.isEmpty ? "" : ": \(answer.body)")
        }
    }

    fileprivate static func emptiness(_ grounds: Grounds) -> [String] {
        var reasons: [String] = []
        let correlation = grounds.correlation
        if correlation.sent == 0 { reasons.append("no event was sent to the relay") }
        if correlation.sent > 0, correlation.taken == 0 {
            reasons.append("the relay took none of \(correlation.sent) calls: does the profile fit it?")
        }
        if !grounds.results.contains(where: { $0.verdict != .notExercised }) {
            reasons.append("no rule was put to the test")
        } else if correlation.expected > 0, correlation.count(.delivered) + correlation.count(.late) == 0 {
            reasons.append("nothing was delivered")
        } else if correlation.expected == 0, grounds.exercises.isEmpty, grounds.callsForPushes {
            reasons.append("no push was owed: does any call of the scripts register the token that it pushes to?")
        }
        for wanted in grounds.exercises {
            let rules = RuleBook.rules(named: wanted)
            if rules.isEmpty { reasons.append("`exercises` names \(wanted), which is no rule") }
            // A claim is put to the test by all rules that judge it: one of several would speak for the others.
            for rule in rules {
                let result = grounds.results.first { $0.id == rule.id }
                guard result?.verdict ?? .notExercised == .notExercised else { continue }
                let name = rules.count == 1 ? wanted : "\(rule.id), one of \(rules.count) rules of \(wanted),"
                reasons.append(
                    "\(name) was not put to the test, and the scenario says that it must be"
                        + (result?.hindrance.map { ": \($0)" } ?? ""))
            }
        }
        return reasons
    }
}

extension RunRecord.Exit {
    /// Of a gate that neither passed nor was breached.
    static func undecided(_ gate: RunRecord.GateResult, because doubt: String?) -> String {
        guard gate.value != nil, let doubt else { return "gate without data: \(gate.text)" }
        return "gate undecided: \(gate.text), measured \(gate.valueText): \(doubt)"
    }
}

extension RunRecord.Proof {
    /// Where the relay refused everything, nothing is proven of it.
    init(_ grounds: RunRecord.Exit.Grounds) {
        let failing = grounds.results.filter(\.standing.failsTheRun)
        if !RunRecord.Exit.refusesAll(grounds.correlation) {
            broken = failing.filter { $0.standing == .broken && RunRecord.Exit.isProven($0, grounds) }.map(\.id)
        }
        wasNeverReady = grounds.story.finish?.wasNeverReady ?? false
        // Such a run never passes, whatever is asked of it afterwards.
        doubts = (grounds.story.earlyEnd.map { [$0.message] } ?? []) + RunRecord.Exit.emptiness(grounds)
        doubts += grounds.soundness.checks.filter { !$0.passed }.map {
            $0.name == Soundness.steadiness ? $0.detail : "our own measuring is not sound: \($0.name): \($0.detail)"
        }
        doubts += failing.filter { !RunRecord.Exit.isProven($0, grounds) }.map {
            "not proven, because of that: \(RunRecord.Exit.reason($0))"
        }
        if !grounds.soundness.lost.isEmpty {
            doubts += grounds.gates.filter { $0.passed == false }.map(RunRecord.Exit.reason)
        }
        doubts += grounds.gates.filter { $0.passed == nil }.map { gate in
            let clocks = "the clocks of the machines agree within \(grounds.bar) only"
            return RunRecord.Exit.undecided(gate, because: grounds.bar == .zero ? gate.doubt : clocks)
        }
    }
}
