// What waits behind a push that a fault of ours has not answered yet. One card's states go one after the other, and how long a
// relay waits for an answer is its own affair, within bounds: whether its callers wait too is a rule's (R0.36).

import Basics
import Pushes

extension JoinedAccount {
    /// So long a relay may wait for an answer, by the network's time. (Our choice: the most patient that we know gives a push
    /// up after 30 s.)
    private static let patience = Interval.seconds(30)

    /// Until when a state may come that waited behind one without an answer, of the same card or of its phone: from when the
    /// relay went on, it has its deadline again.
    func dueBehindSilence(_ index: Int, _ circumstances: Circumstances) -> Instant? {
        let row = account.rows[index]
        var due = deliveries[index].due
        for push in account.pushes where push.arrivedAt <= due && push.place < row.place {
            guard push.session == row.session, push.isMarked, push.metFault, let lane = tokens.lanes[push.token],
                lane == row.lane || lane.phone == row.lane.phone && lane.role == .device
            else { continue }
            let isSilence = push.status == 0 && circumstances.fault(push.faultRule)?.isSilence == true
            let answered = isSilence ? .distantFuture : push.answeredAt
            let wentOn = account.pushes.first { $0.arrivedAt > push.arrivedAt && tokens.lanes[$0.token] == row.lane }
            let over = min(answered, wentOn?.arrivedAt ?? .distantFuture, push.arrivedAt + circumstances.real(Self.patience))
            if over > row.plannedAt { due = max(due, over + row.deadline + circumstances.allowance) }
        }
        return due > deliveries[index].due ? due : nil
    }
}
