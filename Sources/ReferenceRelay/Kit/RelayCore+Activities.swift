// /v1/activity/register and /v1/activity/unregister: which token follows which session.
//
// The bodies name a secret and a session, but neither the phone nor the activity. So a second token for a session
// may be a second phone (R0.21: both are served) or the same activity after its token rotated (R0.18: only the new
// one is served), and an unregister may mean an activity that has long been replaced (R0.20). What we know decides:
//
// - The key is (secret, session, token); no phone displaces another.
// - A secret with one phone (or none) has one activity per session: another token is a rotation and takes the old one's
//   place at once, even while a push to the old one is under way.
// - A secret with several phones keeps the old token beside the new one. The phones that are alive all get their
//   pushes, and a token that had rotated away answers 410 once and is pruned. Guessing which one rotated could silence
//   a live phone; one push to a dead token harms nobody.
// - A phone whose device token died counts on: its activity lives by a token of its own (R0.24).
// - An app that wants it exact sends `deviceToken` along with a registration, and `activityToken` with an unregister.
// - An unregister within 30 s after a newer activity took the place of one that has not been unregistered yet is taken
//   for that older one's; with several phones, where a session has more tokens than there are phones. When that is
//   wrong, the next push to the dead token prunes it; the opposite mistake would leave live activities without pushes.

import Basics
import Pushes

struct ActivityRegistration {
    var secret: SecretHash
    var sessionID: String
    var token: String
    var bundleID: String?
    /// Beyond the plan: the phone, and its environment.
    var deviceToken: String?
    var environment: PushEnvironment?
    /// When the activity began, where its app says so.
    var bornAt: WallTime?
}

extension RelayCore {
    /// Nil when it was taken, or was late and meant nothing any more.
    func register(_ registration: ActivityRegistration, now: Moment) -> Refusal? {
        let account = registry.account(registration.secret)
        guard let session = session(registration.sessionID, of: account, now: now) else {
            registry.dropIfEmpty(account)
            return .full
        }
        if let lane = session.lanes.first(where: { $0.token == registration.token }) {
            lane.revision += 1
            lane.registeredAt = now.wall
            if has(.forgetsAtRelaunch) { session.latest = nil }
            writes.append(.saveActivity(ActivityRow(lane)))
            return nil
        }
        if has(.keepsOldToken), !session.lanes.isEmpty { return nil }
        if has(.buriesTokens), mischief.buried.contains(registration.token) { return nil }
        // The end is final: its token does not come back by a request that was overtaken (G10, G11).
        if session.endedTokens.contains(registration.token), now.now - session.endedAt < options.lateness { return nil }
        if isLate(registration, in: session) { return nil }
        if let old = laneToReplace(with: registration, in: session, now: now) {
            adopt(registration, insteadOf: old, now: now)
            return nil
        }
        if endsLateCard(registration, in: session, now: now) { return nil }
        let wasStarted = session.unadoptedStarts > 0
        let bornAt = wasStarted ? session.starts.map(\.leftAt).max() : nil
        if wasStarted {
            session.unadoptedStarts -= 1
            writes.append(.deleteStarts(account.secret, sessionID: session.id, deviceID: nil))
        }
        if session.phase != .active { beginTurn(session, now: now) }
        if !session.owedUnregisters.isEmpty {
            session.supersededAt = now.now
            keepOwed(session)
        }
        let shownByStart = session.starts.map(\.sequence).min() ?? beforeAnyToken(session)
        if let lane = laneToRotate(for: registration, in: session) {
            rotate(lane, to: registration, now: now)
            if wasStarted, let shownByStart {
                flush(lane, beyond: shownByStart, now: now)
            } else if lane.isBehind {
                catchUp(lane, beyond: lane.shownSequence, now: now)
            }
        } else {
            let dead = wasStarted ? nil : takeDead(of: session)
            let lane = makeLane(registration, in: session, bornAt: bornAt ?? dead?.birth(of: registration.token), now: now)
            session.lanes.append(lane)
            if session.lanes.count > phones(of: account) {
                noteSuperseded(session.lanes[0].token, in: session, now: now)
            }
            if wasStarted { expectRivals(of: lane, now: now) }
            if let dead {
                takePlace(of: dead, lane, now: now)
                catchUp(lane, beyond: dead.shown, now: now)
            } else if let shownByStart { flush(lane, beyond: shownByStart, now: now) }
        }
        session.hadLane = true
        session.isSilenced = false
        return nil
    }

    /// `token` is nil where the body follows the plan.
    func unregisterActivity(_ sessionID: String, token: String? = nil, of secret: SecretHash, now: Moment) {
        guard let session = registry.accounts[secret]?.sessions[sessionID], !has(.ignoresUnregister) else { return }
        // What the events before it have to say is said first, whether their alerts are through or not.
        while let followup = session.followups.first { stopWaiting(followup, now: now) }
        if let token {
            if let lane = session.lanes.first(where: { $0.token == token }) { remove(lane, now: now) }
            silenceIfAlone(session)
            return
        }
        let isLate = !session.owedUnregisters.isEmpty && now.now - session.supersededAt < options.lateness
        if session.phase == .ended || isLate, !has(.obeysLateUnregister) {
            if !session.owedUnregisters.isEmpty { session.owedUnregisters.removeFirst() }
            keepOwed(session)
            return
        }
        for lane in session.lanes {
            if has(.retriesAfterGoodbye) { keepRetrying(lane) }
            remove(lane, now: now)
        }
        session.owedUnregisters = []
        keepOwed(session)
        silenceIfAlone(session)
    }

    /// Where no start was to be had, or none went through, nothing of what was said is shown; what a start says says no more.
    private func beforeAnyToken(_ session: Session) -> UInt64? {
        guard !session.hadLane, let latest = session.latest, latest.eventType != .start else { return nil }
        return 0
    }

    /// The last phone has let go of the activity: no push and no start until it registers again or the next turn
    /// begins.
    private func silenceIfAlone(_ session: Session) {
        guard session.phase == .active, session.lanes.isEmpty else { return }
        if has(.restartsDismissed) { return forgetDismissal(session) }
        session.isSilenced = true
        session.hasTrailing = false
        session.unadoptedStarts = 0
    }

    /// At least one: an app may register its activity first.
    func phones(of account: Account) -> Int { max(1, account.devices.count + account.lostPhones) }

    /// A newer activity has taken the place of one whose goodbye is still to come (R0.20).
    private func noteSuperseded(_ token: String, in session: Session, now: Moment) {
        session.owedUnregisters.append(token)
        session.supersededAt = now.now
        keepOwed(session)
    }

    /// For the next process. Where activities replace each other the rows say which must not come back (R4.21).
    private func keepOwed(_ session: Session) {
        guard case .ends = dialect.policy.ageing else { return }
        let owed = session.phase == .active ? session.owedUnregisters : []
        guard session.isOwedOnDisk || !owed.isEmpty else { return }
        let secret = session.account.secret
        writes.append(.deleteReplaced(secret, sessionID: session.id))
        for token in owed { writes.append(.saveReplaced(ReplacedRow(secret: secret, sessionID: session.id, token: token))) }
        session.isOwedOnDisk = !owed.isEmpty
    }

    /// A row of the process before; the newest registration is the one that took the older activity's place.
    func resumeOwed(_ row: ReplacedRow, in session: Session, now: Moment) {
        session.owedUnregisters.append(row.token)
        session.isOwedOnDisk = true
        guard let newest = session.lanes.map(\.registeredAt).max() else { return }
        session.supersededAt = now.now - (now.wall - newest)
    }

    private func laneToRotate(for registration: ActivityRegistration, in session: Session) -> Lane? {
        let phones = phones(of: session.account)
        if phones == 1 || has(.displacesSecondPhone) { return session.lanes.first }
        if let device = registration.deviceToken { return session.lanes.first { $0.deviceToken == device } }
        guard session.lanes.count >= min(2 * phones, RelayLimits.activitiesPerSession) else { return nil }
        return session.lanes.min { $0.registeredAt < $1.registeredAt }
    }

    /// `bornAt`: of the start push that has led to it, or of the card whose token died.
    func makeLane(
        _ registration: ActivityRegistration, in session: Session, bornAt: WallTime? = nil, now: Moment
    ) -> Lane {
        registry.lastActivityID += 1
        let lane = Lane(
            id: registry.lastActivityID, session: session, token: registration.token,
            bundleID: registration.bundleID ?? options.topic,
            environment: registration.environment ?? session.account.usualEnvironment,
            createdAt: min(registration.bornAt ?? bornAt ?? now.wall, now.wall), registeredAt: now.wall)
        lane.deviceToken = registration.deviceToken
        writes.append(.saveActivity(ActivityRow(lane)))
        watchAge(of: lane, now: now)
        return lane
    }

    /// The same activity under a new token: a new row, and whatever waits goes there.
    func rotate(_ lane: Lane, to registration: ActivityRegistration, now: Moment) {
        let former = lane.token
        if case .replaces = dialect.policy.ageing { noteReplaced(lane) }
        writes.append(.deleteActivity(lane.id))
        registry.lastActivityID += 1
        lane.id = registry.lastActivityID
        lane.token = registration.token
        lane.bundleID = registration.bundleID ?? options.topic
        lane.environment = registration.environment ?? lane.environment
        lane.deviceToken = registration.deviceToken
        lane.registeredAt = now.wall
        lane.revision += 1
        lane.failures = 0
        if has(.losesPendingAtRotation) { lane.session.hasTrailing = false }
        writes.append(.saveActivity(ActivityRow(lane)))
        noteSuperseded(former, in: lane.session, now: now)
        if lane.retryAt != nil, !has(.retriesOldToken) { wake(lane, now: now) }
    }

    /// What the activity missed between its start and its registration (R0.15): the latest state, once.
    private func flush(_ lane: Lane, beyond shown: UInt64, now: Moment) {
        guard let latest = lane.session.latest, latest.sequence > shown else { return }
        if has(.forgetsHeld) { return }
        if has(.tellsHeldToOnePhone), lane.session.lanes.count > 1 { return }
        lane.sentSequence = 0
        want(lane, ticket: nil, now: now)
        let session = lane.session
        if latest.eventType.isThrottled { session.window.opensAt = now.now + spacing }
    }

    /// What the death of a token kept from the card: the newest state leaves with the registration of the next one, or when
    /// the throttle's window is over.
    private func catchUp(_ lane: Lane, beyond shown: UInt64, now: Moment) {
        let session = lane.session
        lane.isBehind = false
        guard let latest = session.latest, latest.sequence > shown else { return }
        guard latest.eventType.isThrottled, now.now < session.window.opensAt, !has(.ignoresThrottle) else {
            return flush(lane, beyond: shown, now: now)
        }
        if has(.dropsTrailingEdge) { return }
        lane.sentSequence = shown
        session.hasTrailing = true
        watchOwed(session, now: now)
        armWindow(session, at: session.window.opensAt)
    }

    /// Deletes exactly this row; what is under way for it comes to nothing.
    func remove(_ lane: Lane, now: Moment) {
        guard lane.isRegistered else { return }
        lane.isRegistered = false
        lane.retryAt = nil
        if let push = lane.waiting {
            lane.waiting = nil
            waiting -= 1
            settle(push, sent: false)
            log(push, sent: false, now: now)
        }
        lane.session.lanes.removeAll { $0 === lane }
        lane.session.finishing.removeAll { $0 === lane }
        writes.append(.deleteActivity(lane.id))
    }
}
