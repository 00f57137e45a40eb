// All cases there are, as far as a profile's calls allow them.

import Basics
import Pushes
package import Scenarios

/// A case that can be run, or the reason why it cannot.
package enum PlannedCase: Sendable {
    case runs(Case)
    case cannot(name: String, question: String, reason: String)

    package var name: String {
        switch self {
        case .runs(let item): item.name
        case .cannot(let name, _, _): name
        }
    }
}

/// What is asked of one relay.
package struct CaseCatalogue: Sendable {
    let roles: CallRoles
    /// The relay is launched by us, so that it can be ended.
    private(set) var isLaunched: Bool
    /// It is told where the sandbox is; of one that runs already whoever started it has told it, where there is a sandbox.
    private(set) var knowsSandbox: Bool

    /// The scenario that the cases extend says itself how long the relay may be busy with what was under way.
    let saysGrace: Bool

    /// `hasSandbox`: a mock that is up plays both environments.
    package init(_ relay: RelaySpec, saysGrace: Bool = false, hasSandbox: Bool = false) {
        self.saysGrace = saysGrace
        roles = CallRoles(relay.profile)
        isLaunched = relay.launch != nil
        knowsSandbox =
            (relay.isTold("mock.sandbox") || relay.launch == nil && hasSandbox) && relay.profile.environments == .both
    }

    /// The same for a relay that is launched, and told where the sandbox is.
    package var unbound: CaseCatalogue {
        var unbound = self
        (unbound.isLaunched, unbound.knowsSandbox) = (true, roles.profile.environments == .both)
        return unbound
    }

    /// In the order in which a reader would ask.
    package var cases: [PlannedCase] {
        sessionCases + crossings + registrationCases + deadTokenCases + refusalCases + connectionCases
            + messageCases
    }

    // MARK: Times

    /// Between a state and the next. Where each may wait for a window, the window is over by then.
    var pause: Interval {
        guard roles.state == nil, roles.alert == nil, let window else { return .milliseconds(500) }
        return window * 1.2
    }
    var window: Interval? { roles.profile.coalescing?.window }
    /// What the profile declares that a push rests for behind a 429 or 5xx. Where it says nothing, no case waits so long.
    var rest: Interval { roles.profile.rest ?? .zero }
    /// Longer than what was under way may take (`Scenario.inFlightGrace`).
    let grace = Interval.milliseconds(1_200)

    // MARK: Pieces of sessions

    /// The phone is registered, the session begins, and its activity has a token.
    func opening() -> CaseScript {
        var script = CaseScript(roles.profile)
        script.add(roles.device, after: .zero)
        begin(&script, token: roles.activity)
        return script
    }

    func begin(_ script: inout CaseScript, token: ProfileCall?) {
        script.add(roles.start, after: .milliseconds(200))
        script.add(token, after: .milliseconds(300))
    }

    func states(_ script: inout CaseScript, _ count: Int, of call: ProfileCall? = nil, after: Interval? = nil) {
        for index in 0..<count { script.add(call ?? roles.anyEvent, after: index == 0 ? after ?? pause : pause) }
    }

    /// The newest state has reached everybody by then, also where it had to wait for a window, or was due without one: what
    /// comes now is no excuse for it.
    func settle(
        _ script: inout CaseScript, _ call: ProfileCall?, with values: [(name: String, yaml: String)] = []
    ) {
        script.add(call, after: silence(behind: script), with: values)
    }

    /// What came in that time would be a newer state in time, and hide a loss.
    func silence(behind script: CaseScript) -> Interval {
        let waiting = script.calls.flatMap(\.pushes).filter(\.coalesce).map(\.deadline).max()
        let silence = waiting.map { max($0 + .milliseconds(100), (window ?? .zero) * 1.3) } ?? .zero
        return max(silence, .milliseconds(500))
    }

    /// Adds the last state of a session, and gives what finds its push: the event where the session ends the card. Else it is
    /// the instant by which each session has said the rest, and the last state comes after it. Nothing newer takes its place.
    /// Nil: there is none.
    func lastWord(_ script: inout CaseScript) -> String? {
        if roles.final?.owes(.liveactivity, .end) ?? false {
            settle(&script, roles.final)
            return "match: { pushType: liveactivity, event: end }"
        }
        let last = roles.final ?? roles.anyState
        guard let last, last.owes(.liveactivity) else {
            settle(&script, roles.final)
            return nil
        }
        let silence = silence(behind: script)
        let at = Case.arrivals + script.duration + silence
        script.add(last, after: max(silence, at - script.shortest + .milliseconds(300)))
        return "at: \(at.nanoseconds / 1_000_000)ms, match: { pushType: liveactivity }"
    }

    /// A session that is over, and begins again with another activity.
    func twoTurns() -> CaseScript {
        var script = opening()
        states(&script, 1)
        settle(&script, roles.final)
        script.add(roles.start, after: grace)
        script.add(roles.rotation, after: .milliseconds(300))
        states(&script, 1)
        settle(&script, roles.final)
        return script
    }

    var needsTwoTurns: [Need] {
        [
            need(roles.start, "owes a start"), needsActivity, need(roles.final, "ends a session (`final: true`)"),
            need(roles.rotation, "registers `rotatedToken`"),
        ]
    }

    /// What APNs refuses in a case: what the events of `states` owe, so that a session begins in any case.
    var refusable: String {
        refusesUpdates ? "pushType: liveactivity, event: update" : "pushType: \(roles.alertType.word)"
    }

    /// Those are updates of activities, and no alerts.
    var refusesUpdates: Bool { roles.hasActivities && roles.anyState?.name == roles.anyEvent?.name }

    // MARK: Making cases

    /// What a case lacks, in words; nil: nothing.
    struct Need {
        var isThere: Bool
        var words: String
    }

    func need(_ call: ProfileCall?, _ words: String) -> Need {
        Need(isThere: call != nil, words: "the profile has no call that \(words)")
    }

    func planned(_ name: String, _ question: String, _ needs: [Need], _ make: () -> Case) -> PlannedCase {
        let missing = needs.filter { !$0.isThere }.map(\.words)
        guard missing.isEmpty else {
            return .cannot(name: name, question: question, reason: missing.joined(separator: ", and "))
        }
        var item = make()
        if !roles.keepsTokens {
            item.exercises.removeAll { Self.ofKeepers.contains($0) }
            guard !item.exercises.isEmpty else {
                return .cannot(name: name, question: question, reason: "the relay keeps no tokens (`tokens: caller`)")
            }
        }
        return .runs(item)
    }

    /// Rules that bind relays which keep tokens, and no others (`Rule.keeper`).
    package static let ofKeepers: Set<String> = [
        "dead-token-dropped", "dead-device-token-dropped", "dead-registration-dropped", "disabled-token-dropped",
        "other-token-kept", "old-410-ignored", "changed-row-kept", "nothing-after-end",
    ]

    /// How a death is heeded: by whoever keeps the token.
    func deathRule(_ rule: String) -> String { roles.keepsTokens ? rule : "dead-token-told" }

    var needsDeathHeeded: Need {
        Need(
            isThere: roles.keepsTokens || roles.tellsDeaths,
            words: "no answer of the profile tells the caller that a token is dead (`answers`, `means: pruned`)")
    }

    var needsDevice: Need { need(roles.device ?? roles.activity, "registers a phone or an activity") }
    var needsEvent: Need { need(roles.anyEvent, "owes a push") }
    var needsActivity: Need {
        Need(
            isThere: roles.hasActivities,
            words: "the profile has no calls that register an activity's token and owe it updates")
    }
}
