// The steps of a script, waits and branches among them, read into its flat list of moves.

import Basics
import YAML

extension SessionDecoder {
    /// What has been read so far.
    struct Course {
        var parameters: Parameters
        var steps: [ScriptStep] = []
        var moves: [ScriptMove] = []
        var isTold = false
    }

    /// What is known where a step stands.
    struct Standing {
        /// Captured on every way that leads there, and on some.
        var known: CapturedNames
        var perhaps: CapturedNames = []
        /// The latest fixed time that all ways have passed.
        var fixed: (seconds: Double, line: Int)?
    }

    /// Reads steps one behind the other; `isFilled`: their parameters are in their places.
    func read(
        _ items: [YAMLNode], into course: inout Course, _ standing: Standing, depth: Int = 0, isFilled: Bool = false
    ) -> Standing {
        var standing = standing
        for item in items {
            guard course.moves.count < ScriptMove.most else {
                if !course.isTold {
                    mistakes.add(
                        "a script has at most \(ScriptMove.most) steps and arms", hint: "part it into several scripts",
                        at: item.place)
                }
                course.isTold = true
                return standing
            }
            let filled = isFilled ? item : course.parameters.filled(item)
            guard let fields = Fields(filled, .step, mistakes), let kind = kind(fields, filled) else { continue }
            switch kind {
            case .call: readCall(fields, item, into: &course, &standing)
            case .wait:
                let wait = fields.distribution("wait", of: .duration, files) ?? .constant(0)
                course.moves.append(.wait(wait, probability: fields.number("probability") ?? 1))
            case .branch: readBranch(fields, into: &course, &standing, depth: depth)
            }
        }
        return standing
    }

    private enum Kind: String, CaseIterable {
        case call, wait
        case branch = "oneOf"
    }

    /// Keys of a step that are of one kind alone.
    private static let callKeys = ["at", "after", "every", "count", "until", "malformed", "with"]

    private func kind(_ fields: Fields, _ node: YAMLNode) -> Kind? {
        let kinds = Kind.allCases.filter { fields.value($0.rawValue) != nil }
        guard let kind = kinds.first else {
            mistakes.add(
                "`step` lacks `call`", hint: "add `call: progress`, or write `wait: 5s` or `oneOf: [{ steps: [] }]`",
                at: node.place)
            return nil
        }
        if let other = kinds.dropFirst().first, let place = fields.value(other.rawValue)?.place {
            mistakes.add(
                "a step has one of `call`, `wait` and `oneOf`, not `\(kind.rawValue)` and `\(other.rawValue)`",
                hint: "make them steps of their own", at: place)
            return nil
        }
        if kind != .call, let key = Self.callKeys.first(where: { fields.value($0) != nil }) {
            mistakes.add(
                "`\(key)` is of a call, and this step has `\(kind.rawValue)`",
                hint: kind == .wait
                    ? "strike it: the wait begins with the event before" : "put a `wait` before it, or into an arm",
                at: fields.value(key)!.place)
        }
        return kind
    }

    private func readCall(
        _ fields: Fields, _ item: YAMLNode, into course: inout Course, _ standing: inout Standing
    ) {
        guard let step = step(fields) else { return }
        if case .at(.constant(let seconds)) = step.time, let place = item["at"]?.place {
            if let before = standing.fixed, seconds < before.seconds {
                mistakes.add(
                    "this step is at \(Interval.seconds(seconds)), earlier than the one of line \(before.line)",
                    hint: "put the steps in order of time", at: place)
            }
            standing.fixed = (seconds, item.place.line)
        }
        let place = item["call"]?.place ?? item.place
        checkNeeds(of: step.call, standing.known, perhaps: standing.perhaps, at: place)
        if profile.calls[step.call].needsPhoneToken {
            mistakes.add(
                "`\(step.kind)` needs {{phoneToken}}, and only a phone's event brings one",
                hint: "make it a reaction: `reactions: [{ on: token, call: \(step.kind) }]`", at: place)
        }
        standing.known.formUnion(captured(by: step.call))
        for step in forms(of: step, fields) {
            course.moves.append(.step(course.steps.count))
            course.steps.append(step)
        }
    }

    /// Seconds between malformed requests of one session, at least: no relay is to be asked more than it stands.
    private static let closest = 0.025

    /// The step itself; or one for each malformed form of its call, spread over the time that `malformed` gives.
    private func forms(of step: ScriptStep, _ fields: Fields) -> [ScriptStep] {
        guard let time = fields.duration("malformed", .milliseconds(1)...Fields.longest) else { return [step] }
        if let key = ["at", "every"].compactMap({ fields.value($0) }).first {
            mistakes.add(
                "a step with `malformed` has neither `at` nor `every`", hint: "take `after` for its first request",
                at: key.place)
        }
        let forms = profile.calls.indices.filter { profile.calls[$0].malformed?.of == step.call }
        if forms.isEmpty {
            mistakes.add(
                "`\(step.kind)` has no malformed forms here",
                hint: "say `malformed: true` under `relay`; a call with `batch`, and one that is to be refused, has none",
                at: fields.value("malformed")!.place)
        }
        let gap = Distribution.constant(max(Self.closest, time.seconds / Double(max(1, forms.count))))
        return forms.enumerated().map { number, call in
            var form = step
            (form.kind, form.call) = (profile.calls[call].name, call)
            if number > 0 { form.time = .after(gap) }
            return form
        }
    }

    private func readBranch(_ fields: Fields, into course: inout Course, _ standing: inout Standing, depth: Int) {
        guard let node = fields.value("oneOf") else { return }
        guard depth < ScriptMove.deepest else {
            return mistakes.add(
                "more than \(ScriptMove.deepest) branches stand within each other", hint: "name the ways in fewer branches",
                at: node.place)
        }
        let arms = fields.items("oneOf")
        let probability = fields.number("probability") ?? 1
        let place = course.moves.count
        course.moves.append(.jump(place))
        var read: [ScriptArm] = []
        var ends: [Standing] = probability < 1 ? [standing] : []
        var jumps: [Int] = []
        for arm in arms {
            guard let inner = Fields(arm, .arm, mistakes) else { continue }
            read.append(ScriptArm(weight: inner.number("weight") ?? 1, first: course.moves.count))
            ends.append(self.read(inner.items("steps"), into: &course, standing, depth: depth + 1, isFilled: true))
            jumps.append(course.moves.count)
            course.moves.append(.jump(0))
        }
        let end = course.moves.count
        for jump in jumps { course.moves[jump] = .jump(end) }
        course.moves[place] = read.isEmpty ? .jump(end) : .branch(read, probability: probability, end: end)
        guard let first = ends.first else { return }
        standing.perhaps = ends.reduce(into: standing.perhaps) { $0.formUnion($1.known.union($1.perhaps)) }
        standing.known = ends.dropFirst().reduce(first.known) { $0.intersection($1.known) }
        // Only what is later than all of them is surely in order.
        let fixed = ends.compactMap(\.fixed).min { $0.seconds < $1.seconds }
        standing.fixed = ends.allSatisfy { $0.fixed != nil } ? fixed : nil
    }
}
