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

    @Test("a newer push that takes the place of the refused one asks both hosts anew, once and at once")
    func movedOn() {
        func told(at seconds: Double, then other: Double?) -> History {
            History.died(.activity, at: 14, status: 400, reason: "BadDeviceToken").with { history in
                history.call(30, .permission, at: seconds - 0.02)
                history.calls.sort { $0.sentAt < $1.sentAt }
                history.push(30, at: seconds, status: 400, reason: "BadDeviceToken")
                if let other {
                    history.push(30, at: other, status: 400, reason: "BadDeviceToken") { $0.environment = .sandbox }
                }
            }
        }
        let death = History.died(.activity, at: 14, status: 400, reason: "BadDeviceToken").pushes.first { $0.status == 400 }!
        let answered = Double((death.answeredAt - at(0)).nanoseconds) / 1e9
        #expect(told(at: answered + 0.5, then: answered + 0.6).findings("dead-token-dropped") == 0)
        #expect(told(at: answered + 0.5, then: nil).findings("dead-token-dropped") == 1)
        #expect(told(at: answered + 1.5, then: answered + 1.6).findings("dead-token-dropped") == 1)
        let again = told(at: answered + 0.5, then: answered + 0.6).with { $0.push(31, at: answered + 30) }
        #expect(again.findings("dead-token-dropped") == 1)
        let asked = told(at: answered + 0.5, then: answered + 0.6).with { history in
            history.push(4, at: answered + 0.1, status: 400, reason: "BadDeviceToken") { $0.environment = .sandbox }
            history.pushes.sort { $0.arrivedAt < $1.arrivedAt }
        }
        #expect(asked.findings("dead-token-dropped") == 2, "either host has said so")
    }
}
