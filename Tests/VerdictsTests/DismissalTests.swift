// What the judge reads of the date at which a card goes.

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing

@testable import Verdicts

@Suite("The date at which a card goes")
struct DismissalTests {
    @Test("may be a number in any form, as to a phone", arguments: [
        ("1760000005", 1_760_000_005), ("1760000005.0", 1_760_000_005), ("1.760000005E9", 1_760_000_005),
        ("1760000005.9", 1_760_000_005), (#""1760000005""#, nil),
    ] as [(String, Int64?)])
    func date(text: String, seconds: Int64?) throws {
        try withDirectory { directory in
            let plan = try SyntheticRun(smallScenario, directory: directory).plan
            let observer = Observer(run: nil, content: ContentCheck(plan: plan), context: RunContext())
            let entry = PushEntry(
                id: 1, arrivedAt: Instant(nanoseconds: 1), token: "a1", pushType: "liveactivity", event: .end,
                payload: Array(#"{"aps":{"timestamp":1,"event":"end","dismissal-date":\#(text)}}"#.utf8))
            #expect(observer.observe(entry, nil, []).dismissal == seconds)
        }
    }
}
