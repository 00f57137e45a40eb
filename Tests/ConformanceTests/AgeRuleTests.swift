// Activities that grow too old, and the end that they are owed.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about the age of activities")
struct AgeRuleTests {
    private static let rule = "aged-activity-ended"

    /// Registered at 1, shown at 4, ended at its age of 28,740 s; questions after that reach nobody.
    static func aged(at end: Double? = 28_741, _ turn: (inout SeenPush) -> Void = { _ in }) -> History {
        var history = History()
        history.run.circumstances.ageing = AgeTerms(after: .seconds(28_740), within: .seconds(60))
        history.call(0, .register, at: 0)
        history.registers(0, .device, .device)
        history.call(1, .registerActivity, at: 1)
        history.registers(1, .activity, .activity)
        history.call(2, .progress, at: 4)
        history.expect(2, .progress, at: 4, flags: [.mayBeSuperseded])
        history.push(2, at: 4.02)
        history.call(3, .permission, at: 29_400)
        history.expect(3, .permission, at: 29_400)
        if let end {
            history.push(2, at: end, event: .end) { push in
                push.flags = .gavePriority
                push.outcome = .ended
                turn(&push)
            }
        }
        return history
    }

    @Test("an end at its age keeps them all", arguments: [rule, "nothing-unexpected", "states-delivered", "activity-event-fits"])
    func kept(rule: String) { #expect(Self.aged().findings(rule) ?? 0 == 0) }

    @Test("it may bear the marker of what is shown, and says something else")
    func marked() {
        let history = Self.aged { $0.flags.insert(.isMarked) }
        for rule in [Self.rule, "nothing-unexpected", "content-unchanged", "no-duplicate-push", "activity-event-fits"] {
            #expect(history.findings(rule) ?? 0 == 0, "\(rule)")
        }
    }

    @Test("one that lives on is found")
    func livesOn() { #expect(Self.aged(at: nil).findings(Self.rule) == 1) }

    @Test("one that is ended late is found, and nothing else is said of it")
    func late() {
        let history = Self.aged(at: 28_900)
        #expect(history.findings(Self.rule) == 1 && history.findings("nothing-unexpected") == 0)
    }

    @Test("one that is ended early was not called for")
    func early() {
        let history = Self.aged(at: 20_000)
        #expect(history.findings(Self.rule) == 1 && history.findings("nothing-unexpected") == 1)
    }

    @Test("an end that says nothing of it is found")
    func unsaid() {
        let history = Self.aged()
        let text = history.text("/aps/content-state/status is working, not error")
        let spoilt = history.with { $0.pushes[1].startLack = text }
        #expect(spoilt.findings(Self.rule) == 1)
    }

    @Test("what follows the end is found by the rule for it")
    func goesOn() {
        let history = Self.aged().with { $0.push(3, at: 29_400.02) }
        #expect(history.findings("nothing-after-end") == 1)
    }

    @Test("nothing is asked where it was not to be: no such profile, a session that is over, a run that ended")
    func untested() {
        let none = Self.aged()
        none.run.circumstances.ageing = nil
        #expect(none.findings(Self.rule) == nil)
        let over = Self.aged(at: nil).with { history in
            history.call(4, .unregister, at: 20_000)
            history.registers(4, .activity, .activity, isRegistration: false)
        }
        #expect(over.findings(Self.rule) == nil)
        let short = Self.aged(at: nil)
        short.run.circumstances.end = at(28_700)
        #expect(short.findings(Self.rule) == nil)
    }

    @Test("a relay that we held down then has as much time again when it is back", arguments: [(nil, 1), (28_790, 0), (29_400, 1)] as [(Double?, Int)])
    func heldDown(end: Double?, findings: Int) {
        let history = Self.aged(at: end)
        history.run.circumstances.outages = [Circumstances.Outage(from: at(28_700), until: at(28_750))]
        #expect(history.findings(Self.rule) == findings)
    }

    @Test("an end that was refused is none, and comes again behind a pause", arguments: [
        (nil, 1), (29_700, 0), (36_000, 1),
    ] as [(Double?, Int)])
    func refused(again: Double?, findings: Int) {
        let history = Self.aged { push in
            (push.status, push.outcome, push.faultRule) = (503, nil, 1)
        }.with { history in
            guard let again else { return }
            history.push(2, at: again, event: .end) { push in
                push.flags = .gavePriority
                push.outcome = .ended
            }
        }
        #expect(history.findings(Self.rule) == findings, "\(history.verdict(of: Self.rule))")
    }

    @Test("a card that is gone when its end comes is over")
    func gone() {
        let history = Self.aged()
        let reason = history.text("Unregistered")
        let gone = history.with { history in
            let end = history.pushes.count - 1
            (history.pushes[end].status, history.pushes[end].outcome, history.pushes[end].reason) = (410, nil, reason)
        }
        #expect(gone.findings(Self.rule) == 0)
    }
}
