// What a relay makes of a user who has two phones: both served, and one of them gone.

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var phoneCases: [PlannedCase] { [twoPhones, oneDeviceGone, oneActivityGone, oneSignedOut] }

    private var needsSecondPhone: Need { need(roles.secondDevice, "registers a second phone") }

    private var twoPhones: PlannedCase {
        let question = "Do two phones of one user both get their pushes?"
        return planned("two-phones", question, [needsEvent, need(roles.secondDevice, "registers a second phone")]) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.secondDevice, after: .milliseconds(100))
            script.add(roles.start, after: .milliseconds(200))
            // Said in the gap, which is over for one phone before it is for the other.
            let isShort = (window ?? .zero) <= .seconds(3)
            let isHeld = roles.progress?.pushes.contains(where: \.held) ?? false
            if isShort, isHeld, roles.start != nil { script.add(roles.progress, after: .milliseconds(150)) }
            script.add(roles.activity, after: .milliseconds(300))
            if roles.activity != nil { script.add(roles.secondActivity, after: .milliseconds(400)) }
            settle(&script, roles.anyEvent)
            states(&script, 1)
            if isShort { script.add(roles.progress, after: pause, every: .milliseconds(100), count: 2) }
            settle(&script, roles.final)
            return Case(
                name: "two-phones", question: question, scripts: [script], exercises: ["each-phone-served"],
                touches: ["states-delivered", "last-state-delivered"])
        }
    }

    private var oneDeviceGone: PlannedCase {
        let question = "When one phone of a user is gone, is the other served all the same?"
        return planned(
            "one-phone-gone", question,
            [need(roles.alert, "owes an alert"), need(roles.secondDevice, "registers a second phone")]
        ) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.secondDevice, after: .milliseconds(100))
            begin(&script, token: roles.activity)
            states(&script, 4, of: roles.alert)
            return Case(
                name: "one-phone-gone", question: question, scripts: [script], sessions: 12,
                faults: [
                    "{ id: one-gone, match: { pushType: \(roles.alertType.word), tokenFraction: 0.5 }, per: token, after: 1, "
                        + "action: { respond: { reason: Unregistered, timestamp: after-registration } } }"
                ],
                exercises: ["states-delivered"], touches: ["each-phone-served", "dead-device-token-dropped"])
        }
    }

    private var oneActivityGone: PlannedCase {
        let question = "When the activity of one of two phones is gone, is the other's served all the same?"
        return planned(
            "one-activity-gone", question,
            [needsActivity, needsSecondPhone, need(roles.secondActivity, "registers a second phone's activity")]
        ) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.secondDevice, after: .milliseconds(100))
            begin(&script, token: roles.activity)
            script.add(roles.secondActivity, after: .milliseconds(200))
            settle(&script, roles.anyState)
            states(&script, 1, of: roles.anyState)
            states(&script, 2, of: roles.anyState, after: max(grace, pause))
            return Case(
                name: "one-activity-gone", question: question, scripts: [script], sessions: 12,
                faults: [
                    "{ id: one-activity-gone, match: { pushType: liveactivity, event: update, tokenFraction: 0.4 }, "
                        + "per: token, after: 1, "
                        + "action: { respond: { reason: Unregistered, timestamp: after-registration } } }"
                ],
                exercises: ["dead-token-dropped", roles.state == nil ? "last-state-delivered" : "states-delivered"],
                touches: ["each-phone-served"])
        }
    }

    private var oneSignedOut: PlannedCase {
        let question = "When one phone of a user was taken back, is the other served all the same?"
        let isOfOne = roles.unregisterDevice?.namedPhones == [0]
        return planned(
            "one-phone-signed-out", question,
            [
                need(roles.alert, "owes an alert"), needsSecondPhone,
                need(
                    isOfOne ? roles.unregisterDevice : nil,
                    "takes one phone's token back (`unregisters`, and `phone: 1` where it names no token)"),
            ]
        ) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.secondDevice, after: .milliseconds(100))
            // The phone that stays alone has an activity: whether one outlives its phone's sign-out is not asked here.
            begin(&script, token: roles.secondActivity)
            states(&script, 2, of: roles.alert)
            script.add(roles.unregisterDevice, after: .milliseconds(500))
            states(&script, 2, of: roles.alert, after: grace)
            return Case(
                name: "one-phone-signed-out", question: question, scripts: [script],
                exercises: ["unregister-respected", "states-delivered"], touches: ["each-phone-served"])
        }
    }
}
