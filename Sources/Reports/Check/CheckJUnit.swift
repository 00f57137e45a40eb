// A check as JUnit XML: a suite for each case, a test case for each rule that it put to the test.

import Basics
import Conformance
import Verdicts

struct CheckJUnit {
    let record: CheckRecord

    var bytes: [UInt8] { Array(text.utf8) }

    var text: String {
        let suites = record.cases.map { ($0, JUnitCases(suite: $0.name, cases: cases(of: $0))) }
        let all = JUnitCases(suite: "", cases: suites.flatMap(\.1.cases))
        let started = String(record.startedAt.iso8601.prefix(19))
        let bodies = suites.markup { item, suite in
            """
              <testsuite name="\(xml: suite.suite)" \(suite.counts) timestamp="\(started)" \
            time="\(JUnitCases.seconds(item.duration))">
            \(suite.elements(time: JUnitCases.seconds(item.duration)))  </testsuite>

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
