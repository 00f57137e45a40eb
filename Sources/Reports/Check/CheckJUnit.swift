// A check as JUnit XML: a suite for each case, a test case for each rule that it put to the test; and one for what is said
// of all cases together, where that is no pass.

import Basics
import Conformance
import Verdicts

struct CheckJUnit {
    let record: CheckRecord

    var bytes: [UInt8] { Array(text.utf8) }

    var text: String {
        var suites = record.cases.map { ($0.duration, JUnitCases(suite: $0.name, cases: cases(of: $0))) }
        if !ofAll.isEmpty { suites.append((.zero, JUnitCases(suite: "all cases", cases: ofAll))) }
        let all = JUnitCases(suite: "", cases: suites.flatMap(\.1.cases))
        let started = String(record.startedAt.iso8601.prefix(19))
        let bodies = suites.markup { duration, suite in
            """
              <testsuite name="\(xml: suite.suite)" \(suite.counts) timestamp="\(started)" \
            time="\(JUnitCases.seconds(duration))">
            \(suite.elements(time: JUnitCases.seconds(duration)))  </testsuite>

            """
        }
        let document: Markup = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(xml: "pushrig check: \(record.profile)")" \(all.counts) \
            time="\(JUnitCases.seconds(record.duration))">
            \(bodies)</testsuites>

            """
        return document.text
    }

    /// What the exit code says and no single case does, so that no reader of this file alone takes it for a pass.
    private var ofAll: [JUnitCases.Case] {
        let exit = record.exit
        let healed = record.rules.filter { $0.standing == .healed }.map { sum in
            JUnitCases.Case(
                name: "\(sum.rule.id) (\(sum.rule.claims.joined(separator: ", ")))",
                result: .failure(
                    "\(sum.rule.id) is kept again: strike it from the list of known breaks",
                    details: "Kept in \(sum.keptIn.joined(separator: ", "))."))
        }
        let isTold = !healed.isEmpty || [.couldNotRun, .broken, .inconclusive].contains { record.count($0) > 0 }
        guard exit.code != 0, !isTold || record.isInterrupted else { return healed }
        let reasons = exit.reasons.joined(separator: "\n")
        return healed + [JUnitCases.Case(name: exit.word, result: .error(exit.reasons.first ?? exit.word, details: reasons))]
    }

    private func cases(of item: CaseResult) -> [JUnitCases.Case] {
        let reasons = item.reasons.joined(separator: "\n")
        let message = item.reasons.first ?? item.verdict.rawValue
        let verdict: JUnitCases.Case.Result =
            switch item.verdict {
            case .kept, .warning: .passed
            case .knownBroken: .skipped("known break")
            case .notExercised: .skipped(message)
            case .broken: .failure(message, details: reasons)
            case .inconclusive, .couldNotRun: .error(message, details: reasons)
            }
        let rules = item.rules.filter { $0.standing != .notExercised }
        return [JUnitCases.Case(name: item.question, result: verdict, output: item.command ?? "")]
            + rules.map { rule in
                // One that is kept here may be broken in another case: what is healed is told of the check as a whole.
                JUnitCases.Case(rule: rule, directory: item.directory ?? "", tellsHealed: false)
            }
    }
}
