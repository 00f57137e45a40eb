// What an answer of APNs leads to (docs/reference-relay.md): remember, prune, try again, or let it be.

import Basics
import Pushes

extension RelayCore {
    func judge(_ push: Push, _ outcome: PushOutcome, _ verdict: PushVerdict, now: Moment) {
        if verdict != .accepted { push.lastError = outcome.words }
        if case .start(_, let attempt, _) = push.target, case .failed(false, _) = outcome { attempt.isInDoubt = true }
        switch verdict {
        case .accepted:
            if push.triedOtherHost { rememberHost(of: push) }
            settle(push, sent: true)
            log(push, sent: true, now: now)
            accepted(push, now: now)
            if has(.repeatsAccepted) { repeatAccepted(push, now: now) }
        case .wrongHost(let condemns):
            tryOtherHost(push, condemns: condemns, now: now)
        case .badCredentials:
            if has(.prunesOnCredentials) { prune(push, now: now) }
            tryNewToken(push, now: now)
        case .dead(let since):
            if has(.retriesAfter410) {
                retry(push, isToken: false, now: now)
            } else if has(.knowsOnlyUnregistered), !outcome.words.hasSuffix("Unregistered") {
                fail(push, now: now)
            } else {
                condemn(push, since: since, now: now)
            }
        case .busy(let isToken):
            if has(.prunesWhenBusy) || has(.prunesInDoubt) && push.isCondemnedElsewhere, outcome.isAnswer {
                prune(push, now: now)
                return fail(push, now: now)
            }
            if forgets(push) {
                prune(push, now: now)
                return fail(push, now: now)
            }
            if has(.triesOnce) || has(.losesCutPushes) && !outcome.isAnswer { return fail(push, now: now) }
            if has(.prunesOnTokenUpdates), outcome.words.hasSuffix("TooManyProviderTokenUpdates") { prune(push, now: now) }
            if has(.signsFor429), outcome.words.hasSuffix("TooManyProviderTokenUpdates") {
                _ = providerToken.renew(rejected: push.tokenSerial, at: now.wall)
            }
            retry(push, isToken: isToken, now: now)
        case .unprocessed:
            if has(.losesRefusedStreams) { fail(push, now: now) } else { resendUnprocessed(push, now: now) }
        case .refused:
            if has(.repeatsRefusedMessages), push.provider == .fcm, push.resends == 0 {
                return resendUnprocessed(push, now: now)
            }
            if has(.rebuildsRefusedMessages), push.provider == .fcm, push.resends == 0 {
                push.payload = dated(push.payload, at: now.wall + .milliseconds(20))
                return resendUnprocessed(push, now: now)
            }
            if has(.repeatsRefused) { return retry(push, isToken: false, now: now) }
            if has(.prunesOnAnyRefusal) || forgets(push) { prune(push, now: now) }
            fail(push, now: now)
        }
    }

    // MARK: - Ends

    private func accepted(_ push: Push, now: Moment) {
        switch push.target {
        case .activity(let lane, let state): laneAccepted(lane, state, now: now)
        case .start(_, let attempt, _): replacementAccepted(attempt, now: now)
        case .alert, .stray: break
        }
    }

    /// The last attempt has failed; nothing is pruned.
    private func fail(_ push: Push, now: Moment) {
        settle(push, sent: false)
        log(push, sent: false, now: now)
        switch push.target {
        case .activity(let lane, let state): laneGaveUp(lane, state, push, now: now)
        case .start(let session, let attempt, _):
            let mayRepeat = push.failures > 0 || dialect.policy.repeatsRefusedStart
            forgetStart(attempt, session, mayRepeat: mayRepeat, now: now)
        case .alert, .stray: break
        }
    }

    // MARK: - Dead tokens

    /// Deletes the token that APNs declared dead, unless it was registered again since: after we read it (G4), or
    /// after APNs lost it (the timestamp of a 410, P10).
    private func condemn(_ push: Push, since: Int64?, now: Moment) {
        settle(push, sent: false)
        log(push, sent: false, now: now)
        if has(.stopsAtFailure) { push.followup?.isAborted = true }
        if !keepsDeadToken(of: push), !wasRegisteredAgain(push, since: since) {
            prune(push, now: now)
        } else if case .activity(let lane, _) = push.target, lane.token == push.token {
            lane.isBehind = true
        }
        switch push.target {
        case .activity(let lane, let state): laneGaveUp(lane, state, push, now: now)
        case .start(let session, let attempt, _): forgetStart(attempt, session, mayRepeat: true, now: now)
        case .alert, .stray: break
        }
    }

    private func wasRegisteredAgain(_ push: Push, since: Int64?) -> Bool {
        let (revision, registeredAt): (Int, WallTime)
        switch push.target {
        case .alert(let device, _), .start(_, _, let device):
            (revision, registeredAt) = (device.revision, device.registeredAt)
        case .activity(let lane, _): (revision, registeredAt) = (lane.revision, lane.registeredAt)
        case .stray: return true
        }
        if push.revision != revision { return !has(.prunesChangedRow) }
        if has(.ignores410Timestamp) { return false }
        return since.map { $0 < registeredAt.milliseconds } ?? false
    }

    private func keepsDeadToken(of push: Push) -> Bool {
        if case .alert = push.target, has(.keepsDeadDeviceTokens) { return true }
        if case .start = push.target, has(.keepsDeadStartTokens) { return true }
        if case .activity = push.target, push.provider == .fcm, has(.keepsGoneRegistrations) { return true }
        return has(.keepsDeadTokens)
    }

    /// The one token that the push went to, and nothing else (R0.22, R0.24, R0.25, G5).
    private func prune(_ push: Push, now: Moment) {
        if has(.buriesTokens) { mischief.buried.insert(push.token) }
        switch push.target {
        case .alert(let device, _): lose(device)
        case .start(_, _, let device):
            guard device.isRegistered, device.startToken == push.token else { return }
            device.startToken = nil
            writes.append(.saveDevice(DeviceRow(device)))
        case .activity(let lane, _):
            if lane.token == push.token || has(.prunesChangedRow), lane.isRegistered {
                let count = writes.count
                remove(lane, now: now)
                if has(.dropsLivingRows) { dropRows(of: lane.account) }
                if has(.leavesDeadRows) { writes.removeLast(writes.count - count) }
                noteDead(lane, isOver: push.lastError.hasSuffix("ExpiredToken"))
                pruned?(lane, push.token, now)
                // Its phone does not know yet, and may unregister it when a newer one has come (R0.20).
                // What stood beside as many tokens as there are phones had been replaced, and is counted.
                let session = lane.session
                if session.phase == .active, session.lanes.count < phones(of: session.account) {
                    session.owedUnregisters.append(push.token)
                }
            }
            if has(.prunesWholeDevice) { for other in lane.session.lanes { remove(other, now: now) } }
            if has(.prunesAllTokens) { for device in lane.account.devices { remove(device) } }
        case .stray: break
        }
    }

    // MARK: - The other host

    /// Asks the other host, once; what both refuse is dead. A key that does not fit the first host condemns nobody
    /// (P11).
    private func tryOtherHost(_ push: Push, condemns: Bool, now: Moment) {
        let isIgnored =
            has(condemns ? .neverTriesOtherEnvironment : .ignoresEnvironmentHint) || onlyHost(push.isActivity) != nil
        if hasTwoHosts, !push.triedOtherHost, !isIgnored {
            push.triedOtherHost = true
            push.isCondemnedElsewhere = condemns
            push.environment = push.environment.other
            return send(push)
        }
        let isDead = push.triedOtherHost ? push.isCondemnedElsewhere : condemns
        if isDead, !has(.keepsBadDeviceTokens) { condemn(push, since: nil, now: now) } else { fail(push, now: now) }
    }

    /// The next push goes there first (R0.26).
    private func rememberHost(of push: Push) {
        switch push.target {
        case .alert(let device, _), .start(_, _, let device):
            guard device.isRegistered else { return }
            device.environment = push.environment
            writes.append(.saveDevice(DeviceRow(device)))
        case .activity(let lane, _):
            guard lane.isRegistered, lane.token == push.token else { return }
            lane.environment = push.environment
            writes.append(.saveActivity(ActivityRow(lane)))
        case .stray: break
        }
    }

    // MARK: - Again

    /// A new provider token on a new connection, for APNs refuses all that follows on the old one (P2); once (R0.34).
    private func tryNewToken(_ push: Push, now: Moment) {
        let isNewer = push.tokenSerial == providerToken.serial
        guard !has(.keepsExpiredProviderToken), !push.renewedToken,
            !has(.signsOnce), providerToken.renew(rejected: push.tokenSerial, at: now.wall)
        else { return fail(push, now: now) }
        if isNewer, !has(.staysWedged) { actions.append(.renewConnection(push.environment)) }
        push.renewedToken = true
        send(push)
    }

    /// Passing trouble: the same push with the same id after a growing wait, a bounded number of times (P13, P15).
    private func retry(_ push: Push, isToken: Bool, now: Moment) {
        push.failures += 1
        var failures = push.failures
        if case .activity(let lane, _) = push.target {
            lane.failures += 1
            failures = lane.failures
        }
        let most = has(.givesUpSoon) ? 3 : options.attempts
        guard failures < most, waiting < RelayLimits.waiting else { return fail(push, now: now) }
        settle(push, sent: false)
        let until = now.now + max(wait(after: failures), leastWait(push, isQuota: isToken))
        switch push.target {
        case .activity(let lane, let state): lanePostponed(lane, push, state, until: until, now: now)
        case .alert(let device, _):
            if isToken { device.restsUntil = max(device.restsUntil, until) }
            resend(push, at: until)
        case .start(_, let attempt, _):
            // Pauses of minutes lie between the starts of a replacement anyway (R4.24).
            if isToken, attempt.replaces != nil { return fail(push, now: now) }
            resend(push, at: until)
        case .stray: break
        }
    }

    /// APNs never looked at it, so it neither counts as an attempt nor as a failure of the event, unless that goes
    /// on and on (P8, G14): after 20 ms, then after 0.4, 0.8, 1.6 and 3.2 s.
    private func resendUnprocessed(_ push: Push, now: Moment) {
        guard push.resends < 5 else { return retry(push, isToken: false, now: now) }
        push.resends += 1
        let wait = push.resends == 1 ? Interval.milliseconds(20) : .milliseconds(100 << Int64(push.resends))
        let until = now.now + real(wait)
        if case .activity(let lane, let state) = push.target {
            lanePostponed(lane, push, state, until: until, now: now)
        } else {
            resend(push, at: until)
        }
    }

    func resend(_ push: Push, at instant: Instant) {
        save(push)
        waiting += 1
        deadlines.add(.resend(push), at: instant)
    }

    /// Defects `forgets-registrations` and `forgets-for-any-404`.
    private func forgets(_ push: Push) -> Bool {
        guard push.provider == .fcm else { return false }
        return has(.forgetsRegistrations) || has(.forgetsForAny404) && push.lastError.hasPrefix("404")
    }

    /// FCM asks for a minute after 429, and for ten seconds after a failure of its own (F7, F8).
    private func leastWait(_ push: Push, isQuota: Bool) -> Interval {
        guard push.provider == .fcm else { return .zero }
        if isQuota { return has(.ignoresQuota) ? .zero : .seconds(60) }
        return has(.hurriesAfterFailure) ? .zero : .seconds(10)
    }

    private func wait(after failures: Int) -> Interval {
        if has(.storms) { return .milliseconds(100) }
        if has(.retriesAtOnce), failures == 1 { return .zero }
        let doubled = options.retryDelay * Double(1 << min(failures - 1, 30))
        return min(doubled, options.retryDelayMax) * (1 + 0.2 * chance.unit())
    }
}
