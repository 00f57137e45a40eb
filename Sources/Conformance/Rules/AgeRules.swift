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
            let ends = activity.ends.map { joined.account.pushes[$0] }
            let opens = activity.born.lowerBound + terms.after - terms.within
            let closes = activity.born.upperBound + terms.after + terms.within + RestartRules.slack(run)
            guard let limit = run.due(opens, by: closes, at: .apns), !run.mayHaveLost(activity.born),
                !ends.isEmpty || min(activity.overAt, run.circumstances.end) > limit
            else { continue }
            // To be told that it is gone is as good as an end.
            let done = ends.first { $0.isAccepted || run.tellsOfDeath($0) }
            let latest = latest(of: ends, from: limit, run)
            if done == nil, RestartRules.wasLetBe(ends) || !ends.isEmpty && run.circumstances.end <= latest { continue }
            tally.test()
            guard let end = done, end.arrivedAt <= latest else {
                let seen = done ?? ends.last
                tally.find(
                    "an activity of session \(activity.session) grew too old",
                    expected: "its end at the age of \(terms.after), \(terms.within) more or less",
                    seen: seen.map { "one at \($0.arrivedAt - activity.born.upperBound)" + outcome($0, run) } ?? "none",
                    session: activity.session, seen?.id ?? 0)
                continue
            }
            for end in ends where end.isAccepted && end.startLack >= 0 {
                tally.find(
                    "the end of an activity that grew too old does not say so", expected: "what the profile says it shows",
                    seen: run.texts[end.startLack], session: activity.session, end.id)
            }
        }
    }

    /// Behind a refusal for now that was of our making an end comes again, a long pause later at the latest.
    private static func latest(of ends: [SeenPush], from limit: Instant, _ run: RunContext) -> Instant {
        let held = ends.last { $0.metFault && !$0.isAccepted }
        return max(limit, held.map { $0.answeredAt + SheetFigures.restBehindFailure * 2 + RestartRules.slack(run) } ?? limit)
    }

    private static func outcome(_ end: SeenPush, _ run: RunContext) -> String {
        end.isAccepted ? "" : ", answered \(run.reason(end)), and none again"
    }
}
