// What a run comes to: one exit code, one word, and the reasons in the order of their weight.

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
    }

    /// In this order: never ready (1), interrupted (130), a MUST broken by evidence that rests on nothing of ours that
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
        let failing = grounds.results.filter(\.standing.failsTheRun)
        let proven = failing.filter { grounds.soundness.lost.isDisjoint(with: $0.basis) }
        let doubtful = failing.filter { !grounds.soundness.lost.isDisjoint(with: $0.basis) }
        let failingReasons = proven.map(reason)
        if story.finish?.isInterrupted == true, grounds.saysInterrupted {
            return RunRecord.Exit(
                code: 130, word: "interrupted", reasons: ["ended by a signal; judged as far as it got"] + failingReasons)
        }
        let breached = grounds.gates.filter { $0.passed == false }
        let isGateDoubtful = !grounds.soundness.lost.isEmpty
        let breachedReasons = breached.map { "gate breached: \($0.text), measured \($0.valueText)" }
        var doubts = emptiness(grounds)
        doubts += grounds.soundness.checks.filter { !$0.passed }.map {
            "our own measuring is not sound: \($0.name): \($0.detail)"
        }
        doubts += doubtful.map { "not proven, because of that: \(reason($0))" }
        if isGateDoubtful { doubts += breachedReasons }
        doubts += grounds.gates.filter { $0.passed == nil }.map { "gate without data: \($0.text)" }

        // A relay that refuses everything from the first call on was perhaps never meant: that is for the user to say.
        if refusesAll(grounds.correlation) {
            return RunRecord.Exit(code: 5, word: "inconclusive", reasons: answers(grounds) + doubts + failingReasons)
        }
        if !proven.isEmpty {
            return RunRecord.Exit(
                code: 4, word: "conformance broken",
                reasons: answers(grounds) + failingReasons + (isGateDoubtful ? [] : breachedReasons) + doubts)
        }
        if !breached.isEmpty, !isGateDoubtful {
            return RunRecord.Exit(code: 3, word: "gate breached", reasons: breachedReasons + doubts)
        }
        if !doubts.isEmpty {
            return RunRecord.Exit(code: 5, word: "inconclusive", reasons: answers(grounds) + doubts)
        }
        return RunRecord.Exit(code: 0, word: "passed", reasons: [])
    }

    private static func refusesAll(_ correlation: Correlation) -> Bool {
        correlation.sent > 0 && correlation.taken == 0
            && correlation.wrongAnswers.allSatisfy { (400..<500).contains($0.status) }
    }

    static func reason(_ result: RuleResult) -> String {
        result.standing == .healed
            ? "\(result.id) is kept again: strike it from the list of known breaks"
            : "\(result.id) (\(result.claims.joined(separator: ", "))) is broken: \(result.requirement)"
    }

    /// What the relay answered, where that explains the rest.
    private static func answers(_ grounds: Grounds) -> [String] {
        guard grounds.correlation.sent > 0, grounds.correlation.taken * 2 < grounds.correlation.sent else { return [] }
        return grounds.correlation.wrongAnswers.prefix(3).map { answer in
            "the relay answered \(answer.count) of \(grounds.correlation.sent) calls with "
                + (answer.status == 0 ? "nothing" : "\(answer.status)") + (answer.body.isEmpty ? "" : ": \(answer.body)")
        }
    }

    private static func emptiness(_ grounds: Grounds) -> [String] {
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
        }
        for wanted in grounds.exercises {
            let rules = RuleBook.all.filter { RuleBook.names([wanted], $0) }
            if rules.isEmpty {
                reasons.append("`exercises` names \(wanted), which is no rule")
            } else if !grounds.results.contains(where: { result in
                result.verdict != .notExercised && rules.contains { $0.id == result.id }
            }) {
                let hindrance = grounds.results.first { result in rules.contains { $0.id == result.id } }?.hindrance
                reasons.append(
                    "\(wanted) was not put to the test, and the scenario says that it must be"
                        + (hindrance.map { ": \($0)" } ?? ""))
            }
        }
        return reasons
    }
}
