// Tokens of one kind, and pushes of another.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("A token's kind")
struct TokenKindTests {
    /// Refused by APNs or not.
    @Test("an activity's push to a device token, or an alert to an activity's, breaks token-of-its-kind", arguments: [200, 400])
    func otherKind(status: UInt16) {
        #expect(History.honest.findings("token-of-its-kind") == 0)
        let update = History.honest.with { $0.push(9, at: 31, token: .device, status: status, reason: "DeviceTokenNotForTopic") }
        #expect(update.findings("token-of-its-kind") == 1)
        let alert = History.honest.with { history in
            history.push(9, at: 31, .alert, token: .start, status: status, reason: "DeviceTokenNotForTopic")
        }
        #expect(alert.findings("token-of-its-kind") == 1)
        #expect(History.honest.with { $0.push(9, at: 31, token: .stranger) }.findings("token-of-its-kind") == 0)
    }
}
