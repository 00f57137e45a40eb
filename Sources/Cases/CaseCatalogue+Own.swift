// The cases of the profile's own: scenario files that it names, beside what all relays are asked.

package import Basics
package import Scenarios

extension CaseCatalogue {
    /// Each as its file has it, with the relay of the scenario at `base`. Throws what is wrong with a file, with its place.
    package func ownCases(_ base: SourceText, overrides: [(path: String, value: String)]) throws(Failure) -> [PlannedCase] {
        var planned: [PlannedCase] = []
        let names = Set(cases.map(\.name))
        for own in roles.profile.cases {
            guard !names.contains(own.name) else {
                throw Failure(
                    .usage, "every relay is asked a case `\(own.name)`: the profile's own needs another name",
                    hint: "such as `my-\(own.name)`", place: own.place)
            }
            planned.append(try ownCase(own, base, overrides))
        }
        return planned
    }

    private func ownCase(
        _ own: ProfileCase, _ base: SourceText, _ overrides: [(path: String, value: String)]
    ) throws(Failure) -> PlannedCase {
        func cannot(_ reason: String) -> PlannedCase { .cannot(name: own.name, question: own.question, reason: reason) }
        var file = CaseFile(
            path: own.path, profile: own.profile, length: .zero, drain: .zero, isStepped: false, clockScale: 1)
        var item = Case(name: own.name, question: own.question, exercises: own.exercises)
        let history = try Scenario.history(ofFile: own.path)
        if history.hasRestarts, !isLaunched { return cannot(Self.isNotOurs) }
        // Whatever clock the relay can share: only its times are asked here.
        let scenario = try Scenario.parse(
            text: item.text(of: file, relayFrom: base.path, seed: 0, clock: .running),
            path: FileName.beside(base.path, own.name),
            overrides: overrides.filter { !$0.path.hasPrefix("clock") }, planned: [base])
        if item.exercises.isEmpty { item.exercises = scenario.exercises }
        guard !item.exercises.isEmpty else {
            throw Failure(
                .usage, "the case `\(own.name)` is about nothing", hint: "name rules under `exercises`, here or in its file",
                place: own.place)
        }
        if scenario.mock.environment == .both, !knowsSandbox {
            return cannot("nothing tells the relay where the sandbox is (`{{mock.sandbox}}` in `launch`)")
        }
        let deadlines = scenario.relay.profile.calls.flatMap(\.pushes).map(\.deadline)
        file.reasons = Set(scenario.faults.compactMap(\.reason))
        file.length = scenario.workload.length
        let rest = scenario.relay.profile.rest ?? .zero
        file.drain = max(scenario.drain, (deadlines.max() ?? .zero) + rest + .milliseconds(700))
        (file.isStepped, file.clockScale) = (history.isStepped ?? false, history.scale)
        item.needsHostClock = history.isStepped == false
        item.file = file
        return .runs(item)
    }
}

private enum FileName {
    static func beside(_ path: String, _ name: String) -> String {
        (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + name + ".yaml"
    }
}
