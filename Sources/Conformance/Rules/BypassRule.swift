// Whether a state that is not to be coalesced leaves at once although the throttle's window is open.

import Basics
import Metrics
import Pushes

/// Counts, call by call, what left at once and what came when a window was over. One push alone proves nothing: a slow
/// machine holds up any. So the calls of one kind are judged together, by each window that they may wait for, and only where
/// the relay is quick otherwise.
struct BypassMachine: RuleMachine {
    private static let leastWaits = 3

    /// What a window counts from that a relay may take for the throttle's. None holds up what is not to be coalesced.
    private enum Window: Int, CaseIterable {
        /// The last state that could be coalesced.
        case throttled
        /// The last one that could not, of the same session, or of another session of the same user.
        case asked, askedElsewhere

        var words: String {
            switch self {
            case .throttled: "the throttle's window"
            case .asked: "a window behind the session's state before it"
            case .askedElsewhere: "a window behind a state of the user's other session"
            }
        }
    }

    private struct Suspect: Hashable {
        var kind: UInt16
        var window: Window
    }

    private struct Seen {
        var tests = 0
        var waits = 0
        var tally = Tally()
    }

    private var suspects: [Suspect: Seen] = [:]
    /// States that came while a window was open.
    private var testCount = 0
    private var quickCount = 0
    private var slowCount = 0

    mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
        guard let window = ThrottleRules.judgedWindow(run) else { return }
        for (index, row) in joined.account.rows.enumerated() where row.type == .liveactivity && row.event != .start {
            guard !row.flags.contains(.isThrottled), !row.flags.contains(.wasHeld), !joined.wasRenewed(index),
                let leave = freeSince(index, joined, run), let accepted = joined.deliveries[index].accepted
            else { continue }
            let push = joined.account.pushes[accepted]
            var (isFree, isTested) = (true, false)
            let isQuick = push.arrivedAt - leave < window * Tolerances.prompt
            for kind in Window.allCases {
                guard let opened = opened(kind, before: leave, row, joined, window), opened + window > leave else { continue }
                // What does not wait for a neighbour was free of it.
                if kind != .askedElsewhere || !isQuick { isFree = false }
                guard opened + window - leave >= window * Tolerances.half,
                    kind != .askedElsewhere || !isTroubled(by: push.arrivedAt, from: leave, joined, run)
                else { continue }
                isTested = true
                count(push, row, Suspect(kind: row.kind, window: kind), from: opened, leave, window, run)
            }
            if isTested { testCount += 1 }
            guard isFree else { continue }
            if isQuick { quickCount += 1 } else { slowCount += 1 }
        }
    }

    private mutating func count(
        _ push: SeenPush, _ row: Expectation, _ suspect: Suspect, from opened: Instant, _ leave: Instant, _ window: Interval,
        _ run: RunContext
    ) {
        var seen = suspects[suspect] ?? Seen()
        seen.tests += 1
        seen.tally.test()
        if push.arrivedAt - opened >= window * Tolerances.kept {
            seen.waits += 1
            seen.tally.find(
                "`\(run.kind(row.kind))` waited for \(suspect.window.words)", expected: "at once",
                seen: "\((push.arrivedAt - leave).laterWords), when the window of \(window) was over", session: row.session,
                step: row.step, push.id)
        }
        suspects[suspect] = seen
    }

    /// Whether a fault of ours that met another session of the user, or another user, may have held it up.
    private func isTroubled(by arrived: Instant, from leave: Instant, _ joined: JoinedAccount, _ run: RunContext) -> Bool {
        run.hasTrouble(between: leave, and: arrived)
            || joined.account.pushes.contains { $0.metFault && $0.arrivedAt <= arrived }
    }

    /// From when on nothing of ours and no alert keeps the state back; nil where something did.
    private func freeSince(_ index: Int, _ joined: JoinedAccount, _ run: RunContext) -> Instant? {
        let row = joined.account.rows[index]
        guard let call = joined.account.call(at: row.place), call.state == .sent else { return nil }
        var free = call.sentAt
        for alert in joined.account.rows(at: row.place, .alert)
        where joined.account.rows[alert].lane.phone == row.lane.phone {
            guard let accepted = joined.deliveries[alert].accepted else { return nil }
            free = max(free, joined.account.pushes[accepted].answeredAt)
        }
        let arrived = joined.deliveries[index].accepted.map { joined.account.pushes[$0].arrivedAt } ?? free
        guard !run.circumstances.wasDown(between: call.sentAt, and: arrived),
            run.circumstances.firings(from: call.sentAt, to: arrived).isEmpty,
            isRecovered(row, by: arrived, from: free, joined, run)
        else { return nil }
        return free
    }

    /// Whether no fault met the session by then, or the activity has been told something since the last, and APNs was in no
    /// trouble any more.
    private func isRecovered(
        _ row: Expectation, by arrived: Instant, from leave: Instant, _ joined: JoinedAccount, _ run: RunContext
    ) -> Bool {
        let last = joined.account.pushes.last { $0.metFault && $0.session == row.session && $0.arrivedAt <= arrived }
        guard let last else { return true }
        return !run.hasTrouble(between: leave, and: arrived)
            && joined.account.pushes.contains {
                $0.token == row.token && $0.isAccepted && !$0.metFault && last.arrivedAt < $0.arrivedAt && $0.arrivedAt <= leave
            }
    }

    private func opened(
        _ kind: Window, before instant: Instant, _ row: Expectation, _ joined: JoinedAccount, _ window: Interval
    ) -> Instant? {
        switch kind {
        case .throttled: opened(before: instant, row, joined, window)
        case .asked: asked(before: instant, row, joined) { $0.session == row.session && $0.place < row.place }
        case .askedElsewhere: asked(before: instant, row, joined) { $0.session != row.session }
        }
    }

    /// When the window began that is open then: with the last throttled push of that card; for a relay that holds back the
    /// first one, too, with its call.
    private func opened(
        before instant: Instant, _ row: Expectation, _ joined: JoinedAccount, _ window: Interval
    ) -> Instant? {
        var (sent, offered): (Instant?, Instant?)
        for (other, earlier) in joined.account.rows.enumerated() {
            guard earlier.session == row.session, earlier.lane == row.lane, earlier.flags.contains(.isThrottled),
                earlier.place < row.place
            else { continue }
            let arrived = joined.deliveries[other].accepted.map { joined.account.pushes[$0].arrivedAt }
            if let arrived, arrived <= instant {
                sent = max(sent ?? arrived, arrived)
            } else if earlier.plannedAt <= instant, earlier.plannedAt + window > instant {
                offered = min(offered ?? earlier.plannedAt, earlier.plannedAt)
            }
        }
        return sent.flatMap { $0 + window > instant ? $0 : nil } ?? offered
    }

    /// When the last state of those came that was not to be coalesced either. A relay may count a window from that, too, but
    /// none that holds up the next of them.
    private func asked(
        before instant: Instant, _ row: Expectation, _ joined: JoinedAccount, where isMeant: (Expectation) -> Bool
    ) -> Instant? {
        joined.account.rows.indices
            .filter { other in
                let earlier = joined.account.rows[other]
                return isMeant(earlier) && earlier.lane == row.lane && !earlier.flags.contains(.isThrottled)
                    && earlier.type == .liveactivity && earlier.event == row.event
            }
            .compactMap { joined.deliveries[$0].accepted.map { joined.account.pushes[$0].arrivedAt } }
            .filter { $0 <= instant }.max()
    }

    func verdict(_ run: RunContext) -> Verdict {
        guard testCount > 0, quickCount >= slowCount else { return .notExercised }
        let held = suspects.filter { suspect, seen in
            seen.waits >= Self.leastWaits && seen.waits * 2 > seen.tests
                && (suspect.window != .askedElsewhere || quickCount >= Self.leastWaits)
        }
        let first = held.min { ($0.key.kind, $0.key.window.rawValue) < ($1.key.kind, $1.key.window.rawValue) }
        return first?.value.tally.verdict ?? .kept(evidenceCount: testCount)
    }
}

extension ThrottleRules {
    static let bypassed = Rule(
        "urgent-states-not-held", ["R0.8"], .must, basis: .timing,
        requirement: "A state that is not to be coalesced does not wait for the throttle's window.",
        norm: "Relay contract: permission, complete and error bypass the throttle",
        advice: "ask the throttle for progress only; send everything else at once, and drop what it overtakes",
        span: \.circumstances.throttle, make: { BypassMachine() })
}
