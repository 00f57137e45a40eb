// Activities whose tokens died: the card may be there still, and its phone tells of its next token later. What is owed to it
// waits for that, in this process or the next (R0.18, R4.3).
//
//     registered ── 410, not registered since ──▶ dead ── token ──▶ the same card, or the successor that was started
//                                                  └── end of the turn, another turn ──▶ forgotten

import Basics

extension RelayCore {
    /// Its row is gone; this one takes its place.
    func noteDead(_ lane: Lane, isOver: Bool) {
        let session = lane.session
        guard session.phase == .active else { return }
        let dead = DeadCard(
            shown: lane.shownSequence, bornAt: isOver ? nil : lane.createdAt, token: lane.token, rivals: lane.rivals,
            replacement: lane.replacement)
        session.deadCards.append(dead)
        writes.append(
            .saveDead(
                DeadRow(secret: session.account.secret, sessionID: session.id, token: dead.token, bornAt: dead.bornAt)))
    }

    /// The one that the next token follows: the oldest, for nothing says which.
    func takeDead(of session: Session) -> DeadCard? {
        guard !session.deadCards.isEmpty else { return nil }
        let dead = session.deadCards.removeFirst()
        writes.append(.deleteDead(session.account.secret, sessionID: session.id, token: dead.token))
        return dead
    }

    func forgetDead(_ session: Session) {
        while takeDead(of: session) != nil {}
    }

    /// The next token behind a dead one: the same card's, or that of the newest start that was to take its place.
    func takePlace(of dead: DeadCard, _ lane: Lane, now: Moment) {
        guard case .replaces = dialect.policy.ageing else { return }
        let session = lane.session
        let isTold = dead.token == lane.token
        if !isTold { noteReplaced(dead.token, in: session) }
        // Told again by its own phone, or where nothing is to come in its place, it is the card of before.
        if isTold || dead.cardsToCome.isEmpty {
            lane.rivals = dead.rivals
            if let replacement = dead.replacement { goOn(with: replacement, lane, now: now) }
            return
        }
        lane.rivals = dead.cardsToCome.dropLast()
        if dead.replacement != nil {
            writes.append(.deleteStarts(session.account.secret, sessionID: session.id, deviceID: nil))
        }
    }

    // MARK: - A restart of the relay

    /// What the process before has met. The state that met it was not shown, and none since.
    func resumeDead(_ row: DeadRow, in session: Session) {
        session.hadLane = true
        session.deadCards.append(DeadCard(shown: 0, bornAt: row.bornAt, token: row.token))
    }

    /// A state that only a card without a token has not shown: it is kept, and no other is told of it again.
    func stateOwedToDead(of session: Session) -> SessionState? {
        guard session.phase == .active, let latest = session.latest else { return nil }
        return session.deadCards.contains { $0.shown < latest.sequence } ? latest : nil
    }
}
