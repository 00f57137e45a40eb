// Session scripts: steps whose calls and variables are looked up in the profile.

import Basics
import YAML

struct SessionDecoder {
    let profile: Profile
    let mistakes: Mistakes
    /// Where files of data are found.
    var files = FileFinder(known: [])
    /// Of the workload's feeders.
    var columns = FeedColumns.known([])

    func script(_ node: YAMLNode, with given: [YAMLEntry], fallbackName: String) -> SessionScript? {
        guard let fields = Fields(node, .session, mistakes) else { return nil }
        let declared = fields.entries("parameters")
        var parameters = Parameters(declared: declared, given: given, mistakes: mistakes)
        let items = fields.items("steps")
        let reactions = fields.items("reactions").compactMap { reaction(parameters.filled($0)) }
        refuseLoops(reactions)
        let fromReactions = reactions.reduce(into: CapturedNames()) { $0.formUnion(captured(by: $1.reaction.call)) }
        for reaction in reactions {
            checkNeeds(of: reaction.reaction.call, fromReactions.union(captured(in: items)), at: reaction.callPlace)
        }
        var course = Course(parameters: parameters)
        _ = read(items, into: &course, Standing(known: fromReactions))
        parameters = course.parameters
        if course.steps.isEmpty, !items.isEmpty, mistakes.found.isEmpty {
            mistakes.add(
                "the script makes no call", hint: "add a step such as `call: start`",
                at: fields.value("steps")?.place ?? node.place)
        }
        let phones = fields.value("phones").flatMap {
            PhonesDecoder(files: files, mistakes: mistakes).phones(parameters.filled($0))
        }
        let acts = fields.items("acts").compactMap { act(parameters.filled($0)) }
        parameters.checkAllUsed(declared)
        let script = SessionScript(
            name: fields.text("name") ?? fallbackName, steps: course.steps, moves: course.moves,
            reactions: reactions.map(\.reaction), acts: acts,
            listen: fields.duration("listen")?.seconds ?? SessionScript.usualListen, phones: phones ?? PhonesSpec())
        refuseLate(acts, in: script)
        return script
    }

    func captured(by call: Int) -> CapturedNames {
        profile.calls[call].captures.reduce(into: []) { $0.insert(CapturedNames($1.name)) }
    }

    /// By any step, whichever comes first.
    private func captured(in items: [YAMLNode], depth: Int = 0) -> CapturedNames {
        items.reduce(into: []) { names, item in
            if depth <= ScriptMove.deepest, case .sequence(let arms) = item["oneOf"]?.content {
                for case .sequence(let steps)? in arms.map({ $0["steps"]?.content }) {
                    names.formUnion(captured(in: steps, depth: depth + 1))
                }
            }
            guard case .scalar(let name, _) = item["call"]?.content, let call = profile.call(named: name) else { return }
            names.formUnion(captured(by: call))
        }
    }

    /// `perhaps`: captured by some arms before it, and not by all.
    func checkNeeds(of call: Int, _ known: CapturedNames, perhaps: CapturedNames = [], at place: YAMLPlace) {
        let call = profile.calls[call]
        checkRows(of: call, at: place)
        guard let missing = call.neededCaptures.subtracting(known).first else { return }
        let sources = profile.calls.filter { $0.captures.contains { $0.name == missing } }.map { "`\($0.name)`" }
        // Where there are none, that they do not read is told already.
        guard !sources.isEmpty else { return }
        if perhaps.contains(CapturedNames(missing)) {
            return mistakes.add(
                "`\(call.name)` needs {{\(profile.captures[missing])}}, which not every way that leads here captures",
                hint: "put \(sources.joined(separator: " or ")) before the `oneOf`, or `\(call.name)` into the arm", at: place)
        }
        mistakes.add(
            "`\(call.name)` needs {{\(profile.captures[missing])}}, which nothing before it captures",
            hint: wayOut(of: call, missing) ?? "put \(sources.joined(separator: " or ")) before it", at: place)
    }

    private func checkRows(of call: ProfileCall, at place: YAMLPlace) {
        guard case .known(let columns) = columns else { return }
        for name in call.neededFeeds.map({ profile.feeds[$0] }) where !columns.contains(name) {
            mistakes.add(
                "`\(call.name)` needs {{\(FeedNames.prefix)\(name)}}, and no feeder of the workload has that column",
                hint: Suggestion.nearest(to: name, among: columns).map { "did you mean `\($0)`?" }
                    ?? "add `feeders: [{ file: users.csv }]` to the `workload`", at: place)
        }
    }

    /// For the call whose own answer gives what it needs by the profile's word for all calls; nil for any other.
    private func wayOut(of call: ProfileCall, _ missing: Int) -> String? {
        guard call.captures.contains(where: { $0.name == missing }) else { return nil }
        let headers = call.fields.filter { $0.value.needed.contains(.captured(missing)) }.map(\.name)
        let way = headers.isEmpty ? "auth: none" : "headers: { \(headers.map { $0 + ": null" }.joined(separator: ", ")) }"
        let isSigned = call.auth?.templates.contains { $0.needed.contains(.captured(missing)) } ?? false
        return headers.isEmpty && !isSigned ? nil : "its own answer gives it: say `\(way)` in that call"
    }

    /// The call that a step or a reaction names.
    func call(_ fields: Fields) -> (name: String, index: Int)? {
        guard let name = fields.text("call") else { return nil }
        guard let index = profile.call(named: name) else {
            mistakes.add(
                "the profile `\(profile.name)` has no call `\(name)`",
                hint: suggestion(for: name, in: profile.calls.map(\.name)), at: fields.value("call")!.place)
            return nil
        }
        return (name, index)
    }

    func step(_ fields: Fields) -> ScriptStep? {
        guard let (name, index) = call(fields) else { return nil }
        let repetition = repetition(fields)
        return ScriptStep(
            kind: name, call: index, time: time(fields, repetition), repetition: repetition,
            probability: fields.number("probability") ?? 1, values: values(fields, profile.calls[index]))
    }

    private func time(_ fields: Fields, _ repetition: Repetition?) -> ScriptStep.Time {
        if let at = fields.value("at"), fields.value("after") != nil {
            mistakes.add("a step has `at` or `after`, not both", hint: "strike one", at: at.place)
        }
        if fields.value("at") != nil { return .at(fields.distribution("at", of: .duration, files) ?? .constant(0)) }
        if fields.value("after") != nil { return .after(fields.distribution("after", of: .duration, files) ?? .constant(0)) }
        return .after(repetition?.every ?? .constant(0))
    }

    private func repetition(_ fields: Fields) -> Repetition? {
        let limits = ["count", "until"].compactMap { fields.value($0) }
        guard let every = fields.value("every") else {
            if let limit = limits.first {
                mistakes.add("`count` and `until` go with `every`", hint: "add `every: 10s`", at: limit.place)
            }
            return nil
        }
        guard limits.count == 1 else {
            mistakes.add(
                "a step with `every` has either `count` or `until`",
                hint: limits.isEmpty ? "add `count: 5`" : "strike one",
                at: limits.last?.place ?? every.place)
            return nil
        }
        guard let gap = fields.distribution("every", of: .duration, files) else { return nil }
        guard gap.mean >= 0.001 else {
            mistakes.add("`every` must be 1ms or more", hint: "such as `every: 10s`", at: every.place)
            return nil
        }
        let limit: Repetition.Limit? =
            if fields.value("count") != nil {
                fields.distribution("count", of: .count, files).map { .count($0) }
            } else {
                fields.distribution("until", of: .duration, files).map { .until($0) }
            }
        return limit.map { Repetition(every: gap, limit: $0) }
    }

    func values(_ fields: Fields, _ call: ProfileCall) -> [StepValue] {
        var values = call.defaults
        for entry in fields.entries("with") {
            guard let index = call.variables.firstIndex(of: entry.key) else {
                mistakes.add(
                    "the call `\(call.name)` has no variable `\(entry.key)`",
                    hint: suggestion(for: entry.key, in: call.variables), at: entry.keyPlace)
                continue
            }
            values[index] = StepValueDecoder(mistakes: mistakes, columns: columns).value(entry.value)
        }
        return values
    }
}
