// The run as JUnit XML: what CI systems read. Gates, rules and the conditions on ourselves are test cases (`JUnitCases`).

import Basics
import Conformance
import Verdicts

struct JUnitReport {
    let record: RunRecord

    private typealias Case = JUnitCases.Case

    static func bytes(_ record: RunRecord) -> [UInt8] { Array(JUnitReport(record: record).text.utf8) }

    var text: String {
        let suites = [
            ("run", [verdict]), ("soundness", record.soundness.map(Self.check)), ("gates", record.gates.map(Self.gate)),
            ("conformance", record.verdicts.map { Case(rule: $0, directory: record.directory) }),
        ].filter { !$0.1.isEmpty }.map { (name: $0.0, cases: JUnitCases(suite: "\(record.name).\($0.0)", cases: $0.1)) }
        let all = JUnitCases(suite: "", cases: suites.flatMap(\.cases.cases))
        let seconds = JUnitCases.seconds(record.duration)
        let properties = [
            ("seed", String(record.seed)), ("profile", record.profile), ("scenario", record.scenarioPath),
            ("commit", record.commit), ("version", record.toolVersion), ("replay", record.replayCommand),
        ].markup { "    <property name=\"\($0.0)\" value=\"\(xml: $0.1)\"/>\n" }
        let bodies = suites.markup { name, cases in
            """
              <testsuite name="\(xml: cases.suite)" \(cases.counts) \
            timestamp="\(String(record.startedAt.iso8601.prefix(19)))" time="\(seconds)" \
            hostname="\(xml: record.machine.host)">
            \(name == "run" ? "  <properties>\n\(properties)  </properties>\n" : "" as Markup)\
            \(cases.elements(time: name == "run" ? seconds : nil))\
              </testsuite>

            """
        }
        let document: Markup = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(xml: "pushrig: \(record.name)")" \(all.counts) time="\(seconds)">
            \(bodies)</testsuites>

            """
        return document.text
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
        case nil:
            let words = gate.value == nil ? "nothing was measured" : "\(gate.valueText) was measured, and decides nothing"
            return Case(name: gate.text, result: .error(words, details: gate.metric))
        }
    }
}

extension Finding {
    /// The finding in one line.
    var line: String {
        let evidence = entries.isEmpty ? "" : " [entries \(entries.map(String.init).joined(separator: ", "))]"
        return "\(message): expected \(expected), seen \(seen)\(evidence)"
    }
}
