// Rules about states that say again what the card was told last, where the profile says by what a relay would know it.

import Basics
import Metrics
import Pushes

enum RepeatRules {
    static let all = [alike]

    static let alike = Rule(
        "repeats-alike", ["R1.22"], .should, basis: .absence, on: .both,
        requirement: "A state that is told again unchanged is pushed each time or never.",
        norm: "Relay contract: the same write has the same effect",
        advice: "compare each state with the one that was pushed last, or compare none"
    ) { joined, run, tally in
        // In the order in which they were told.
        var isPushed: [Bool] = []
        var last: (row: Expectation, push: UInt64)?
        for (index, row) in joined.account.rows.enumerated() where joined.saysAgain(index) {
            let accepted = joined.deliveries[index].accepted
            // What of ours met it, or may have, is its reason.
            guard accepted != nil || isUntouched(index, joined, run) else { continue }
            isPushed.append(accepted != nil)
            if let accepted { last = (row, joined.account.pushes[accepted].id) }
        }
        guard isPushed.count > 1 else { return }
        tally.test()
        let pushed = isPushed.count { $0 }
        guard pushed < isPushed.count, let last else { return }
        tally.find(
            "a state that is told again is pushed in some cases only",
            expected: "a push for each of \(isPushed.count) repeats, or none",
            seen: "for \(pushed) of them",
            session: last.row.session, step: last.row.step, last.push)
    }

    private static func isUntouched(_ index: Int, _ joined: JoinedAccount, _ run: RunContext) -> Bool {
        let (row, due) = (joined.account.rows[index], joined.deliveries[index].due)
        // A newer state that says something else may have taken its place.
        let isReplaced = row.mayBeSuperseded && joined.account.rows.contains { newer in
            newer.session == row.session && newer.type == row.type && newer.lane == row.lane && newer.place > row.place
                && newer.saying != row.saying && newer.plannedAt <= due
        }
        if isReplaced { return false }
        return joined.attempts(of: index).isEmpty && !run.circumstances.wasDown(between: row.plannedAt, and: due)
            && run.circumstances.firings(from: row.plannedAt, to: due).isEmpty && due <= run.circumstances.end
    }
}
