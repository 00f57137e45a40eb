// What became of a card on its phone, where no push of the relay's has ended it: its user dismissed it, or the system ended it
// for its age. No relay sees it: APNs accepts what comes for that card, and the phone passes it over. A relay learns of it
// when the app takes the token back, and until then nothing is held against it.

import Basics
import Pushes

extension JoinedAccount {
    /// When the user removed the activity that such a token is of.
    func dismissedAt(_ row: Expectation) -> Instant? {
        guard row.lane.role == .activity, !account.cards.isEmpty else { return nil }
        return account.card(of: row.token)?.dismissedAt
    }

    /// When the card that such a token is of went by itself, and how.
    private func gone(_ token: TokenHash) -> (at: Instant, how: String)? {
        guard !account.cards.isEmpty, let card = account.card(of: token) else { return nil }
        if let at = card.dismissedAt { return (at, "dismissed by the user") }
        guard let at = card.endedAt, !mightBeReplaced(token, by: at) else { return nil }
        let wasTold = account.pushes.contains { push in
            push.isAccepted && push.event == .end && push.arrivedAt <= at && card.tokens.contains(push.token)
        }
        return wasTold ? nil : (at, "ended on its phone")
    }

    /// A relay that replaces activities before the system ends them could have done so, and did not try to the end: it has
    /// twice its pause for each further start.
    private func mightBeReplaced(_ token: TokenHash, by instant: Instant) -> Bool {
        guard let terms = restartTerms, let activity = restarts?.activities.first(where: { $0.tokens.contains(token) }) else {
            return false
        }
        let tried = activity.starts.map { account.pushes[$0].answeredAt }.filter { $0 <= instant }
        let pause = tried.dropFirst().reduce(terms.pause) { pause, _ in min(pause * 2, terms.longestPause) }
        if let last = tried.max(), instant <= last + pause * 2 + terms.adoptWithin { return false }
        let known = account.tokenCalls.last { made in
            made.isRegistration && made.lane == Lane(role: .start, phone: activity.phone)
                && account.call(at: made.place).map { $0.wasTaken && $0.sentAt <= instant } ?? false
        }
        return known.map { tokens.death(of: $0.token, plannedAt: instant, by: instant) == nil } ?? false
    }

    /// The state came to a card that had gone, or had time to come until then. What was refused for good before that is not
    /// explained by it.
    func goneCard(_ index: Int) -> String? {
        let row = account.rows[index]
        guard row.lane.role == .activity, let (at, how) = gone(row.token), at <= deliveries[index].due else { return nil }
        guard let last = attempts(of: index).last else { return how }
        return at <= last.arrivedAt || last.isRefusedForNow || last.outcome == .ignoredEnded ? how : nil
    }

    /// It was accepted while its card lived, and waited for a phone that was away until the card had gone.
    func wasStored(_ push: SeenPush) -> Bool { gone(push.token).map { push.arrivedAt < $0.at } ?? false }
}
