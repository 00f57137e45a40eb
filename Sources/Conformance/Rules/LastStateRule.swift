// The rule about last states, read from the correlation: it alone knows what was planned, excused or undecided.

import Basics
import Metrics

enum LastStateRule {
    static let lastStateDelivered = Rule(
        id: "last-state-delivered", claim: "R0.8", level: .must,
        requirement: "The last state of each session is delivered, however much was throttled before it.",
        norm: "Relay contract: the throttle works on the trailing edge; what the user is left with is the truth"
    ) { evidence in
        let states = evidence.correlation.lastState
        guard states.missingCount > 0 else {
            return states.delivered > 0 ? .kept(evidenceCount: states.delivered) : .notExercised
        }
        var list = states.missing.map { missing in
            Finding(
                message: "session \(missing.session) never got its last state",
                expected: "step \(missing.step) (\(missing.kind)), accepted by APNs",
                seen: evidence.lastSeen(ofSession: missing.session), entries: [])
        }
        if states.missingCount > list.count {
            list.append(
                Finding(
                    message: "\(states.missingCount - list.count) more of the same",
                    expected: "the last state of \(states.sessions) sessions",
                    seen: "\(states.delivered) of them", entries: []))
        }
        return .broken(list)
    }
}

extension Evidence {
    /// What the session was left with, in words.
    package func lastSeen(ofSession session: UInt32) -> String {
        guard let last = pushes.last(where: { $0.session == Int64(session) }) else { return "no push at all" }
        return "push \(last.id) of step \(last.step) as the last, answered \(reason(last))"
    }
}
