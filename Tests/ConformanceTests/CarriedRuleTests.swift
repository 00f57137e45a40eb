// Rules about states that are told piece by piece.

import Metrics
import Testing

@testable import Conformance

@Suite("States told piece by piece:")
struct CarriedRuleTests {
    /// The second state shows what nobody said, and less than the first.
    private static var wrong: History {
        History.honest.with { history in
            history.run.carriesValues = true
            history.pushes[1].lapse = history.text("/progress is 0, not 0.6")
            history.pushes[1].fall = history.text("/progress fell from 0.6 to 0")
        }
    }

    private static let rules = ["omitted-values-kept", "values-never-fall"]

    @Test("one push that shows something else breaks the rule", arguments: rules)
    func broken(id: String) throws {
        let verdict = Self.wrong.verdict(of: id)
        guard case .broken(let findings, 1) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(findings[0].seen.hasPrefix("/progress") && findings[0].step == 3)
    }

    @Test("nothing is asked of a relay whose profile carries nothing", arguments: rules)
    func unasked(id: String) {
        let history = Self.wrong
        history.run.carriesValues = false
        #expect(history.verdict(of: id) == .notExercised)
    }

    @Test("a push that was refused has shown nothing", arguments: rules)
    func refused(id: String) {
        let history = Self.wrong.with { $0.pushes[1].status = 503 }
        #expect(history.isKept(id))
    }

    /// Whether the relay has taken in a call that was not answered, nobody knows.
    @Test("behind a call that failed nothing is judged", arguments: rules)
    func doubtful(id: String) {
        let history = Self.wrong.with { $0.calls[2].wasTaken = false }
        #expect(!history.verdict(of: id).isBroken)
        // The push of the failed call itself shows what it said, and what was before it.
        let own = Self.wrong.with { $0.calls[3].wasTaken = false }
        #expect(own.findings(id) == 1)
    }
}
