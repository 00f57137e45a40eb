// Claims and rules in words: what a relay has to do, what judges it, and how to see it broken.

import Conformance

extension KnowledgeTopic {
    static let claims = KnowledgeTopic(
        "claims",
        rows: {
            Claim.all.map { claim in
                let rules = claim.rules.isEmpty ? "no rule" : claim.rules.joined(separator: ", ")
                return (claim.id, "\(claim.level.rawValue), \(rules): \(claim.sentence)")
            }
        },
        explain: { Claim.named($0)?.explanation })

    static let rules = KnowledgeTopic(
        "rules",
        rows: {
            RuleBook.all.map {
                ($0.id, "\($0.level.rawValue), \($0.claims.joined(separator: ", ")): \($0.requirement)")
            }
        },
        explain: { name in
            guard let rule = RuleBook.all.first(where: { $0.id == name.lowercased() }) else { return nil }
            return "\(rule.id): a rule, \(rule.level.rawValue).\n\(rule.requirement)\nNorm: \(rule.norm)\n"
                + "If it is broken: \(rule.advice)\n"
                + Claim.judged(by: rule.id).map { "\($0.id): \($0.sentence)\n" }.joined()
        })
}

extension Claim {
    fileprivate var explanation: String {
        let owners = systems.map(\.rawValue).joined(separator: ", ")
        var text = "\(id): a claim on \(owners), \(level.rawValue).\n\(sentence)\nNorm: \(norm)\n"
        switch judgement {
        case .rules(let rules, let unseen):
            text += "Judged by: \(rules.joined(separator: ", "))\n"
            if let unseen { text += "Not seen: \(unseen)\n" }
        case .missing(let input): text += "Judged by no rule. \(input)\n"
        }
        for defect in defects { text += "See it broken: `pushrig relay --defect \(defect)`\n" }
        return text
    }
}
