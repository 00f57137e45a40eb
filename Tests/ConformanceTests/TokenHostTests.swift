// Tokens that neither of Apple's hosts knows.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about tokens of two hosts")
struct TokenHostTests {
    @Test("where both hosts are asked in turn, the next push to the first one breaks dead-token-dropped")
    func bothHosts() {
        let dead = History.died(.activity, at: 14, status: 400, reason: "BadDeviceToken").with { history in
            history.push(3, at: 15.3, status: 400, reason: "BadDeviceToken") { $0.environment = .sandbox }
        }
        #expect(dead.findings("dead-token-dropped") == 0)
        #expect(dead.with { $0.push(5, at: 24.02) }.findings("dead-token-dropped") == 1)
    }
}
