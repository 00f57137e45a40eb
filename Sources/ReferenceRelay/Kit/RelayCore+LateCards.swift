// Cards that turn up when the turn is over in which they were started: each has its end to come (R4.6, G20).
//
//     accepted start ── token ──▶ an activity of the turn
//          │ the turn ends first, or the activity whose place it is to take has lost its token
//          ▼
//        owed ── token ──▶ end
//
// Nothing tells which of a session's starts a token has come of. Behind an end it is the oldest that is owed; in the next
// turn that turn's own, and where activities take each other's place the token behind it ends that one again.

import Basics

extension RelayCore {
    /// A start push is worth delivering for an hour, and its card is told of soon after: what turns up in the next turn
    /// later than that is that turn's.
    private static let turnUp = Interval.seconds(3_600)

    /// The turn is over: what has left for it, and no token has answered.
    func oweEnds(atTheEndOf session: Session) {
        oweEnds(to: session.starts.suffix(session.unadoptedStarts).map(\.leftAt), of: session)
        oweEnds(to: (session.deadCards.flatMap(\.cardsToCome) + session.lanes.flatMap(\.cardsToCome)).sorted(), of: session)
        session.unadoptedStarts = 0
        forgetDead(session)
    }

    func oweEnds(to cards: [WallTime], of session: Session) {
        session.lateCards += cards
    }

    /// Whether the system has not ended all of them for their age.
    func hasLateCards(_ session: Session, now: Moment) -> Bool {
        session.lateCards.removeAll { now.wall - $0 >= options.activityLifetime }
        return !session.lateCards.isEmpty
    }

    /// The phone was slow: its card appeared after the turn was over. False where none is expected.
    func endsLateCard(_ registration: ActivityRegistration, in session: Session, now: Moment) -> Bool {
        guard session.phase == .ended, let end = session.latest, hasLateCards(session, now: now) else { return false }
        let bornAt = session.lateCards.removeFirst()
        if has(.leavesLateCard) { return true }
        let lane = makeLane(registration, in: session, bornAt: bornAt, now: now)
        session.endedTokens.append(lane.token)
        finish(lane, with: end, ticket: nil, now: now)
        return true
    }

    /// The first token of a turn may be that of a card which the turn before has left behind: the other's is still to come.
    func expectRivals(of lane: Lane, now: Moment) {
        let session = lane.session
        guard case .replaces = dialect.policy.ageing, hasLateCards(session, now: now) else { return }
        let cards = session.lateCards.count { now.wall - $0 < Self.turnUp }
        lane.rivals = Array(repeating: lane.createdAt, count: cards)
        session.lateCards = []
    }

    /// The start came to nothing, and so does its card.
    func forgetCard(of attempt: StartAttempt, _ session: Session) {
        func forget(_ cards: inout [WallTime]) -> Bool {
            guard let place = cards.firstIndex(of: attempt.leftAt) else { return false }
            cards.remove(at: place)
            return true
        }
        if forget(&session.lateCards) { return }
        guard let replacement = attempt.replaces?.replacement, !attempt.isInDoubt, forget(&replacement.out) else { return }
        saveRefusal(of: attempt, replacement, session)
    }
}
