// What a relay makes of APNs' answers: which speak of the token, which of the request, which of the sender or of APNs itself.
// Sources: relays.md §5.6 (the reaction matrix), Apple's "Handling notification responses from APNs".

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var deadTokenCases: [PlannedCase] {
        [
            deadActivity("dead-activity-token", "410 Unregistered", "{ reason: Unregistered, timestamp: after-registration }"),
            deadActivity(
                "expired-activity-token", "410 ExpiredToken", "{ reason: ExpiredToken, timestamp: after-registration }"),
            deadActivity("bad-activity-token", "400 BadDeviceToken", "{ reason: BadDeviceToken }"),
            deadDevice("dead-device-token", "410", "{ reason: Unregistered, timestamp: after-registration }"),
            deadDevice(
                "expired-device-token", "410 ExpiredToken", "{ reason: ExpiredToken, timestamp: after-registration }"),
            deadDevice("bad-device-token", "400 BadDeviceToken", "{ reason: BadDeviceToken }"),
            deadStart("dead-start-token", "410 Unregistered", "Unregistered"),
            deadStart("expired-start-token", "410 ExpiredToken", "ExpiredToken"), oldNews,
        ]
    }

    var refusalCases: [PlannedCase] {
        [
            refusal(
                "bad-request-reply", "400, which speaks of the request", ["BadTopic", "BadPriority", "BadExpirationDate"],
                ["living-token-kept", "refusal-not-repeated"]),
            refusal("forbidden-reply", "403 Forbidden", ["Forbidden"], ["living-token-kept", "refusal-not-repeated"]),
            refusal(
                "too-many-requests", "429 TooManyRequests", ["TooManyRequests"], ["living-token-kept", "retry-backs-off"]),
            // It speaks of the sender, and meets all that it sends.
            outage(
                "too-many-credentials",
                "When APNs answers 429 TooManyProviderTokenUpdates, is the token kept, and is nothing sent again in a storm?",
                "TooManyProviderTokenUpdates", ["living-token-kept", "states-delivered"],
                ["retry-storm", "provider-token-reused"], needs: [needsProviderToken]),
            refusal(
                "server-error", "500 InternalServerError", ["InternalServerError"], ["living-token-kept", "retry-backs-off"]),
            outage(
                "outage", "Does the relay survive half a second in which APNs answers 503 to everything?", "ServiceUnavailable",
                ["living-token-kept", "retry-storm"], ["retry-backs-off", "retry-keeps-apns-id"]),
            longOutage, expiredCredential, otherHost, otherKey,
        ]
    }

    func respond(
        _ id: String, _ reason: String, match: String = "", after: Int = 0, times: Int? = nil, perToken: Bool = true
    ) -> String {
        var parts = ["id: \(id)"]
        if !match.isEmpty { parts.append("match: { \(match) }") }
        parts.append("action: { respond: \(reason) }")
        if after > 0 { parts.append("after: \(after)") }
        if let times { parts.append("times: \(times)") }
        if perToken { parts.append("per: token") }
        return "{ \(parts.joined(separator: ", ")) }"
    }

    /// Living tokens beside dead ones, so that a relay that falls silent is not taken for one that is right.
    private static let mostTokens = 0.6

    private func deadActivity(_ name: String, _ reply: String, _ action: String) -> PlannedCase {
        let question = "When APNs answers \(reply), is that activity's token left alone, and everything else served?"
        return planned(name, question, [needsActivity, needsDeathHeeded]) {
            var script = opening()
            states(&script, 2, of: roles.anyState)
            states(&script, 3, of: roles.anyState, after: max(grace, pause))
            let match = "pushType: liveactivity, event: update, tokenFraction: \(Self.mostTokens)"
            let hasAlerts = roles.keepsTokens && roles.anyState?.owes(.alert) ?? false
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                faults: [respond(name, action, match: match, after: 1)], needsBothEnvironments: knowsSandbox,
                exercises: hasAlerts ? ["dead-token-dropped", "other-token-kept"] : [deathRule("dead-token-dropped")])
        }
    }

    private func deadDevice(_ name: String, _ reply: String, _ action: String) -> PlannedCase {
        let question = "When APNs answers \(reply) for a phone, is its token left alone, and everything else served?"
        let needs = [need(roles.device, "registers a phone"), need(roles.alert, "owes an alert"), needsDeathHeeded]
        return planned(name, question, needs) {
            let dying = [(roles.alertType, roles.alert)] + roles.otherAppPushes
            let scripts = dying.map { _, call in
                var script = opening()
                states(&script, 2, of: call)
                states(&script, 3, of: call, after: max(grace, pause))
                return script
            }
            let faults = dying.map { type, _ in
                let match = "pushType: \(type.word), tokenFraction: \(Self.mostTokens)"
                return respond("\(name)\(type == roles.alertType ? "" : "-\(type.word)")", action, match: match, after: 1)
            }
            return Case(
                name: name, question: question, scripts: scripts, sessions: 12 * scripts.count, faults: faults,
                needsBothEnvironments: knowsSandbox, exercises: [deathRule("dead-device-token-dropped")])
        }
    }

    private func deadStart(_ name: String, _ reply: String, _ reason: String) -> PlannedCase {
        let question = "When APNs answers \(reply) for a push-to-start token, is it left alone"
        let action = "{ reason: \(reason), timestamp: after-registration }"
        let match = "pushType: liveactivity, event: start"
        guard roles.refusesUnknownSessions else {
            let whole = question + ", and the app's own activity served?"
            return planned(name, whole, needsTwoTurns) {
                Case(
                    name: name, question: whole, scripts: [twoTurns()],
                    faults: [respond(name, action, match: match, perToken: false)], exercises: ["dead-token-dropped"])
            }
        }
        // A session whose only start failed is none: all that could follow is rightly refused (R2.4, R2.7).
        let whole = question + ", and every other session served?"
        return planned(name, whole, [needsDevice, needsActivity, need(roles.start, "owes a start")]) {
            var dead = CaseScript(roles.profile)
            dead.add(roles.device, after: .zero)
            dead.add(roles.start, after: .milliseconds(1_700))
            for _ in 0..<2 { dead.add(roles.start, after: grace) }
            // Its start is over when those that are refused begin.
            var living = opening()
            states(&living, 3)
            return Case(
                name: name, question: whole, scripts: [dead, living], sessions: 12,
                faults: ["{ id: \(name), at: 1500ms, match: { \(match) }, action: { respond: \(action) } }"],
                exercises: ["dead-token-dropped"])
        }
    }

    private var oldNews: PlannedCase {
        let question = "Does a 410 that is older than the token's registration delete nothing?"
        return planned("old-410", question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, 5)
            return Case(
                name: "old-410", question: question, scripts: [script],
                faults: [
                    respond(
                        "old-410", "{ reason: Unregistered, timestamp: before-registration }", match: refusable,
                        after: 1, times: 1)
                ],
                exercises: ["old-410-ignored"])
        }
    }

    private func refusal(_ name: String, _ reply: String, _ reasons: [String], _ rules: [String]) -> PlannedCase {
        let question = "When APNs answers \(reply), is the token kept, and is nothing sent again in a storm?"
        let isForNow = rules.contains("retry-backs-off")
        let isForGood = rules.contains("refusal-not-repeated")
        return planned(name, question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, 4 + reasons.count)
            let last = lastWord(&script)
            var faults = reasons.map { reason in
                respond(reason, "{ reason: \(reason) }", match: refusable, after: 1, times: 1)
            }
            if let reason = reasons.first {
                // Nothing newer takes the place of the last state: what may pass is sent again, or lost; and what does not pass
                // stands, so that whoever tries again is seen to.
                if let last, isForNow || isForGood {
                    let often = isForNow ? ", times: 1, per: token" : ""
                    faults.append("{ id: \(reason)-end, \(last), action: { respond: { reason: \(reason) } }\(often) }")
                } else if isForGood {
                    faults[0] = respond(reason, "{ reason: \(reason) }", match: refusable, after: 1, times: 3)
                }
                // An alert may be pushed by other code than a state is. The third, when the state beside it is let alone.
                if isForNow, refusesUpdates, roles.anyState?.owes(.alert) ?? false {
                    faults.append(
                        respond(reason + "-alert", "{ reason: \(reason) }", match: "pushType: alert", after: 2, times: 1))
                }
            }
            return Case(
                name: name, question: question, scripts: [script], faults: faults,
                exercises: last != nil ? rules : rules.filter { $0 != "retry-backs-off" },
                touches: ["retry-storm", "states-delivered"]
                    + (isForNow ? ["retry-keeps-apns-id"] + (last != nil ? [] : ["retry-backs-off"]) : []),
                rests: isForNow ? 1 : 0, rest: rest)
        }
    }

    private func outage(
        _ name: String, _ question: String, _ reason: String, _ exercises: [String], _ touches: [String],
        needs: [Need] = []
    ) -> PlannedCase {
        planned(name, question, [needsDevice, needsEvent] + needs) {
            var script = opening()
            states(&script, 7)
            return Case(
                name: name, question: question, scripts: [script],
                faults: ["{ id: \(name), at: 2s, for: 500ms, action: { respond: { reason: \(reason) } } }"],
                exercises: exercises, touches: touches, rests: 1, rest: rest)
        }
    }

    /// An outage that outlasts three tries with waits of one and two seconds. Its length is our choice; P13 asks for waits that
    /// grow. Nothing newer takes the place of what came last.
    private var longOutage: PlannedCase {
        let question = "Is what came last told when APNs answers 503 to everything for six seconds?"
        return planned("long-outage", question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, 3)
            let (first, last, outage) = (script.shortest, Case.arrivals + script.duration, Interval.seconds(6))
            let fault = "{ id: long-outage, at: \(milliseconds(first)), for: \(milliseconds(last - first + outage)), "
            return Case(
                name: "long-outage", question: question, scripts: [script],
                faults: [fault + "action: { respond: { reason: ServiceUnavailable } } }"], exercises: ["states-delivered"],
                touches: ["living-token-kept", "retry-storm"], rests: 1, rest: rest, outage: outage)
        }
    }

    private func milliseconds(_ interval: Interval) -> String { "\(interval.nanoseconds / 1_000_000)ms" }

    private var expiredCredential: PlannedCase {
        let question = "When APNs answers 403 ExpiredProviderToken, is a new token signed, and sent by a new connection?"
        return planned("expired-credential", question, [needsDevice, needsEvent, needsProviderToken]) {
            var script = opening()
            // Long enough behind the answer that whoever goes on with the old token, or by the old connection, is seen to.
            states(&script, 12)
            // Several are under way at once, and all are told so. The connection goes on to serve: that it does not at Apple's
            // was observed only (P2), so nobody loses by it.
            return Case(
                name: "expired-credential", question: question, scripts: [script], sessions: 24,
                faults: [
                    "{ id: expired-credential, at: 2s, until-heals: new-provider-token, "
                        + "action: { respond: { reason: ExpiredProviderToken, delay: 150ms } } }"
                ],
                exercises: ["provider-token-renewed"], touches: ["expired-connection-left", "states-delivered"])
        }
    }

    var needsProviderToken: Need {
        Need(
            isThere: roles.profile.credential == .token,
            words: "the relay shows a certificate, and signs no provider token (`credential: certificate`)")
    }

    private var needsSandbox: Need {
        Need(
            isThere: knowsSandbox,
            words: roles.profile.environments == .one
                ? "the relay has one host of APNs (`environments: one`)"
                : "the relay is not told where the sandbox is (`{{mock.sandbox}}` in its `launch`)")
    }

    private func otherEnvironment(
        _ name: String, _ question: String, _ reason: String, _ rule: String, needs: [Need] = []
    ) -> PlannedCase {
        planned(name, question, [needsDevice, needsEvent, needsSandbox] + needs) {
            var script = opening()
            states(&script, 4)
            return Case(
                name: name, question: question, scripts: [script],
                faults: [
                    respond(
                        name, "{ reason: \(reason) }", match: "environment: production, tokenFraction: 0.5", perToken: false)
                ],
                needsBothEnvironments: true, exercises: [rule])
        }
    }

    private var otherHost: PlannedCase {
        otherEnvironment(
            "token-of-other-host", "Is a token that the one host does not know tried once at the other?", "BadDeviceToken",
            "bad-token-other-environment")
    }

    private var otherKey: PlannedCase {
        otherEnvironment(
            "key-of-other-host", "Does BadEnvironmentKeyInToken lead to one attempt at the other host, which is remembered?",
            "BadEnvironmentKeyInToken", "other-environment-once", needs: [needsProviderToken])
    }
}
