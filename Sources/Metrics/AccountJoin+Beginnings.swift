// How a card comes to be, or is told what its start was to say, where the start that was owed was refused, held, or had no
// token to go to; and what comes to one that began late.

import Basics
import Pushes

extension JoinedAccount {
    /// The activity that is told what a start was to show which was refused, which has no answer yet, or for which there was no
    /// token: held until there is one (R0.15). A start that could have been sent is lost all the same. So is one told that has
    /// taken another's place, where nothing was said since the session began (R4.3).
    func laneOfHeldStart(_ push: SeenPush, among candidates: Range<Int>, _ circumstances: Circumstances) -> Lane? {
        guard push.event == .update, let lane = tokens.lanes[push.token], lane.role == .activity else { return nil }
        let isOwed = candidates.contains { index in
            let row = account.rows[index]
            guard row.event == .start, row.lane.phone == lane.phone else { return false }
            let isHeld = deliveries[index].accepted == nil || isUnanswered(push, row, circumstances)
            return wasRegistered(push.token, behind: push.place) && isHeld || isOfSuccessor(push)
        }
        return isOwed ? lane : nil
    }

    /// Whether each start that was accepted was still under way for all that the relay knew when it was told of the token: its
    /// answer was out, or had left a moment before. What it decided then has its deadline from there, like what was held.
    private func isUnanswered(_ push: SeenPush, _ row: Expectation, _ circumstances: Circumstances) -> Bool {
        let grace = circumstances.inFlightGrace
        guard let told = tokens.registrations[push.token]?.first(where: { push.place < $0.place })?.sentAt else { return false }
        return account.pushes.allSatisfy { start in
            guard start.event == .start, start.isAccepted, start.isMarked, start.place == push.place,
                tokens.lanes[start.token]?.phone == row.lane.phone, !start.flags.contains(.isAnswerUndelivered)
            else { return true }
            return push.arrivedAt <= max(start.answeredAt + grace, told + row.deadline + circumstances.allowance)
                && told <= start.answeredAt + grace * Tolerances.prompt
        }
    }

    /// Not one of an older life of the session.
    private func wasRegistered(_ token: TokenHash, behind place: UInt64) -> Bool {
        tokens.registrations[token]?.contains { place < $0.place } ?? false
    }

    func isOfSuccessor(_ push: SeenPush) -> Bool {
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

    /// From when the relay can start a card whose start token was dead: when the phone has told of that token again, or of
    /// another; nil: it was not dead. It may have known before, and then it waits without a try (R4.24).
    func startableSince(_ index: Int) -> Instant? {
        let row = account.rows[index]
        guard row.event == .start else { return nil }
        let known = tokens.death(of: row.token, plannedAt: row.plannedAt, by: row.plannedAt)
        var since = known.flatMap { _ in startTokenTold(row.lane, after: row.plannedAt) }
        for push in attempts(of: index)
        where tokens.deaths[push.token]?.contains(where: { account.pushes[$0.push].id == push.id }) ?? false {
            since = startTokenTold(row.lane, after: push.answeredAt) ?? since
        }
        return since
    }

    private func startTokenTold(_ lane: Lane, after instant: Instant) -> Instant? {
        account.tokenCalls.compactMap { made in
            guard made.isRegistration, made.lane == lane, let call = account.call(at: made.place), call.wasTaken,
                instant < call.sentAt
            else { return nil }
            return call.sentAt
        }.min()
    }
}
