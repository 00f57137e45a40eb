// A rule about activities that a relay ends before the system does: that their end comes at their age, and says so.

import Basics
import Metrics
import Pushes

enum AgeRules {
    static let all = [ended]

    static let ended = Rule(
        "aged-activity-ended", ["R0.38", "R3.23"], .should, basis: [.timing, .absence],
        requirement: "An activity that grows too old is ended in time, with a state that says so.",
        norm: "Relay contract: an activity is ended cleanly at its age; Apple, Displaying live data: the system ends it after "
            + "eight hours, and leaves the card as it was",
        advice: "set a timer by the age of each activity, also after a restart, and end it with a state of its own"
    ) { joined, run, tally in
        guard let terms = run.circumstances.ageing, let aged = joined.aged else { return }
        for activity in aged.activities {
            let limit = activity.born.upperBound + terms.after + terms.within + RestartRules.slack(run)
            let ends = activity.ends.map { joined.account.pushes[$0] }
            let wasDown = run.circumstances.wasDown(between: activity.born.lowerBound + terms.after - terms.within, and: limit)
            guard !ends.isEmpty || min(activity.overAt, run.circumstances.end) > limit, !wasDown else { continue }
            tally.test()
            guard let first = ends.first, first.arrivedAt <= limit else {
                tally.find(
                    "an activity of session \(activity.session) grew too old",
                    expected: "its end at the age of \(terms.after), \(terms.within) more or less",
                    seen: ends.first.map { "one at \($0.arrivedAt - activity.born.upperBound)" } ?? "none",
                    session: activity.session, ends.first?.id ?? 0)
                continue
            }
            for end in ends where end.isAccepted && end.startLack >= 0 {
                tally.find(
                    "the end of an activity that grew too old does not say so", expected: "what the profile says it shows",
                    seen: run.texts[end.startLack], session: activity.session, end.id)
            }
        }
    }
}
