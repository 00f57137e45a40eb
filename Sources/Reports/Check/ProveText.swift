// A proof as text, and the map of defects and cases as Markdown.

import Basics
import Conformance
package import Verdicts

package enum ProveText {
    package static func text(_ record: ProveRecord) -> String {
        var text = "honest: \(record.honest.count - record.blamed.count) of \(record.honest.count) cases kept\n"
        for item in record.blamed {
            let what = item.broken.map(\.id)
            let words = (what.isEmpty ? item.reasons : what).joined(separator: ", ")
            text += "  \(item.verdict.rawValue): \(item.name)  \(words)\n"
        }
        let asked = record.proofs.filter { $0.standing != .uncovered }
        text += "defects: \(record.count(.proven)) of \(asked.count) proven, "
        text += "\(record.count(.uncovered)) whose rule no case is about\n"
        for proof in asked where proof.standing != .proven {
            let red = proof.cases.compactMap { name in proof.red[name].map { "\(name): \($0.joined(separator: ", "))" } }
            text += "  \(proof.standing.rawValue): \(proof.defect), which breaks \(proof.declared[0])"
            text += proof.excess.isEmpty ? "" : ", and \(proof.excess.joined(separator: ", "))"
            text += proof.standing == .partial ? ", but not \(proof.lacking.joined(separator: ", "))" : ""
            text += "  (\(red.joined(separator: "; ")))\n"
        }
        return text
    }

    /// Which case convicts which defect.
    package static func map(_ record: ProveRecord) -> String {
        let names = { (cases: [String]) in cases.map { "`\($0)`" }.joined(separator: " ") }
        var text = record.caption.isEmpty ? "" : record.caption + ".\n"
        text += "Convicted are **\(record.count(.proven)) of \(record.proofs.count)**"
        text += record.honest.isEmpty ? ".\n\n" : """
            ; the honest relay was kept in \(record.honest.count - record.blamed.count) of \
            \(Numbers.count(record.honest.count, "case")).


            """
        text += "| defect | breaks | rule | convicted in | the rest of its rules in | tried in vain |\n"
        text += "| --- | --- | --- | --- | --- | --- |\n"
        for proof in record.proofs {
            let told = proof.convictedIn + proof.completedIn
            let missed = proof.cases.filter { proof.red[$0] != nil && !told.contains($0) }
            let words = proof.standing == .proven ? names(proof.convictedIn) : proof.standing.rawValue
            text += "| `\(proof.defect)` | \(proof.claim) | `\(proof.declared[0])` | \(words) | \(names(proof.completedIn)) | "
            text += (missed.count > 6 ? Numbers.count(missed.count, "case") : names(missed)) + " |\n"
        }
        return text
    }
}
