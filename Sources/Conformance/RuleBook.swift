// All rules, in the order in which they are reported, and their judging.

package enum RuleBook {
    package static let all: [Rule] = [
        LastStateRule.lastStateDelivered,
        ActivityRules.throttleRespected,
        ActivityRules.nothingAfterEnd,
        ActivityRules.oneStart,
        ActivityRules.eventsFit,
        TimestampRule.secondsAndRising,
        ActivityRules.decodable,
        DeliveryRules.alertsOnlyWhereDue,
        DeliveryRules.alertFirst,
        DeliveryRules.payloadFits,
        DeliveryRules.requestsWellFormed,
        TokenRules.deadTokenDropped,
        TokenRules.livingTokenKept,
        TokenRules.sessionsKeptApart,
        ConnectionRules.providerTokenReused,
        ConnectionRules.oneTeam,
        ConnectionRules.connectionsReused,
        RetryRules.backsOff,
        RetryRules.keepsID,
        ActivityRules.prioritiesMixed,
    ]

    /// The rule with this id or one of these claims (`R0.8`), in any case of letters.
    package static func rule(named name: String) -> Rule? {
        let wanted = name.lowercased()
        return all.first { $0.id == wanted || $0.claims.contains { $0.lowercased() == wanted } }
    }

    /// Judges every rule. `knownFailing` holds ids or claims which the profile lists as known breaks.
    package static func judge(_ evidence: Evidence, knownFailing: Set<String> = []) -> [RuleResult] {
        all.map { rule in
            RuleResult(
                id: rule.id, claim: rule.claim, level: rule.level, requirement: rule.requirement, norm: rule.norm,
                verdict: rule.judge(evidence),
                isKnownFailing: knownFailing.contains(rule.id) || !knownFailing.isDisjoint(with: rule.claims))
        }
    }
}

extension Rule {
    /// The claims one by one.
    package var claims: [String] {
        claim.split(separator: ",").map { String($0.drop(while: { $0 == " " })) }
    }
}
