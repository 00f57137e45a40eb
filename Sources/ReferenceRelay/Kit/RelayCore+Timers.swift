// What time brings: throttle windows that open, waits that end, activities that grow too old.

import Basics

extension RelayCore {
    /// When `advance` has something to do next.
    var nextDeadline: Instant? { deadlines.next }

    func advance(to now: Moment) {
        while let item = deadlines.takeDue(at: now.now) {
            switch item {
            case .window(let session): windowOpened(session, now: now)
            case .retry(let lane):
                // A later wait of the same lane has a timer of its own.
                if let retryAt = lane.retryAt, retryAt <= now.now { wake(lane, now: now) }
            case .resend(let push): resendDue(push, now: now)
            case .checkpoint: saveOwed(now: now)
            case .lifetime(let reference, let turn):
                if let session = reference.session, session.turn == turn, session.phase == .active {
                    checkAge(session, now: now)
                }
            case .forget(let reference, let turn):
                if let session = reference.session, session.turn == turn { forget(session, now: now) }
            case .replacement(let reference, let number):
                if let lane = reference.lane { replacementDue(lane, number, now: now) }
            case .adoption(let reference, let number):
                if let lane = reference.lane { adoptionOverdue(lane, number, now: now) }
            case .followup(let followup): stopWaiting(followup, now: now)
            case .ticket(let ticket): answerOverdue(ticket)
            case .afterEnd(let lane, let state): sendAfterEnd(lane, state, now: now)
            case .heldBack(let lane, let state): sendUnovertaken(lane, state, now: now)
            case .late(let push): send(push)
            }
        }
    }

    func armWindow(_ session: Session, at instant: Instant) {
        guard !session.isWindowArmed else { return }
        session.isWindowArmed = true
        deadlines.add(.window(session), at: instant)
    }

    /// The trailing edge (R0.8).
    private func windowOpened(_ session: Session, now: Moment) {
        session.isWindowArmed = false
        guard session.hasTrailing, session.phase == .active, !session.lanes.isEmpty else { return }
        // The window may have been used again since the timer was set.
        guard now.now >= session.window.opensAt else { return armWindow(session, at: session.window.opensAt) }
        if session.killedWindow == session.window.opensAt { return }
        session.window.opensAt = now.now + spacing
        pushLatest(session, ticket: nil, isCounted: true, now: now)
    }

    private func resendDue(_ push: Push, now: Moment) {
        waiting -= 1
        switch push.target {
        case .alert(let device, _):
            guard device.isRegistered else { return abandon(push, now: now) }
        case .start(let session, let attempt, let device):
            // A start of a turn that is over would bring back a card that nobody ends, and one beside an activity a second.
            let isStale = session.turn != attempt.turn || session.phase != .active || session.isSilenced
            guard !(isStale || hasOwnActivity(session, device, attempt)) || has(.repeatsStaleStart),
                device.isRegistered, let token = device.startToken, attempt.replaces?.isRegistered ?? true,
                token == attempt.token || attempt.replaces == nil && !has(.losesStartAtRenewal)
            else {
                forgetStart(attempt, session, mayRepeat: false, now: now)
                return abandon(push, now: now)
            }
            if token != attempt.token { return startRenewed(push, session, attempt, device, by: token, now: now) }
        case .activity, .stray: break
        }
        send(push)
    }

    /// Its phone's start token changed while the start waited: it goes to the new one (R0.44). The start of a replacement has
    /// pauses of its own.
    private func startRenewed(
        _ push: Push, _ session: Session, _ attempt: StartAttempt, _ device: Device, by token: String, now: Moment
    ) {
        let renewed = StartAttempt(
            deviceID: device.id, token: token, turn: attempt.turn, sequence: attempt.sequence, leftAt: now.wall)
        renewed.isInDoubt = attempt.isInDoubt
        session.starts.removeAll { $0 === attempt }
        session.starts.append(renewed)
        let secret = session.account.secret
        writes.append(.deleteStarts(secret, sessionID: session.id, deviceID: device.id))
        writes.append(
            .saveStart(
                StartRow(secret: secret, sessionID: session.id, deviceID: device.id, token: token, createdAt: now.wall)))
        let start = makePush(
            .start(session, renewed, device), push.eventType, token: token, revision: device.revision,
            bundleID: device.bundleID, isActivity: true, isUrgent: true, payload: push.payload,
            environment: device.environment, ticket: nil, isCounted: false, now: now)
        abandon(push, now: now)
        launch(start, now: now)
    }

    /// The app began it by itself, and has registered its token.
    private func hasOwnActivity(_ session: Session, _ device: Device, _ attempt: StartAttempt) -> Bool {
        guard attempt.replaces == nil, !session.lanes.isEmpty else { return false }
        return session.account.devices.count <= 1 || session.lanes.contains { $0.deviceToken == device.token }
    }

    private func abandon(_ push: Push, now: Moment) {
        forgetSaved(push)
        settle(push, sent: false)
        log(push, sent: false, now: now)
        releaseFollowup(of: push, now: now)
    }

    /// Pushes may still be under way; the caller has to know that the relay is alive (R0.36).
    private func answerOverdue(_ ticket: EventTicket) {
        guard !ticket.isAnswered else { return }
        ticket.failed = ticket.counted - ticket.sent
        answer(ticket)
    }

    /// iOS ends an activity after eight hours and leaves the card as it was; we end it before, in so many words
    /// (R0.38).
    private func checkAge(_ session: Session, now: Moment) {
        guard case .ends = dialect.policy.ageing, !has(.neverTimesOut) else { return }
        let oldest = session.lanes.map(\.createdAt).min()
        if let oldest {
            let age = now.wall - oldest
            if age + .seconds(1) < options.activityLifetime {
                let rest = options.activityLifetime - age
                let reference = SessionReference(session: session)
                return deadlines.add(.lifetime(reference, turn: session.turn), at: now.now + rest)
            }
        }
        let said = has(.timesOutUnsaid) ? session.latest?.content : nil
        let content = said ?? dialect.timedOut(after: session.latest?.content)
        let state = SessionState(eventType: .error, content: content, sequence: session.nextSequence())
        end(session, with: state, ticket: nil, now: now)
        aged?(session)
    }

    private func forget(_ session: Session, now: Moment) {
        guard session.phase != .active, session.lanes.isEmpty else { return }
        let account = session.account
        guard account.sessions[session.id] === session else { return }
        // A later end has a timer of its own.
        if session.phase == .ended, now.now - session.endedAt < Self.memory { return }
        if hasLateCards(session, now: now) {
            let reference = SessionReference(session: session)
            return deadlines.add(.forget(reference, turn: session.turn), at: now.now + options.activityLifetime)
        }
        forgetReplaced(session)
        account.sessions[session.id] = nil
        registry.sessionCount -= 1
        registry.dropIfEmpty(account)
    }
}
