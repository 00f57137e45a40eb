// Rules about the two environments: a wrong one is tried once more at the other, and what worked is remembered.

import Basics
import Metrics
import Pushes

enum EnvironmentRules {
    static let all = [otherOnce, badTokenOther]

    private static func judge(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, _ isMeant: (SeenPush) -> Bool
    ) {
        guard run.hasBothEnvironments else { return }
        let pushes = joined.account.pushes
        var told: Set<TokenHash> = []
        for (index, push) in pushes.enumerated() where isMeant(push) {
            guard !push.flags.contains(.isAnswerUndelivered), !told.contains(push.token), !run.mayHaveLost(push),
                push.answeredAt + run.circumstances.real(Tolerances.reaction) < run.circumstances.end
            else { continue }
            func isElsewhere(_ other: SeenPush) -> Bool {
                other.identity == push.identity && other.environment != push.environment
            }
            // The answer of the second host sends nobody back to the first.
            if pushes[..<index].contains(where: { isElsewhere($0) && isMeant($0) }) { continue }
            let others = pushes[(index + 1)...].filter(isElsewhere)
            if others.isEmpty, isOver(index, joined, run) { continue }
            told.insert(push.token)
            tally.test()
            let refused = others.filter { isOfToken($0, run) }
            if others.isEmpty {
                tally.find(
                    "\(run.reason(push)) was not tried at the other environment", expected: "one attempt there",
                    seen: "none", of: push,
                    push.id)
            } else if refused.count > 1 {
                tally.find(
                    "\(run.reason(push)) was tried at the other environment again and again", expected: "one attempt",
                    seen: "\(refused.count) that were refused", of: push, push.id)
            } else if let success = others.first(where: { $0.isAccepted && !$0.flags.contains(.isAnswerUndelivered) }),
                !run.mayHaveLost(success),
                let next = pushes.first(where: {
                    $0.token == push.token && $0.arrivedAt > success.answeredAt + run.circumstances.inFlightGrace
                }), next.environment == push.environment,
                // Whoever registers it again says anew where it lives.
                !joined.tokens.wasRegistered(push.token, after: success.arrivedAt, until: next.arrivedAt)
            {
                tally.find(
                    "the environment that worked was forgotten", expected: "the next push goes there first",
                    seen: "the other one again", of: next, success.id, next.id)
            }
        }
    }

    /// A refusal that the relay heard, and not of the provider token: with another one the push may be sent once more (P2).
    private static func isOfToken(_ push: SeenPush, _ run: RunContext) -> Bool {
        push.isRefusedForGood && !push.flags.contains(.isAnswerUndelivered) && !run.refusesProviderToken(push)
    }

    /// It had come to nothing when its answer was read: a newer state took its place, or its token was taken back or replaced.
    private static func isOver(_ index: Int, _ joined: JoinedAccount, _ run: RunContext) -> Bool {
        if let row = joined.rowOfPush[index], joined.deliveries[row].outcome == .superseded { return true }
        let push = joined.account.pushes[index]
        guard let lane = joined.tokens.lanes[push.token] else { return false }
        let sessions = Set(joined.tokens.registrations[push.token]?.map { $0.place >> 32 } ?? [])
        return joined.account.tokenCalls.contains { made in
            // An activity's token is its session's, all others are the app's.
            guard made.lane == lane, made.isRegistration == (made.token != push.token),
                lane.role != .activity || sessions.contains(made.place >> 32),
                let call = joined.account.call(at: made.place), call.state == .sent
            else { return false }
            return max(call.sentAt, call.answeredAt) > push.arrivedAt
                && call.sentAt <= push.answeredAt + run.circumstances.inFlightGrace
        }
    }

    static let otherOnce = Rule(
        "other-environment-once", ["R0.26", "G3"], .must, basis: .absence,
        requirement: "A key of the other environment leads to one attempt there, and what worked is remembered.",
        norm: "Relay contract: BadEnvironmentKeyInToken is tried once at the other host, and success is stored",
        advice: "retry once at the other host, and store the environment with the token when it is accepted there"
    ) { joined, run, tally in
        judge(joined, run, &tally) { run.credential(in: $0) == .environment }
    }

    static let badTokenOther = Rule(
        "bad-token-other-environment", ["R0.27"], .should, basis: .absence,
        requirement: "BadDeviceToken is tried once at the other environment before the token is dropped.",
        norm: "Apple, Handling notification responses from APNs: the token may belong to the other environment",
        advice: "retry once at the other host, remember which host took the token, and drop it when both refuse it"
    ) { joined, run, tally in judge(joined, run, &tally) { run.death(in: $0) == .atThisHost } }
}
