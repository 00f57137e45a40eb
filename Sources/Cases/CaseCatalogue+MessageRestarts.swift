// What a relay knows of registrations with FCM when it is back from a restart.

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var messageRestartCases: [PlannedCase] {
        [
            messagesBehind("messages-restart", "Does a relay that was restarted know its apps' registrations?", "TERM"),
            messagesBehind("messages-killed", "Does a relay that was killed know its apps' registrations?", "KILL"),
            deadRegistrationAtRestart,
        ]
    }

    private static let restartsAt = Interval.milliseconds(2_800)

    private func messagesBehind(_ name: String, _ question: String, _ signal: String) -> PlannedCase {
        guard isLaunched else { return .cannot(name: name, question: question, reason: Self.isNotOurs) }
        return planned(name, question, [needsApp, needsMessage]) {
            var script = messageOpening()
            messages(&script, 1)
            // Where there is one it comes well before the end: what was answered is stored.
            script.add(roles.newRegistration, after: .milliseconds(400))
            messages(&script, 3, after: untilBack(from: Self.restartsAt, behind: script))
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                restarts: [Self.restart(at: Self.restartsAt, signal)], exercises: ["relay-serves", "states-delivered"],
                touches: roles.newRegistration == nil ? [] : ["new-token-used"])
        }
    }

    private var deadRegistrationAtRestart: PlannedCase {
        let name = "dead-registration-at-restart"
        let question = "Does a relay that was restarted know still which registrations are gone?"
        guard isLaunched else { return .cannot(name: name, question: question, reason: Self.isNotOurs) }
        return planned(name, question, [needsApp, needsMessage]) {
            var script = messageOpening()
            messages(&script, 1)
            messages(&script, 2, after: untilBack(from: Self.lateRestart, behind: script))
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                faults: [
                    respond(
                        name, "{ reason: UNREGISTERED }", match: "provider: fcm, tokenFraction: 0.6",
                        after: startsByMessage ? 1 : 0, times: 1)
                ],
                restarts: [Self.restart(at: Self.lateRestart, "TERM")], exercises: ["dead-registration-dropped"])
        }
    }

    /// A session's first message is its start: one whose only start failed is none to some.
    var startsByMessage: Bool { roles.messageStart?.pushes.contains { $0.provider == .fcm } ?? false }
}
