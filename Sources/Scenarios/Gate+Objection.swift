// Gates that nothing in a scenario can decide: told before a run, since such a gate can only end without data.

package import Basics
import Faults
import Pushes

extension Scenario {
    /// Why nothing in the scenario can decide the gate, and what to change; nil where something may.
    package func objection(to gate: Gate) -> Failure? {
        func never(_ reason: String, _ hint: String) -> Failure {
            Failure(.usage, "nothing can decide the gate `\(gate.text)`: \(reason)", hint: hint)
        }
        if gate.aborts, let objection = objection(toAbortBy: gate) { return objection }
        let calls = workload.scripts.flatMap { item in item.script.reachable.map { item.script.steps[$0].call } }
        let made = Set(calls).map { relay.profile.calls[$0] }
        func isMade(_ kind: String) -> Bool { made.contains { $0.name == kind } }
        switch gate.measure {
        case .relay where relay.launch == nil:
            return never("the relay is not started here", "give `relay.launch`, or strike the gate")
        case .latency(_, let kind?, _) where !isMade(kind), .deliveries(_, let kind?, _) where !isMade(kind):
            return never("no script calls `\(kind)`", "add a step that calls it to a script, or strike the gate")
        case .latency(.staleness, _, _) where !made.contains(where: \.pushesCards):
            return never("no script causes a Live Activity push", "add a step that does, or strike the gate")
        case .lastStateMissing where !made.contains(where: { $0.isFinal && $0.pushesCards }):
            return never("no script makes a call that ends an activity", "add one to a script, or strike the gate")
        case .deadPushesAfter where !mayTokensDie:
            return never(
                "no token can die", "add a fault that answers 410, such as `{ respond: { reason: Unregistered } }`, "
                    + "or strike the gate")
        default: return nil
        }
    }

    private var mayTokensDie: Bool {
        mock.tokens != .any || mock.environment == .both || !mock.settings.isEmpty || faults.contains { $0.rule.mayKillToken }
    }
}

extension ProfileCall {
    fileprivate var pushesCards: Bool { pushes.contains { $0.channel == .liveactivity } }
}

extension NamedReason {
    /// A relay that is told so pushes to the token no more.
    fileprivate var endsToken: Bool { status == 410 || ["BadDeviceToken", "DeviceTokenNotForTopic"].contains("\(word)") }
}

extension FaultRule {
    fileprivate var mayKillToken: Bool {
        switch action {
        case .respond(let reason, _, _): reason.endsToken
        case .answer: true
        default: false
        }
    }
}
