// When a relay sent nothing to APNs behind failures of APNs.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A relay that stops behind a failure")
struct SilenceListTests {
    /// Pushes at those milliseconds, each with its status; 503 is a fault's.
    private func over(_ pushes: [(at: Int64, status: UInt16)], plannedAt: Int64 = 2_000, due: Int64 = 3_000) -> Instant? {
        var silences = Silences()
        for (at, status) in pushes {
            var story = Story()
            story.push(1, at: at, status: status) { if status == 503 { $0.faultRule = 4 } }
            silences.see(story.account.pushes[0], inFlight: .seconds(1))
        }
        return silences.over(plannedAt: instant(plannedAt), due: instant(due), rest: .seconds(60))
    }

    @Test("is silent until it goes on")
    func goesOn() {
        #expect(over([(1_000, 503), (9_000, 200)]) == instant(9_000))
        #expect(over([(1_000, 503)]) == instant(61_000))
    }

    @Test("is silent still while what it tries is refused, however often it tries", arguments: [1_200, 1_500, 3_000] as [Int64])
    func trials(gap: Int64) {
        let trials = (0..<5).map { (at: 1_000 + $0 * gap, status: UInt16(503)) }
        let end = trials.last!.at + 4_000
        #expect(over(trials + [(end, 200)]) == instant(end))
        #expect(over(trials + [(trials.last!.at + 1_500, 200)]) == nil, "so soon behind the last that it may have had nothing to say")
    }

    @Test("is not silent that goes on with others")
    func others() {
        #expect(over([(1_000, 503), (2_100, 200), (9_000, 200)]) == nil)
    }
}
