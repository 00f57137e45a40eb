// Rules about states that are told piece by piece: what an event leaves out stays, and what rises does not fall.

import Basics
import Metrics
import Pushes

enum CarriedRules {
    static let all = [omittedKept, neverFall]

    private static func judge(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, _ text: KeyPath<SeenPush, Int32>,
        _ message: String, expected: String
    ) {
        guard run.carriesValues else { return }
        for push in joined.account.pushes where push.isLiveActivity && push.isAccepted && push.isMarked {
            if isLastWord(push, joined) { continue }
            // What a call that did not get through has changed, nobody knows.
            let calls = joined.account.calls(of: push.session, through: push.step)
            guard calls.last?.place == push.place, calls.dropLast().allSatisfy(\.wasTaken) else { continue }
            tally.test()
            guard push[keyPath: text] >= 0 else { continue }
            if text == \SeenPush.fall, push.event == .start, RestartContentRules.wasCrossed(push, joined, run) { continue }
            tally.find(
                message, expected: expected, seen: run.texts[push[keyPath: text]], session: push.session, step: push.step,
                push.id)
        }
    }

    /// What a card says while it goes nobody reads: that of one which was replaced, or which turned up too late and goes at
    /// once. Its state is optional.
    static func isLastWord(_ push: SeenPush, _ joined: JoinedAccount) -> Bool {
        guard push.event == .end else { return false }
        return joined.isOfRestart(push)
            || joined.isOfLateCard(push) && RestartCardRules.stay(push).map { $0 <= .zero } ?? false
    }

    static let omittedKept = Rule(
        "omitted-values-kept", ["R2.8"], .must, basis: .order,
        requirement: "A value that an event leaves out stays as it was.",
        norm: "Relay contract: an event says what has changed; the card shows all",
        advice: "keep the session's last state, and merge what an event has into it before the push is built"
    ) { joined, run, tally in
        judge(
            joined, run, &tally, \.lapse, "a push shows another value than the last one that was given",
            expected: "the last value given")
    }

    static let neverFall = Rule(
        "values-never-fall", ["R2.9"], .should, basis: .order,
        requirement: "A number that only rises, as progress does, never falls on a card.",
        norm: "Relay contract: progress and counts do not go back within a session",
        advice: "keep the highest value of the session, and send that"
    ) { joined, run, tally in
        judge(
            joined, run, &tally, \.fall, "a number that only rises has fallen", expected: "at least the one before")
    }
}
