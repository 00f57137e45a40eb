// How a state gets to one phone: one push under way per activity, the newest state next.
//
//     idle ── want ──▶ in flight ── accepted, refused ──▶ idle (or the newer state)
//                          │ busy                 ▲
//                          ▼                      │ backoff over: the same push, or the newer state in its place
//                       waiting ──────────────────┘

import Basics
import Pushes

extension RelayCore {
    /// The lane's newest state wants to leave.
    func want(_ lane: Lane, ticket: EventTicket?, isCounted: Bool = true, now: Moment) {
        guard lane.isRegistered else { return }
        if has(.resendsBehindNewer), lane.retryAt != nil, !lane.isInFlight, lane.finalState == nil {
            return sendNewest(lane, ticket: ticket, isCounted: isCounted, now: now)
        }
        if lane.isInFlight || lane.retryAt != nil {
            if queues(lane) { return }
            lane.isStale = true
            if lane.finalState != nil { lane.failures = 0 }
        } else {
            sendNewest(lane, ticket: ticket, isCounted: isCounted, now: now)
        }
    }

    private func sendNewest(_ lane: Lane, ticket: EventTicket? = nil, isCounted: Bool = true, now: Moment) {
        lane.isStale = false
        guard let state = lane.finalState ?? lane.session.latest else { return }
        lane.sentSequence = state.sequence
        if has(.swapsOrder), holdsBack(state, of: lane, now: now) { return }
        if options.plantEvery != nil, choosesToHold(state, of: lane, now: now) { return }
        push(state, to: lane, ticket: ticket, isCounted: isCounted, now: now)
    }

    /// Whether the newest state waits behind those that are told one by one.
    private func queues(_ lane: Lane) -> Bool {
        guard dialect.policy.tellsEachState, lane.isInFlight, !lane.isStale, let state = lane.session.latest else {
            return false
        }
        lane.queue.append(state)
        lane.sentSequence = state.sequence
        if lane.queue.count > RelayLimits.queuedStates { lane.queue.removeFirst() }
        return true
    }

    /// The newest says it all.
    private func dropQueue(of lane: Lane) {
        if !lane.queue.isEmpty { lane.isStale = true }
        lane.queue = []
    }

    /// Progress goes at priority 5 and spends nothing; what a person waits for goes at 10 (R0.12, P19, G7).
    func push(_ state: SessionState, to lane: Lane, ticket: EventTicket?, isCounted: Bool, now: Moment) {
        let isCalm = state.eventType.isCalm || (has(.permissionAtFive) && state.eventType == .permission)
        if has(.stampsByTheClock), state.stamp == nil { state.stamp = now.wall.seconds }
        let stamp = lane.session.stamp(state, now: now.wall)
        let push = makePush(
            .activity(lane, state), state.eventType, token: lane.token, revision: lane.revision,
            bundleID: lane.bundleID, isActivity: true, isUrgent: !isCalm || has(.everythingAtTen),
            payload: payload(state, to: lane, stamp: stamp, now: now), environment: lane.environment, ticket: ticket,
            isCounted: isCounted, now: now)
        push.provider = provider(of: lane)
        lane.isInFlight = true
        useWindow(lane.session, state, now: now)
        noteSent(state, of: lane.session)
        launch(push, now: now)
    }

    private func payload(_ state: SessionState, to lane: Lane, stamp: Int64, now: Moment) -> [UInt8] {
        guard provider(of: lane) == .fcm else { return dialect.update(state, stamp: stamp) }
        let message = dialect.message(state, sessionID: lane.session.id, token: lane.token)
        return has(.rebuildsRefusedMessages) ? dated(message, at: now.wall) : message
    }

    private func provider(of lane: Lane) -> Provider { has(.routesAllToAPNs) ? .apns : lane.provider }

    /// A progress push that leaves late, after a wait or behind another, keeps the next one away as long as any other.
    private func useWindow(_ session: Session, _ state: SessionState, now: Moment) {
        guard state.eventType.isThrottled else { return }
        session.window.opensAt = max(session.window.opensAt, now.now + spacing)
    }

    func laneAccepted(_ lane: Lane, _ state: SessionState, now: Moment) {
        lane.isInFlight = false
        lane.failures = 0
        lane.isBehind = false
        lane.shownSequence = max(lane.shownSequence, state.sequence)
        defer { notePaid(lane.session) }
        if let held = lane.heldBack, held !== state, sendHeldBack(held, to: lane, now: now) { return }
        goOn(lane, after: state, now: now)
    }

    /// The state is lost: refused, or tried often enough. The next one may fare better.
    func laneGaveUp(_ lane: Lane, _ state: SessionState, _ push: Push, now: Moment) {
        lane.isInFlight = false
        lane.failures = 0
        // The token was registered again or rotated meanwhile: what failed for the old row goes to the new one.
        if push.revision != lane.revision { lane.isStale = true }
        goOn(lane, after: state, now: now)
    }

    private func goOn(_ lane: Lane, after state: SessionState, now: Moment) {
        guard lane.isRegistered else { return }
        if !lane.queue.isEmpty {
            push(lane.queue.removeFirst(), to: lane, ticket: nil, isCounted: false, now: now)
        } else if lane.isStale {
            sendNewest(lane, now: now)
        } else if lane.finalState === state, !has(.keepsEndedRow) {
            remove(lane, now: now)
        }
    }

    func lanePostponed(_ lane: Lane, _ push: Push, _ state: SessionState, until instant: Instant, now: Moment) {
        lane.isInFlight = false
        dropQueue(of: lane)
        guard lane.isRegistered, isOf(lane, push) else {
            if has(.retriesAfterGoodbye), !lane.isRegistered { deadlines.add(.late(push), at: instant) }
            settle(push, sent: false)
            log(push, sent: false, now: now)
            if lane.isRegistered { sendNewest(lane, now: now) }
            return
        }
        watchOwed(lane.session, now: now)
        lane.waiting = push
        lane.retryAt = instant
        waiting += 1
        deadlines.add(.retry(lane), at: instant)
    }

    /// Whether the push goes to the token that the activity has now. Defect `retries-old-token` does not ask.
    private func isOf(_ lane: Lane, _ push: Push) -> Bool { push.token == lane.token || has(.retriesOldToken) }

    /// Ends a lane's wait: the same push again, or a newer state in its place.
    func wake(_ lane: Lane, now: Moment) {
        guard lane.isRegistered, lane.retryAt != nil, let push = lane.waiting else { return }
        lane.retryAt = nil
        lane.waiting = nil
        waiting -= 1
        guard !lane.isStale, isOf(lane, push) else {
            settle(push, sent: false)
            log(push, sent: false, now: now)
            sendNewest(lane, now: now)
            return
        }
        lane.isInFlight = true
        if case .activity(_, let state) = push.target { useWindow(lane.session, state, now: now) }
        send(push)
    }
}
