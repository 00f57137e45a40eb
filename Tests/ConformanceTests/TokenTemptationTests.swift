// What puts a rule about dead tokens to the test.

import Basics
import Conformance
import Metrics
import Pushes
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

    /// The state at 13 may wait for the window's ten seconds; the phone takes its card back then.
    @Test("a token that is kept is put to the test by what a relay sends before the phone takes it back", arguments: [
        (23.25, nil), (23.26, 1),
    ] as [(Double, Int?)])
    func goodbye(seconds: Double, expected: Int?) {
        let history = History.oldReport.with { history in
            history.rows.removeAll { $0.step > 3 }
            history.pushes.removeAll { $0.step > 2 }
            history.call(7, .unregister, at: seconds)
            history.registers(7, .activity, .activity, isRegistration: false)
        }
        #expect(history.findings("old-410-ignored") == expected)
    }
}
