// Rules about the two environments: a wrong one is tried once more at the other, and what worked is remembered.

import Basics
import Metrics
import Pushes

enum EnvironmentRules {
    static let all = [otherOnce, badTokenOther]

    private static func judge(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, reasons: Set<String>
    ) {
        guard run.hasBothEnvironments else { return }
        let pushes = joined.account.pushes
        var told: Set<TokenHash> = []
        for (index, push) in pushes.enumerated() where reasons.contains(run.word(push)) {
            guard !push.flags.contains(.isAnswerUndelivered), told.insert(push.token).inserted,
                push.answeredAt + run.circumstances.real(.seconds(2)) < run.circumstances.end
            else { continue }
            let others = pushes[(index + 1)...].filter {
                $0.identity == push.identity && $0.environment != push.environment
            }
            // A newer state took its place before the answer was read.
            if others.isEmpty, let row = joined.rowOfPush[index], joined.deliveries[row].outcome == .superseded { continue }
            tally.test()
            if others.isEmpty {
                tally.find(
                    "\(run.reason(push)) was not tried at the other environment", expected: "one attempt there",
                    seen: "none", of: push,
                    push.id)
            } else if others.count > 1, !others.contains(where: { $0.isAccepted || $0.isRefusedForNow }) {
                tally.find(
                    "\(run.reason(push)) was tried at the other environment again and again", expected: "one attempt",
                    seen: "\(others.count)", of: push, push.id)
            } else if let success = others.first(where: { $0.isAccepted }),
                let next = pushes.first(where: {
                    $0.token == push.token && $0.arrivedAt > success.answeredAt + run.circumstances.inFlightGrace
                }), next.environment == push.environment
            {
                tally.find(
                    "the environment that worked was forgotten", expected: "the next push goes there first",
                    seen: "the other one again", of: next, success.id, next.id)
            }
        }
    }

    static let otherOnce = Rule(
        "other-environment-once", ["R0.26", "G3"], .must, basis: .absence,
        requirement: "A key of the other environment leads to one attempt there, and what worked is remembered.",
        norm: "Relay contract: BadEnvironmentKeyInToken is tried once at the other host, and success is stored",
        advice: "retry once at the other host, and store the environment with the token when it is accepted there"
    ) { joined, run, tally in
        judge(joined, run, &tally, reasons: ["BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken"])
    }

    static let badTokenOther = Rule(
        "bad-token-other-environment", ["R0.27"], .should, basis: .absence,
        requirement: "BadDeviceToken is tried once at the other environment before the token is dropped.",
        norm: "Apple, Handling notification responses from APNs: the token may belong to the other environment",
        advice: "retry once at the other host, and drop the token when that one refuses it as well"
    ) { joined, run, tally in judge(joined, run, &tally, reasons: ["BadDeviceToken"]) }
}
