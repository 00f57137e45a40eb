// Rules about ordinary alerts beside Live Activities.

import Basics
import Metrics
import Pushes

enum AlertRules {
    static let all = [onlyWhereDue, quietUpdates, first]

    static let onlyWhereDue = Rule(
        "alerts-only-where-due", ["R0.3"], .must,
        requirement: "An event that only changes the Live Activity raises no ordinary alert.",
        norm: "Relay contract: progress and start are silent; an alert every few seconds drives users away",
        advice: "send the Live Activity push from a path of its own, not from the one that sends alerts"
    ) { joined, run, tally in
        for push in joined.account.pushes where push.isMarked {
            let place = push.place
            guard joined.account.index(ofCall: place) != nil, joined.account.rows(at: place, .alert).isEmpty,
                !joined.account.rows(at: place, .liveactivity).isEmpty
            else { continue }
            tally.test()
            guard push.type == .alert else { continue }
            tally.find(
                "an event that is silent raised an ordinary alert", expected: "a Live Activity push only",
                seen: "push type alert", session: push.session, step: push.step, push.id)
        }
    }

    static let quietUpdates = Rule(
        "progress-is-quiet", ["R0.3"], .should,
        requirement: "A state that may be coalesced carries no alert within its own push either.",
        norm: "Follows from the relay contract: progress raises no alert, and an update's own `alert` is optional",
        advice: "put `alert` into the updates that a user has to see at once, and into no others"
    ) { joined, run, tally in
        guard run.hasSchemas else { return }
        for (index, push) in joined.account.pushes.enumerated() where push.isLiveActivity && push.isAccepted {
            guard push.event == .update, let row = joined.rowOfPush[index].map({ joined.account.rows[$0] }),
                row.flags.contains(.isThrottled)
            else { continue }
            tally.test()
            guard push.flags.contains(.alerts) else { continue }
            tally.find(
                "`\(run.kind(row.kind))` makes itself heard", expected: "no `alert` in aps", seen: "one",
                session: row.session, step: row.step, push.id)
        }
    }

    static let first = Rule(
        "alert-goes-first", ["R0.2"], .must, basis: .timing,
        requirement: "Where an event calls for both and its profile says so, the alert is sent before the Live Activity push.",
        norm: "Relay contract: the ordinary push still goes out, in addition to and before the activity's",
        advice: "send the alert, and the Live Activity push once the alert's answer is in"
    ) { joined, run, tally in
        let account = joined.account
        for (index, row) in account.rows.enumerated() where row.type == .alert {
            guard run.alertFirstKinds.contains(row.kind) else { continue }
            // Another phone's card waits for no alert of this one.
            let beside = account.rows(at: row.place, .liveactivity).filter { account.rows[$0].lane.phone == row.lane.phone }
            guard !beside.isEmpty, ![.excused, .unsent, .undecided].contains(joined.deliveries[index].outcome) else { continue }
            let alerts = joined.attempts(of: index)
            let early = beside.flatMap { joined.attempts(of: $0) }.min { $0.arrivedAt < $1.arrivedAt }
            // An alert that never came is lost, which says nothing of an order.
            guard let early, let alert = alerts.first else { continue }
            // An alert that went down with a connection is sent again later, and nothing waits for that.
            guard run.circumstances.firings(from: row.plannedAt, to: alert.arrivedAt).isEmpty else { continue }
            tally.test()
            let lead = alert.arrivedAt - early.arrivedAt
            // Of what came in one read of one connection the entries' order tells.
            let isBehind = lead > .zero || lead == .zero && alert.id > early.id
            guard isBehind, alert.connection == early.connection || lead > run.circumstances.real(Tolerances.wire)
            else { continue }
            tally.find(
                "`\(run.kind(row.kind))` reached the activity before it reached the user", expected: "the alert first",
                seen: "the alert \(lead) afterwards", session: row.session, step: row.step, early.id, alert.id)
        }
    }
}
