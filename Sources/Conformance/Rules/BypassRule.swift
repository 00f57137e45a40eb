// Whether a state that is not to be coalesced leaves at once although the throttle's window is open.

import Basics
import Metrics
import Pushes

/// Counts, call by call, what left at once and what came when the window was over. One push alone proves nothing: a slow
/// machine holds up any. So the calls of one kind are judged together, and only where the relay is quick otherwise.
struct BypassMachine: RuleMachine {
    /// Where less of the window is left, a push that comes behind it may just have been slow.
    private static let leastRest = 0.4
    /// A push that waits for the window comes with its end.
    private static let waited = 0.9
    /// A relay that needs longer than this for what nothing holds back is too slow for the window to tell anything.
    private static let quick = 0.25
    private static let leastWaits = 3

    private struct Seen {
        var tests = 0
        var waits = 0
        var tally = Tally()
    }

    private var kinds: [UInt16: Seen] = [:]
    private var quickCount = 0
    private var slowCount = 0

    mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
        guard let window = ThrottleRules.judgedWindow(run) else { return }
        for (index, row) in joined.account.rows.enumerated() where row.type == .liveactivity && row.event != .start {
            guard !row.flags.contains(.isThrottled), !row.flags.contains(.wasHeld), !joined.wasRenewed(index),
                let leave = freeSince(index, joined, run), let accepted = joined.deliveries[index].accepted
            else { continue }
            let push = joined.account.pushes[accepted]
            let last = opened(before: leave, row, joined, window) ?? asked(before: leave, row, joined)
            guard let opened = last, opened + window > leave else {
                if push.arrivedAt - leave < window * Self.quick { quickCount += 1 } else { slowCount += 1 }
                continue
            }
            let end = opened + window
            guard end - leave >= window * Self.leastRest else { continue }
            var seen = kinds[row.kind] ?? Seen()
            seen.tests += 1
            seen.tally.test()
            if push.arrivedAt - opened >= window * Self.waited {
                seen.waits += 1
                seen.tally.find(
                    "`\(run.kind(row.kind))` waited for the throttle's window", expected: "at once",
                    seen: "\(push.arrivedAt - leave) later, when the window of \(window) was over", session: row.session,
                    step: row.step, push.id)
            }
            kinds[row.kind] = seen
        }
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
            !joined.account.pushes.contains(where: { $0.metFault && $0.session == row.session && $0.arrivedAt <= arrived })
        else { return nil }
        return free
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

    /// When the card's last state came that was not to be coalesced either. A relay may count a window from that, too, but none
    /// that holds up the next of them.
    private func asked(before instant: Instant, _ row: Expectation, _ joined: JoinedAccount) -> Instant? {
        joined.account.rows.indices.lazy
            .filter { other in
                let earlier = joined.account.rows[other]
                return earlier.session == row.session && earlier.lane == row.lane && earlier.place < row.place
                    && !earlier.flags.contains(.isThrottled) && earlier.type == .liveactivity && earlier.event == row.event
            }
            .compactMap { joined.deliveries[$0].accepted.map { joined.account.pushes[$0].arrivedAt } }
            .filter { $0 <= instant }.max()
    }

    func verdict(_ run: RunContext) -> Verdict {
        guard !kinds.isEmpty, quickCount >= slowCount else { return .notExercised }
        let held = kinds.filter { $0.value.waits >= Self.leastWaits && $0.value.waits * 2 > $0.value.tests }
        if let first = held.min(by: { $0.key < $1.key }) { return first.value.tally.verdict }
        return .kept(evidenceCount: kinds.values.reduce(0) { $0 + $1.tests })
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
