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
        /// Among the account's pushes.
        var push: Int
        var session: UInt32
        var arrivedAt: Instant
        /// Arrival of its first attempt: windows may be counted from there as well.
        var firstAttempt: Instant
        var lane: Lane
    }

    private static func passed(_ joined: JoinedAccount) -> [Passed] {
        joined.account.rows.enumerated().compactMap { index, row in
            guard row.flags.contains(.isThrottled), let accepted = joined.deliveries[index].accepted else { return nil }
            let push = joined.account.pushes[accepted]
            let first = joined.firstArrival(of: index) ?? push.arrivedAt
            return Passed(
                push: accepted, session: push.session, arrivedAt: push.arrivedAt, firstAttempt: first, lane: row.lane)
        }.sorted { $0.arrivedAt < $1.arrivedAt }
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
            let target = Target(session: passed.session, lane: passed.lane)
            guard let last = previous.updateValue(passed, forKey: target) else { continue }
            let (push, lastPush) = (joined.account.pushes[passed.push], joined.account.pushes[last.push])
            guard !lastPush.flags.contains(.isAnswerUndelivered),
                !run.circumstances.wasDown(between: last.arrivedAt, and: passed.arrivedAt)
            else { continue }
            tally.test()
            let gap = max(passed.arrivedAt - last.arrivedAt, passed.firstAttempt - last.firstAttempt)
            guard gap < least else { continue }
            tally.find(
                "two progress pushes lie too close together", expected: "at least \(window) between them", seen: "\(gap)",
                session: push.session, step: push.step, lastPush.id, push.id)
        }
    }

    static let perSession = Rule(
        "throttle-per-session", ["R0.9"], .should, basis: .timing,
        requirement: "Two busy sessions of one user do not wait for each other's throttle.",
        norm: "Relay contract: throttle state is per session, so that busy sessions do not starve each other",
        advice: "key the throttle by session, not by secret or device"
    ) { joined, run, tally in
        guard let window = run.circumstances.throttle, let first = joined.account.rows.first?.session,
            joined.account.rows.contains(where: { $0.session != first })
        else { return }
        let all = passed(joined)
        guard Set(all.map(\.session)).count > 1 else { return }
        // Consecutive pushes of different sessions: by chance some lie within one window of each other.
        let pairs = zip(all, all.dropFirst()).filter { $0.session != $1.session }
        guard pairs.count >= 3, let last = pairs.last else { return }
        tally.test()
        let least = window * share
        guard pairs.allSatisfy({ $1.arrivedAt - $0.arrivedAt >= least }) else { return }
        let offered = joined.account.rows.indices.filter { joined.account.rows[$0].flags.contains(.isThrottled) }
        guard offered.count > 2 * all.count else { return }
        // What was refused leaves gaps, too.
        guard offered.allSatisfy({ joined.attempts(of: $0).allSatisfy(\.isAccepted) }) else { return }
        tally.find(
            "sessions of one user share a throttle window", expected: "a window for each session",
            seen: "never two of their pushes within \(least)", session: last.1.session,
            step: joined.account.pushes[last.1.push].step, joined.account.pushes[last.0.push].id,
            joined.account.pushes[last.1.push].id)
    }
}
