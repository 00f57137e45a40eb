// What was refused for now, and whether it ever came again.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("The rule about pushes that come again")
struct RestRuleTests {
    /// The alert of second 15 is refused for now; the profile says nothing of how long it may rest.
    static func refused(status: UInt16 = 503, reason: String = "ServiceUnavailable", again: Double? = nil) -> History {
        History.honest.with { history in
            history.run.isSilentOfRest = true
            history.run.circumstances.rest = SheetFigures.restBehindFailure
            let index = history.pushes.firstIndex { $0.step == 4 && $0.type == .alert }!
            history.refuse(index, status: status, reason: reason)
            if let again { history.push(4, at: again, .alert) }
        }
    }

    @Test("one that never comes again breaks refused-comes-again, and one that comes keeps it", arguments: [
        (nil, 1), (15.6, 0), (26.5, 0),
    ] as [(Double?, Int)])
    func comes(again: Double?, expected: Int) {
        let history = Self.refused(again: again).with { $0.run.circumstances.end = at(60) }
        #expect(history.findings("refused-comes-again") == expected)
        #expect(RuleBook.rule(named: "refused-comes-again")?.level == .should)
    }

    @Test("nothing is said where the profile tells how long, where the run ends soon, or where nothing gets through any more")
    func silent() {
        #expect(Self.refused().with { $0.run.isSilentOfRest = false }.findings("refused-comes-again") == nil)
        #expect(Self.refused().with { $0.run.circumstances.end = at(26) }.findings("refused-comes-again") == nil)
        let away = Self.refused().with { history in
            history.run.circumstances.end = at(60)
            history.pushes.removeAll { $0.arrivedAt > at(15.01) }
        }
        #expect(away.findings("refused-comes-again") == nil)
    }
}
