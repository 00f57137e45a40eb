// What is gone, and has to stay so when the relay is back from a restart.

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var goneAtRestartCases: [PlannedCase] { [deadAtRestart, goodbyeAtRestart, endedThenRestart] }

    private var deadAtRestart: PlannedCase {
        let (name, question) = ("dead-at-restart", "Does a relay that was restarted know still which tokens are dead?")
        return gone(name, question, [needsDevice, needsEvent, needsOwnOpening]) {
            var script = ownOpening()
            states(&script, 1)
            states(&script, 2, after: untilBack(from: Self.lateRestart, behind: script))
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                faults: [
                    respond(
                        name, "{ reason: Unregistered, timestamp: after-registration }",
                        match: refusable + ", tokenFraction: 0.6", times: 1)
                ],
                restarts: [Self.restart(at: Self.lateRestart, "TERM")],
                exercises: [refusesUpdates ? "dead-token-dropped" : "dead-device-token-dropped"])
        }
    }

    private var goodbyeAtRestart: PlannedCase {
        let (name, question) = ("goodbye-at-restart", "Does a relay that was restarted know still what was taken back?")
        let goodbye = roles.hasActivities ? roles.goodbye : nil
        let signOut = roles.alert == nil ? nil : roles.unregisterDevice
        let needsGoodbye = need(goodbye ?? signOut, "takes back a token that is owed pushes (`unregisters`)")
        return gone(name, question, [needsDevice, needsOwnOpening, needsGoodbye]) {
            var scripts: [CaseScript] = []
            if let goodbye {
                var script = ownOpening()
                states(&script, 1)
                script.add(goodbye, after: .milliseconds(300))
                states(&script, 2, after: untilBack(from: Self.lateRestart, behind: script))
                scripts.append(script)
            }
            if let signOut {
                var script = ownOpening()
                states(&script, 1, of: roles.alert)
                script.add(roles.goodbye, after: .milliseconds(300))
                script.add(signOut, after: .milliseconds(300))
                states(&script, 2, of: roles.alert, after: untilBack(from: Self.lateRestart, behind: script))
                scripts.append(script)
            }
            return Case(
                name: name, question: question, scripts: scripts, sessions: 8 * scripts.count,
                restarts: [Self.restart(at: Self.lateRestart, "TERM")], exercises: ["unregister-respected"])
        }
    }

    private var endedThenRestart: PlannedCase {
        let (name, question) = ("ended-then-restart", "Does a session that was over before a restart begin again behind it?")
        return gone(name, question, needsTwoTurns) {
            var script = opening()
            states(&script, 1)
            settle(&script, roles.final)
            script.add(roles.start, after: untilBack(from: Self.lateRestart, behind: script))
            script.add(roles.rotation, after: .milliseconds(300))
            states(&script, 1)
            settle(&script, roles.final)
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                restarts: [Self.restart(at: Self.lateRestart, "TERM")], exercises: ["states-delivered"], touches: ["one-start"])
        }
    }

    /// Long enough behind what a case takes back or refuses that it is stored.
    static let lateRestart = Interval.milliseconds(3_400)

    private func gone(_ name: String, _ question: String, _ needs: [Need], _ make: () -> Case) -> PlannedCase {
        guard isLaunched else { return .cannot(name: name, question: question, reason: Self.isNotOurs) }
        return planned(name, question, needs, make)
    }

    // MARK: Sessions that nothing can start

    private var takesStart: Bool { roles.start != nil && roles.device?.registers.contains(.startToken) ?? false }

    /// The app has started the activity itself, and its phone cannot be started: a session of which nothing is left is
    /// new to a relay that was restarted, and may be begun again where that is possible.
    private func ownOpening() -> CaseScript {
        guard takesStart, roles.hasActivities else { return opening() }
        var script = CaseScript(roles.profile)
        script.add(roles.relaunch, after: .zero)
        script.add(roles.activity, after: .milliseconds(300))
        script.add(roles.start, after: .milliseconds(200))
        return script
    }

    private var needsOwnOpening: Need {
        let isOwed = roles.start?.pushes.contains { $0.event == .start && $0.unless != .activityToken } ?? false
        return Need(
            isThere: !takesStart || (roles.relaunch != nil && !isOwed),
            words: "the profile has no call that registers a phone without its start token, or a start is owed even so")
    }
}
