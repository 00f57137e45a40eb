// Rules about what a session's next card shows when it takes the place of the one before.

import Basics
import Metrics
import Pushes

enum RestartContentRules {
    static let all = [keepsState, runsOn, secondsRunOn]

    private static func judge(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, _ message: String, expected: String,
        _ text: (SeenPush) -> Int32
    ) {
        guard run.carriesValues else { return }
        RestartRules.each(joined, run, blurred: true) { activity, terms in
            for push in activity.starts.map({ joined.account.pushes[$0] }) where push.isAccepted && push.isMarked {
                // What a call that did not get through has changed, nobody knows.
                let calls = joined.account.calls(of: push.session, through: push.step)
                guard calls.last?.place == push.place, calls.dropLast().allSatisfy(\.wasTaken) else { continue }
                tally.test()
                let found = text(push)
                guard found >= 0 else { continue }
                tally.find(
                    message, expected: expected, seen: run.texts[found], session: push.session, step: push.step, push.id)
            }
        }
    }

    static let keepsState = Rule(
        "restart-keeps-state", ["R4.3", "R4.4"], .must, basis: .order,
        requirement: "The start for an activity's successor shows all that the old card showed.",
        norm: "Relay contract: a restart is invisible; texts, counts, flags and a nudge that waits live through it",
        advice: "keep the session's whole state, and put all of it into the start"
    ) { joined, run, tally in
        judge(
            joined, run, &tally, "a new card shows another state than the one whose place it took",
            expected: "the values given last"
        ) { $0.lapse >= 0 ? $0.lapse : $0.alteration }
    }

    static let secondsRunOn = Rule(
        "seconds-run-with-clock", ["R4.5", "R4.16"], .must, basis: .timing,
        requirement: "What counts a session's seconds counts from its beginning, and runs with the clock to the last push.",
        norm: "Relay contract: the session's time is continuous, over a restart too; ten seconds and a window are allowed",
        advice: "keep the instant at which the session began, anew where its id is used again; take it off the timestamp"
    ) { joined, run, tally in
        guard run.countsSeconds else { return }
        for push in joined.account.pushes where push.isLiveActivity && push.isAccepted && push.isMarked && push.stamp != nil {
            if CarriedRules.isLastWord(push, joined) { continue }
            tally.test()
            guard push.drift >= 0 else { continue }
            tally.find(
                "a number of seconds does not run with the clock", expected: "the seconds since the session began",
                seen: run.texts[push.drift], session: push.session, step: push.step, push.id)
        }
    }

    static let runsOn = Rule(
        "numbers-run-on", ["R4.5"], .must, basis: .order,
        requirement: "A number that only rises does not fall when another activity takes the old one's place.",
        norm: "Relay contract: the session's time is continuous over a restart",
        advice: "count from the beginning of the session, not of the activity"
    ) { joined, run, tally in
        judge(
            joined, run, &tally, "a number that only rises fell on the new card", expected: "at least what the old card showed"
        ) { wasCrossed($0, joined, run) ? -1 : $0.fall }
    }

    /// A newer call came while the start was on its way: what the old card showed by then the start cannot know. That the new
    /// one catches up is a rule of its own.
    static func wasCrossed(_ start: SeenPush, _ joined: JoinedAccount, _ run: RunContext) -> Bool {
        joined.account.calls.contains { call in
            call.session == start.session && call.place > start.place && call.state == .sent
                && start.arrivedAt - run.circumstances.inFlightGrace <= call.sentAt && call.sentAt <= start.arrivedAt
        }
    }
}
