// An account that something may still come of, and until when.

import Basics
import Metrics
import Pushes

/// By reference: looking at it in a dictionary would copy it each time.
final class OpenAccount {
    private struct Served: Hashable {
        var place: UInt64
        var type: PushType
    }

    var account: Account
    var stamped = StampedPushes()
    private var rows = RefusalRows()
    /// Until when: what was refused for now last, or not answered, or answered late by our doing.
    private var resting: [RefusalRows.Waiting: Instant] = [:]

    /// When what the call that was answered last owes is due.
    private(set) var answeredUntil: Instant?

    init(_ account: Account) { self.account = account }

    /// Something may still come then.
    var restsUntil: Instant? { resting.values.max() }

    /// A call that was planned by then has not been told of: each is, also one that was never sent.
    func isWaiting(at instant: Instant) -> Bool {
        account.calls.contains { $0.state == .planned && $0.plannedAt <= instant }
    }

    func note(_ call: SeenCall, deadline: Interval) {
        let due = max(call.sentAt, call.answeredAt) + deadline
        answeredUntil = max(answeredUntil ?? due, due)
    }

    /// `deadline`: the longest that anything of the plan has.
    func note(_ push: SeenPush, _ circumstances: Circumstances, deadline: Interval) {
        guard push.metFault || push.isToComeAgain || !resting.isEmpty || !rows.isEmpty else { return }
        let lane = account.tokenCalls.last { $0.token == push.token }?.lane
        let wait = circumstances.longestWait(behind: push, rows.see(push, lane))
        guard wait != nil || !resting.isEmpty else { return }
        for waiting in RefusalRows.waiting(behind: push, lane) {
            resting[waiting] = wait.map { push.answeredAt + $0 + deadline }
        }
    }

    /// A fault met a connection shortly before all was due, and something that nothing can take the place of has not come: so
    /// long the relay may need to connect again, and then it has its time.
    func reconnectsUntil(_ circumstances: Circumstances, _ linger: Interval, deadline: Interval) -> Instant? {
        let met = circumstances.firings(from: Instant(nanoseconds: .min), to: account.endsAt + linger).last
        guard let until = met.map({ $0.at + circumstances.patience + deadline }), until > account.endsAt, isOwing else {
            return nil
        }
        return until
    }

    private var isOwing: Bool {
        let served = Set(account.pushes.lazy.filter(\.isAccepted).map { Served(place: $0.place, type: $0.type) })
        return account.rows.contains { row in
            (row.isFinal || !row.mayBeSuperseded) && !served.contains(Served(place: row.place, type: row.type))
        }
    }
}
