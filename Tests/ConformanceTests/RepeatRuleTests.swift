// The rule about states that are told again unchanged.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("The rule about states that are told again")
struct RepeatRuleTests {
    /// A state and as many times the same again, each of which is pushed.
    static func toldAgain(_ count: UInt32) -> History {
        var history = History()
        history.call(0, .registerActivity, at: 0)
        history.registers(0, .activity, .activity)
        for step in 1...(count + 1) {
            history.call(step, .progress, at: Double(step))
            history.expect(step, .progress, at: Double(step), flags: .mayRepeat)
            history.rows[history.rows.count - 1].saying = 7
            history.push(step, at: Double(step) + 0.02)
        }
        history.run.circumstances.repeats = RepeatTerms(window: nil)
        return history
    }

    private func history(without steps: Set<UInt32>) -> History {
        Self.toldAgain(3).with { history in history.pushes.removeAll { steps.contains($0.step) } }
    }

    @Test("holds where each is pushed, or none")
    func alike() {
        #expect(history(without: []).isKept("repeats-alike"))
        #expect(history(without: [2, 3, 4]).isKept("repeats-alike"))
    }

    @Test("is broken where some are pushed", arguments: [[2], [3], [2, 4]] as [Set<UInt32>])
    func alternating(without: Set<UInt32>) {
        #expect(history(without: without).findings("repeats-alike") == 1)
    }

    @Test("says nothing of one repetition, of states that differ, and without a word of the profile")
    func silent() {
        #expect(Self.toldAgain(1).findings("repeats-alike") == nil)
        let other = history(without: [3]).with { $0.rows[2].saying = 8 }
        #expect(other.findings("repeats-alike") == nil)
        #expect(history(without: [3]).with { $0.run.circumstances.repeats = nil }.findings("repeats-alike") == nil)
    }

    @Test("does not count what we may have kept from coming")
    func ours() {
        let down = history(without: [3]).with { history in
            history.run.circumstances.outages = [Circumstances.Outage(from: at(3.01), until: at(3.05))]
        }
        #expect(down.findings("repeats-alike") == 0)
        let refused = Self.toldAgain(3).with { history in
            let index = history.pushes.firstIndex { $0.step == 3 }!
            (history.pushes[index].status, history.pushes[index].faultRule) = (503, 1)
        }
        #expect(refused.findings("repeats-alike") == 0)
    }

    @Test("does not count what a newer state has replaced, where it may", arguments: [true, false])
    func replaced(mayBe: Bool) {
        let replaced = Self.toldAgain(3).with { history in
            history.call(5, .progress, at: 4.2)
            history.expect(5, .progress, at: 4.2)
            history.push(5, at: 4.22)
            history.pushes.removeAll { $0.step == 4 }
            let last = history.rows.firstIndex { $0.step == 4 }!
            if mayBe { history.rows[last].flags.insert(.mayBeSuperseded) }
        }
        #expect(replaced.findings("repeats-alike") == (mayBe ? 0 : 1))
    }
}
