// When a relay that answers nothing any more is called no further: its calls would be waited for one after the other, each as
// long as its time-out.

import Basics
import Journal
import LoadGenerator

struct MuteWatch {
    /// How long it may be called without an answer.
    let limit: Interval
    /// What was counted at its last answer.
    private var answers = 0
    private var unanswered = 0
    private var silence = Interval.zero
    private var lastLook: (at: Instant, unanswered: Int)?

    /// Calls without an answer that say more than one or two that were lost.
    private static let fewest = 3
    /// Three time-outs, but no longer than this where a single one is shorter: our choice, so that a run with the usual
    /// time-out is over within a minute.
    private static let longest = Interval.seconds(40)

    init(requestTimeout: Interval) {
        limit = min(requestTimeout * 3, max(requestTimeout, Self.longest))
    }

    /// What the load has counted by now, on the clock that its time-outs go by. Only time counts in which the relay was called
    /// and we did not hold it down. Nil while it may yet answer.
    mutating func see(_ load: LoadSnapshot, at now: Instant, isHeldDown: Bool) -> MuteNote? {
        let heard = load.answered + load.triedAgain
        defer { lastLook = (now, load.unanswered) }
        guard heard == answers else {
            (answers, unanswered, silence) = (heard, load.unanswered, .zero)
            return nil
        }
        let isCalled = load.underWay > 0 || load.unanswered > lastLook?.unanswered ?? 0
        if let lastLook, isCalled, !isHeldDown { silence = silence + (now - lastLook.at) }
        let lost = load.unanswered - unanswered
        guard silence >= limit, lost > 0, lost + load.underWay + load.waiting >= Self.fewest else { return nil }
        return MuteNote(silence: silence, unanswered: lost, underWay: load.underWay)
    }
}
