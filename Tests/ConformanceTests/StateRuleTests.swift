// Rules about the tokens that a relay holds.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

private func instant(_ seconds: Double) -> Instant { at(seconds) }

extension History {
    /// An activity dies at second 14; the tables hold it until then, and the phone's tokens to the end. A look each second.
    static var looked: History { looked() }

    /// `keepsDead`: the row stays. `losesDevice`: that of the device goes with it.
    static func looked(
        keepsDead: Bool = false, losesDevice: Bool = false, losesStart: Bool = false, _ died: History = .died(.activity, at: 14)
    ) -> History {
        let history = died
        var held = HeldTokens()
        for second in 0..<40 {
            var (added, removed) = ([(Lane.Role, TokenHash)](), [(Lane.Role, TokenHash)]())
            if second == 0 { added = [(.device, .device), (.start, .start)] }
            if second == 2 { added = [(.activity, .activity)] }
            if second == 15, !keepsDead { removed = [(.activity, .activity)] }
            if second == 15, losesStart { removed.append((.start, .start)) }
            if second == 15, losesDevice { removed.append((.device, .device)) }
            held.look(
                began: instant(Double(second) + 0.5), ended: instant(Double(second) + 0.51), id: UInt64(5_000 + second),
                roles: [.activity, .start, .device], added: added, removed: removed)
        }
        history.run.held = held
        return history
    }
}

@Suite("What the tables hold:")
struct StateRuleTests {
    @Test("an honest relay's keep both rules")
    func honest() {
        #expect(History.looked.verdict(of: "dead-token-forgotten") == .kept(evidenceCount: 1))
        #expect(History.looked.isKept("living-token-held"), "\(History.looked.verdict(of: "living-token-held"))")
    }

    @Test("a dead token that stays is found, though nothing is pushed to it")
    func dead() {
        let history = History.looked(keepsDead: true)
        #expect(history.findings("dead-token-forgotten") == 1 && !history.verdict(of: "dead-token-dropped").isBroken)
    }

    @Test("a living token that goes with it is found")
    func living() {
        #expect(History.looked(losesDevice: true).findings("living-token-held") == 1)
    }

    @Test("a start token may go with the device's, whose row may hold both, and not without it")
    func startToken() {
        #expect(History.looked(losesStart: true).findings("living-token-held") == 1)
        let gone = History.looked(keepsDead: true, losesDevice: true, losesStart: true, .died(.device, at: 14))
        #expect(gone.findings("living-token-held") == 0, "\(gone.verdict(of: "living-token-held"))")
        #expect(History.looked(keepsDead: true, losesStart: true, .died(.device, at: 24)).findings("living-token-held") == 1, "it went before")
    }

    @Test("a token that came back and died again is asked for")
    func deadTwice() {
        let twice = { (keepsDead: Bool) in
            History.looked(keepsDead: keepsDead).with { history in
                history.call(30, .registerActivity, at: 20)
                history.registers(30, .activity, .activity)
                history.push(5, at: 24.02, status: 410, reason: "Unregistered")
            }
        }
        #expect(twice(true).findings("dead-token-forgotten") == 1)
        #expect(twice(false).findings("dead-token-forgotten") == 0)
    }

    @Test("nothing is said where the tables were not asked, nor of what was registered again")
    func unasked() {
        let history = History.looked(keepsDead: true)
        history.run.held = nil
        #expect(history.verdict(of: "dead-token-forgotten") == .notExercised)
        let again = History.looked(keepsDead: true).with { history in
            history.call(30, .registerActivity, at: 20)
            history.registers(30, .activity, .activity)
        }
        #expect(!again.verdict(of: "dead-token-forgotten").isBroken)
        let down = History.looked(keepsDead: true)
        down.run.circumstances.outages = [.init(from: instant(14), until: instant(17))]
        #expect(down.verdict(of: "dead-token-forgotten") == .notExercised)
    }
}
