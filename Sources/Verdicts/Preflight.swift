// What can be known before a run: rules that a scenario names and that there are not, and gates that nothing in it can
// decide. Told with line and column, instead of an inconclusive run at the end.

package import Basics
import Conformance
import Metrics
package import Scenarios

extension RunContext {
    /// How fast the clock runs, and the spans of the relay that must be long enough on it.
    func setPace(of scenario: Scenario) {
        let profile = scenario.relay.profile
        circumstances.pace = scenario.pace
        circumstances.throttle = profile.coalescing.map(\.window)
        shortestDeadline = profile.calls.flatMap(\.pushes).map(\.deadline).min()
    }
}

package enum Preflight {
    /// Throws a usage `Failure` for the first thing that cannot be. Gates beyond those of the scenario's file have no place.
    package static func check(_ scenario: Scenario) throws(Failure) {
        let places = scenario.places
        try checkRules(scenario.exercises, "exercises", places.exercises)
        try checkPace(scenario)
        try checkRules(scenario.knownFailing, "knownFailing", places.knownFailing)
        try checkRules(scenario.relay.profile.knownFailing, "knownFailing of the profile", [])
        for (index, gate) in scenario.gates.enumerated() {
            guard var failure = scenario.objection(to: gate) else { continue }
            failure.place = places.gates[safe: index]
            throw failure
        }
    }

    /// Throws when `exercises` names a rule of which nothing can be said on so fast a clock.
    private static func checkPace(_ scenario: Scenario) throws(Failure) {
        let context = RunContext()
        context.setPace(of: scenario)
        for (index, name) in scenario.exercises.enumerated() {
            guard let words = RuleBook.rules(named: name).lazy.compactMap({ $0.tooFast(context) }).first else { continue }
            throw Failure(
                .usage, "`exercises` names \(name), which cannot be put to the test: \(words)",
                hint: "lower `clockScale`, or strike it from the list", place: scenario.places.exercises[safe: index])
        }
    }

    /// Throws when a word of `--known-failing` is no rule.
    package static func checkRules(_ names: [String], _ list: String, _ places: [String]) throws(Failure) {
        for (index, name) in names.enumerated() where RuleBook.rule(named: name) == nil {
            let known = RuleBook.all.map(\.id) + RuleBook.all.flatMap(\.claims)
            throw Failure(
                .usage, "`\(list)` names \(name), which is no rule",
                hint: Suggestion.nearest(to: name, among: known).map { "did you mean `\($0)`?" }
                    ?? "`pushrig list rules` tells what there is", place: places[safe: index])
        }
    }
}
