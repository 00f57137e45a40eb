// Relays that say nothing of how long they rest behind a refusal: whether what was refused for now ever comes again.

import Basics
import Metrics
import Pushes

enum RestRule {
    static let all = [comesAgain]

    /// Longer than the second wait of a relay that doubles its waits.
    private static let longest = Tolerances.flight * Tolerances.growth

    static let comesAgain = Rule(
        "refused-comes-again", ["P13"], .should, basis: .absence,
        requirement: "A push that was refused for now is sent again, by a relay that does not say how long it rests.",
        norm: "Apple, Handling notification responses from APNs: 429 and 5xx are to be retried later",
        advice: "send it again after a pause; or say in the profile's `rest` how long it may wait, up to 15 minutes"
    ) { joined, run, tally in
        guard run.isSilentOfRest else { return }
        for (index, row) in joined.account.rows.enumerated() {
            let attempts = joined.attempts(of: index)
            guard let refused = attempts.last(where: { $0.isRefusedForNow && $0.metFault }),
                joined.tokens.deaths[row.token] == nil, joined.account.call(at: row.place)?.wasTaken == true
            else { continue }
            if attempts.last!.id != refused.id {
                tally.test()
                continue
            }
            let last = refused.answeredAt
            // The provider serves again, and the relay is up.
            let isBack = joined.account.pushes.contains { $0.provider == row.provider && $0.isAccepted && $0.arrivedAt > last }
            let end = run.circumstances.end
            guard joined.deliveries[index].isOpen, isBack,
                last + run.circumstances.real(longest) < end, !run.isAway(from: last, until: end)
            else { continue }
            tally.test()
            tally.find(
                "a push was refused for now, and never sent again", expected: "another attempt behind \(run.reason(refused))",
                seen: "none in the \(end - last) that were left", of: refused, refused.id)
        }
    }
}
