// A check on the terminal: a line for each case, the worst last, where the eye is, with its evidence.

import Basics
import Conformance
package import Verdicts

package enum CheckText {
    /// One case as it ends.
    package static func line(_ result: CaseResult) -> String { line(result, Ink(isOn: false)) }

    /// What all came to; `directory` is where the full report stands.
    package static func text(_ record: CheckRecord, directory: String, color: Bool) -> String {
        let ink = Ink(isOn: color)
        let worstLast = CaseResult.Verdict.allCases.reversed().flatMap { verdict in
            record.cases.filter { $0.verdict == verdict }
        }
        var told: Set<String> = []
        var text = alike(worstLast.filter { $0.verdict != .kept }).map { cases in
            line(cases[0], ink) + "\n" + details(cases[0], ink, &told) + others(cases.dropFirst(), ink)
        }.joined()
        if !text.isEmpty { text += "\n" }
        text += unproven(record, ink)
        let exit = record.exit
        text += ink.tone(exit.tone, ink.bold(exit.word.uppercased())) + "  " + sentence(record) + "\n"
        for reason in exit.reasons { text += "  - \(safe(reason))\n" }
        return text + "report: \(directory)/report.html\n"
    }

    /// For GitHub's workflow log: an annotation for each broken rule of a case.
    package static func annotations(_ record: CheckRecord) -> String {
        record.cases.flatMap { item in
            item.toMend.map { rule in
                let kind = rule.standing == .broken ? "error" : "warning"
                let words = rule.verdict.findings.first?.line ?? rule.requirement
                return "::\(kind) title=\(property("\(item.name): \(rule.id)"))::\(data("\(words). Change: \(rule.change)"))\n"
            }
        }.joined()
    }

    private static func data(_ text: String) -> String {
        text.reduce(into: "") { safe, character in
            switch character {
            case "%": safe += "%25"
            case "\n", "\r\n": safe += "%0A"
            case "\r": safe += "%0D"
            default: safe.append(character)
            }
        }
    }

    private static func property(_ text: String) -> String {
        data(text).reduce(into: "") { safe, character in
            safe += character == ":" ? "%3A" : character == "," ? "%2C" : String(character)
        }
    }

    static func sentence(_ record: CheckRecord) -> String {
        let counts = CaseResult.Verdict.allCases.reversed().compactMap { verdict -> String? in
            let count = record.count(verdict)
            return count == 0 ? nil : "\(count) \(verdict.rawValue)"
        }
        let rules = record.rules
        return "\(Numbers.count(record.cases.count, "case")): \(counts.joined(separator: ", ")); "
            + "\(rules.count { !$0.keptIn.isEmpty || !$0.brokenIn.isEmpty }) of \(RuleBook.all.count) rules put to the test, "
            + "in \(Numbers.duration(record.duration))"
    }

    /// Cases that the same rules have made what they are, in the order of the first of each; before the others one that is
    /// about such a rule.
    private static func alike(_ cases: [CaseResult]) -> [[CaseResult]] {
        var groups: [[CaseResult]] = []
        for item in cases {
            func isLike(_ group: [CaseResult]) -> Bool {
                group[0].verdict == item.verdict && group[0].broken.map(\.id) == item.broken.map(\.id)
            }
            if let place = groups.firstIndex(where: isLike), !item.broken.isEmpty {
                groups[place].append(item)
            } else {
                groups.append([item])
            }
        }
        func isAbout(_ item: CaseResult) -> Bool { item.broken.contains { item.exercises.contains($0.id) } }
        return groups.map { $0.filter(isAbout) + $0.filter { !isAbout($0) } }
    }

    private static func others(_ cases: ArraySlice<CaseResult>, _ ink: Ink) -> String {
        guard let first = cases.first else { return "" }
        let names = cases.map(\.name).joined(separator: ", ")
        let words = ink.tone(first.verdict.tone, "    by the same alone")
        return "\(words) \(Numbers.count(cases.count, "more case")): \(safe(names))\n"
    }

    private static func line(_ result: CaseResult, _ ink: Ink) -> String {
        let name = result.name + String(repeating: " ", count: max(1, 24 - result.name.count))
        let word = result.verdict.rawValue
        return ink.tone(result.verdict.tone, word) + String(repeating: " ", count: max(1, 15 - word.count)) + name
            + ink.dim(safe(result.question))
    }

    /// A rule's evidence stands where it is first told; `told` holds such rules.
    private static func details(_ result: CaseResult, _ ink: Ink, _ told: inout Set<String>) -> String {
        let broken = result.broken
        var text = ""
        for rule in broken {
            let isNew = told.insert(rule.id).inserted
            text += "    \(safe("\(rule.id) (\(rule.claims.joined(separator: ", ")))"))"
            text += isNew ? ": \(safe(rule.requirement))\n" : ink.dim(", as above") + "\n"
            let lines = RuleEvidence.lines(rule, in: result.directory ?? "")
            text += (isNew ? lines : Array(lines.prefix(1))).map { "      \($0)\n" }.joined()
        }
        if broken.isEmpty { text += result.reasons.prefix(3).map { "    \(safe($0))\n" }.joined() }
        if !broken.isEmpty, let command = result.command { text += "    replay: \(safe(command))\n" }
        return text
    }

    /// MUSTs of which nothing can be said.
    private static func unproven(_ record: CheckRecord, _ ink: Ink) -> String {
        let count = record.rules.count { $0.standing == .notExercised && $0.rule.level == .must }
        guard count > 0 else { return "" }
        return ink.dim("\(Numbers.count(count, "must")) put to the test by no case: the report names them") + "\n\n"
    }

    private static func safe(_ text: String) -> String { Escaping.terminal(text) }
}

extension CaseResult.Verdict {
    var tone: Tone {
        switch self {
        case .kept: .ok
        case .broken, .couldNotRun: .bad
        case .inconclusive, .warning, .knownBroken: .warn
        case .notExercised: .calm
        }
    }
}
