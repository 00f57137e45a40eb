// The stages of `arrivals`: a rate, a ramp or staircase, a burst or a train of them, a file of instants.

import Basics
import YAML

struct ArrivalsDecoder {
    let profile: Profile
    let files: FileFinder
    let mistakes: Mistakes

    /// A shape by the keys that make it, and what may stand beside them.
    private enum Kind: CaseIterable {
        case rate, ramp, burst, file, users

        var names: [String] {
            switch self {
            case .rate: ["rate"]
            case .ramp: ["from", "to"]
            case .burst: ["burst"]
            case .file: ["file"]
            case .users: ["users"]
            }
        }

        var others: [String] {
            switch self {
            case .rate: ["for", "of"]
            case .ramp: ["for", "of", "steps"]
            case .burst: ["every", "times"]
            case .file: []
            case .users: ["think", "for"]
            }
        }
    }

    func stages(_ fields: Fields) -> [ArrivalStage] {
        fields.items("arrivals").flatMap { stage($0) }
    }

    /// What contradicts itself over all stages.
    func check(_ spec: WorkloadSpec, _ fields: Fields) {
        let stages = spec.arrivals
        guard let place = fields.value("arrivals")?.place, !stages.isEmpty else { return }
        // How many sessions some events are is known when the scripts are played.
        if !stages.contains(where: \.countsEvents), stages.reduce(0, { $0 + $1.count }) < 1 {
            mistakes.add("no session ever begins", hint: "raise a rate or a duration of `arrivals`", at: place)
        }
        if stages.contains(where: \.countsEvents) { refuseReactions(spec, at: place) }
        if spec.spacing == .poisson, let place = fields.value("spacing")?.place,
            !stages.contains(where: { if case .ramp = $0 { true } else { false } })
        {
            mistakes.add(
                "`spacing: poisson` says when the sessions of a rate begin, and no stage has one",
                hint: "strike it, or add a stage such as `{ rate: 10, for: 30s }`", at: place)
        }
        if stages.contains(where: { if case .closed = $0 { true } else { false } }) { checkUsers(spec, fields, at: place) }
        if let place = fields.value("maxSessions")?.place { refuseCutFiles(stages, most: spec.maxSessions, at: place) }
    }

    /// When a closed load's sessions begin is not known before, and some parts of a run have to know it.
    private func checkUsers(_ spec: WorkloadSpec, _ fields: Fields, at place: YAMLPlace) {
        guard spec.arrivals.count == 1 else {
            return mistakes.add(
                "closed users are the whole of `arrivals`: when they are done depends on the relay",
                hint: "strike the other stages, or the one with `users`", at: place)
        }
        let hindrances: [(Bool, String, String)] = [
            (spec.phones != nil, "phones", "strike `phones`"), (spec.androids != nil, "androids", "strike `androids`"),
            (spec.users.sessionsPerUser > 1, "users of several sessions", "write `sessionsPerUser: 1`"),
            (!profile.observers.isEmpty, "listeners of the profile's", "strike its `observers`"),
        ]
        for (isThere, what, hint) in hindrances where isThere {
            mistakes.add(
                "closed users go without \(what): who begins when is not known before", hint: hint + ", or give a rate",
                at: place)
        }
    }

    private func refuseReactions(_ spec: WorkloadSpec, at place: YAMLPlace) {
        guard let script = spec.scripts.map(\.script).first(where: { !$0.reactions.isEmpty }) else { return }
        mistakes.add(
            "how many events a session of `\(script.name)` has is not known before the run: it reacts to its phones",
            hint: "give the rate in sessions, without `of: events`", at: place)
    }

    private func refuseCutFiles(_ stages: [ArrivalStage], most: Int, at place: YAMLPlace) {
        var begun = 0.0
        for stage in stages {
            begun += stage.countsEvents ? 0 : stage.count
            guard case .listed(let list) = stage, begun > Double(most) else { continue }
            mistakes.add(
                "`maxSessions: \(most)` leaves out arrivals of `\(list.name)`, which has \(list.instants.count)",
                hint: "strike `maxSessions`, or shorten the file", at: place)
            return
        }
    }

    /// Empty after a mistake was noted.
    private func stage(_ node: YAMLNode) -> [ArrivalStage] {
        guard let fields = Fields(node, .arrival, mistakes) else { return [] }
        let kinds = Kind.allCases.filter { $0.names.contains { fields.value($0) != nil } }
        guard kinds.count == 1, let kind = kinds.first, kind.names.allSatisfy({ fields.value($0) != nil }) else {
            mistakes.add(
                "an arrival stage has either `rate`, or `from` and `to`, or `burst`, or `file`, or `users`",
                hint: "such as `{ rate: 10, for: 30s }` or `{ from: 10, to: 100, for: 30s }`", at: node.place)
            return []
        }
        for key in fields.shape.keys.map(\.name) where !(kind.names + kind.others).contains(key) {
            guard let value = fields.value(key) else { continue }
            let beside = kind.others.map { "`\($0)`" }.joined(separator: ", ")
            mistakes.add(
                "`\(key)` says nothing of a stage with `\(kind.names[0])`",
                hint: beside.isEmpty ? "strike it, or put it into a stage of its own" : "strike it; there may be \(beside)",
                at: value.place)
            return []
        }
        switch kind {
        case .rate, .ramp: return rates(fields, from: kind.names[0], to: kind.names.last!)
        case .burst: return bursts(fields)
        case .file: return listed(fields)
        case .users: return users(fields)
        }
    }

    /// Per second.
    private var rates: ClosedRange<Double> { 0...1_000_000 }

    private func rates(_ fields: Fields, from: String, to: String) -> [ArrivalStage] {
        guard hasDuration(fields) else { return [] }
        let unit: RateUnit = fields.choice("of") ?? .sessions
        guard let duration = fields.duration("for", .milliseconds(1)...Fields.longest), let first = fields.number(from, rates),
            let last = fields.number(to, rates)
        else { return [] }
        guard fields.value("steps") != nil else { return [.ramp(from: first, to: last, duration: duration, of: unit)] }
        guard let steps = fields.count("steps") else { return [] }
        func edge(_ step: Int) -> Interval { duration * (Double(step) / Double(steps)) }
        return (0..<steps).map { step in
            let rate = first + (last - first) * Double(step) / Double(steps - 1)
            return .constant(rate: rate, duration: edge(step + 1) - edge(step), of: unit)
        }
    }

    private func hasDuration(_ fields: Fields) -> Bool {
        if fields.value("for") != nil { return true }
        mistakes.add("`arrival` lacks `for`", hint: "add `for: 30s`", at: fields.node.place)
        return false
    }

    private func users(_ fields: Fields) -> [ArrivalStage] {
        guard hasDuration(fields), let count = fields.count("users"),
            let duration = fields.duration("for", .milliseconds(1)...Fields.longest)
        else { return [] }
        let think = fields.value("think") == nil ? .constant(0) : fields.distribution("think", of: .duration, files)
        return think.map { [.closed(ClosedUsers(count: count, think: $0, duration: duration))] } ?? []
    }

    private func bursts(_ fields: Fields) -> [ArrivalStage] {
        guard let count = fields.count("burst") else { return [] }
        guard let node = fields.value("every") ?? fields.value("times") else { return [.burst(count)] }
        guard fields.value("every") != nil, fields.value("times") != nil else {
            mistakes.add(
                "`every` and `times` go together", hint: "such as `{ burst: 50, every: 10s, times: 6 }`", at: node.place)
            return []
        }
        guard let every = fields.duration("every", .milliseconds(1)...Fields.longest),
            let times = fields.count("times")
        else { return [] }
        return (0..<times).flatMap { _ in [.burst(count), .constant(rate: 0, duration: every)] }
    }

    private func listed(_ fields: Fields) -> [ArrivalStage] {
        guard let node = fields.value("file"), let name = fields.text("file") else { return [] }
        let instants = files.data(
            node, key: "file", kind: "arrivals", example: "arrivals.csv", mistakes, ArrivalFile.instants)
        return instants.map { [.listed(ArrivalList(name: name, instants: $0))] } ?? []
    }
}
