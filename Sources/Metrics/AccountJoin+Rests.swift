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
    func restOver(_ index: Int, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        let row = account.rows[index]
        guard row.provider == .fcm || circumstances.rest > .zero else { return nil }
        if let own = attempts(of: index).last(where: { $0.arrivedAt <= due }) {
            guard circumstances.mayRest(behind: own) else {
                return own.provider == .fcm && own.status == 0 ? restOverAtFCM(row, by: due, circumstances) : nil
            }
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
    /// (R0.18). A failure of the service at its app's former registration is one of the service still.
    private func restOverAtFCM(_ row: Expectation, by due: Instant, _ circumstances: Circumstances) -> Instant? {
        var overs = [restOverAtFCM(row, at: row.token, since: row.plannedAt, by: due, circumstances)]
        if let next = nextRegistration(of: row, by: due) {
            overs.append(restOverAtFCM(row, at: next.token, since: next.sentAt, by: due, circumstances))
        }
        for former in formerRegistrations(of: row) {
            overs.append(restOverAtFCM(row, at: former, isFormer: true, since: row.plannedAt, by: due, circumstances))
        }
        return overs.compactMap(\.self).max()
    }

    /// Of its app, in its session.
    private func formerRegistrations(of row: Expectation) -> Set<TokenHash> {
        guard row.lane.role == .registration else { return [] }
        let calls = account.tokenCalls.filter { call in
            call.isRegistration && call.lane == row.lane && call.place >> 32 == row.place >> 32 && call.place < row.place
        }
        return Set(calls.map(\.token)).subtracting([row.token])
    }

    /// Until its session gets something of its kind through there again: alerts may go on while the card waits, another session
    /// may have waited for less, and what was on its way ends no rest.
    private func restOverAtFCM(
        _ row: Expectation, at token: TokenHash, isFormer: Bool = false, since: Instant, by due: Instant,
        _ circumstances: Circumstances
    ) -> Instant? {
        let last = ways.lastRefused(at: token, by: due) { push in
            // After 429 the registration rests, and its successor need not.
            push.provider == .fcm && circumstances.mayRest(behind: push) && since <= restOver(behind: push, circumstances)
                && !(isFormer && push.status == 429)
        }
        let refused = last.map { (at: $0.answeredAt, over: restOver(behind: $0, circumstances)) }
        let cut = unseenCut(at: token, since: since, by: due, circumstances).map {
            (at: $0, over: $0 + Circumstances.restBehindCut)
        }
        let overs = [refused, cut].compactMap(\.self).map { rest in
            let wentOn = ways.first(to: isFormer ? row.token : token, behind: rest.at + circumstances.inFlightGrace) { push in
                push.isAccepted && push.type == row.type && (!push.isMarked || push.session == row.session)
            }
            return min(rest.over, wentOn?.arrivedAt ?? .distantFuture)
        }
        return overs.filter { since <= $0 }.max()
    }

    /// When a fault of ours last cut a connection over which a message to that registration may have been on its way, unread or
    /// unanswered, if that rest is not over: only its sender knows of it, and he cannot know whether it was processed (F20).
    private func unseenCut(
        at token: TokenHash, since: Instant, by due: Instant, _ circumstances: Circumstances
    ) -> Instant? {
        let firings = circumstances.firings(from: since - Circumstances.restBehindCut, to: due)
        return firings.last { firing in
            circumstances.fault(firing.rule)?.cutsOff == true
                && account.rows.indices.contains { mayHaveBeenCut($0, at: token, by: firing.at, circumstances) }
        }?.at
    }

    private func mayHaveBeenCut(
        _ index: Int, at token: TokenHash, by instant: Instant, _ circumstances: Circumstances
    ) -> Bool {
        let row = account.rows[index]
        guard row.provider == .fcm, row.token == token, departure(of: row).sentAt <= instant,
            instant <= lastDeparture(of: row, circumstances)
        else { return false }
        return attempts(of: index).allSatisfy { $0.arrivedAt > instant || $0.status == 0 }
    }
}
