// A check as GitLab's code quality report, which a merge request shows beside its changes: an entry for each broken rule of a
// case, at the scenario or profile that was checked.
// Source: GitLab, "Code Quality", report format (the fields that it names required).

import Basics
import Conformance
import Verdicts

struct CheckCodeQuality {
    let record: CheckRecord

    var json: JSONValue {
        .array(
            record.cases.flatMap { item in
                item.toMend.map { entry(item, $0) }
            })
    }

    private func entry(_ item: CaseResult, _ rule: RuleResult) -> JSONValue {
        let words = rule.verdict.findings.first?.line ?? rule.requirement
        return [
            "description": .string("\(item.name): \(rule.id): \(words). Change: \(rule.change)"),
            "check_name": .string(rule.id),
            // The same from run to run, so that one that was there before is not told as new.
            "fingerprint": .string("pushrig/\(record.profile)/\(item.name)/\(rule.id)"),
            "severity": .string(rule.standing == .broken ? "major" : "minor"),
            "location": ["path": .string(record.subject), "lines": ["begin": 1]],
        ]
    }
}
