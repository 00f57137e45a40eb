// What the user did to a card on purpose. No relay sees it: APNs accepts what comes for that card, and the phone passes it
// over. A relay learns of it when the app takes the token back, and until then nothing is held against it.

import Basics
import Pushes

extension JoinedAccount {
    /// When the user removed the activity that such a token is of.
    func dismissedAt(_ row: Expectation) -> Instant? {
        guard row.lane.role == .activity, !account.cards.isEmpty else { return nil }
        return account.card(of: row.token)?.dismissedAt
    }

    /// The state came to a card that its user had removed, or had time to come until then. What was refused for good before
    /// that is not explained by it.
    func wasDismissed(_ index: Int) -> Bool {
        guard let at = dismissedAt(account.rows[index]), at <= deliveries[index].due else { return false }
        guard let last = attempts(of: index).last else { return true }
        return at <= last.arrivedAt || last.isRefusedForNow || last.outcome == .ignoredEnded
    }
}
