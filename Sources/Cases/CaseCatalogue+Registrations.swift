// What a relay makes of registrations, and of requests that it has to refuse.

import Basics
import Scenarios

extension CaseCatalogue {
    var registrationCases: [PlannedCase] {
        [rotation, lateGoodbye, goodbye, signedOut, signedOutStart] + phoneCases
            + [relaunch, strangers, refused, forged, oversized, malformed]
    }

    private var needsRotation: Need { need(roles.rotation, "registers `rotatedToken`") }

    private var rotation: PlannedCase {
        let question = "When a token has changed, does everything go to the new one?"
        let reloads = rotatedReloads
        if let reloads, !roles.hasActivities || roles.rotation == nil {
            return planned("rotated-token", question, [needsDevice]) {
                Case(
                    name: "rotated-token", question: question, scripts: [reloads], sessions: 12,
                    exercises: ["new-token-used"])
            }
        }
        return planned("rotated-token", question, [needsActivity, needsRotation]) {
            var script = opening()
            states(&script, 1, of: roles.anyState)
            script.add(roles.rotation, after: max(pause, .milliseconds(500)))
            states(&script, 2, of: roles.anyState, after: max(grace, pause))
            var held = opening()
            if let progress = roles.progress, let window, window <= .seconds(3) {
                // The second one waits for the window when the token changes.
                held.add(progress, after: window * 1.2)
                held.add(progress, after: window * 0.1)
                held.add(roles.rotation, after: window * 0.2)
                settle(&held, roles.final)
            }
            if let progress = roles.progress, (window ?? .zero) <= .seconds(3) { settle(&script, progress) }
            settle(&script, roles.final)
            let isHeld = held.calls.contains { $0.name == roles.rotation?.name }
            var item = Case(
                name: "rotated-token", question: question,
                scripts: [script] + (isHeld ? [held] : []) + [reloads].compactMap(\.self), sessions: 12,
                exercises: ["new-token-used"], touches: ["last-state-delivered"])
            // What waits goes out more than six tenths of the window behind the new token: too early for the usual grace
            // where the window is short.
            if isHeld, !saysGrace, let window, .milliseconds(600)..<(.milliseconds(1_800)) ~= window {
                item.inFlightGrace = window * 0.4
            }
            return item
        }
    }

    /// The same of the widgets' token.
    private var rotatedReloads: CaseScript? {
        guard roles.device?.registers.contains(.widgetToken) ?? false, roles.widgetRenewal != nil, roles.reload != nil else {
            return nil
        }
        var script = opening()
        states(&script, 1, of: roles.reload)
        script.add(roles.widgetRenewal, after: max(pause, .milliseconds(500)))
        states(&script, 2, of: roles.reload, after: max(grace, pause))
        return script
    }

    private var lateGoodbye: PlannedCase {
        let question = "Does a late goodbye of a replaced activity leave the newer registration alone?"
        return planned(
            "late-goodbye", question,
            [needsActivity, needsRotation, need(roles.lateGoodbye, "speaks of a replaced activity (`stale: true`)")]
        ) {
            var script = opening()
            states(&script, 1, of: roles.anyState)
            script.add(roles.rotation, after: max(pause, .milliseconds(500)))
            script.add(roles.lateGoodbye, after: grace)
            states(&script, 2, of: roles.anyState)
            settle(&script, roles.final)
            return Case(name: "late-goodbye", question: question, scripts: [script], exercises: ["newer-registration-kept"])
        }
    }

    private var goodbye: PlannedCase {
        let question = "After an activity's token was taken back, is it left alone, and does all else go on?"
        return planned(
            "goodbye", question, [needsActivity, need(roles.goodbye, "takes an activity's token back, and owes nothing")]
        ) {
            var script = opening()
            states(&script, 1)
            settle(&script, roles.goodbye)
            states(&script, 2, after: max(grace, pause))
            return Case(name: "goodbye", question: question, scripts: [script], exercises: ["unregister-respected"])
        }
    }

    private var signedOut: PlannedCase {
        let question = "After a phone was taken back, does nothing go to it any more?"
        return planned(
            "signed-out", question,
            [need(roles.unregisterDevice, "takes a phone's token back, and owes nothing"), need(roles.alert, "owes an alert")]
        ) {
            var script = opening()
            states(&script, 2, of: roles.alert)
            script.add(roles.goodbye, after: .milliseconds(500))
            script.add(roles.unregisterDevice, after: .milliseconds(500))
            states(&script, 2, of: roles.alert, after: grace)
            return Case(name: "signed-out", question: question, scripts: [script], exercises: ["unregister-respected"])
        }
    }

    /// Of two phones, so that the session begins in any case.
    private var signedOutStart: PlannedCase {
        let question = "Is no activity started on a phone that was taken back?"
        let signOut = roles.unregisterDevice.flatMap { call in
            call.unregisters.contains(.startToken) && call.namedPhones == [0] ? call : nil
        }
        return planned(
            "signed-out-start", question,
            [
                need(roles.start, "owes a start"), need(roles.secondDevice, "registers a second phone"),
                need(
                    signOut,
                    "takes one phone's start token back (`unregisters`, and `phone: 1` where it names no token)"),
            ]
        ) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.secondDevice, after: .milliseconds(100))
            script.add(signOut, after: .milliseconds(300))
            script.add(roles.start, after: max(grace, .milliseconds(1_500)))
            script.add(roles.secondActivity, after: .milliseconds(300))
            states(&script, 1)
            settle(&script, roles.final)
            return Case(
                name: "signed-out-start", question: question, scripts: [script],
                exercises: ["unregister-respected"], touches: ["nothing-unexpected", "states-delivered"])
        }
    }

    private var relaunch: PlannedCase {
        let question = "Does an app that registers again without its start token keep the one that it had?"
        return planned(
            "relaunched-app", question,
            [
                need(roles.relaunch, "registers a phone without its start token"), need(roles.start, "owes a start"),
                needsActivity,
            ]
        ) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            for call in roles.relaunches { script.add(call, after: .milliseconds(200)) }
            begin(&script, token: roles.activity)
            states(&script, 2)
            settle(&script, roles.final)
            return Case(name: "relaunched-app", question: question, scripts: [script], exercises: ["start-token-kept"])
        }
    }

    private var strangers: PlannedCase {
        let question = "Does an event of a user whom nobody has registered reach nobody?"
        return planned("strangers", question, [needsAny, need(roles.stranger, "speaks for a stranger (`unknown: true`)")]) {
            var script = anyOpening()
            anything(&script)
            script.add(roles.stranger, after: .milliseconds(300))
            anything(&script)
            return Case(name: "strangers", question: question, scripts: [script], exercises: ["unknown-secret-silent"])
        }
    }

    private var refused: PlannedCase {
        unlawful(
            "bad-requests", "Are requests that break the contract refused, and is nothing pushed for them?", roles.refused,
            "is to be refused (`expect: 400`)", "bad-requests-refused")
    }

    private var forged: PlannedCase {
        unlawful(
            "wrong-credentials", "Are calls with a wrong credential refused, and is nothing pushed for them?", roles.forged,
            "has a wrong credential and is to be refused (`auth: { spoil: true }`, `expect: 401`)", "bad-requests-refused")
    }

    private var oversized: PlannedCase {
        unlawful(
            "oversized-ids", "Are ids that are longer than the relay has room for refused, and does nothing fail by them?",
            roles.oversized, "is too long (`oversized: true`)", "oversized-refused")
    }

    /// Sessions that keep the contract, in turn with sessions that make malformed requests, a few calls each.
    private var malformed: PlannedCase {
        let question = "Is each malformed request answered, and does none of them end the relay or reach other users?"
        let calls = roles.profile.calls.filter(\.hasMalformedForms)
        return planned(
            "malformed-requests", question,
            [
                needsAny, need(roles.device ?? roles.activity ?? roles.app, "registers a phone, an activity or an app"),
                need(calls.first, "could be malformed (those with `batch` are not)"),
            ]
        ) {
            var usual = anyOpening()
            for _ in 0..<max(2, Int(Self.malformedTime.seconds / pause.seconds)) { anything(&usual) }
            let most = (calls.count + Self.malformedSessions - 1) / Self.malformedSessions
            let scripts = stride(from: 0, to: calls.count, by: most).map { first in
                let own = calls[first..<min(first + most, calls.count)]
                var script = anyOpening()
                for (number, call) in own.enumerated() {
                    script.add(
                        malformed: call, over: Self.malformedTime * (1 / Double(own.count)),
                        after: number == 0 ? .milliseconds(500) : .milliseconds(50))
                }
                return script
            }
            // Whoever comes when all of that is over is served as well.
            var late = anyOpening()
            anything(&late)
            anything(&late)
            late.delay(Self.malformedTime + .seconds(2))
            var item = Case(
                name: "malformed-requests", question: question, scripts: scripts.flatMap { [usual, $0] } + [late],
                exercises: ["relay-serves", "malformed-answered", "malformed-reaches-nobody-else"],
                touches: ["omission-reaches-nobody-else"])
            (item.sessions, item.isInTurn, item.hasMalformed) = (item.scripts.count, true, true)
            item.needsHostClock = true
            return item
        }
    }

    /// A relay that sends such a thing on loses connections to the provider, and has to keep up with the rest all the same.
    private static let malformedTime = Interval.seconds(12)
    private static let malformedSessions = 4

    private func unlawful(
        _ name: String, _ question: String, _ calls: [ProfileCall], _ words: String, _ rule: String
    ) -> PlannedCase {
        planned(name, question, [needsAny, need(calls.first, words)]) {
            var script = anyOpening()
            for call in calls { script.add(call, after: .milliseconds(150)) }
            anything(&script)
            return Case(name: name, question: question, scripts: [script], exercises: [rule])
        }
    }
}
