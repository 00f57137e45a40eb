// The test cases of a JUnit suite.
//
//   passed, kept, holds       a plain case        breached, broken, healed   a failure
//   no data, not sound        an error            not exercised              skipped
//   a broken SHOULD           a plain case with the findings in system-out

import Basics
import Conformance
import Verdicts

struct JUnitCases {
    struct Case {
        enum Result {
            case passed
            case failure(String, details: String)
            case error(String, details: String)
            case skipped(String)
        }

        var name: String
        var result: Result
        var output = ""
    }

    var suite: String
    var cases: [Case]

    static func seconds(_ duration: Interval) -> String {
        let milliseconds = max(duration.nanoseconds / 1_000_000, 0)
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction)"
    }

    /// The first with the time of the suite, where that is given; the others take none.
    func elements(time: String? = nil) -> Markup {
        cases.enumerated().markup { place, item in element(item, time: place == 0 ? time ?? "0" : "0") }
    }

    private func element(_ item: Case, time: String) -> Markup {
        let body: Markup =
            switch item.result {
            case .passed: ""
            case .failure(let message, let details):
                "<failure type=\"failure\" message=\"\(xml: message)\">\(details)</failure>"
            case .error(let message, let details):
                "<error type=\"error\" message=\"\(xml: message)\">\(details)</error>"
            case .skipped(let message): "<skipped message=\"\(xml: message)\"/>"
            }
        let output: Markup = item.output.isEmpty ? "" : "<system-out>\(item.output)</system-out>"
        return """
                <testcase classname="\(xml: suite)" name="\(xml: item.name)" time="\(time)">\(body)\(output)</testcase>

            """
    }

    /// Attributes of a suite.
    var counts: Markup {
        var (failures, errors, skipped) = (0, 0, 0)
        for item in cases {
            switch item.result {
            case .passed: break
            case .failure: failures += 1
            case .error: errors += 1
            case .skipped: skipped += 1
            }
        }
        return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    }
}

extension JUnitCases.Case {
    /// `directory` is where the run's journal stands. Where `tellsHealed` is false a known break that is kept is just kept.
    init(rule result: RuleResult, directory: String, tellsHealed: Bool = true) {
        let findings = result.verdict.findings
        let details =
            "\(result.requirement)\n\(result.claims.joined(separator: ", ")) (\(result.level.rawValue)). \(result.norm).\n"
            + "What to change: \(result.change).\n"
            + findings.map { finding in
                "\(finding.line)\n  \(finding.more(in: directory))" + (finding.replay(in: directory).map { "\n  \($0)" } ?? "")
            }.joined(separator: "\n")
        let name = "\(result.id) (\(result.claims.joined(separator: ", ")))"
        switch result.standing {
        case .kept: self.init(name: name, result: .passed)
        case .notExercised: self.init(name: name, result: .skipped(result.hindrance ?? "not exercised"))
        case .broken:
            self.init(name: name, result: .failure(findings.first?.message ?? "broken", details: details))
        case .healed where !tellsHealed: self.init(name: name, result: .passed)
        case .healed:
            self.init(
                name: name, result: .failure("kept again: strike it from the list of known breaks", details: details))
        case .knownBroken: self.init(name: name, result: .skipped("known break"), output: details)
        case .warning, .environment:
            self.init(name: name, result: .passed, output: "\(result.standing.word): \(details)")
        }
    }
}
