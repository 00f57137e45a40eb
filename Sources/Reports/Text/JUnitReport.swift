// The run as JUnit XML: what CI systems read. Gates, rules and the conditions on ourselves are test cases.
//
//   passed, kept, holds       a plain case        breached, broken, healed   a failure
//   no data, not sound        an error            not exercised              skipped
//   a broken SHOULD           a plain case with the findings in system-out

import Basics
import Conformance
import Verdicts

struct JUnitReport {
    let record: RunRecord

    private struct Case {
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

    static func bytes(_ record: RunRecord) -> [UInt8] { Array(JUnitReport(record: record).text.utf8) }

    var text: String {
        let suites = [
            ("run", [verdict]), ("soundness", record.soundness.map(Self.check)), ("gates", record.gates.map(Self.gate)),
            ("conformance", record.verdicts.map(rule)),
        ].filter { !$0.1.isEmpty }
        let all = suites.flatMap(\.1)
        let properties = [
            ("seed", String(record.seed)), ("profile", record.profile), ("scenario", record.scenarioPath),
            ("commit", record.commit), ("version", record.toolVersion), ("replay", record.replayCommand),
        ].markup { "    <property name=\"\($0.0)\" value=\"\(xml: $0.1)\"/>\n" }
        let bodies = suites.markup { name, cases in
            """
              <testsuite name="\(xml: "\(record.name).\(name)")" \(Self.counts(of: cases)) \
            timestamp="\(String(record.startedAt.iso8601.prefix(19)))" time="\(seconds)" \
            hostname="\(xml: record.machine.host)">
            \(name == "run" ? "  <properties>\n\(properties)  </properties>\n" : "" as Markup)\
            \(cases.markup { Self.element($0, suite: "\(record.name).\(name)", time: name == "run" ? seconds : "0") })\
              </testsuite>

            """
        }
        let document: Markup = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(xml: "pushrig: \(record.name)")" \(Self.counts(of: all)) time="\(seconds)">
            \(bodies)</testsuites>

            """
        return document.text
    }

    private var seconds: String {
        let milliseconds = max(record.duration.nanoseconds / 1_000_000, 0)
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction)"
    }

    private var verdict: Case {
        let exit = record.exit
        let details = exit.reasons.joined(separator: "\n")
        let message = exit.word + (exit.reasons.first.map { ": " + $0 } ?? "")
        switch exit.code {
        case 0: return Case(name: "verdict", result: .passed, output: record.verdictSentence)
        case 3, 4: return Case(name: "verdict", result: .failure(message, details: details))
        default: return Case(name: "verdict", result: .error(message, details: details))
        }
    }

    private static func check(_ check: RunRecord.SoundnessCheck) -> Case {
        Case(
            name: check.name, result: check.passed ? .passed : .error(check.detail, details: check.detail),
            output: check.passed ? check.detail : "")
    }

    private static func gate(_ gate: RunRecord.GateResult) -> Case {
        switch gate.passed {
        case true?: return Case(name: gate.text, result: .passed, output: "measured \(gate.valueText)")
        case false?:
            let message = "measured \(gate.valueText), threshold \(gate.text(of: gate.threshold))"
            return Case(name: gate.text, result: .failure(message, details: "\(gate.metric): \(message)"))
        case nil: return Case(name: gate.text, result: .error("nothing was measured", details: gate.metric))
        }
    }

    private func rule(_ result: RuleResult) -> Case {
        let findings = result.verdict.findings
        let details =
            "\(result.requirement)\n\(result.claims.joined(separator: ", ")) (\(result.level.rawValue)). \(result.norm).\n"
            + "What to change: \(result.advice).\n"
            + findings.map { "\($0.line)\n  \($0.more(in: record.directory))" }.joined(separator: "\n")
        let name = "\(result.id) (\(result.claims.joined(separator: ", ")))"
        switch result.standing {
        case .kept: return Case(name: name, result: .passed)
        case .notExercised: return Case(name: name, result: .skipped(result.hindrance ?? "not exercised"))
        case .broken:
            return Case(name: name, result: .failure(findings.first?.message ?? "broken", details: details))
        case .healed:
            return Case(
                name: name, result: .failure("kept again: strike it from the list of known breaks", details: details))
        case .knownBroken: return Case(name: name, result: .skipped("known break"), output: details)
        case .warning, .environment:
            return Case(name: name, result: .passed, output: "\(result.standing.word): \(details)")
        }
    }

    private static func element(_ item: Case, suite: String, time: String) -> Markup {
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

    private static func counts(of cases: [Case]) -> Markup {
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

extension Finding {
    /// The finding in one line.
    var line: String {
        let evidence = entries.isEmpty ? "" : " [entries \(entries.map(String.init).joined(separator: ", "))]"
        return "\(message): expected \(expected), seen \(seen)\(evidence)"
    }
}
