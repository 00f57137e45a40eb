// What a relay makes of FCM: of its answers, of registrations that change or are taken back, and of its own end. The same as
// is asked about APNs, where a profile has the calls. Sources: docs/fcm.md §7 (F1 to F25), Google's "Best practices when
// sending FCM messages at scale".

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    /// None for a relay that owes FCM nothing.
    var messageCases: [PlannedCase] {
        guard roles.message != nil || roles.app != nil else { return [] }
        return [
            deadRegistration, refusedMessage, otherNotFound, expiredAccess, quotaExceeded, unavailable, slowMessages,
            lostMessageConnection, changedRegistration, appSignedOut, manyMessages,
        ] + messageRestartCases
    }

    // MARK: Pieces of sessions

    var needsApp: Need { need(roles.app, "registers an app with FCM (`registrationToken`)") }
    var needsMessage: Need { need(roles.message, "owes a message of FCM in the middle of a session") }

    /// The app is registered, and the session begins. Where messages are for a Live Activity of an iPhone, that has a token.
    func messageOpening() -> CaseScript {
        var script = CaseScript(roles.profile)
        let isForActivities = roles.profile.content.messageEvent?.text.hasPrefix("/message/apns") ?? false
        if isForActivities, roles.app?.name != roles.device?.name { script.add(roles.device, after: .zero) }
        script.add(roles.app, after: .zero)
        script.add(roles.messageStart, after: .milliseconds(200))
        if isForActivities, !(roles.app?.registers.contains(.activityToken) ?? true) {
            script.add(roles.activity, after: .milliseconds(300))
        }
        return script
    }

    /// Between a message and the next: each has been sent by then.
    var messagePause: Interval {
        guard roles.message?.pushes.contains(where: \.coalesce) ?? false, let window else { return .milliseconds(500) }
        return window * 1.2
    }

    func messages(_ script: inout CaseScript, _ count: Int, after: Interval? = nil) {
        for index in 0..<count {
            script.add(roles.message, after: index == 0 ? max(after ?? .zero, messagePause) : messagePause)
        }
    }

    /// An event, of APNs or else of FCM.
    var needsAny: Need { need(roles.anyEvent ?? roles.message, "owes a push") }

    /// Where a phone is nobody that one can register, an app is.
    func anyOpening() -> CaseScript {
        roles.anyEvent == nil || roles.device == nil && roles.activity == nil ? messageOpening() : opening()
    }

    func anything(_ script: inout CaseScript) {
        if roles.anyEvent == nil { messages(&script, 1) } else { states(&script, 1) }
    }

    private func message(
        _ name: String, _ question: String, needs more: [Need] = [], _ make: () -> Case
    ) -> PlannedCase {
        planned(name, question, [needsApp, needsMessage] + more, make)
    }

    private func answer(
        _ id: String, _ reason: String, match: String = "", after: Int = 1, times: Int? = 1, perToken: Bool = true
    ) -> String {
        respond(
            id, "{ reason: \(reason) }", match: "provider: fcm" + (match.isEmpty ? "" : ", \(match)"), after: after,
            times: times, perToken: perToken)
    }

    // MARK: Answers

    private var deadRegistration: PlannedCase {
        let name = "dead-registration"
        let question = "When FCM answers 404 UNREGISTERED, is that registration left alone, and everybody else served?"
        return message(name, question, needs: [needsDeathHeeded]) {
            var script = messageOpening()
            messages(&script, 2)
            messages(&script, 3, after: grace)
            // Living ones beside them, so that a relay that falls silent is not taken for one that is right.
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                faults: [answer(name, "UNREGISTERED", match: "tokenFraction: 0.6", times: nil)],
                exercises: [deathRule("dead-registration-dropped")], touches: ["states-delivered"])
        }
    }

    private var refusedMessage: PlannedCase {
        let name = "bad-message"
        let question = "When FCM refuses a message, or the sender, is the registration kept, and the message not sent again?"
        return message(name, question) {
            var script = messageOpening()
            // The second is refused.
            messages(&script, startsByMessage ? 1 : 2)
            // Nothing newer takes the place of what was refused, until who tries again has done so.
            messages(&script, 5, after: Self.failureRest * 1.1)
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                faults: [
                    answer("bad-argument", "INVALID_ARGUMENT"), answer("not-allowed", "IAM_PERMISSION_DENIED", after: 2),
                    answer("key-of-apns", "THIRD_PARTY_AUTH_ERROR", after: 3),
                ],
                exercises: ["living-registration-kept", "refused-message-not-repeated"],
                touches: ["access-token-kept", "states-delivered"])
        }
    }

    private var otherNotFound: PlannedCase {
        let name = "not-found-reply"
        let question = "When FCM answers 404 and says nothing of UNREGISTERED, is the registration kept?"
        return message(name, question) {
            var script = messageOpening()
            messages(&script, 2)
            messages(&script, 3, after: grace)
            return Case(
                name: name, question: question, scripts: [script], faults: [answer(name, "NOT_FOUND")],
                exercises: ["other-not-found-kept"])
        }
    }

    private var expiredAccess: PlannedCase {
        let name = "expired-access-token"
        let question = "When FCM calls the access token expired, is another one asked for, and its messages sent?"
        return message(name, question) {
            var script = messageOpening()
            messages(&script, 3)
            messages(&script, 3, after: grace)
            return Case(
                name: name, question: question, scripts: [script],
                faults: [answer(name, "ACCESS_TOKEN_EXPIRED", perToken: false)],
                exercises: ["access-token-renewed"], touches: ["access-token-reused", "living-registration-kept"])
        }
    }

    /// What FCM asks for without `retry-after` behind a 429, and before the first retry behind anything else that passes; the
    /// newest state has to come within twice that (`quota-obeyed`, `failure-awaited`).
    private static let quotaRest = Interval.seconds(60)
    private static let failureRest = Interval.seconds(10)

    private var quotaExceeded: PlannedCase {
        let name = "quota-exceeded"
        let question = "When FCM answers 429, is the registration left alone until its rest is over, and served then?"
        return message(name, question) {
            var script = messageOpening()
            messages(&script, 2)
            messages(&script, 1, after: grace + .seconds(1))
            messages(&script, 1, after: Self.quotaRest)
            return Case(
                name: name, question: question, scripts: [script], faults: [answer(name, "QUOTA_EXCEEDED")],
                exercises: ["quota-obeyed", "living-registration-kept"], touches: ["states-delivered"], rests: 1,
                rest: Self.quotaRest)
        }
    }

    private var unavailable: PlannedCase {
        let name = "unavailable"
        let question = "When FCM answers 503, is the registration kept, and is the newest state sent when it is back?"
        return message(name, question) {
            var script = messageOpening()
            messages(&script, 2)
            messages(&script, 1, after: Self.failureRest * 1.2)
            return Case(
                name: name, question: question, scripts: [script], faults: [answer(name, "UNAVAILABLE")],
                exercises: ["living-registration-kept"], touches: ["failure-awaited", "states-delivered"], rests: 1,
                rest: Self.failureRest * 0.6)
        }
    }

    // MARK: Connections

    private var slowMessages: PlannedCase {
        let (name, question) = ("slow-fcm", "Is a message whose answer takes six seconds neither given up nor sent twice?")
        return message(name, question) {
            var script = messageOpening()
            messages(&script, 2)
            messages(&script, 1, after: .seconds(8))
            return Case(
                name: name, question: question, scripts: [script],
                faults: [
                    "{ id: slow-fcm, match: { provider: fcm }, action: { delay: 6s }, after: 1, times: 1, per: token }"
                ],
                exercises: ["message-answer-awaited"], touches: ["no-duplicate-push"], requestTimeout: .seconds(20),
                needsHostClock: true)
        }
    }

    private var lostMessageConnection: PlannedCase {
        let (name, question) = ("fcm-connection-lost", "Does the relay go on after its connection to FCM was cut?")
        return message(name, question) {
            var script = messageOpening()
            messages(&script, 4)
            return Case(
                name: name, question: question, scripts: [script],
                faults: [
                    "{ id: fcm-connection-lost, at: 1200ms, match: { provider: fcm }, times: 1, "
                        + "action: { close: { how: reset, when: before-answer } } }"
                ],
                exercises: ["relay-serves"], touches: ["states-delivered", "last-state-delivered", "goaway-obeyed"], rests: 1,
                rest: Self.failureRest * 2, needsHostClock: true)
        }
    }

    private var manyMessages: PlannedCase {
        let name = "messages-load"
        let question = "Does the relay stand a hundred apps that begin in a second, and keep its connections to FCM?"
        return message(name, question) {
            var script = messageOpening()
            messages(&script, 4)
            script.add(roles.messageEnd, after: .milliseconds(500))
            return Case(
                name: name, question: question, scripts: [script], sessions: 100,
                exercises: ["relay-serves", "states-delivered", "access-token-reused", "message-connections-reused"],
                touches: ["states-in-time"])
        }
    }

    // MARK: Registrations

    private var changedRegistration: PlannedCase {
        let name = "rotated-registration"
        let question = "When an app's registration has changed, does everything go to the new one?"
        return message(
            name, question, needs: [need(roles.newRegistration, "registers what took its place (`newRegistrationToken`)")]
        ) {
            var script = messageOpening()
            messages(&script, 1)
            script.add(roles.newRegistration, after: max(messagePause, .milliseconds(500)))
            messages(&script, 2, after: grace)
            script.add(roles.messageEnd, after: .milliseconds(500))
            return Case(
                name: name, question: question, scripts: [script], exercises: ["new-token-used"],
                touches: ["states-delivered", "nothing-unexpected"])
        }
    }

    private var appSignedOut: PlannedCase {
        let (name, question) = ("app-signed-out", "After an app was taken back, does nothing go to it any more?")
        return message(
            name, question, needs: [need(roles.unregisterApp, "takes an app's registration back, and owes nothing")]
        ) {
            var script = messageOpening()
            messages(&script, 2)
            script.add(roles.unregisterApp, after: .milliseconds(500))
            messages(&script, 2, after: grace)
            return Case(name: name, question: question, scripts: [script], exercises: ["unregister-respected"])
        }
    }
}
