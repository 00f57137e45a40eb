// Sessions begin when the arithmetic says so.

import Basics
@testable import Planning
import Scenarios
import Testing

struct ArrivalsTests {
    private func arrivals(_ stages: ArrivalStage..., limit: Int = .max) -> Arrivals { Arrivals(stages, limit: limit) }

    @Test func `a constant rate spaces sessions evenly from the first instant on`() {
        let arrivals = arrivals(.constant(rate: 10, duration: .seconds(10)))
        #expect(arrivals.count == 100)
        #expect((0..<4).map { arrivals.start(of: $0).milliseconds } == [0, 100, 200, 300])
        #expect(arrivals.start(of: 99).milliseconds == 9_900)
    }

    @Test func `a ramp begins as many sessions as its area`() {
        let arrivals = arrivals(.ramp(from: 0, to: 100, duration: .seconds(10)))
        #expect(arrivals.count == 500)
        // The integral 5t² is 125 at 5 s.
        #expect(abs(arrivals.start(of: 125).seconds - 5) < 1e-6)
        #expect(abs(arrivals.start(of: 405).seconds - 9) < 1e-6)
    }

    @Test func `a ramp down mirrors the ramp up`() {
        let up = arrivals(.ramp(from: 2, to: 20, duration: .seconds(10)))
        let down = arrivals(.ramp(from: 20, to: 2, duration: .seconds(10)))
        #expect(up.count == 110 && down.count == 110)
        for index in 1..<110 {
            #expect(abs(up.start(of: index).seconds + down.start(of: 110 - index).seconds - 10) < 1e-6)
        }
    }

    @Test func `a ramp down to zero ends inside its stage`() {
        let arrivals = arrivals(.ramp(from: 100, to: 0, duration: .seconds(1)))
        #expect(arrivals.count == 50)
        #expect(arrivals.start(of: 49) < .seconds(1))
    }

    @Test func `stages follow each other and carry fractions over`() {
        let arrivals = arrivals(
            .constant(rate: 1, duration: .seconds(2.5)), .constant(rate: 0, duration: .seconds(10)),
            .constant(rate: 2, duration: .seconds(2)))
        // 2.5 sessions, a pause, then 4: the third half is completed a quarter second into the last stage.
        #expect(arrivals.count == 7)
        #expect(arrivals.start(of: 2).seconds == 2)
        #expect(abs(arrivals.start(of: 3).seconds - 12.75) < 1e-9)
        #expect(arrivals.duration == .seconds(14.5))
    }

    @Test func `times never fall`() {
        let arrivals = arrivals(
            .ramp(from: 0, to: 300, duration: .seconds(3)), .ramp(from: 300, to: 7, duration: .seconds(3)),
            .constant(rate: 7, duration: .seconds(3)))
        var last = Interval.zero
        for index in 0..<arrivals.count {
            let start = arrivals.start(of: index)
            #expect(start >= last)
            last = start
        }
        #expect(last < arrivals.duration)
    }

    @Test func `no more sessions begin than the limit says`() {
        #expect(arrivals(.constant(rate: 10, duration: .seconds(10)), limit: 7).count == 7)
        #expect(arrivals(.constant(rate: 1e9, duration: .seconds(1e6))).count == Int(UInt32.max))
    }

    @Test func `no rate means no sessions`() {
        #expect(arrivals().count == 0)
        #expect(arrivals(.constant(rate: 0, duration: .seconds(5))).count == 0)
    }

    @Test func `rounding invents no session`() {
        // 0.1 × 30 is 3.0000000000000004.
        #expect(arrivals(.constant(rate: 0.1, duration: .seconds(30))).count == 3)
    }

    @Test func `a burst begins all its sessions at one instant, and carries what a rate has left`() {
        let arrivals = arrivals(
            .constant(rate: 1, duration: .seconds(2.5)), .burst(10), .constant(rate: 0, duration: .seconds(5)), .burst(1),
            .constant(rate: 1, duration: .seconds(2)))
        // 2.5, then 10 and 1, then 2: the half that was left is made whole half a second into the last stage.
        #expect(arrivals.count == 16)
        #expect((3..<13).allSatisfy { arrivals.start(of: $0) == .seconds(2.5) })
        #expect(arrivals.start(of: 2) == .seconds(2) && arrivals.start(of: 13) == .seconds(7.5))
        #expect(arrivals.start(of: 14) == .seconds(8))
        #expect(self.arrivals(.burst(3)).count == 3 && self.arrivals(.burst(3)).start(of: 2) == .zero)
    }

    @Test func `instants of a file count from the beginning of their stage`() {
        let list = ArrivalList(name: "a.csv", instants: [.zero, .seconds(0.5), .seconds(0.5), .seconds(4)])
        let arrivals = arrivals(.constant(rate: 1, duration: .seconds(1.5)), .listed(list), .burst(1))
        #expect(arrivals.count == 7 && arrivals.duration == .seconds(5.5))
        #expect((2..<7).map { arrivals.start(of: $0).seconds } == [1.5, 2, 2, 5.5, 5.5])
    }

    @Test func `rates of events begin as many sessions as have those events`() {
        let stages = [ArrivalStage.constant(rate: 200, duration: .seconds(10), of: .events), .constant(rate: 5, duration: .seconds(2))]
        let arrivals = Arrivals(stages, limit: .max, eventsPerSession: 8)
        #expect(arrivals.count == 260)
        #expect(abs(arrivals.start(of: 25).seconds - 1) < 1e-9)
        #expect(Arrivals(stages, limit: .max, eventsPerSession: 0).count == 10)
    }
}
