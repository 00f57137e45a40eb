// An organisation's calls in a minute.

import Basics
import Testing

@testable import ReferenceRelay

struct SendoraMeterTests {
    @Test func `so many in each minute of the clock, and each organisation its own`() {
        var meter = SendoraMeter()
        let noon = WallTime(seconds: 1_700_000_000 / 60 * 60)
        for _ in 0..<SendoraMeter.perMinute { #expect(meter.take("a", at: noon + .seconds(7)) == nil) }
        #expect(meter.take("a", at: noon + .seconds(7)) == 53 && meter.take("a", at: noon + .seconds(59)) == 1)
        #expect(meter.take("b", at: noon + .seconds(59)) == nil && meter.take("a", at: noon + .seconds(60)) == nil)
    }
}
