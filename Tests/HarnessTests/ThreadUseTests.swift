// How busy a thread of ours was.

import Basics
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
}
