// The rest behind a provider's 429 or 5xx, where a fault of ours gave that answer: what the relay keeps back for so long it
// keeps back by our doing, and the newest state is owed when the rest is over. FCM asks for a minute after 429 and ten seconds
// after 5xx, or for more where its answer says so (retry-after), and for more each time (spec/fcm.md §8, F7, F8); behind a
// connection that was cut off a message may rest likewise. Apple lets a relay rest for a quarter of an hour (spec/apns.md §14,
// P13), unless its profile declares less.

package import Basics
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

    /// It was refused for now and not sent again, though something got through to its token since: no breach, for it may rest
    /// by itself, but worth to be told.
    func wasPassedOver(_ index: Int) -> Bool {
        guard let last = attempts(of: index).last, last.isRefusedForNowByUs else { return false }
        return ways.first(to: last.token, behind: last.answeredAt, where: \.isAccepted) != nil
    }

    /// When the rest behind one answer is over, however many there were before it.
    package func restOver(behind push: SeenPush, _ circumstances: Circumstances) -> Instant {
        push.answeredAt + circumstances.allowedRest(after: push) + ways.pauses(before: push)
    }

    /// When the last rest is over that was asked for before it was due; nil: none was.
    private func restOver(_ index: Int, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        let row = account.rows[index]
        guard row.provider == .fcm || circumstances.rest > .zero else { return nil }
        if let own = attempts(of: index).last(where: { $0.arrivedAt <= due }) {
            guard circumstances.mayRest(behind: own) else { return nil }
            let over = restOver(behind: own, circumstances)
            // After 429 its registration may be told to rest by another message, too.
            return max(over, row.provider == .fcm ? restOverAtFCM(row, by: due, circumstances) ?? over : over)
        }
        guard row.provider == .apns else { return restOverAtFCM(row, by: due, circumstances) }
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

    /// It waits behind what goes to its token, or is told its phone in its session, from the refusal on until something goes
    /// its own way again.
    private func restOverOnLane(_ row: Expectation, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        let last = ways.lastRefused(at: row.token, of: row.session, by: due) { push in
            // Numbers of sessions tell nothing of time.
            guard push.session != row.session || push.place < row.place else { return false }
            let isOfPhone = push.isMarked && push.session == row.session
            return push.token == row.token || isOfPhone && tokens.lanes[push.token]?.phone == row.lane.phone
        }
        guard let last else { return nil }
        let wentOn = ways.next(row, behind: last.answeredAt)?.arrivedAt ?? .distantFuture
        let over = min(last.answeredAt + circumstances.rest, wentOn)
        return row.plannedAt <= over ? over : nil
    }

    /// It waits for its registration's rest, or for that of the one which its app was given meanwhile: what waits goes there
    /// (R0.18).
    private func restOverAtFCM(_ row: Expectation, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        let own = restOverAtFCM(row, at: row.token, since: row.plannedAt, by: due, circumstances)
        guard let next = nextRegistration(of: row, by: due) else { return own }
        let moved = restOverAtFCM(row, at: next.token, since: next.sentAt, by: due, circumstances)
        return [own, moved].compactMap(\.self).max()
    }

    /// Until its session gets something of its kind through there again: alerts may go on while the card waits, another session
    /// may have waited for less, and what was on its way ends no rest.
    private func restOverAtFCM(
        _ row: Expectation, at token: TokenHash, since: Instant, by due: Instant, _ circumstances: Circumstances
    ) -> Instant? {
        let last = ways.lastRefused(at: token, by: due) { push in
            push.provider == .fcm && circumstances.mayRest(behind: push) && since <= restOver(behind: push, circumstances)
        }
        guard let last else { return nil }
        let wentOn = ways.first(to: token, behind: last.answeredAt + circumstances.inFlightGrace) { push in
            push.isAccepted && push.type == row.type && (!push.isMarked || push.session == row.session)
        }
        let over = min(restOver(behind: last, circumstances), wentOn?.arrivedAt ?? .distantFuture)
        return since <= over ? over : nil
    }
}
