// How busy a thread of ours was.

import Basics
import EventLoop
import Foundation
import Testing

@testable import Harness

@Suite("The busiest thread")
struct ThreadUseTests {
    @Test("is the one that used most of a processor, and not told of a load that was short")
    func busiest() {
        let start = ThreadUse(at: Instant(nanoseconds: 0))
        let until = Date().addingTimeInterval(0.3)
        var turns = 0
        while Date() < until { turns += 1 }
        #expect(turns > 0)
        // As if it had taken six seconds.
        let share = ThreadUse(at: Instant(nanoseconds: 6_000_000_000)).busiest(since: start)
        #expect(share > 5, "0.3 s of six are fifty thousandths, less what others took")
        #expect(ThreadUse(at: Instant(nanoseconds: 4_000_000_000)).busiest(since: start) == 0)
    }

    /// A wait for a disk uses no processor, and leaves a loop nothing to spare all the same.
    @Test("is a loop that was held up outside of its wait, and not one that had nothing to do")
    func heldUp() throws {
        let time = SystemTime()
        let idle = try LoopThread(name: "idle") { _ in 0 }
        let busy = try LoopThread(name: "held-up") { _ in 0 }
        defer {
            idle.stop()
            busy.stop()
        }
        #expect(idle.ask { $0 } == 0 && busy.ask { $0 } == 0)
        func rested() -> [Interval] { [idle, busy].map { $0.rested(by: time.now()) } }
        let (before, began) = (rested(), time.now())
        busy.ask { _ in Thread.sleep(forTimeInterval: 0.3) }
        let (after, took) = (rested(), time.now() - began)
        #expect(after[0] - before[0] > took * 0.5 && after[1] - before[1] < took * 0.5, "\(before) \(after) \(took)")
        func use(_ seconds: Int64, _ rested: [Interval]) -> ThreadUse {
            ThreadUse(at: Instant(nanoseconds: seconds * 1_000_000_000), rested: rested)
        }
        let start = use(0, [.seconds(1), .seconds(2)])
        #expect((495...505).contains(use(10, [.seconds(11), .seconds(7)]).busiest(since: start)))
    }
}
