// The rest that FCM asks for: a minute after 429, ten seconds after 5xx (spec/fcm.md §8, F7, F8). What the relay keeps back for
// so long it keeps back by our doing, where a fault of ours gave that answer; the newest state is owed when the rest is over.

import Basics
import Pushes

extension JoinedAccount {
    /// Who waits longer each time, and adds chance to it, takes twice as long at first.
    private static let growth = 2.0

    private static func rest(after push: SeenPush) -> Interval { push.status == 429 ? .seconds(60) : .seconds(10) }

    /// The last refusal before the state was due after which its registration was to rest; nil: none that is a fault's.
    private func refusalToRestAfter(_ row: Expectation, by due: Instant) -> SeenPush? {
        guard row.provider == .fcm else { return nil }
        return account.pushes.last { push in
            push.provider == .fcm && push.token == row.token && push.metFault && push.isRefusedForNow && push.arrivedAt <= due
                && row.plannedAt <= push.answeredAt + Self.rest(after: push) * Self.growth
        }
    }

    func isAtRest(_ index: Int) -> Bool {
        refusalToRestAfter(account.rows[index], by: deliveries[index].due) != nil
    }

    /// Until when it may come, where its registration had to rest; each further refusal asks for more.
    func dueBehindRest(_ index: Int) -> Instant? {
        let row = account.rows[index]
        var due = deliveries[index].due
        while let push = refusalToRestAfter(row, by: due) {
            let next = push.answeredAt + Self.rest(after: push) * Self.growth + row.deadline
            guard next > due else { break }
            due = next
        }
        return due > deliveries[index].due ? due : nil
    }
}
