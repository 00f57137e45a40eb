// A check on a page of GitHub-flavoured Markdown, for a pull request or a job summary.

import Basics
import Conformance
import Verdicts

struct CheckMarkdown {
    let record: CheckRecord

    var text: String {
        let exit = record.exit
        var text = "## \(exit.tone.sign) \(escaped(record.profile)): \(escaped(exit.word))\n\n"
        text += "\(escaped(CheckText.sentence(record))).\n\n"
        for reason in exit.reasons { text += "- \(escaped(reason))\n" }
        if !exit.reasons.isEmpty { text += "\n" }
        let loud = record.cases.filter { $0.verdict != .kept && $0.verdict != .notExercised }
        if !loud.isEmpty {
            text += "| Case | verdict | what is broken |\n| :--- | :--- | :--- |\n"
            for item in loud {
                let what = item.broken.map { "\($0.id) (\($0.claims.joined(separator: ", ")))" }
                let words = what.isEmpty ? item.reasons.prefix(1).joined() : what.joined(separator: ", ")
                text += "| \(escaped(item.name)) | **\(item.verdict.rawValue)** | \(escaped(words)) |\n"
            }
            text += "\n"
        }
        for item in loud {
            for rule in item.broken {
                guard let finding = rule.verdict.findings.first else { continue }
                text += "- \(escaped(item.name)), \(escaped(rule.id)): \(escaped(rule.requirement)) \(escaped(finding.line)). "
                if let call = finding.call { text += "Call: \(escaped(call.kind)) → \(escaped(call.answer)). " }
                text += "Change: \(escaped(rule.change)). More: \(escaped(finding.more(in: item.directory ?? "")))\n"
            }
        }
        if !loud.isEmpty { text += "\n" }
        let idle = record.cases.filter { $0.verdict == .notExercised }
        if !idle.isEmpty {
            text += "Not exercised: "
                + idle.map { "\(escaped($0.name)) (\(escaped($0.reasons.first ?? "")))" }.joined(separator: "; ") + ".\n\n"
        }
        return text + "Again with seed \(record.seed):\n\n" + Escaping.markdownBlock(record.command, language: "sh")
    }

    private func escaped(_ text: String) -> String { Escaping.markdown(text) }
}
