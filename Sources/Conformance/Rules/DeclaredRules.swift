// A rule about what a profile declares of each push beside its state: headers, alert, sound, dates and, at FCM, keys.

import Basics
import Metrics
import Pushes

enum DeclaredRules {
    static let all = [asDeclared]

    static let asDeclared = Rule(
        "pushes-as-declared", ["R0.2", "R0.14", "R1.3", "R2.2", "R3.6", "R3.7", "R3.8", "R3.13"], .must, on: .both,
        requirement:
            "Each push has the headers, the alert, the sound and the dates that its call declares; to FCM, priority and keys.",
        norm: "The profile's declaration: what this relay is said to send for the call",
        advice: "build the push as declared, each time it is tried; or correct the profile where it promises too much"
    ) { joined, run, tally in
        for (index, push) in joined.account.pushes.enumerated() where push.flags.contains(.isDeclared) {
            // What is owed to no call is judged by rules of its own, and so is what comes in another one's place.
            guard let row = joined.rowOfPush[index].map({ joined.account.rows[$0] }), row.event == push.event,
                row.type == push.type, !CarriedRules.isLastWord(push, joined), !isRefresh(index, joined, run)
            else { continue }
            tally.test()
            for deviation in run.deviations[push.deviation] {
                tally.find(
                    "`\(run.kind(row.kind))`: its \(word(push)) is not as declared in `\(deviation.field)`",
                    expected: deviation.expected, seen: deviation.seen, session: push.session, step: push.step, push.id)
            }
        }
    }

    private static func word(_ push: SeenPush) -> String {
        push.event.map { "\($0.word)" } ?? "\(push.type.word)"
    }

    /// What a relay tells again by itself is no push of the call any more.
    private static func isRefresh(_ index: Int, _ joined: JoinedAccount, _ run: RunContext) -> Bool {
        guard run.circumstances.refresh != nil, let row = joined.rowOfPush[index] else { return false }
        let push = joined.account.pushes[index]
        return joined.attempts(of: row).contains { $0.isAccepted && $0.id != push.id && $0.arrivedAt <= push.arrivedAt }
    }
}
