// /v1/event: whom it reaches, and when.

import Basics

extension RelayCore {
    /// Works an event through. The ticket is answered when all first attempts are done, at once where nothing is
    /// sent or nobody is to wait.
    func handle(_ event: RelayEvent, ticket: EventTicket, now: Moment) {
        if !options.defects.isEmpty, mistakes(event, ticket, now: now) { return release(ticket) }
        if dialect.policy.refusesWithoutToken, lacksToken(event) {
            if !has(.takesUnknownSessions) { ticket.refusal = .noToken }
            return release(ticket)
        }
        work(on: event, ticket: ticket, now: now)
        if options.answers == .early {
            ticket.sent = ticket.counted - ticket.failed
            answer(ticket)
        } else if ticket.outstanding > 1, !has(.waitsForEver) {
            deadlines.add(.ticket(ticket), at: now.now + real(options.pushTimeout + options.alertPatience))
        }
        release(ticket)
    }

    /// Nothing of the session can be reached, now or when a start is answered.
    func lacksToken(_ event: RelayEvent) -> Bool {
        guard let account = registry.accounts[event.secret] else { return false }
        let cannotStart = event.type != .start || account.devices.allSatisfy { $0.startToken == nil }
        guard let session = account.sessions[event.sessionID] else { return cannotStart }
        switch session.phase {
        case .fresh: return cannotStart && !has(.failedStartLingers)
        case .active:
            let isHeld = dialect.policy.holdsWithoutStart && event.type != .start && session.latest != nil
            return cannotStart && !session.hadLane && session.unadoptedStarts == 0 && !isHeld
        case .ended: return cannotStart && event.type == .start
        }
    }

    private func work(on event: RelayEvent, ticket: EventTicket, now: Moment) {
        guard let account = registry.accounts[event.secret] ?? mistakenAccount(for: event.secret) else { return }
        guard let session = session(event.sessionID, of: account, now: now) else {
            raiseAlerts(event, account, ticket: ticket, followup: nil, now: now)
            return
        }
        if event.type == .start || opensTurn(event, session, now: now) { session.completedAt = nil }
        if event.type == .complete {
            // The server reports one idle twice (R0.28).
            defer { session.completedAt = now.now }
            if let last = session.completedAt, now.now - last < options.completeWindow { return }
        }
        let followup = Followup(event: event, session: session, ticket: ticket)
        if has(.activityBeforeAlert) {
            follow(followup, now: now)
            return raiseAlerts(event, account, ticket: ticket, followup: nil, now: now)
        }
        raiseAlerts(event, account, ticket: ticket, followup: followup, now: now)
        guard followup.alerts > 0 || !session.followups.isEmpty else { return follow(followup, now: now) }
        ticket.outstanding += 1
        session.followups.append(followup)
        deadlines.add(.followup(followup), at: now.now + real(options.alertPatience))
    }

    private func raiseAlerts(
        _ event: RelayEvent, _ account: Account, ticket: EventTicket, followup: Followup?, now: Moment
    ) {
        guard raisesAlert(event.type) || has(.alertsOnProgress), !account.devices.isEmpty else { return }
        let payload = dialect.alert(event)
        for device in account.devices {
            let push = makePush(
                .alert(device, sessionID: event.sessionID), event.type, token: device.token, revision: device.revision,
                bundleID: device.bundleID, isActivity: false, isUrgent: true, payload: payload,
                environment: device.environment, ticket: ticket, isCounted: true, now: now)
            if let followup {
                push.followup = followup
                followup.alerts += 1
            }
            if device.restsUntil > now.now {
                push.lastError = "429 TooManyRequests"
                settle(push, sent: false)
                resend(push, at: device.restsUntil)
            } else {
                launch(push, now: now)
            }
        }
    }

    // MARK: - After the alerts

    /// Its first answer is there; what came of it does not matter for the order.
    func releaseFollowup(of push: Push, now: Moment) {
        guard let followup = push.followup else { return }
        push.followup = nil
        followup.alerts -= 1
        if followup.alerts == 0 { runFollowups(of: followup.session, now: now) }
    }

    /// An alert that hangs does not keep the activity waiting for ever.
    func stopWaiting(_ followup: Followup, now: Moment) {
        guard let index = followup.session.followups.firstIndex(where: { $0 === followup }) else { return }
        for earlier in followup.session.followups[...index] { earlier.alerts = min(earlier.alerts, 0) }
        runFollowups(of: followup.session, now: now)
    }

    private func runFollowups(of session: Session, now: Moment) {
        while let first = session.followups.first, first.alerts <= 0 {
            session.followups.removeFirst()
            if !first.isAborted { follow(first, now: now) }
            release(first.ticket)
        }
    }

    /// The activity's part of an event.
    private func follow(_ followup: Followup, now: Moment) {
        let (event, session, ticket) = (followup.event, followup.session, followup.ticket)
        if opensTurn(event, session, now: now) { beginTurn(session, now: now) }
        if event.type.isFinal {
            guard session.phase != .ended else { return }
            if has(.losesPendingAtEnd), session.hasTrailing { session.latest = session.beforeTrailing }
            end(session, with: session.state(after: event), ticket: ticket, now: now)
        } else if session.phase == .active, !session.isSilenced {
            show(event, session, ticket: ticket, now: now)
        } else if has(.tellsEnded), session.phase == .ended {
            tellEnded(event, session, now: now)
        }
    }

    // MARK: - Turns

    /// The session of that id, made where there is none; nil when there are too many.
    func session(_ id: String, of account: Account, now: Moment) -> Session? {
        if let known = account.sessions[id] ?? sharedSession(id) { return known }
        guard registry.sessionCount < RelayLimits.sessions else { return nil }
        let window = has(.sharesThrottle) ? account.sharedWindow : ThrottleWindow()
        let session = Session(account: account, id: id, window: window)
        account.sessions[id] = session
        if has(.sharesSessionsOfUsers) { mischief.shared[id] = SessionReference(session: session) }
        registry.sessionCount += 1
        deadlines.add(.forget(SessionReference(session: session), turn: session.turn), at: now.now + Self.memory)
        return session
    }

    /// Whether the session becomes busy with this event. Behind an end only a `start` says so at once: a progress
    /// event so soon is one that was overtaken, and must not bring the card back (R0.10, R0.42, G11).
    private func opensTurn(_ event: RelayEvent, _ session: Session, now: Moment) -> Bool {
        if event.type.isFinal { return false }
        switch session.phase {
        case .fresh: return !wasOverBefore(session)
        case .ended: return !isOverForGood(session) && (event.type == .start || now.now - session.endedAt >= options.throttle)
        // The server says "first busy" again and the card is gone: it was dismissed, or its token died.
        case .active:
            return event.type == .start && session.hadLane && session.lanes.isEmpty && session.unadoptedStarts == 0
                && !session.isSilenced
        }
    }

    func beginTurn(_ session: Session, now: Moment) {
        if session.phase == .ended, !session.owedUnregisters.isEmpty { session.supersededAt = now.now }
        session.phase = .active
        session.turn += 1
        session.completedAt = nil
        session.formerTurn = has(.countsOnInNextTurn) ? session.latest : nil
        session.latest = nil
        session.hasTrailing = false
        if has(.keepsEndedRow) { takeUpEnded(session) }
        oweEnds(to: session.deadCards.flatMap(\.cardsToCome), of: session)
        session.hadLane = !session.lanes.isEmpty
        session.isSilenced = false
        forgetDead(session)
        session.starts = []
        session.unadoptedStarts = 0
        forgetReplaced(session)
        let reference = SessionReference(session: session)
        deadlines.add(.lifetime(reference, turn: session.turn), at: now.now + options.activityLifetime)
    }

    // MARK: - States

    private func show(_ event: RelayEvent, _ session: Session, ticket: EventTicket, now: Moment) {
        let wasRefused = dialect.policy.holdsWithoutStart && !session.hadLane && session.starts.isEmpty
        let runs = session.latest != nil && !wasRefused
        if event.type == .start, dialect.policy.startsOnRequestOnly, runs {
            // What runs is not started, and not set back to its beginning (R2.6).
            if has(.startsWhileActive) || has(.startsRunningSessions) { startBeside(event, session, ticket: ticket, now: now) }
            return
        }
        guard !session.lanes.isEmpty else {
            let mayStart = !has(.startsOnStartOnly) || event.type == .start
            if mayStart, !session.hadLane, event.type == .start || !dialect.policy.startsOnRequestOnly {
                start(event, session, ticket: ticket, now: now)
            } else if dialect.policy.mergesStates || session.hadLane {
                if has(.losesHeldValues) { session.latest = nil }
                session.latest = session.state(after: event.waiting(.held))
                keep(session)
                watchOwed(session, now: now)
            }
            return
        }
        if has(.losesCoalescedValues) { forgetWaiting(session) }
        if !session.hasTrailing, has(.losesPendingAtEnd) { session.beforeTrailing = session.latest }
        if !event.type.isThrottled, session.hasTrailing {
            if has(.sendsStaleProgress) { keepStale(session) }
            if has(.questionKillsTimer) { session.killedWindow = session.window.opensAt }
        }
        session.latest = session.state(after: now.now < session.window.opensAt ? event.waiting(.throttled) : event)
        keep(session)
        let opensAt = session.window.opensAt
        let waits = event.type.isThrottled || has(.throttlesQuestions)
        if waits, now.now < opensAt, !has(.ignoresThrottle) {
            if has(.dropsTrailingEdge) { return }
            session.hasTrailing = true
            watchOwed(session, now: now)
            armWindow(session, at: opensAt)
            return
        }
        if event.type.isThrottled { session.window.opensAt = now.now + spacing }
        pushLatest(session, ticket: ticket, isCounted: !raisesAlert(event.type), now: now)
    }

    /// Hands the latest state to every phone that has not had it; a throttled one is contained in it.
    func pushLatest(_ session: Session, ticket: EventTicket?, isCounted: Bool, now: Moment) {
        session.hasTrailing = false
        guard let latest = session.latest else { return }
        for lane in session.lanes where lane.sentSequence < latest.sequence {
            if !options.defects.isEmpty, passesOver(lane, latest, isTrailing: ticket == nil) { continue }
            want(lane, ticket: ticket, isCounted: isCounted, now: now)
        }
    }

    /// No activity yet: starts one on each phone that can be started and has not been (R0.14, R0.15). The event's
    /// state is held until the activity's token comes, unless the start shows it already.
    func start(_ event: RelayEvent, _ session: Session, ticket: EventTicket, now: Moment) {
        let standing = options.defects.isEmpty ? session.starts : startsThatStand(session, now: now)
        var tokens = Set(standing.map(\.token))
        let devices = (session.account.devices + session.account.signedOut).filter { device in
            guard let token = tokenToStart(device) else { return false }
            return !standing.contains { $0.deviceID == device.id } && tokens.insert(token).inserted
        }
        let shown = session.startState(for: event)
        // What no start shows is an ordinary state: a progress that is held counts for the throttle once it leaves (R0.7).
        let isShown = event.content.isShownByStart && (event.type == .start || !devices.isEmpty)
        session.latest = isShown ? shown : session.state(after: event)
        keep(session)
        watchOwed(session, now: now)
        var payload: [UInt8]?
        for device in devices {
            guard let token = tokenToStart(device) else { continue }
            let attempt = StartAttempt(
                deviceID: device.id, token: token, turn: session.turn, sequence: shown.sequence, leftAt: now.wall)
            session.starts.append(attempt)
            session.unadoptedStarts += 1
            writes.append(
                .saveStart(
                    StartRow(
                        secret: session.account.secret, sessionID: session.id, deviceID: device.id, token: token,
                        createdAt: now.wall)))
            let body =
                payload
                ?? dialect.start(
                    shown, sessionID: session.id, stamp: session.stamp(shown, now: now.wall), alert: event)
            payload = body
            let push = makePush(
                .start(session, attempt, device), event.type, token: token, revision: device.revision,
                bundleID: device.bundleID, isActivity: true, isUrgent: true, payload: body,
                environment: device.environment, ticket: ticket, isCounted: !raisesAlert(event.type), now: now)
            launch(push, now: now)
        }
    }

    /// The turn is over: what was throttled or held is void, and each activity gets one last push (R0.4, R0.10).
    func end(_ session: Session, with state: SessionState, ticket: EventTicket?, now: Moment) {
        let stale = session.hasTrailing ? session.latest : nil
        session.phase = .ended
        session.endedAt = now.now
        session.hasTrailing = false
        session.isSilenced = false
        session.latest = state
        forgetKept(session)
        if !session.starts.isEmpty {
            writes.append(.deleteStarts(session.account.secret, sessionID: session.id, deviceID: nil))
        }
        session.endedTokens = session.lanes.map(\.token)
        if has(.endedForGoodAfterRestart) { noteOver(session) }
        if has(.tellsEnded) { mischief.ended[ObjectIdentifier(session)] = session.lanes }
        oweEnds(atTheEndOf: session)
        session.owedUnregisters = has(.obeysFormerUnregister) ? [] : session.lanes.map(\.token)
        let lanes = session.lanes
        session.lanes = []
        for lane in lanes {
            if has(.updateAfterEnd) || has(.updateAfterError) && state.eventType == .error, let stale {
                deadlines.add(.afterEnd(lane, stale), at: now.now + .seconds(1))
            }
            finish(lane, with: state, ticket: ticket, now: now)
        }
        deadlines.add(.forget(SessionReference(session: session), turn: session.turn), at: now.now + Self.memory)
    }

    func finish(_ lane: Lane, with state: SessionState, ticket: EventTicket?, now: Moment) {
        lane.finalState = state
        lane.session.finishing.append(lane)
        want(lane, ticket: ticket, isCounted: false, now: now)
    }

    /// A start that came to nothing. After passing trouble, or with a new token, a later event may start the phone;
    /// after a refusal it would end the same way, and waits for the next turn.
    func forgetStart(_ attempt: StartAttempt, _ session: Session, mayRepeat: Bool, now: Moment) {
        forgetCard(of: attempt, session)
        // A card that is to be replaced is still there: the next start has its time.
        guard attempt.turn == session.turn, attempt.replaces == nil else { return }
        session.unadoptedStarts = max(0, session.unadoptedStarts - 1)
        guard mayRepeat else { return }
        session.starts.removeAll { $0 === attempt }
        writes.append(
            .deleteStarts(session.account.secret, sessionID: session.id, deviceID: attempt.deviceID))
        guard dialect.policy.startsOnRequestOnly, session.starts.isEmpty, !session.hadLane, session.phase == .active,
            !dialect.policy.holdsWithoutStart
        else { return }
        // Nothing runs, so nothing is active: the next start is the first (R2.7).
        session.phase = .fresh
        forgetKept(session)
        deadlines.add(.forget(SessionReference(session: session), turn: session.turn), at: now.now + Self.memory)
    }
}
