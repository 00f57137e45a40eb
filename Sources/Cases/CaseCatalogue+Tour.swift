// All that APNs may do to a relay, one thing after the other in one run: for a relay of which little is known.

import Basics
import Scenarios

extension CaseCatalogue {
    /// What speaks of tokens and requests first, then what a relay may not come back from.
    package var tour: PlannedCase {
        let question = "What does a relay make of refusals, of an outage, and of connections that go away?"
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
                exercises: ["relay-serves", "living-token-kept"], needsHostClock: true)
        }
    }

    /// Half a second and a little more apart, from the opening to some seconds behind the last fault.
    private static let tourEvents = 42
}
