// All that APNs may do to a relay, one thing after the other in one run: for a relay of which little is known.

import Basics
import Scenarios

extension CaseCatalogue {
    /// What speaks of tokens and requests first, then what a relay may not come back from.
    package var tour: PlannedCase {
        let question = "What does a relay make of refusals, of an outage, and of connections that go away?"
        let isOfFCM = roles.anyEvent == nil || roles.device == nil && roles.activity == nil
        if isOfFCM, roles.message != nil { return messageTour(question) }
        return planned("tour", question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, Self.tourEvents)
            settle(&script, roles.final)
            func from(_ second: Double, _ rest: String) -> String { "{ at: \(Int(second * 1_000))ms, \(rest) }" }
            let once = "match: { \(refusable) }, per: token, times: 1"
            return Case(
                name: "tour", question: question, scripts: [script],
                faults: [
                    from(3, "id: bad-request, \(once), action: { respond: { reason: BadTopic } }"),
                    from(5, "id: too-many-requests, \(once), action: { respond: { reason: TooManyRequests } }"),
                    from(7.5, "id: outage, for: 500ms, action: { respond: { reason: ServiceUnavailable } }"),
                    from(
                        10, "id: dead-tokens, match: { \(refusable), tokenFraction: 0.5 }, "
                            + "action: { respond: { reason: Unregistered, timestamp: after-registration } }"),
                    from(14, "id: goaway, action: { goaway: { reason: Shutdown, last: none } }, times: 1"),
                    from(15.5, "id: refused-streams, action: { reset-stream: { code: REFUSED_STREAM } }, times: 2"),
                    from(17, "id: lost-connection, action: { close: { how: reset, when: before-answer } }, times: 1"),
                    from(
                        18.5, "id: expired-credential, until-heals: new-provider-token, "
                            + "action: { respond: { reason: ExpiredProviderToken, delay: 150ms } }"),
                ],
                exercises: ["relay-serves", "living-token-kept"], requestTimeout: Self.tourPatience, needsHostClock: true)
        }
    }

    /// The same of a relay that pushes to FCM alone. FCM asks for ten seconds behind what passes, so what is left comes apart.
    private func messageTour(_ question: String) -> PlannedCase {
        planned("tour", question, [needsApp, needsMessage]) {
            var script = messageOpening()
            messages(&script, Self.tourEvents)
            script.add(roles.messageEnd, after: .milliseconds(500))
            func from(_ second: Double, _ id: String, _ action: String, _ more: String = "", match: String = "") -> String {
                "{ at: \(Int(second * 1_000))ms, id: \(id), match: { provider: fcm\(match) }, action: { \(action) }\(more) }"
            }
            let once = ", per: token, times: 1"
            return Case(
                name: "tour", question: question, scripts: [script],
                faults: [
                    from(3, "bad-message", "respond: { reason: INVALID_ARGUMENT }", once),
                    from(5, "unavailable", "respond: { reason: UNAVAILABLE }", once),
                    from(9, "dead-registrations", "respond: { reason: UNREGISTERED }", match: ", tokenFraction: 0.5"),
                    from(13, "expired-access", "respond: { reason: ACCESS_TOKEN_EXPIRED }", ", times: 1"),
                    from(17, "lost-connection", "close: { how: reset, when: before-answer }", ", times: 1"),
                ],
                exercises: ["relay-serves", "living-registration-kept"], requestTimeout: Self.tourPatience, rests: 1,
                rest: .seconds(10), needsHostClock: true)
        }
    }

    /// A relay may hold its caller while a push of his rests.
    private static let tourPatience = Interval.seconds(30)

    /// Half a second and a little more apart, from the opening to some seconds behind the last fault.
    private static let tourEvents = 42
}
