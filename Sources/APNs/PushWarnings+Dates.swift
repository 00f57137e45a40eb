// What dates of a push say amiss, where the clock has to tell: its expiration, and those of a card (docs/apns.md §3, §10).

package import Basics
import Pushes

extension PushFacts {
    /// Bits of `PushWarning`.
    package func warnings(at now: WallTime) -> UInt32 {
        guard payload.isRead else { return 0 }
        return PushWarning.of(expiration: expiration, at: now) | (activity?.warnings(at: now) ?? 0)
    }
}

extension BroadcastFacts {
    /// Bits of `PushWarning`; of a message only.
    package func warnings(at now: WallTime) -> UInt32 {
        guard operation == .send else { return 0 }
        return PushWarning.of(expiration: expiration, at: now) | activity.warnings(at: now)
    }
}

extension PushWarning {
    fileprivate static func of(expiration: Int64?, at now: WallTime) -> UInt32 {
        guard let expiration else { return 0 }
        switch DateForm(expiration, at: now) {
        case .zero, .ahead, .farAhead: return 0
        case .relative: return expirationRelative.bit
        case .minutes: return expirationInMinutes.bit
        case .milliseconds: return expirationInMilliseconds.bit
        case .passed: return expirationPassed.bit
        }
    }
}

extension ActivityFacts {
    /// A card goes four hours behind its end (§10). The minute is for clocks that differ, and our choice.
    private static let latestDismissal: Int64 = 4 * 3_600 + 60
    /// A smaller dismissal-date is an old way to say "now" (§10: past = remove now). Our choice.
    private static let leastRelative: Int64 = 60

    fileprivate func warnings(at now: WallTime) -> UInt32 {
        var bits: UInt32 = 0
        if let staleDate {
            let form = DateForm(staleDate, at: now)
            bits |= Self.unit(form)
            if form == .farAhead { bits |= PushWarning.cardDateFarAhead.bit }
            if event != .end, form == .passed || form == .zero { bits |= PushWarning.staleAtOnce.bit }
        }
        if let dismissalDate, dismissalDate >= Self.leastRelative {
            let form = DateForm(dismissalDate, at: now)
            bits |= Self.unit(form)
            if form == .ahead || form == .farAhead, dismissalDate - now.seconds > Self.latestDismissal {
                bits |= PushWarning.dismissalTooLate.bit
            }
        }
        return bits
    }

    private static func unit(_ form: DateForm) -> UInt32 {
        switch form {
        case .relative: PushWarning.cardDateRelative.bit
        case .minutes: PushWarning.cardDateInMinutes.bit
        case .milliseconds: PushWarning.cardDateInMilliseconds.bit
        case .zero, .ahead, .farAhead, .passed: 0
        }
    }
}
