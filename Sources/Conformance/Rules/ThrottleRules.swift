// Rules about the throttle that a relay declares for states that may be coalesced.

import Basics
import Metrics
import Pushes

enum ThrottleRules {
    static let all = [respected, perSession, bypassed]

    static func judgedWindow(_ run: RunContext) -> Interval? {
        run.circumstances.throttle.flatMap { $0 < ClockBounds.leastSpan ? nil : $0 }
    }

    /// A throttled push that was accepted.
    private struct Passed {
        /// Among the account's pushes.
        var push: Int
        var session: UInt32
        var arrivedAt: Instant
        /// Arrival of its first attempt: windows may be counted from there as well.
        var firstAttempt: Instant
        var plannedAt: Instant
        /// When its call left us.
        var calledAt: Instant
        var lane: Lane
    }

    /// The last push of a target, and when an honest relay may have sent it at the earliest, by both ways to count: what
    /// then came late on its way is followed by the next one after less than a window.
    private struct Sent {
        var passed: Passed
        var accepted: Instant
        var attempted: Instant
    }

    private static func passed(_ joined: JoinedAccount) -> [Passed] {
        var seen: Set<Int> = []
        return joined.account.rows.enumerated().compactMap { index, row in
            guard row.flags.contains(.isThrottled), let accepted = joined.deliveries[index].accepted,
                !row.type.isReload || seen.insert(accepted).inserted
            else { return nil }
            let push = joined.account.pushes[accepted]
            let first = joined.firstArrival(of: index) ?? push.arrivedAt
            return Passed(
                push: accepted, session: push.session, arrivedAt: push.arrivedAt, firstAttempt: first,
                plannedAt: row.plannedAt, calledAt: joined.account.call(at: row.place)?.sentAt ?? row.plannedAt, lane: row.lane)
        }.sorted { $0.arrivedAt < $1.arrivedAt }
    }

    private struct Target: Hashable {
        var session: UInt32
        var lane: Lane
        /// Where activities take each other's place, which of them: a window is one activity's.
        var activity: Int?
    }

    /// Sessions that offered two states within a window, of which the first never came: they were throttled.
    private static func coalesced(_ joined: JoinedAccount, within window: Interval) -> Set<UInt32> {
        let rows = joined.account.rows
        var last: [Target: Int] = [:]
        var sessions: Set<UInt32> = []
        for (index, row) in rows.enumerated() where row.flags.contains(.isThrottled) {
            let target = Target(session: row.session, lane: row.lane)
            if let earlier = last.updateValue(index, forKey: target), joined.deliveries[earlier].outcome == .superseded,
                row.plannedAt - rows[earlier].plannedAt < window
            {
                sessions.insert(row.session)
            }
        }
        return sessions
    }

    static let respected = Rule(
        "throttle-respected", ["R0.7"], .must, basis: .timing,
        requirement: "At most one progress push per session and phone is sent in each throttle window.",
        norm: "Relay contract: progress is throttled to one push per window, counted from the first attempt or from the "
            + "acceptance (a tenth is allowed for the journey)",
        advice: "keep the instant of the last progress push by session, and hold the newest state until the window ends",
        span: \.circumstances.throttle
    ) { joined, run, tally in
        guard let window = judgedWindow(run) else { return }
        let least = max(window * Tolerances.half, window * Tolerances.kept - run.jitter)
        tally.test(coalesced(joined, within: window).count)
        let journey = run.circumstances.real(Tolerances.journey)
        var previous: [Target: Sent] = [:]
        for passed in passed(joined) {
            let token = joined.account.pushes[passed.push].token
            let activity = joined.restarts?.activities.firstIndex { $0.tokens.contains(token) }
            let target = Target(session: passed.session, lane: passed.lane, activity: activity)
            let last = previous[target]
            let left = { (arrivedAt: Instant, before: Instant?) in
                min(arrivedAt, max(passed.calledAt, arrivedAt - journey, before.map { $0 + least } ?? passed.calledAt))
            }
            previous[target] = Sent(
                passed: passed, accepted: left(passed.arrivedAt, last?.accepted),
                attempted: left(passed.firstAttempt, last?.attempted))
            guard let last else { continue }
            let (push, lastPush) = (joined.account.pushes[passed.push], joined.account.pushes[last.passed.push])
            guard !lastPush.flags.contains(.isAnswerUndelivered),
                !run.circumstances.wasDown(between: last.passed.arrivedAt, and: passed.arrivedAt),
                // Attempts that a connection took with it were never seen, and a window may be counted from them.
                run.circumstances.firings(from: last.passed.plannedAt, to: last.passed.arrivedAt).isEmpty
            else { continue }
            tally.test()
            guard max(passed.arrivedAt - last.accepted, passed.firstAttempt - last.attempted) < least else { continue }
            let gap = max(passed.arrivedAt - last.passed.arrivedAt, passed.firstAttempt - last.passed.firstAttempt)
            tally.find(
                "two progress pushes lie too close together", expected: "at least \(window) between them", seen: "\(gap)",
                session: push.session, step: push.step, lastPush.id, push.id)
        }
    }

    static let perSession = Rule(
        "throttle-per-session", ["R0.9"], .should, basis: .timing,
        requirement: "Two busy sessions of one user do not wait for each other's throttle.",
        norm: "Relay contract: throttle state is per session, so that busy sessions do not starve each other",
        advice: "key the throttle by session, not by secret or device", span: \.circumstances.throttle
    ) { joined, run, tally in
        guard let window = judgedWindow(run), let first = joined.account.rows.first?.session,
            joined.account.rows.contains(where: { $0.session != first })
        else { return }
        let all = passed(joined)
        guard Set(all.map(\.session)).count > 1 else { return }
        // Consecutive pushes of different sessions: by chance some lie within one window of each other.
        let pairs = zip(all, all.dropFirst()).filter { $0.session != $1.session }
        let least = window * Tolerances.kept
        let throttled = coalesced(joined, within: window)
        // Two that were both throttled and came within one window of each other have each their own.
        let isApart = pairs.contains {
            $1.arrivedAt - $0.arrivedAt < least && throttled.isSuperset(of: [$0.session, $1.session])
        }
        guard pairs.count >= 3 || isApart, let last = pairs.last else { return }
        tally.test()
        guard pairs.allSatisfy({ $1.arrivedAt - $0.arrivedAt >= least }) else { return }
        let offered = joined.account.rows.indices.filter { joined.account.rows[$0].flags.contains(.isThrottled) }
        guard offered.count > 2 * all.count else { return }
        // What was refused leaves gaps, too, and so does what went astray.
        guard offered.allSatisfy({ joined.attempts(of: $0).allSatisfy(\.isAccepted) }),
            joined.fault.allSatisfy({ $0 == nil })
        else { return }
        tally.find(
            "sessions of one user share a throttle window", expected: "a window for each session",
            seen: "never two of their pushes within \(least)", session: last.1.session,
            step: joined.account.pushes[last.1.push].step, joined.account.pushes[last.0.push].id,
            joined.account.pushes[last.1.push].id)
    }
}
