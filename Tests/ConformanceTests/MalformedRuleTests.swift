// Rules about malformed requests: who is answered, and whom such a request reaches.

import Basics
import Journal
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("Malformed requests")
struct MalformedRuleTests {
    /// A form with a wrong value, and one that leaves something out: both are refused.
    static var refused: History {
        var history = History()
        history.isMalformed = true
        history.run.malformedKinds = [Kind.progress.rawValue, Kind.permission.rawValue]
        history.run.omittingKinds = [Kind.permission.rawValue]
        history.call(1, .progress, at: 1, status: 400) { $0.wasTaken = true }
        history.call(2, .permission, at: 2, status: 400) { $0.wasTaken = true }
        return history
    }

    @Test("are to be answered, and by no 500", arguments: [
        (UInt16(400), 0), (200, 0), (429, 0), (500, 1), (501, 1), (502, 0), (503, 0), (504, 0), (0, 1),
    ])
    func answered(status: UInt16, findings: Int) {
        let history = Self.refused.with { history in
            history.calls[0].status = status
            if status == 0 { history.calls[0].failure = EventFailure.timeout.rawValue }
        }
        #expect(history.findings("malformed-answered") == findings)
    }

    @Test("are not asked of a relay that we hold down, nor of one that lost a connection to the provider meanwhile")
    func excused() {
        let unanswered = Self.refused.with { history in
            (history.calls[0].status, history.calls[0].failure) = (0, EventFailure.timeout.rawValue)
        }
        #expect(unanswered.findings("malformed-answered") == 1)
        #expect(unanswered.with { $0.run.noteTrouble(from: at(3), to: at(3)) }.findings("malformed-answered") == 0)
        #expect(unanswered.with { $0.calls[0].failure = 0 }.findings("malformed-answered") == 0, "nothing is known of its end")
        let failed = Self.refused.with { $0.calls[0].status = 500 }
        #expect(failed.with { $0.run.noteTrouble(from: at(1), to: at(1)) }.findings("malformed-answered") == 1)
    }

    /// One push of the call with that step, to a token of `owner`'s, which is one more than the user's number; 0: nobody's.
    private func reached(_ step: UInt32, owner: UInt32) -> History {
        Self.refused.with { history in
            var other = History()
            other.push(step, at: 1.1, .alert) { $0.owner = owner }
            history.run.malformedPushes.add(other.pushes[0])
        }
    }

    @Test("reach nobody else, whether they say something wrong or nothing")
    func reach() {
        for (step, rule, other) in [
            (UInt32(1), "malformed-reaches-nobody-else", "omission-reaches-nobody-else"),
            (2, "omission-reaches-nobody-else", "malformed-reaches-nobody-else"),
        ] {
            #expect(reached(step, owner: 5).findings(rule) == 1 && reached(step, owner: 5).findings(other) == 0)
            #expect(reached(step, owner: 0).findings(rule) == 0)
        }
        #expect(reached(7, owner: 5).findings("malformed-reaches-nobody-else") == 0, "of no malformed call")
    }

    @Test("name the call that the relay did not outlive")
    func death() {
        let history = History.honest
        history.run.deaths = [RunContext.Death(at: at(20), how: "exited with code 70", lastLines: "")]
        func message() -> String? {
            guard case .broken(let findings, _) = history.verdict(of: "relay-serves") else { return nil }
            return findings.first?.message
        }
        #expect(message() == "the relay ended by itself")
        var calls = History()
        for (step, sent) in [(UInt32(1), 18.0), (2, 19.99), (3, 20.5)] { calls.call(step, .progress, at: sent, status: 0) }
        calls.calls[1].kind = Kind.permission.rawValue
        for call in calls.calls { history.run.learn(cutOff: call) }
        #expect(message() == "the relay ended by itself while it was asked `permission`")
    }
}
