// A run, or a check with all its cases, as SARIF.

package import Basics
package import Verdicts

package enum SarifReport {
    /// Of one run: its broken rules and breached gates, at the lines of its scenario.
    package static func json(_ record: RunRecord) -> JSONValue {
        var log = SarifLog(
            version: record.toolVersion, commandLine: record.command, exitCode: record.exit.code, startedAt: record.startedAt,
            file: SarifFile(path: record.scenarioPath, text: record.scenarioText))
        for rule in record.verdicts { log.add(rule) }
        for gate in record.gates where gate.passed == false { log.add(gate) }
        log.doubts = record.soundness.filter { !$0.passed }.map { "\($0.name): \($0.detail)" }
        return log.json
    }

    /// Of a check: each broken rule of each case. `text` is that of the file that was checked; empty: it cannot be read.
    package static func json(_ record: CheckRecord, text: String) -> JSONValue {
        var log = SarifLog(
            version: record.toolVersion, commandLine: record.command, exitCode: record.exit.code, startedAt: record.startedAt,
            file: SarifFile(path: record.subject, text: text))
        for item in record.cases {
            for rule in item.toMend { log.add(rule, scope: item.name) }
            if item.verdict == .inconclusive || item.verdict == .couldNotRun {
                log.doubts.append("\(item.name): \(item.reasons.first ?? item.verdict.rawValue)")
            }
        }
        return log.json
    }
}

extension SarifLog {
    fileprivate mutating func add(_ gate: RunRecord.GateResult) {
        let id = "gate/" + gate.metric
        if !rules.contains(where: { $0.id == id }) {
            rules.append(Rule(id: id, requirement: "A gate of the run holds.", advice: ""))
        }
        results.append(
            Result(
                rule: id, level: .error, message: "\(gate.text): measured \(gate.valueText)", fingerprint: "gate/" + gate.text,
                line: file.line(ofGate: gate.text), suppression: nil))
    }
}
