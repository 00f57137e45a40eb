// A dead token does not end an activity: it may have been replaced while its app slept. What the relay could not tell then
// is like a state that is held: with the registration of the next token the newest one leaves.

import Basics
import Pushes

/// For a state that the death of its token kept from the card.
struct Renewal {
    /// The call that made the next token known.
    var registered: SeenCall
    /// From that call on.
    var deadline: Interval
    /// The newest of those that waited, of a kind that waits.
    var isNewest: Bool
}

extension JoinedAccount {
    /// Nil where no token followed: not before a call took the dead one back, as the end of its session does, nor behind a
    /// start that showed the state. Nor where the relay knew the next token when it heard of the death.
    func renewal(of index: Int) -> Renewal? {
        let row = account.rows[index]
        guard row.lane.role == .activity, row.type == .liveactivity, restarts == nil, isUndisturbed(row.session),
            let death = tokens.death(of: row.token, plannedAt: row.plannedAt, by: deliveries[index].due),
            let next = account.tokenCalls.filter({ follows($0, row) }).min(by: { $0.place < $1.place }),
            next.isRegistration, let call = account.call(at: next.place), call.wasTaken,
            max(row.plannedAt, death.answeredAt) < call.sentAt, !wasStarted(row, until: call.sentAt)
        else { return nil }
        var waited = Interval.zero
        if row.flags.contains(.wasHeld), let place = tokens.registrations[row.token]?.last?.place {
            waited = max(.zero, (account.call(at: place)?.plannedAt ?? row.plannedAt) - row.plannedAt)
        }
        let isNewest = !account.rows.contains { newer in
            newer.session == row.session && newer.lane == row.lane && newer.type == row.type && row.place < newer.place
                && newer.place < next.place
        }
        return Renewal(
            registered: call, deadline: row.deadline - min(waited, row.deadline),
            isNewest: isNewest && row.flags.contains(.mayWait))
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
