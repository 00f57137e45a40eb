// What waits behind a push that a fault of ours has not answered yet. One card's states go one after the other, and how long a
// relay waits for an answer is its own affair, within bounds: whether its callers wait too is a rule's (R0.36).

import Basics
import Pushes

extension JoinedAccount {
    /// Until when a state may come that waited behind one without an answer, of the same card or of its phone: from when the
    /// relay went on, it has its deadline again.
    func dueBehindSilence(_ index: Int, _ circumstances: Circumstances) -> Instant? {
        let row = account.rows[index]
        var due = deliveries[index].due
        for held in heldUp[row.session] ?? [] {
            let push = account.pushes[held]
            guard push.arrivedAt <= due, push.place < row.place, let lane = tokens.lanes[push.token],
                lane == row.lane || lane.phone == row.lane.phone && lane.role == .device
            else { continue }
            let over = overBehind(push, before: row, circumstances)
            if over > row.plannedAt { due = max(due, over + row.deadline + circumstances.allowance) }
        }
        return due > deliveries[index].due ? due : nil
    }

    /// When what waits behind it went on, or has to: it was answered, something went the row's way, or no relay waits longer.
    func overBehind(_ push: SeenPush, before row: Expectation, _ circumstances: Circumstances) -> Instant {
        let isSilence = push.status == 0 && circumstances.fault(push.faultRule)?.isSilence == true
        let answered = isSilence ? .distantFuture : push.answeredAt
        let wentOn = ways.next(row, behind: push.arrivedAt)?.arrivedAt ?? .distantFuture
        return min(answered, wentOn, push.arrivedAt + circumstances.patience)
    }
}
