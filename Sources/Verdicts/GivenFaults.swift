// When the scenario's faults were in force, as far as the clock tells.

import Basics
import FCM
import Faults
import Metrics
import Pushes
import Scenarios

extension MockSpec {
    /// FCM's part of the settings, which are checked.
    var messaging: FCMSettings {
        settings.reduce(into: FCMSettings()) { all, setting in _ = try? all.setIfKnown(setting.key, to: setting.value) }
    }

    /// What an answer of FCM with that reason says of when to come again; nil: nothing.
    func retryAfter(_ reason: FCMReason) -> Interval? {
        let seconds: Int? =
            switch reason {
            case .quotaExceeded, .rateLimitExceeded: messaging.quotaRetryAfter
            case .unavailable, .serviceUnavailable: messaging.unavailableRetryAfter
            default: nil
            }
        return seconds.map { .seconds(Double($0)) }
    }
}

extension FaultRule {
    /// More windows than this are told as one time.
    private static let mostWindows = 200

    /// Each window by itself, or all of its time, of a rule that was given at `start` and taken away at `end` at the
    /// latest.
    func times(givenAt start: Instant, until last: Instant) -> [Range<Instant>] {
        let ends = [duration.map { start + (at ?? .zero) + $0 }, timeToLive.map { start + $0 }].compactMap { $0 }
        let end = min(ends.min() ?? last, last)
        let begin = start + (at ?? .zero)
        guard begin < end else { return [] }
        let windows = windows?.times(within: end - begin, most: Self.mostWindows)
        return windows?.map { begin + $0.lowerBound..<begin + $0.upperBound } ?? [begin..<end]
    }

    /// The `retry-after` of an answer that is written out, in whole seconds, a day at most; or that of the mock's own.
    func retryAfter(_ mock: MockSpec) -> Interval? {
        switch action {
        case .respond(let reason, _, _): return FCMReason(reason).flatMap { mock.retryAfter($0) }
        case .answer(let answer):
            guard let seconds = answer.retryAfter.flatMap({ Int64($0) }), 0...86_400 ~= seconds else { return nil }
            return .seconds(Double(seconds))
        default: return nil
        }
    }

    /// The same, where it is a date (RFC 9110, 10.2.3).
    var retryAt: WallTime? {
        guard case .answer(let answer) = action else { return nil }
        return answer.retryAfter.flatMap { WallTime(httpDate: $0) }
    }
}

extension LawlessAnswer {
    fileprivate var retryAfter: String? { headers.first { $0.name == "retry-after" }?.value }
}
