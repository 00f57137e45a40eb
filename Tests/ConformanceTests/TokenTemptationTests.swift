// What puts a rule about dead tokens to the test.

import Basics
import Conformance
import Metrics
import Testing

@Suite("Dead tokens are a test")
struct TokenTemptationTests {
    /// One that is down, or refuses its caller, has nothing to send to anybody.
    @Test("a rule about dead tokens is put to the test by calls that the relay answers, be it that there is no card", arguments: [
        (200, 0), (404, 0), (409, 0), (410, 0), (0, nil), (401, nil), (503, nil),
    ] as [(UInt16, Int?)])
    func asked(status: UInt16, expected: Int?) {
        let history = History.died(.activity, at: 14).with { history in
            for index in history.calls.indices where history.calls[index].sentAt > at(14) {
                (history.calls[index].status, history.calls[index].wasTaken) = (status, status == 200)
                if status == 0 { history.calls[index].answeredAt = Instant(nanoseconds: 0) }
            }
        }
        #expect(history.findings("dead-token-dropped") == expected)
    }
}
