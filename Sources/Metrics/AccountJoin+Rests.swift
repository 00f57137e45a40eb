// The rest behind a provider's 429 or 5xx, where a fault of ours gave that answer: what the relay keeps back for so long it
// keeps back by our doing, and the newest state is owed when the rest is over. FCM asks for what its answer says
// (retry-after), or for a minute after 429 and ten seconds after 5xx (spec/fcm.md §8, F7, F8); Apple lets a relay rest for a
// quarter of an hour (spec/apns.md §14, P13), unless its profile declares less.

import Basics
import Pushes

extension JoinedAccount {
    /// Whether a newer state may take its place, for it waits. Once its due is prolonged, also behind what was refused since.
    func isAtRest(_ index: Int, _ circumstances: Circumstances) -> Bool {
        restOver(index, by: deliveries[index].due, circumstances) != nil
    }

    /// Until when it may come, where it had to rest; each further refusal asks for more.
    func dueBehindRest(_ index: Int, _ circumstances: Circumstances) -> Instant? {
        let row = account.rows[index]
        let grace = row.deadline + (row.provider == .fcm ? .zero : circumstances.allowance)
        var due = deliveries[index].due
        while let over = restOver(index, by: due, circumstances) {
            guard over + grace > due else { break }
            due = over + grace
        }
        return due > deliveries[index].due ? due : nil
    }

    /// When the last rest is over that was asked for before it was due; nil: none was.
    private func restOver(_ index: Int, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        let row = account.rows[index]
        guard row.provider == .apns else { return restOverAtFCM(row, by: due, circumstances) }
        guard circumstances.rest > .zero else { return nil }
        if let own = attempts(of: index).last(where: { $0.arrivedAt <= due }) {
            return isRefusedForNowByUs(own) ? own.answeredAt + circumstances.rest : nil
        }
        let ofLane = restOverOnLane(row, by: due, circumstances)
        let ofAll = circumstances.silences.over(plannedAt: row.plannedAt, due: due, circumstances)
        return [ofLane, ofAll].compactMap(\.self).max()
    }

    /// It goes where the row goes: to its token, or to another of the same card or device. Cards of other sessions are others.
    func isOnItsWay(_ push: SeenPush, _ row: Expectation) -> Bool {
        if push.token == row.token { return true }
        return tokens.lanes[push.token] == row.lane
            && (row.lane.role != .activity || !push.isMarked || push.session == row.session)
    }

    private func isRefusedForNowByUs(_ push: SeenPush) -> Bool { push.metFault && push.isRefusedForNow }

    /// It waits behind what goes to its token, or is told its phone in its session, from the refusal on until something goes
    /// its own way again.
    private func restOverOnLane(_ row: Expectation, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        let last = account.pushes.last { push in
            // Numbers of sessions tell nothing of time.
            guard isRefusedForNowByUs(push), push.arrivedAt <= due, push.session != row.session || push.place < row.place
            else { return false }
            let isOfPhone = push.isMarked && push.session == row.session
            return push.token == row.token || isOfPhone && tokens.lanes[push.token]?.phone == row.lane.phone
        }
        guard let last else { return nil }
        let wentOn = account.pushes.first { push in
            last.answeredAt < push.arrivedAt && isOnItsWay(push, row)
        }
        let over = min(last.answeredAt + circumstances.rest, wentOn?.arrivedAt ?? .distantFuture)
        return row.plannedAt <= over ? over : nil
    }

    private func restOverAtFCM(_ row: Expectation, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        account.pushes.last { push in
            push.provider == .fcm && push.token == row.token && isRefusedForNowByUs(push) && push.arrivedAt <= due
                && row.plannedAt <= push.answeredAt + circumstances.allowedRest(after: push)
        }.map { $0.answeredAt + circumstances.allowedRest(after: $0) }
    }
}
