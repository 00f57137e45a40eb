// A provider token that the mock itself called expired.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("A provider token that was called expired")
struct CalledExpiredTests {
    @Test("the mock's own 403 grants no minute, unless its clock was not the relay's")
    func calledExpired() {
        func findings(
            _ age: Int64, word: String = "ExpiredProviderToken", _ turn: (inout Circumstances) -> Void = { _ in }
        ) -> Int? {
            let history = ProviderTokenRuleTests.anHour(age).with { history in
                let last = history.pushes.count - 1
                (history.pushes[last].status, history.pushes[last].reason) = (403, history.text(word))
            }
            turn(&history.run.circumstances)
            return history.findings("provider-token-fresh")
        }
        #expect(findings(3_601) == 1 && findings(3_600) == 0)
        #expect(findings(3_601, word: "InvalidProviderToken") == 0)
        #expect(findings(3_601) { $0.clockSkew = .seconds(5) } == 0)
        #expect(findings(3_601) { $0.isWallTimeSet = true } == 0)
        #expect(findings(3_624) { $0.pace = 120 } == 0 && findings(3_625) { $0.pace = 120 } == 1, "a fifth of our second")
    }
}
