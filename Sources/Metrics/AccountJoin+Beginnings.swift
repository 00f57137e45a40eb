// How a card comes to be, or is told what its start was to say, where the start that was owed was refused, held, or had no
// token to go to; and what comes to one that began late.

import Basics
import Pushes

extension JoinedAccount {
    /// The activity that is told what a start was to show which was refused, or for which there was no token: held until
    /// there is one (R0.15). A start that could have been sent is lost all the same. So is one told that has taken another's
    /// place, where nothing was said since the session began (R4.3).
    func laneOfHeldStart(_ push: SeenPush, among candidates: Range<Int>) -> Lane? {
        guard push.event == .update, let lane = tokens.lanes[push.token], lane.role == .activity else { return nil }
        let isOwed = candidates.contains {
            account.rows[$0].event == .start && account.rows[$0].lane.phone == lane.phone
                && (deliveries[$0].accepted == nil || isOfSuccessor(push))
        }
        return isOwed ? lane : nil
    }

    private func isOfSuccessor(_ push: SeenPush) -> Bool {
        guard let activities = restarts?.activities.filter({ $0.session == push.session }),
            let own = activities.first(where: { $0.tokens.contains(push.token) })
        else { return false }
        return own.isOfEitherLife || activities.contains { $0.phone == own.phone && $0.replacedAt == own.registeredAt }
    }

    /// The end of a session that was over before the activity's token came: the card is ended, late as it is (G20).
    func isLateEnd(_ push: SeenPush) -> Bool {
        guard push.event == .end, let lane = tokens.lanes[push.token], lane.role == .activity else { return false }
        return account.tokenCalls.contains { $0.place == push.place && !$0.isRegistration && $0.lane == lane }
            && tokens.registrations[push.token]?.contains {
                $0.place > push.place && $0.place >> 32 == push.place >> 32 && $0.sentAt <= push.arrivedAt
            } ?? false
    }

    /// A start in place of the one that was owed and never accepted: with no activity and a start token stored, what is said
    /// next begins the card (R0.14).
    func isBeginning(_ push: SeenPush) -> Bool {
        guard push.isAccepted, push.event == .start, let lane = tokens.lanes[push.token], lane.role == .start,
            account.call(at: push.place)?.state == .sent,
            let owed = account.rows.indices.last(where: { index in
                let row = account.rows[index]
                return row.event == .start && row.session == push.session && row.lane == lane && row.place < push.place
            }),
            deliveries[owed].accepted == nil
        else { return false }
        let since = account.rows[owed].place
        // Neither has the session ended nor the activity a token.
        let isOver = account.rows.contains {
            $0.event == .end && $0.session == push.session && since < $0.place && $0.place <= push.place
        }
        let isKnown = account.tokenCalls.contains { made in
            guard made.lane == Lane(role: .activity, phone: lane.phone), made.place >> 32 == push.place >> 32,
                since < made.place
            else { return false }
            guard made.isRegistration else { return made.place <= push.place }
            return account.call(at: made.place).map { $0.wasTaken && $0.answeredAt <= push.arrivedAt } ?? false
        }
        return !isOver && !isKnown && !beginnings.contains { isBegun(account.rows[owed], by: $0) }
    }

    /// Of the same session and phone, and no older.
    func isBegun(_ row: Expectation, by start: SeenPush) -> Bool {
        start.session == row.session && row.place <= start.place && tokens.lanes[start.token]?.phone == row.lane.phone
    }

    /// What was held for the activity's token was shown by the start that began it.
    func wasBegun(_ row: Expectation) -> Bool {
        row.flags.contains(.wasHeld) && row.lane.role == .activity && beginnings.contains { isBegun(row, by: $0) }
    }

    /// When a start that a fault answered 429 is due, where a relay is to wait `pause` then, and twice as long after each
    /// further one (R4.24).
    func dueBehindPause(_ index: Int, _ circumstances: Circumstances) -> Instant? {
        let row = account.rows[index]
        guard row.event == .start, let terms = circumstances.restart else { return nil }
        var pause = terms.pause
        var due: Instant?
        for push in attempts(of: index) where push.status == 429 && push.metFault {
            due = push.answeredAt + pause + row.deadline + circumstances.allowance
            pause = min(pause * 2, terms.longestPause)
        }
        return due
    }
}
