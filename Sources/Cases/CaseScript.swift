// A session of a case, step by step, with what its calls need put in before them.

package import Basics
package import Scenarios

/// Steps in order, as they stand in a session script.
package struct CaseScript: Sendable {
    package struct Step: Sendable {
        package var call: String
        /// After the event before.
        package var after: Interval
        package var every: Interval?
        package var count = 1
        /// All malformed forms of the call, spread over so long.
        package var malformed: Interval?
        /// Not a moment later.
        package var isExact = false
        /// Values of the call's own variables, as YAML.
        package var values: [(name: String, yaml: String)] = []
    }

    /// Nil: that of its case, with a number.
    package var name: String?
    package private(set) var steps: [Step] = []
    package private(set) var calls: [ProfileCall] = []
    /// Chance of the waits between events, so that sessions do not march in step: a part of each.
    private static let spread = 0.2

    private let profile: Profile
    private var known: CapturedNames = []

    /// Begins with what has to be said before the relay pushes anything.
    package init(_ profile: Profile) {
        self.profile = profile
        for call in profile.calls where call.prepares { add(call, after: .zero) }
    }

    /// Nothing where the profile has no such call.
    package mutating func add(
        _ call: ProfileCall?, after: Interval, every: Interval? = nil, count: Int = 1,
        isExact: Bool = false, with values: [(name: String, yaml: String)] = []
    ) {
        guard let call else { return }
        while let missing = call.neededCaptures.subtracting(known).first,
            let source = profile.calls.first(where: { $0.captures.contains { $0.name == missing } }), source.name != call.name
        {
            add(source, after: .milliseconds(100))
        }
        steps.append(Step(call: call.name, after: after, every: every, count: count, isExact: isExact, values: values))
        calls.append(call)
        for capture in call.captures { known.insert(CapturedNames(capture.name)) }
    }

    /// Begins so much later.
    package mutating func delay(_ time: Interval) { if !steps.isEmpty { steps[0].after = steps[0].after + time } }

    /// The call's malformed forms, one after the other.
    package mutating func add(malformed call: ProfileCall, over time: Interval, after: Interval) {
        let (before, place) = (known, calls.count)
        add(call, after: after)
        steps[steps.count - 1].malformed = time
        // What it captures or owes is not theirs.
        calls.removeLast()
        known = calls[place...].flatMap(\.captures).reduce(into: before) { $0.insert(CapturedNames($1.name)) }
    }

    /// From the first event to the last, at least.
    package var shortest: Interval {
        steps.reduce(.zero) { $0 + $1.after + ($1.every ?? .zero) * Double($1.count - 1) + ($1.malformed ?? .zero) }
    }

    /// From the first event to the last, at most.
    package var duration: Interval {
        steps.reduce(.zero) { sum, step in
            let repeats = (step.every ?? .zero).seconds * Double(step.count - 1)
            let wait = step.after.seconds + repeats
            return sum + .seconds(wait * (step.isExact ? 1 : 1 + Self.spread)) + (step.malformed ?? .zero)
        }
    }

    /// The latest that a push for one of its calls may come.
    package var deadline: Interval { calls.flatMap(\.pushes).map(\.deadline).max() ?? .zero }

    /// As the value of `script`, each line behind `indent`.
    func yaml(name: String, indent: String) -> String {
        var text = indent + "name: \(name)\n" + indent + "steps:\n"
        for step in steps {
            var parts = ["call: \(step.call)"]
            if step.after > .zero { parts.append("after: \(Self.words(step.after, isExact: step.isExact))") }
            if let every = step.every { parts += ["every: \(Self.words(every))", "count: \(step.count)"] }
            if let time = step.malformed { parts.append("malformed: \(Self.words(time, isExact: true))") }
            if !step.values.isEmpty {
                parts.append("with: { \(step.values.map { "\($0.name): \($0.yaml)" }.joined(separator: ", ")) }")
            }
            text += indent + "  - { \(parts.joined(separator: ", ")) }\n"
        }
        return text
    }

    /// The wait, and up to a fifth more unless it is exact.
    private static func words(_ wait: Interval, isExact: Bool = false) -> String {
        let least = wait.nanoseconds / 1_000_000
        let most = isExact ? least : Int64(Double(least) * (1 + spread))
        return most > least ? "{ uniform: [\(least)ms, \(most)ms] }" : "\(least)ms"
    }
}
