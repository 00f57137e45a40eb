// Tokens as rows of a table, for relays whose apps keep their activities themselves: each row is an activity of its own, one
// token is never guessed to be another's successor, and a new one is told nothing of what was before, for its app reads
// that itself (R1.7, R1.11).

import Basics

extension RelayCore {
    /// Takes a row, or what it says anew. Nil when it was taken.
    func addToken(_ row: ActivityRegistration, now: Moment) -> Refusal? {
        let account = registry.account(row.secret)
        guard let session = session(row.sessionID, of: account, now: now) else {
            registry.dropIfEmpty(account)
            return .full
        }
        if let lane = session.lanes.first(where: { $0.token == row.token }) {
            lane.revision += 1
            lane.registeredAt = now.wall
            lane.environment = row.environment ?? lane.environment
            writes.append(.saveActivity(ActivityRow(lane)))
            return nil
        }
        guard session.lanes.count < RelayLimits.activitiesPerSession else { return .tooManyForSecret }
        if session.phase != .active { beginTurn(session, now: now) }
        session.lanes.append(makeLane(row, in: session, now: now))
        session.hadLane = true
        // Nothing follows from those that died.
        forgetDead(session)
        session.owedUnregisters = []
        return nil
    }

    /// The row has another token from now on; a push to the old one that waits goes to the new one. False: there is none.
    func changeToken(_ old: String, to row: ActivityRegistration, now: Moment) -> Bool {
        guard let lane = lane(old, row.sessionID, of: row.secret) else { return false }
        rotate(lane, to: row, now: now)
        lane.session.owedUnregisters = []
        return true
    }

    /// False: there is none.
    func dropToken(_ token: String, of sessionID: String, _ secret: SecretHash, now: Moment) -> Bool {
        guard let lane = lane(token, sessionID, of: secret) else { return false }
        remove(lane, now: now)
        return true
    }

    private func lane(_ token: String, _ sessionID: String, of secret: SecretHash) -> Lane? {
        registry.accounts[secret]?.sessions[sessionID]?.lanes.first { $0.token == token }
    }
}
