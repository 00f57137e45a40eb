// Whether activities that began together are replaced one after the other. It asks across accounts.

import Basics
import Metrics
import Pushes

struct RestartSpread: RuleMachine {
    static let rule = Rule(
        "restarts-spread", ["R4.28"], .should, basis: .timing,
        requirement: "Activities of one age are not all replaced in the same second.",
        norm: "Relay contract: restarts are spread over their window; APNs asks for an even load",
        advice: "draw the instant of each activity's replacement at random within the window", make: { RestartSpread() })

    /// Below this many nothing can be said.
    private static let enough = 20
    /// From so many on the fullest second is held against the mean one, and what chance adds to that.
    private static let enoughForMean = 500
    private static let mostOfMean = 2.0
    private static let chance = 6.0

    /// How many starts left at each whole second of their activity's age, and the first of them.
    private var ages: [Int64: (count: Int, first: UInt64)] = [:]
    private var count = 0
    private var within = Interval.zero

    mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
        RestartRules.each(joined, run) { activity, terms in
            // A window of seconds leaves no room to spread.
            guard terms.within >= Tolerances.date, let first = activity.starts.first else { return }
            let push = joined.account.pushes[first]
            let age = (push.arrivedAt - activity.born.upperBound).wholeSeconds
            ages[age, default: (0, push.id)].count += 1
            within = terms.within
            count += 1
        }
    }

    /// How many one second may hold.
    private var limit: Double {
        let share = Double(count) * Tolerances.half
        guard count >= Self.enoughForMean else { return share }
        let mean = Double(count) / (2 * within.seconds)
        return min(share, Self.mostOfMean * mean + Self.chance * mean.squareRoot())
    }

    func verdict(_ run: RunContext) -> Verdict {
        guard count >= Self.enough, let most = ages.max(by: { ($0.value.count, -$0.key) < ($1.value.count, -$1.key) }) else {
            return .notExercised
        }
        guard Double(most.value.count) > limit else { return .kept(evidenceCount: count) }
        var tally = Tally()
        tally.find(
            "\(most.value.count) of \(count) activities were replaced at the same second of their age",
            expected: "starts that are spread over the window", seen: "all at \(Interval.seconds(Double(most.key)))",
            most.value.first)
        return tally.verdict
    }
}
