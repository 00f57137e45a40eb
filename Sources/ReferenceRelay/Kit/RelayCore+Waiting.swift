// What waits is on disk: a process that is killed leaves to the next one what it had accepted and not delivered.

import Basics

extension RelayCore {
    /// Between what begins to wait and its row: so much of it a kill may take along.
    private static let saving = Interval.milliseconds(500)

    // MARK: - States

    /// It may owe a state that waits: for a window, an activity's token, or to be sent again.
    func watchOwed(_ session: Session, now: Moment) {
        guard !session.isWatched else { return }
        session.isWatched = true
        if watched.isEmpty { deadlines.add(.checkpoint, at: now.now + Self.saving) }
        watched.append(session)
    }

    /// One row for each that still owes, and none for those that have paid.
    func saveOwed(now: Moment) {
        let due = watched
        watched = []
        for session in due {
            session.isWatched = false
            guard let state = owedState(of: session) else {
                if session.savedSequence != nil { forgetSaved(session) }
                continue
            }
            if session.savedSequence != state.sequence {
                session.savedSequence = state.sequence
                writes.append(.saveHeld(HeldRow(session, state)))
            }
            watchOwed(session, now: now)
        }
    }

    /// A row never holds a state that is older than one which has left: behind a kill it would come last.
    func noteSent(_ state: SessionState, of session: Session) {
        guard let saved = session.savedSequence, saved < state.sequence else { return }
        session.savedSequence = state.sequence
        writes.append(.saveHeld(HeldRow(session, state)))
    }

    func notePaid(_ session: Session) {
        if session.savedSequence != nil, owedState(of: session) == nil { forgetSaved(session) }
    }

    private func forgetSaved(_ session: Session) {
        session.savedSequence = nil
        if dialect.policy.mergesStates, session.phase == .active { return keep(session) }
        writes.append(.deleteHeld(session.account.secret, sessionID: session.id))
    }

    // MARK: - Alerts and starts

    func save(_ push: Push) {
        guard let row = WaitingRow(push) else { return }
        push.isSaved = true
        writes.append(.saveWaiting(row))
    }

    func forgetSaved(_ push: Push) {
        guard push.isSaved else { return }
        push.isSaved = false
        writes.append(.deleteWaiting(push.apnsID))
    }

    /// The same push with the same id, of a phone that is still there.
    func resume(_ row: WaitingRow, now: Moment) {
        writes.append(.deleteWaiting(row.apnsID))
        guard let account = registry.accounts[row.secret], let device = account.devices.first(where: { $0.id == row.deviceID }),
            let target = target(of: row, device)
        else { return }
        var token = device.token
        if case .start(_, let attempt, _) = target { token = attempt.token }
        let push = makePush(
            target, row.eventType, token: token, revision: device.revision, bundleID: device.bundleID,
            isActivity: row.isStart, isUrgent: true, payload: Array(row.payload.utf8), environment: device.environment,
            ticket: nil, isCounted: false, now: now)
        push.apnsID = row.apnsID
        push.failures = 1
        push.hasLeft = true
        resend(push, at: now.now + options.retryDelay)
    }

    /// Nil: its session is over, or has an activity. What is to replace one is the replacement's own.
    private func target(of row: WaitingRow, _ device: Device) -> Push.Target? {
        guard row.isStart else { return .alert(device, sessionID: row.sessionID) }
        guard let session = device.account.sessions[row.sessionID], session.phase == .active, !session.hadLane,
            let attempt = session.starts.first(where: { $0.deviceID == device.id })
        else { return nil }
        return .start(session, attempt, device)
    }
}
