// What the last process left behind, and what a drained one leaves.

import Basics

extension RelayCore {
    /// Before the first request of the accounts in `rows`. `takesIDs`: no other process counts on where we leave off.
    /// Dedupe windows are not restored; throttle windows begin as if a push had just left, for one may have (R0.7).
    func restore(_ rows: StoredRows, takesIDs: Bool = true, now: Moment) {
        let rows = options.defects.isEmpty ? rows : remembered(rows)
        for row in rows.devices {
            let account = registry.account(row.secret)
            let device = Device(
                id: row.id, account: account, token: row.token, bundleID: row.bundleID, environment: row.environment,
                startToken: row.startToken, createdAt: row.createdAt, registeredAt: row.updatedAt)
            device.claimedEnvironment = row.claimedEnvironment
            account.devices.append(device)
            registry.deviceCount += 1
            if takesIDs { registry.lastDeviceID = max(registry.lastDeviceID, row.id) }
        }
        for row in rows.activities {
            guard let session = restored(row.sessionID, of: row.secret, now: now) else { continue }
            let lane = Lane(
                id: row.id, session: session, token: row.token, bundleID: row.bundleID, environment: row.environment,
                createdAt: row.createdAt, registeredAt: row.updatedAt)
            session.lanes.append(lane)
            session.hadLane = true
            if takesIDs { registry.lastActivityID = max(registry.lastActivityID, row.id) }
            let rest = max(.zero, options.activityLifetime - (now.wall - row.createdAt))
            deadlines.add(.lifetime(SessionReference(session: session), turn: session.turn), at: now.now + rest)
            watchAge(of: lane, now: now)
        }
        for row in rows.dead {
            if let session = restored(row.sessionID, of: row.secret, now: now) { resumeDead(row, in: session) }
        }
        for row in rows.replaced {
            // A session of which nothing else is left is over.
            guard let session = registry.accounts[row.secret]?.sessions[row.sessionID] else {
                writes.append(.deleteReplaced(row.secret, sessionID: row.sessionID))
                continue
            }
            if case .ends = dialect.policy.ageing { resumeOwed(row, in: session, now: now) } else {
                session.replacedTokens.append(row.token)
            }
        }
        for row in rows.starts {
            guard let session = restored(row.sessionID, of: row.secret, now: now) else { continue }
            if resumeReplacement(row, in: session, now: now) { continue }
            session.starts.append(
                StartAttempt(
                    deviceID: row.deviceID, token: row.token, turn: session.turn, sequence: 0, leftAt: row.createdAt))
            session.unadoptedStarts += 1
        }
        for row in rows.held { resume(row, now: now) }
        for row in rows.waiting { resume(row, now: now) }
        for row in rows.activities { endReplaced(row, now: now) }
    }

    private func restored(_ id: String, of secret: SecretHash, now: Moment) -> Session? {
        guard let session = session(id, of: registry.account(secret), now: now) else { return nil }
        if session.phase == .fresh {
            beginTurn(session, now: now)
            // The process before us may have stamped this second, and the next.
            session.lastStamp = now.wall.seconds + 1
            session.window.opensAt = now.now + spacing
        }
        return session
    }

    /// A state that was accepted is owed, whoever accepted it.
    private func resume(_ row: HeldRow, now: Moment) {
        if row.isOwed || !dialect.policy.mergesStates {
            writes.append(.deleteHeld(row.secret, sessionID: row.sessionID))
        }
        guard let session = registry.accounts[row.secret]?.sessions[row.sessionID], session.phase == .active else {
            return
        }
        guard let stored = try? JSONValue(parsing: row.content), let content = dialect.content(stored: stored) else {
            return
        }
        let state = SessionState(eventType: row.eventType, content: content, sequence: session.nextSequence())
        if state.isFinal { return end(session, with: state, ticket: nil, now: now) }
        session.latest = state
        keep(session)
        if !row.isOwed { for attempt in session.starts { attempt.sequence = state.sequence } }
        guard row.isOwed, !session.lanes.isEmpty else { return }
        guard state.eventType.isThrottled else {
            return pushLatest(session, ticket: nil, isCounted: false, now: now)
        }
        session.hasTrailing = true
        armWindow(session, at: session.window.opensAt)
    }

    // MARK: - States that are kept

    /// Where events say only what has changed, the state behind them outlives the process (R2.8).
    func keep(_ session: Session) {
        guard dialect.policy.mergesStates, let latest = session.latest else { return }
        var row = HeldRow(session, latest)
        row.isOwed = false
        writes.append(.saveHeld(row))
    }

    func forgetKept(_ session: Session) {
        guard dialect.policy.mergesStates else { return }
        writes.append(.deleteHeld(session.account.secret, sessionID: session.id))
    }

    // MARK: - The end

    /// What a process that ends still owes; the next one resumes it.
    func leaveHeldStates() {
        for account in registry.accounts.values {
            for session in account.sessions.values {
                if let state = owedState(of: session) {
                    writes.append(.saveHeld(HeldRow(session, state)))
                } else if let state = stateOwedToDead(of: session) {
                    var row = HeldRow(session, state)
                    row.isOwed = false
                    writes.append(.saveHeld(row))
                }
            }
        }
    }

    func owedState(of session: Session) -> SessionState? {
        if session.phase == .ended, let lane = session.finishing.first { return lane.finalState }
        guard session.phase == .active, !session.isSilenced, let latest = session.latest else { return nil }
        let isOnItsWay = session.lanes.contains { $0.isInFlight || $0.retryAt != nil || $0.isStale }
        let shownByStart = session.starts.map(\.sequence).min() ?? 0
        let isHeld = session.unadoptedStarts > 0 && latest.sequence > shownByStart
        return session.hasTrailing || isOnItsWay || isHeld ? latest : nil
    }
}
