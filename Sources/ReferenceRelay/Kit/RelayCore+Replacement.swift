// A card that grows too old is replaced before the system ends it (R4.20):
//
//     age reached ── start push, full state ──▶ started ── token of a new activity ──▶ end to the old token
//                        ▲                         │ nobody adopts it in time, or APNs refuses it
//                        └──── 5 min … 60 min ─────┘ the old card is kept up to date meanwhile
//
// An accepted start push proves nothing (R4.22): only a token that nobody knew before says that there is a new card. Where
// APNs has refused each start there can be none, and such a token is the old card's own, rotated (R0.18).

import Basics

extension RelayCore {
    /// Sets the timer for the activity's age. What is too old already is replaced at once.
    func watchAge(of lane: Lane, now: Moment) {
        guard case .replaces(let policy) = dialect.policy.ageing else { return }
        if has(.restartsOnce), !lane.session.replacedTokens.isEmpty { return }
        let rest = age(for: lane, policy) - (now.wall - lane.createdAt)
        let least = has(.countsSessionAge) ? Interval.seconds(2 * 3_600) : .zero
        deadlines.add(.replacement(LaneReference(lane: lane), number: 0), at: now.now + max(rest, least))
    }

    /// Drawn from the seed, the session and the activity, so that it is the same after a restart of the relay. A tenth of
    /// the span is left for what is on its way.
    private func age(for lane: Lane, _ policy: ReplacementPolicy) -> Interval {
        if has(.restartsAllAtOnce) { return policy.after }
        let seed = options.seed.child("replacement").child(lane.session.id).child(UInt64(bitPattern: lane.id))
        let age = policy.after + policy.within * (0.9 * (2 * seed.unit - 1))
        return has(.restartsLate) ? age + policy.within * 15 : age
    }

    /// `number`: of the starts that had left when the timer was set.
    func replacementDue(_ lane: Lane, _ number: Int, now: Moment) {
        guard case .replaces(let policy) = dialect.policy.ageing, lane.isRegistered, lane.finalState == nil,
            lane.session.phase == .active, number == lane.replacement?.starts ?? 0
        else { return }
        if has(.sendsRestartNeeded) { return sendRestartNeeded(to: lane, now: now) }
        let replacement = lane.replacement ?? Replacement(leftAt: now.wall)
        lane.replacement = replacement
        guard let device = device(of: lane), let token = startToken(of: device) else {
            // Asked for again when the phone registers one; here in case that it is another phone that does.
            return deadlines.add(.replacement(LaneReference(lane: lane), number: number), at: now.now + policy.pauseMax)
        }
        start(lane, replacement, on: device, token, policy, now: now)
    }

    private func start(
        _ lane: Lane, _ replacement: Replacement, on device: Device, _ token: String, _ policy: ReplacementPolicy, now: Moment
    ) {
        let session = lane.session
        let latest = session.latest?.content ?? dialect.replaced(nil)
        let sequence = session.latest?.sequence ?? session.nextSequence()
        let state = SessionState(eventType: .start, content: latest, sequence: sequence)
        replacement.starts += 1
        replacement.leftAt = now.wall
        replacement.out.append(now.wall)
        let attempt = StartAttempt(
            deviceID: device.id, token: token, turn: session.turn, sequence: sequence, leftAt: now.wall)
        attempt.replaces = lane
        save(attempt, replacement, session)
        let payload = dialect.replacement(
            state, sessionID: session.id, stamp: session.stamp(state, now: now.wall))
        let push = makePush(
            .start(session, attempt, device), .start, token: token, revision: device.revision, bundleID: device.bundleID,
            isActivity: true, isUrgent: true, payload: payload, environment: device.environment, ticket: nil,
            isCounted: false, now: now)
        // What comes later than the next start would be a second card.
        push.expiration = String((now.wall + pause(behind: replacement.starts, policy)).seconds)
        deadlines.add(
            .adoption(LaneReference(lane: lane), number: replacement.starts), at: now.now + policy.adoptWithin)
        launch(push, now: now)
    }

    private func save(_ attempt: StartAttempt, _ replacement: Replacement, _ session: Session) {
        writes.append(
            .saveStart(
                StartRow(
                    secret: session.account.secret, sessionID: session.id, deviceID: attempt.deviceID, token: attempt.token,
                    createdAt: replacement.leftAt, number: replacement.starts, out: replacement.out.count)))
    }

    /// For the next process, where the activity is still to be replaced: an end or a successor has deleted the row.
    func saveRefusal(of attempt: StartAttempt, _ replacement: Replacement, _ session: Session) {
        let waiting = session.lanes.map(\.replacement) + session.deadCards.map(\.replacement)
        guard waiting.contains(where: { $0 === replacement }) else { return }
        save(attempt, replacement, session)
    }

    private func pause(behind starts: Int, _ policy: ReplacementPolicy) -> Interval {
        if has(.hammersStarts) { return policy.adoptWithin }
        return min(policy.pauseMax, policy.pause * Double(1 << min(starts - 1, 30)))
    }

    /// Nobody has adopted the start: the old card stays, and there is another start in a while.
    func adoptionOverdue(_ lane: Lane, _ number: Int, now: Moment) {
        guard case .replaces(let policy) = dialect.policy.ageing, let replacement = lane.replacement,
            replacement.starts == number, lane.isRegistered, lane.finalState == nil
        else { return }
        if number >= policy.alarmAt {
            actions.append(.tell("alarm: \(number) starts of session \(lane.session.id) and no card came of them"))
        }
        if has(.givesUpRestart) { return }
        let rest = max(.zero, pause(behind: number, policy) - (now.wall - replacement.leftAt))
        deadlines.add(.replacement(LaneReference(lane: lane), number: number), at: now.now + rest)
    }

    /// A start push was accepted, which ends nothing.
    func replacementAccepted(_ attempt: StartAttempt, now: Moment) {
        guard let old = attempt.replaces else { return }
        old.replacement?.accepted.append((attempt.leftAt, attempt.sequence))
        guard has(.endsBeforeAdoption), old.isRegistered, old.finalState == nil else { return }
        attempt.replaces = nil
        old.session.starts = [attempt]
        retire(old, now: now)
    }

    // MARK: - Adoption

    /// Whether it speaks of an activity that another has replaced (R4.21).
    func isLate(_ registration: ActivityRegistration, in session: Session) -> Bool {
        session.replacedTokens.contains(registration.token) && !has(.obeysLateRegistration)
    }

    /// The activity whose place the registered one takes: a start for it has left that APNs did not refuse, and it began
    /// before that; or one that came of another start for the same successor (R4.6).
    func laneToReplace(with registration: ActivityRegistration, in session: Session, now: Moment) -> Lane? {
        guard session.phase == .active, !session.replacedTokens.contains(registration.token) else { return nil }
        let replaced = session.lanes.filter { $0.replacement?.out.isEmpty == false || hasRival($0, now: now) }
        let named = registration.deviceToken
        guard let lane = replaced.first(where: { named == nil || $0.deviceToken == nil || $0.deviceToken == named }) else {
            return nil
        }
        // The app says that it is the old activity, under another token.
        if let bornAt = registration.bornAt, bornAt - lane.createdAt < .seconds(60) { return nil }
        return lane
    }

    /// Whether another card may still turn up beside this one: an app that is launched hours later tells of all that live.
    private func hasRival(_ lane: Lane, now: Moment) -> Bool {
        guard case .replaces = dialect.policy.ageing, !lane.rivals.isEmpty, !has(.keepsRivalCard) else {
            return false
        }
        return now.wall - lane.registeredAt < options.activityLifetime
    }

    /// The new card is there: the old one goes at once, and the states go on.
    func adopt(_ registration: ActivityRegistration, insteadOf old: Lane, now: Moment) {
        let session = old.session
        noteReplaced(old)
        writes.append(.deleteStarts(session.account.secret, sessionID: session.id, deviceID: nil))
        // Of rivals nobody says which it is: the oldest that may live, for a card that is replaced too late is gone.
        let oldest = old.rivals.first { now.wall - $0 < options.activityLifetime }
        let leftAt = old.replacement?.out.last ?? oldest ?? now.wall
        let lane = makeLane(registration, in: session, bornAt: has(.countsSessionAge) ? old.createdAt : leftAt, now: now)
        lane.deviceToken = registration.deviceToken ?? old.deviceToken
        if let replacement = old.replacement, !replacement.out.isEmpty {
            // Which of the starts it came of is not known: what the oldest did not show is said again.
            lane.sentSequence = has(.losesWhatCameBetween)
                ? session.latest?.sequence ?? 0 : min(replacement.accepted.first?.sequence ?? 0, old.sentSequence)
            lane.rivals = replacement.accepted.dropLast().map(\.leftAt)
        } else {
            lane.rivals = old.rivals.dropLast()
        }
        session.lanes.append(lane)
        session.hadLane = true
        session.isSilenced = false
        if has(.keepsReplacedCard) { remove(old, now: now) } else { retire(old, now: now) }
        catchUp(lane, now: now)
    }

    /// The old card's end. The session goes on.
    private func retire(_ old: Lane, now: Moment) {
        let session = old.session
        old.replacement = nil
        session.lanes.removeAll { $0 === old }
        noteReplaced(old)
        let content = dialect.replaced(session.latest?.content)
        let state = SessionState(eventType: .complete, content: content, sequence: session.nextSequence())
        finish(old, with: state, ticket: nil, now: now)
    }

    /// Its token does not come back as long as the session lasts, nor for a while behind it.
    func noteReplaced(_ old: Lane) { noteReplaced(old.token, in: old.session) }

    func noteReplaced(_ token: String, in session: Session) {
        guard !session.replacedTokens.contains(token) else { return }
        session.replacedTokens.append(token)
        writes.append(.saveReplaced(ReplacedRow(secret: session.account.secret, sessionID: session.id, token: token)))
    }

    func forgetReplaced(_ session: Session) {
        guard !session.replacedTokens.isEmpty || session.isOwedOnDisk else { return }
        session.replacedTokens = []
        session.isOwedOnDisk = false
        writes.append(.deleteReplaced(session.account.secret, sessionID: session.id))
    }

    /// What was said since the start push left; in its window, where it may wait.
    private func catchUp(_ lane: Lane, now: Moment) {
        let session = lane.session
        guard let latest = session.latest, latest.sequence > lane.sentSequence else { return }
        // The new card began behind it, and a phone passes over what is stamped older than its card's start.
        latest.stamp = nil
        if latest.eventType.isThrottled, now.now < session.window.opensAt {
            session.hasTrailing = true
            watchOwed(session, now: now)
            armWindow(session, at: session.window.opensAt)
        } else {
            want(lane, ticket: nil, now: now)
        }
    }

    // MARK: - Tokens

    /// The phone that the activity is on: the one that its registration named, or the only one.
    private func device(of lane: Lane) -> Device? {
        let devices = lane.account.devices
        return devices.first { $0.token == lane.deviceToken } ?? (devices.count == 1 ? devices[0] : nil)
    }

    private func startToken(of device: Device) -> String? {
        has(.restartsByOldToken) ? device.firstStartToken ?? device.startToken : device.startToken
    }

    /// Starts that the old token led nowhere may succeed by the new one, and are not kept waiting.
    func startTokenCame(to device: Device, now: Moment) {
        for session in device.account.sessions.values {
            for lane in session.lanes where self.device(of: lane) === device {
                guard let replacement = lane.replacement else { continue }
                deadlines.add(.replacement(LaneReference(lane: lane), number: replacement.starts), at: now.now)
            }
        }
    }

    // MARK: - A restart of the relay

    /// A start that was out when the process before this one ended; false where it is the first of its session.
    func resumeReplacement(_ row: StartRow, in session: Session, now: Moment) -> Bool {
        guard case .replaces = dialect.policy.ageing, session.hadLane else { return false }
        let replacement = Replacement(leftAt: row.createdAt)
        replacement.starts = row.number
        // Which of them were accepted is not on disk.
        replacement.accepted = Array(repeating: (row.createdAt, 0), count: row.out)
        replacement.out = replacement.accepted.map(\.leftAt)
        if let lane = session.lanes.first {
            goOn(with: replacement, lane, now: now)
        } else if !session.deadCards.isEmpty {
            session.deadCards[0].replacement = replacement
        }
        return true
    }

    /// The starts so far count, and so does the pause behind the last of them.
    func goOn(with replacement: Replacement, _ lane: Lane, now: Moment) {
        guard case .replaces(let policy) = dialect.policy.ageing else { return }
        lane.replacement = replacement
        let rest = max(.zero, policy.adoptWithin - (now.wall - replacement.leftAt))
        deadlines.add(.adoption(LaneReference(lane: lane), number: replacement.starts), at: now.now + rest)
    }

    /// An activity whose end was under way when the process before this one ended: its successor is there.
    func endReplaced(_ row: ActivityRow, now: Moment) {
        guard case .replaces = dialect.policy.ageing, let session = registry.accounts[row.secret]?.sessions[row.sessionID],
            session.account.devices.count <= 1, session.lanes.count > 1, let old = session.lanes.first, old.id == row.id
        else { return }
        retire(old, now: now)
    }

    /// Defect `sends-restart-needed`.
    private func sendRestartNeeded(to lane: Lane, now: Moment) {
        guard let latest = lane.session.latest else { return }
        let state = SessionState(eventType: .progress, content: latest.content, sequence: latest.sequence)
        let text = String(decoding: dialect.update(state, stamp: lane.session.stamp(state, now: now.wall)), as: UTF8.self)
        let payload = text.replacing("\"event\":\"update\"", with: "\"event\":\"restart-needed\"", maxReplacements: 1)
        send(stray(for: lane, state, payload: Array(payload.utf8), isUrgent: true, now: now))
    }
}
