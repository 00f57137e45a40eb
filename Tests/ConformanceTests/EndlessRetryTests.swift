// Relays that never stop asking.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("A relay that asks again and again")
struct EndlessRetryTests {
    /// One push, refused so many times at one pace.
    private func refused(
        _ attempts: Int, every seconds: Double, status: UInt16 = 503, reason: String = "ServiceUnavailable"
    ) -> History {
        History.honest.with { history in
            history.refuse(0, status: status, reason: reason)
            for number in 1..<attempts {
                history.push(2, at: 2.02 + seconds * Double(number), status: status, reason: reason) { $0.faultRule = 1 }
            }
        }
    }

    @Test("ten attempts of a push within a minute are enough: more break retry-backs-off", arguments: [
        (10, 5.0, 0), (11, 5, 1), (11, 6, 1), (12, 6.1, 0), (20, 0.6, 1), (30, 0.6, 2),
    ] as [(Int, Double, Int)])
    func backsOff(attempts: Int, seconds: Double, findings: Int) {
        #expect(refused(attempts, every: seconds).findings("retry-backs-off") == findings)
    }

    @Test("a pause that we ended the relay in is forgotten, and no storm crosses that")
    func ended() {
        func findings(_ rule: String, down: ClosedRange<Double>? = nil) -> Int? {
            let history = refused(5, every: 0.2)
            if let down { history.run.circumstances.outages = [.init(from: at(down.lowerBound), until: at(down.upperBound))] }
            return history.findings(rule)
        }
        #expect(findings("retry-storm") == 2 && findings("retry-storm", down: 2.43...2.6) == 0)
        #expect(findings("retry-backs-off") == 4 && findings("retry-backs-off", down: 2.43...2.6) == 3)
    }

    @Test("and sixty break retry-storm", arguments: [(60, 0.9, 0), (61, 0.9, 1), (61, 1.01, 0), (200, 0.51, 3)] as [(Int, Double, Int)])
    func storm(attempts: Int, seconds: Double, findings: Int) {
        #expect(refused(attempts, every: seconds).findings("retry-storm") == findings)
    }

    @Test("also for a provider token that is called invalid, and not for what has rules of its own", arguments: [
        (403, "InvalidProviderToken", 1), (403, "Forbidden", 0), (429, "TooManyRequests", 1), (400, "BadTopic", 0),
    ] as [(UInt16, String, Int)])
    func reasons(status: UInt16, reason: String, findings: Int) {
        #expect(refused(70, every: 0.6, status: status, reason: reason).findings("retry-storm") == findings)
    }

    @Test("connections that are lost again and again may take a push along ten times a second", arguments: [(9, 0), (10, 1), (11, 2)])
    func cut(times: Int, findings: Int) {
        let history = History.honest.with { history in
            history.pushes[0].status = 0
            for number in 1...times {
                history.push(2, at: 2.02 + 0.05 * Double(number), status: number < times ? 0 : 200) { $0.faultRule = 1 }
            }
        }
        #expect(history.findings("retry-storm") ?? 0 == findings)
    }
}
