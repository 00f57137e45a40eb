// What ActivityKit does with a push that reaches the device (docs/apns.md §10). Pure: a row, a push, a time.
//
//     (nothing) ──first update──▶ active ──end, or 8 h──▶ ended ──dismissal, at most 12 h in all──▶ gone
//                                   │ update: newer or equal timestamp
//                                   └─▶ active (stale once the stale-date has passed)

import APNs
import Basics
import Pushes

extension TokenRow {
    /// Applies a Live Activity push. A start belongs on a push-to-start token, update and end on an activity's own;
    /// a token of unknown kind becomes what its first decodable push makes of it.
    mutating func apply(_ push: ActivityFacts, now: WallTime, settings: DeviceSettings) -> Outcome {
        let outcome = judge(push, now: now, settings: settings)
        if outcome.changedScreen {
            shown &+= 1
            lastEvent = push.event
        } else {
            ignored &+= 1
        }
        return outcome
    }

    private mutating func judge(_ push: ActivityFacts, now: WallTime, settings: DeviceSettings) -> Outcome {
        guard let event = push.event, let timestamp = push.timestamp, push.isDecodable else { return .undecodable }
        guard kind == .unknown || (event == .start) == (kind == .start) else { return .unknownActivity }
        // Both in whole seconds, as `aps.timestamp` has them.
        let age = WallTime(seconds: now.seconds) - WallTime(seconds: timestamp)
        if settings.ignoresFuture, -age > settings.futureLimit { return .ignoredFuture }
        if event == .start {
            kind = .start
            startedAt = rowSeconds(now.seconds)
            lastTimestamp = max(lastTimestamp, timestamp)
            return .started
        }
        kind = .activity
        if startedAt == 0 { startedAt = rowSeconds(now.seconds) }
        guard state(at: now, settings: settings) <= .stale else { return .ignoredEnded }
        // "`end` ignores the past rule": an end is final, whatever its timestamp.
        if event == .update {
            if isOld(timestamp, settings.equalTimestamps) { return .ignoredOlder }
            if let limit = settings.pastLimit, age > limit { return .ignoredOlder }
        }
        lastTimestamp = max(lastTimestamp, timestamp)
        if event == .update {
            staleAt = rowSeconds(ofStaleDate: push.staleDate)
            return .updated
        }
        hasEnded = true
        let latest = (now + settings.longestDismissal).seconds
        goneAt = rowSeconds(min(max(push.dismissalDate ?? latest, now.seconds), latest))
        return .ended
    }

    private func isOld(_ timestamp: Int64, _ equal: DeviceSettings.EqualTimestamps) -> Bool {
        timestamp < lastTimestamp || equal == .ignore && timestamp == lastTimestamp
    }

    /// What has become of the activity by `now`; meaningful once it has started.
    func state(at now: WallTime, settings: DeviceSettings) -> ActivityState {
        let age = now.seconds.saturating(minus: Int64(startedAt))
        if age >= settings.wholeLife.wholeSeconds || hasEnded && now.seconds >= Int64(goneAt) { return .dismissed }
        if hasEnded || age >= settings.activeLife.wholeSeconds { return .ended }
        return staleAt != 0 && now.seconds >= Int64(staleAt) ? .stale : .active
    }
}

extension TokenRow {
    /// When an activity's token begins to be answered 410, Unix seconds; nil: not in sight.
    func expiry(_ settings: DeviceSettings) -> Int64? {
        guard kind == .activity, startedAt > 0 else { return nil }
        switch settings.activityTokenExpiry {
        case .never: return nil
        case .afterWholeLife: return lifeEnds(settings)
        case .afterEnd(let wait): return leavesAt(settings).saturating(plus: wait.wholeSeconds)
        }
    }

    /// When nothing of an activity is on the screen any more, as things stand; Unix seconds.
    func leavesAt(_ settings: DeviceSettings) -> Int64 {
        hasEnded ? min(Int64(goneAt), lifeEnds(settings)) : lifeEnds(settings)
    }

    private func lifeEnds(_ settings: DeviceSettings) -> Int64 {
        Int64(startedAt).saturating(plus: settings.wholeLife.wholeSeconds)
    }
}

extension ActivityState: Comparable {
    package static func < (a: ActivityState, b: ActivityState) -> Bool { a.rawValue < b.rawValue }
}

extension ActivityFacts {
    /// A timestamp in milliseconds is wrong, but it decodes.
    var isDecodable: Bool { defect == nil || defect == .timestampInMilliseconds }
}

extension TokenRow {
    /// A push that is no Live Activity's: what the user sees of it.
    mutating func show(_ facts: PushFacts) -> Outcome {
        var outcome = Self.reaction(to: facts)
        if outcome == .shown, kind == .device, facts.collapseMark != 0, showsAgain(facts.collapseMark) { outcome = .replaced }
        if outcome.changedScreen { shown &+= 1 } else { ignored &+= 1 }
        return outcome
    }

    /// By the push type; without one by the payload. VoIP, location and the like go to the app or the system whatever
    /// they hold.
    static func reaction(to facts: PushFacts) -> Outcome {
        guard facts.payload.isObject else { return .undecodable }
        switch facts.pushType {
        case .background: return .silent
        case .widgets, .controls: return facts.payload.isContentChanged ? .reloaded : .nothingShown
        case .alert, nil:
            if facts.payload.hasAlert || facts.payload.hasBadge || facts.payload.hasSound { return .shown }
            return facts.payload.isContentAvailable ? .silent : .nothingShown
        default: return .handedOver
        }
    }
}
