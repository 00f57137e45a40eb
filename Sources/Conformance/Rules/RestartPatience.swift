// How long a relay may wait with what it owes to no call but to an activity's age, and what lets it be: starts for a successor,
// the end of the card that was replaced, the newest state for the one that took its place.

import Basics
import Metrics
import Pushes

extension RestartRules {
    /// In which a card ends whose end is due.
    static func patience(_ run: RunContext) -> Interval { (run.shortestDeadline ?? Tolerances.flight) + slack(run) }

    /// What a relay waits before it tries again what was answered so, where it usually waits `usual`.
    static func pause(behind push: SeenPush, _ usual: Interval) -> Interval {
        push.status >= 500 ? max(usual, SheetFigures.restBehindFailure) : usual
    }

    /// Until when one of the attempts must have been accepted, of what the relay was told at `instant`. After a refusal for now
    /// it is sent again, behind a pause. Nil where nobody can say so.
    static func limit(
        of attempts: [SeenPush], from instant: Instant, within patience: Interval, _ terms: RestartTerms, _ run: RunContext
    ) -> Instant? {
        let held = attempts.last { $0.metFault && !$0.isAccepted }
        let limit = max(
            instant + patience, held.map { $0.answeredAt + pause(behind: $0, terms.pause) * 2 + slack(run) } ?? instant)
        return run.due(instant, by: limit, told: instant, at: .apns)
    }

    static func limit(
        of ends: [SeenPush], from instant: Instant, _ terms: RestartTerms, _ run: RunContext
    ) -> Instant? { limit(of: ends, from: instant, within: patience(run), terms, run) }

    /// A fault met it each time, and it was refused for good, or more than one attempt was made.
    static func wasLetBe(_ attempts: [SeenPush]) -> Bool {
        guard let last = attempts.last, attempts.allSatisfy(\.metFault) else { return false }
        return attempts.count > 1 || last.isRefusedForGood
    }
}
