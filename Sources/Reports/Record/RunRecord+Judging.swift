// What a run comes to: one exit code, one word, and the reasons in the order of their weight.

package import Conformance
package import Metrics

extension RunRecord.Exit {
    /// Judges a finished run. In this order: nothing measured, or our own measuring not to be trusted (5: we accuse
    /// no relay on evidence we doubt), a broken rule (4), a breached gate (3), a gate without data (5), passed (0).
    package static func judge(
        correlation: Correlation, soundness: [RunRecord.SoundnessCheck], verdicts: [RuleResult],
        gates: [RunRecord.GateResult]
    ) -> RunRecord.Exit {
        let unsound = soundness.filter { !$0.passed }
        let failing = verdicts.filter(\.standing.failsTheRun)
        let breached = gates.filter { $0.passed == false }
        let unmeasured = gates.filter { $0.passed == nil }

        var empty: [String] = []
        if correlation.sent == 0 {
            empty.append("no event was sent to the relay")
        } else if correlation.pushes == 0, correlation.expected > 0 {
            empty.append("no push reached the mock: is the relay pointed at it?")
        }
        let unsoundReasons = unsound.map { "our own measuring is not sound: \($0.name): \($0.detail)" }
        let failingReasons = failing.map { result in
            result.standing == .healed
                ? "\(result.id) is kept again: strike it from the list of known breaks"
                : "\(result.id) (\(result.claim)) is broken: \(result.requirement)"
        }
        let breachedReasons = breached.map { "gate breached: \($0.text), measured \($0.valueText)" }
        let unmeasuredReasons = unmeasured.map { "gate without data: \($0.text)" }

        if !empty.isEmpty || !unsound.isEmpty {
            return RunRecord.Exit(
                code: 5, word: "inconclusive", reasons: empty + unsoundReasons + failingReasons + breachedReasons)
        }
        if !failing.isEmpty {
            return RunRecord.Exit(
                code: 4, word: "conformance broken", reasons: failingReasons + breachedReasons + unmeasuredReasons)
        }
        if !breached.isEmpty {
            return RunRecord.Exit(code: 3, word: "gate breached", reasons: breachedReasons + unmeasuredReasons)
        }
        if !unmeasured.isEmpty {
            return RunRecord.Exit(code: 5, word: "inconclusive", reasons: unmeasuredReasons)
        }
        return RunRecord.Exit(code: 0, word: "passed", reasons: [])
    }
}
