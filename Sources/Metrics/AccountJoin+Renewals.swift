// A dead token does not end an activity: it may have been replaced while its app slept. What the relay could not tell then
// is like a state that is held: with the registration of the next token the newest one leaves. So it is with an app's
// registration at FCM, but that nothing is owed to the next one which the profile does not say is held.

import Basics
import Pushes

/// For a state that the death of its token kept from the card.
struct Renewal {
    /// The call that made the next token known, and that token.
    var registered: SeenCall
    var token: TokenHash
    /// From that call on.
    var deadline: Interval
    /// The newest of those that waited, of a kind that waits, and the card is the one it was for.
    var isOwed: Bool
}

extension JoinedAccount {
    /// Nil where no token followed: not before a call took the dead one back, as the end of its session does, nor behind a
    /// start that showed the state. Nor where the relay knew the next token when it heard of the death. `due` says when a
    /// state has to be there that counts from such a call. A token that followed may have been dead as well: then the one
    /// behind it counts.
    func renewal(of index: Int, _ circumstances: Circumstances, due: (Renewal) -> Instant) -> Renewal? {
        let row = account.rows[index]
        let isOfCard = row.lane.role == .activity && row.type == .liveactivity
        let isOfApp = row.provider == .fcm && row.lane.role == .registration
        guard isOfCard || isOfApp, isUndisturbed(row.session) else { return nil }
        // What was held comes behind the registration that it waited for.
        let held = row.flags.contains(.wasHeld) ? tokens.registrations[row.token]?.first { row.place < $0.place } : nil
        var renewal: Renewal?
        while true {
            let (token, since) = renewal.map { ($0.token, $0.registered.sentAt) } ?? (row.token, row.plannedAt)
            let place = max(row.place, renewal?.registered.place ?? held?.place ?? 0)
            guard let death = tokens.death(of: token, plannedAt: since, by: renewal.map(due) ?? deliveries[index].due),
                let next = account.tokenCalls.filter({ follows($0, row) && place < $0.place }).min(by: { $0.place < $1.place }),
                next.isRegistration, let call = account.call(at: next.place), call.wasTaken,
                max(since, death.answeredAt) < call.sentAt, !wasStarted(row, until: call.sentAt)
            else { return renewal }
            let isNewest = !account.rows.contains { newer in
                newer.session == row.session && newer.lane == row.lane && newer.type == row.type && row.place < newer.place
                    && newer.place < next.place && !Self.isMissing(newer.place, account, circumstances)
            }
            let isOwed = isNewest && row.flags.contains(.mayWait) && isOfOneCard(token, next.token)
            renewal = Renewal(
                registered: call, token: next.token, deadline: deadlineOnceKnown(row),
                isOwed: isOwed && renewal?.isOwed ?? true)
        }
    }

    /// What was held for its token has the rest of its time only.
    private func deadlineOnceKnown(_ row: Expectation) -> Interval {
        guard row.flags.contains(.wasHeld), let place = tokens.registrations[row.token]?.last?.place else {
            return row.deadline
        }
        let waited = max(.zero, (account.call(at: place)?.plannedAt ?? row.plannedAt) - row.plannedAt)
        return row.deadline - min(waited, row.deadline)
    }

    /// Where the relay replaces activities, the next token may be a successor's: what that one shows is told by its start,
    /// and what came behind the start is `hand-over-catches-up`'s.
    private func isOfOneCard(_ old: TokenHash, _ new: TokenHash) -> Bool {
        restarts?.activities.contains { $0.tokens.contains(old) && $0.tokens.contains(new) } ?? true
    }

    /// The registration that took the place of its app's at FCM while it had still to come: what waits goes with the row
    /// (R0.18). Nil where a call took the old one back.
    func nextRegistration(of row: Expectation, by due: Instant) -> (token: TokenHash, sentAt: Instant)? {
        guard row.provider == .fcm, row.lane.role == .registration, isUndisturbed(row.session),
            let next = account.tokenCalls.filter({ follows($0, row) && !($0.isRegistration && $0.token == row.token) })
                .min(by: { $0.place < $1.place }),
            next.isRegistration, let call = account.call(at: next.place), call.wasTaken, call.sentAt <= due
        else { return nil }
        return (next.token, call.sentAt)
    }

    private func follows(_ call: TokenCall, _ row: Expectation) -> Bool {
        row.place < call.place && call.place >> 32 == UInt64(row.session) && call.lane == row.lane
    }

    /// A start of its phone showed that state, or a newer one.
    private func wasStarted(_ row: Expectation, until instant: Instant) -> Bool {
        account.pushes.contains { push in
            push.isAccepted && push.event == .start && push.isMarked && push.session == row.session && row.place <= push.place
                && push.arrivedAt <= instant && tokens.lanes[push.token] == Lane(role: .start, phone: row.lane.phone)
        }
    }
}
