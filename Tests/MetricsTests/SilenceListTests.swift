// When a relay sent nothing to APNs behind failures of APNs.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A relay that stops behind a failure")
struct SilenceListTests {
    /// Pushes at those milliseconds, each with its status; 503 is a fault's.
    private func over(
        _ pushes: [(at: Int64, status: UInt16)], plannedAt: Int64 = 2_000, due: Int64 = 3_000, end: Int64 = 100_000,
        ofOne: Bool = true, processes: Int = 1
    ) -> Instant? {
        var silences = Silences()
        for (number, (at, status)) in pushes.enumerated() {
            var story = Story()
            story.push(ofOne ? 1 : UInt32(number), at: at, status: status) { if status == 503 { $0.faultRule = 4 } }
            silences.see(story.account.pushes[0], inFlight: .seconds(1), processes: processes)
        }
        var circumstances = Circumstances()
        circumstances.rest = .seconds(60)
        circumstances.end = instant(end)
        return silences.over(plannedAt: instant(plannedAt), due: instant(due), circumstances)
    }

    @Test("is silent until it goes on")
    func goesOn() {
        #expect(over([(1_000, 503), (9_000, 200)]) == instant(9_000))
        #expect(over([(1_000, 503)]) == instant(61_000))
        #expect(over([(1_000, 503)], end: 2_900) == nil, "it may not last")
        #expect(over([(1_000, 503), (9_000, 200)], plannedAt: 9_001, due: 14_000) == nil)
    }

    @Test("is silent still while what it tries is refused, however often it tries", arguments: [1_200, 1_500, 3_000] as [Int64])
    func trials(gap: Int64) {
        let trials = (0..<5).map { (at: 1_000 + $0 * gap, status: UInt16(503)) }
        let end = trials.last!.at + 4_000
        #expect(over(trials + [(end, 200)]) == instant(end))
        #expect(over(trials + [(trials.last!.at + 1_500, 200)]) == instant(trials.last!.at + 1_500))
    }

    @Test("is not silent that goes on with others")
    func others() {
        #expect(over([(1_000, 503), (2_100, 200), (9_000, 200)]) == nil)
    }

    @Test("is not silent whose pushes go on, though one in five is refused", arguments: [3_000, 12_000] as [Int64])
    func mixed(end: Int64) {
        let pushes = stride(from: Int64(1_000), to: end, by: 100).map { (at: $0, status: UInt16($0 % 500 == 0 ? 503 : 200)) }
        #expect(over(pushes, due: 9_000, end: end) == nil)
    }

    @Test("was silent between two others")
    func between() {
        let pushes: [(at: Int64, status: UInt16)] = [
            (1_000, 503), (5_000, 200), (20_000, 503), (29_000, 200), (40_000, 503), (49_000, 200),
        ]
        #expect(over(pushes, plannedAt: 25_000, due: 30_000) == instant(29_000))
        #expect(over(pushes, plannedAt: 30_000, due: 35_000) == nil)
    }

    @Test("is not silent that goes on with what is refused, whatever else it keeps back", arguments: [
        (100, false, 1, true), (900, false, 1, true), (1_000, false, 1, false), (100, true, 1, false), (900, false, 2, false),
    ] as [(Int64, Bool, Int, Bool)])
    func hammers(gap: Int64, ofOne: Bool, processes: Int, isOn: Bool) {
        let trials = stride(from: Int64(1_000), to: 61_000, by: Int(gap)).map { (at: $0, status: UInt16(503)) }
        let over = over(trials + [(61_000, 200)], plannedAt: 30_000, due: 35_000, ofOne: ofOne, processes: processes)
        #expect(over == (isOn ? nil : instant(61_000)))
    }

    @Test("was silent until it went on with what is refused")
    func untilFlood() {
        let flood = stride(from: Int64(20_000), to: 30_000, by: 100).map { (at: $0, status: UInt16(503)) }
        let pushes = [(at: Int64(1_000), status: UInt16(503)), (5_000, 503)] + flood
        #expect(over(pushes, ofOne: false) == instant(20_000))
        #expect(over(pushes, plannedAt: 24_000, due: 26_000, ofOne: false) == nil)
    }
}
