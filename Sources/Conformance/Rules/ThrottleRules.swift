// Rules about the throttle that a relay declares for states that may be coalesced.

import Basics
import Metrics
import Pushes

enum ThrottleRules {
    static let all = [respected, perSession]

    /// A tenth is allowed for the journey.
    private static let share = 0.9

    /// A throttled push that was accepted.
    private struct Passed {
        var push: SeenPush
        /// Arrival of its first attempt: windows may be counted from there as well.
        var firstAttempt: Instant
        var lane: Lane
    }

    private static func passed(_ joined: JoinedAccount) -> [Passed] {
        joined.account.rows.enumerated().compactMap { index, row in
            guard row.flags.contains(.isThrottled), let accepted = joined.deliveries[index].accepted else { return nil }
            let push = joined.account.pushes[accepted]
            let first = joined.attempts(of: index).map(\.arrivedAt).min() ?? push.arrivedAt
            return Passed(push: push, firstAttempt: first, lane: row.lane)
        }.sorted { $0.push.arrivedAt < $1.push.arrivedAt }
    }

    private struct Target: Hashable {
        var session: UInt32
        var lane: Lane
    }

    static let respected = Rule(
        "throttle-respected", ["R0.7"], .must, basis: .timing,
        requirement: "At most one progress push per session and phone is sent in each throttle window.",
        norm: "Relay contract: progress is throttled to one push per window, counted from the first attempt or from the "
            + "acceptance (a tenth is allowed for the journey)",
        advice: "keep the instant of the last progress push by session, and hold the newest state until the window ends"
    ) { joined, run, tally in
        guard let window = run.circumstances.throttle else { return }
        let least = window * share
        var previous: [Target: Passed] = [:]
        for passed in passed(joined) {
            let target = Target(session: passed.push.session, lane: passed.lane)
            defer { previous[target] = passed }
            guard let last = previous[target], !last.push.flags.contains(.isAnswerUndelivered),
                !run.circumstances.wasDown(between: last.push.arrivedAt, and: passed.push.arrivedAt)
            else { continue }
            tally.test()
            let gap = max(passed.push.arrivedAt - last.push.arrivedAt, passed.firstAttempt - last.firstAttempt)
            guard gap < least else { continue }
            tally.find(
                "two progress pushes lie too close together", expected: "at least \(window) between them", seen: "\(gap)",
                session: passed.push.session, step: passed.push.step, last.push.id, passed.push.id)
        }
    }

    static let perSession = Rule(
        "throttle-per-session", ["R0.9"], .should, basis: .timing,
        requirement: "Two busy sessions of one user do not wait for each other's throttle.",
        norm: "Relay contract: throttle state is per session, so that busy sessions do not starve each other",
        advice: "key the throttle by session, not by secret or device"
    ) { joined, run, tally in
        guard let window = run.circumstances.throttle else { return }
        let all = passed(joined)
        guard Set(all.map(\.push.session)).count > 1 else { return }
        // Consecutive pushes of different sessions: by chance some lie within one window of each other.
        let pairs = zip(all, all.dropFirst()).filter { $0.push.session != $1.push.session }
        guard pairs.count >= 3, let last = pairs.last else { return }
        tally.test()
        let least = window * share
        guard pairs.allSatisfy({ $1.push.arrivedAt - $0.push.arrivedAt >= least }) else { return }
        let offered = joined.account.rows.filter { $0.flags.contains(.isThrottled) }
        guard offered.count > 2 * all.count else { return }
        tally.find(
            "sessions of one user share a throttle window", expected: "a window for each session",
            seen: "never two of their pushes within \(least)", session: last.1.push.session, step: last.1.push.step,
            last.0.push.id, last.1.push.id)
    }
}
