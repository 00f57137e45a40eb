// An account that something may still come of, and until when.

import Basics
import Metrics
import Pushes

/// By reference: looking at it in a dictionary would copy it each time.
final class OpenAccount {
    /// A token's last push was refused for now, or not answered, or answered late by our doing.
    private struct Rest {
        /// The first such answer in a row.
        var since: Instant
        var until: Instant
    }

    private struct Served: Hashable {
        var place: UInt64
        var type: PushType
    }

    var account: Account
    var stamped = StampedPushes()
    private var resting: [TokenHash: Rest] = [:]

    /// When what the call that was answered last owes is due.
    private(set) var answeredUntil: Instant?

    init(_ account: Account) { self.account = account }

    /// Something may still come then.
    var restsUntil: Instant? { resting.values.map(\.until).max() }

    /// A call that was planned by then has not been told of: each is, also one that was never sent.
    func isWaiting(at instant: Instant) -> Bool {
        account.calls.contains { $0.state == .planned && $0.plannedAt <= instant }
    }

    func note(_ call: SeenCall, deadline: Interval) {
        let due = max(call.sentAt, call.answeredAt) + deadline
        answeredUntil = max(answeredUntil ?? due, due)
    }

    /// `wait`: from its answer to when what waits behind it is due; nil: nothing has to wait.
    func note(_ push: SeenPush, wait: Interval?) {
        guard let wait else {
            if !resting.isEmpty { resting[push.token] = nil }
            return
        }
        let since = push.isAccepted ? push.answeredAt : resting[push.token]?.since ?? push.answeredAt
        // Whose pauses double waits once more for as long as in all before, and for the first of them.
        resting[push.token] = Rest(since: since, until: push.answeredAt + (push.answeredAt - since) + wait)
    }

    /// A fault met a connection shortly before all was due, and something that nothing can take the place of has not come: so
    /// long the relay may need to connect again.
    func reconnectsUntil(_ circumstances: Circumstances, _ linger: Interval) -> Instant? {
        let met = circumstances.firings(from: Instant(nanoseconds: .min), to: account.endsAt + linger).last
        guard let until = met.map({ $0.at + circumstances.patience }), until > account.endsAt, isOwing else { return nil }
        return until
    }

    private var isOwing: Bool {
        let served = Set(account.pushes.lazy.filter(\.isAccepted).map { Served(place: $0.place, type: $0.type) })
        return account.rows.contains { row in
            (row.isFinal || !row.mayBeSuperseded) && !served.contains(Served(place: row.place, type: row.type))
        }
    }
}
