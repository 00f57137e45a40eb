// A start for an activity's successor that was refused, and is sent again when its session is over: a part of the rule
// `stale-start-dropped`. Such a start need not carry a marker, for no call asks for it.

import Basics
import Metrics
import Pushes

enum StaleSuccessors {
    static func judge(_ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally) {
        let pushes = joined.account.pushes
        let activities = joined.restarts?.activities ?? []
        for activity in activities where !activity.isOfEitherLife {
            guard let overAt = activity.overAt, let refused = activity.starts.last.map({ pushes[$0] }), refused.status >= 400
            else { continue }
            tally.test()
            // Without a marker it may be that of another session on the phone.
            let isAlone = activities.allSatisfy { $0.session == activity.session || $0.phone != activity.phone }
            // What was under way is nobody's fault; whoever has been refused looks before he sends again.
            let known = overAt + run.circumstances.inFlightGrace * Tolerances.prompt
            let again = pushes.first { push in
                push.isLiveActivity && push.event == .start && push.isAccepted && known < push.arrivedAt
                    && joined.tokens.lanes[push.token] == Lane(role: .start, phone: activity.phone)
                    && (push.isMarked ? push.session == activity.session : isAlone)
            }
            guard let again, !hasBegunAgain(activity.session, since: overAt, until: again.arrivedAt, joined) else { continue }
            tally.find(
                "a successor was started although session \(activity.session) was over",
                expected: "no further attempt of the start", seen: "one \(again.arrivedAt - overAt) behind the session's end",
                session: activity.session, refused.id, again.id)
        }
    }

    private static func hasBegunAgain(
        _ session: UInt32, since first: Instant, until last: Instant, _ joined: JoinedAccount
    ) -> Bool {
        joined.account.rows.contains { row in
            row.event == .start && row.session == session && first < row.plannedAt
                && joined.account.call(at: row.place).map { $0.sentAt < last } ?? false
        }
    }
}
