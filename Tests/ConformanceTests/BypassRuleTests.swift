// States that are not to be coalesced, while the throttle's window is open.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("The rule about what the throttle may not hold up")
struct BypassRuleTests {
    private static let rule = "urgent-states-not-held"

    /// Four times a progress, and a question two seconds behind it. `waits`: how long after its alert each question came.
    private func asked(_ waits: [Double] = [0.02, 0.02, 0.02, 0.02], rest: Double = 8) -> History {
        var history = History()
        history.call(0, .register, at: 0)
        history.registers(0, .device, .device)
        history.call(1, .registerActivity, at: 1)
        history.registers(1, .activity, .activity)
        for (turn, wait) in waits.enumerated() {
            let (step, start) = (UInt32(2 + 2 * turn), 30 * Double(turn + 1))
            history.call(step, .progress, at: start)
            history.expect(step, .progress, at: start, flags: [.mayBeSuperseded, .isThrottled])
            history.push(step, at: start)
            let asked = start + 10 - rest
            history.call(step + 1, .permission, at: asked)
            history.expect(step + 1, .permission, at: asked, .alert, deadline: 20)
            history.expect(step + 1, .permission, at: asked, deadline: 20)
            history.push(step + 1, at: asked, .alert)
            history.push(step + 1, at: asked + wait)
        }
        return history
    }

    @Test("what leaves at once is fine, and puts the rule to the test each time")
    func honest() { #expect(asked().verdict(of: Self.rule) == .kept(evidenceCount: 4)) }

    @Test("more than half of one kind, and three at least, came when the window was over", arguments: [
        ([8, 8, 8, 8], 4), ([8, 8, 8, 0.02], 3), ([8, 8, 0.02], 0), ([8, 8, 8], 3), ([8, 8, 8, 0, 0, 0], 0),
        // Nine tenths of the window: 7 s after the question.
        ([7, 7, 7], 3), ([6.99, 6.99, 6.99], 0),
    ] as [([Double], Int)])
    func waiting(waits: [Double], expected: Int) { #expect(asked(waits).findings(Self.rule) == expected) }

    @Test("where little of the window is left, nothing tells a wait from slowness", arguments: [(5.0, 3), (4.99, nil)] as [(Double, Int?)])
    func rest(seconds: Double, expected: Int?) {
        #expect(asked([seconds, seconds, seconds], rest: seconds).findings(Self.rule) == expected)
    }

    /// Questions without any progress, each two seconds behind the one before it, that came so long after that one.
    private func chain(_ gap: Double) -> History {
        var history = History()
        history.call(0, .register, at: 0)
        history.registers(0, .device, .device)
        history.call(1, .registerActivity, at: 1)
        history.registers(1, .activity, .activity)
        var last = 100.0
        for turn in 0..<4 {
            let (step, asked) = (UInt32(2 + turn), turn == 0 ? 100 : last + 2)
            history.call(step, .permission, at: asked)
            history.expect(step, .permission, at: asked, .alert, deadline: 20)
            history.expect(step, .permission, at: asked, deadline: 20)
            history.push(step, at: asked, .alert)
            last = turn == 0 ? asked : last + gap
            history.push(step, at: last)
        }
        return history
    }

    @Test("a question waits for no other's window either", arguments: [(2.02, 0), (8.9, 0), (9, 3), (10, 3)])
    func questions(gap: Double, expected: Int) { #expect(chain(gap).findings(Self.rule) == expected) }

    /// Two sessions of one user that ask in turn, half a second apart: the second's questions come so long after the first's.
    private func neighbours(_ gap: Double, turns: Int = 4) -> History {
        var history = History()
        history.call(0, .register, at: 0)
        history.registers(0, .device, .device)
        for (session, token) in [(1, .activity), (2, .activity2)] as [(UInt32, TokenHash)] {
            history.call(1, .registerActivity, at: 1, session: session)
            history.registers(1, token, .activity, session: session)
            for turn in 0..<turns {
                let (step, asked) = (UInt32(2 + turn), 100 + 20 * Double(turn) + (session == 1 ? 0 : 0.5))
                history.call(step, .permission, at: asked, session: session)
                history.expect(step, .permission, at: asked, token: token, deadline: 20, session: session)
                history.push(step, at: session == 1 ? asked : asked - 0.5 + gap, token: token, session: session)
            }
        }
        return history
    }

    @Test("nor for that of the user's other session", arguments: [
        (0.52, 4, 0), (8.9, 4, 0), (9, 4, 4), (10, 4, 4), (10, 3, 3), (10, 2, 0),
    ] as [(Double, Int, Int)])
    func others(gap: Double, turns: Int, findings: Int) {
        #expect(neighbours(gap, turns: turns).findings(Self.rule) == findings)
    }

    @Test("where a fault met the other session, or APNs was in trouble, it proves nothing")
    func troubledNeighbour() {
        let refused = neighbours(10).with { history in
            let first = history.pushes.firstIndex { $0.session == 1 }!
            history.pushes[first].faultRule = 1
        }
        #expect(refused.findings(Self.rule) == nil)
        let trouble = neighbours(10)
        trouble.run.noteTrouble(from: at(100), to: at(170))
        #expect(trouble.findings(Self.rule) == nil)
    }

    @Test("questions that wait for each other are found among those that progress makes wait for nothing")
    func mixed() {
        // Behind each progress a question that leaves at once, and two seconds later one that waits for the first.
        let history = asked().with { history in
            for turn in 0..<4 {
                let (step, first) = (UInt32(3 + 2 * turn), 30 * Double(turn + 1) + 2.02)
                history.call(step + 40, .permission, at: first + 2)
                history.expect(step + 40, .permission, at: first + 2, deadline: 20)
                history.push(step + 40, at: first + 10)
            }
        }
        #expect(history.findings(Self.rule) == 4)
        let message = history.verdict(of: Self.rule).findings.first?.message
        #expect(message?.contains("behind the session's state before it") == true)
    }

    @Test("the wait counts from the alert's answer")
    func alert() {
        let late = asked([8, 8, 8]).with { history in
            for index in history.pushes.indices where history.pushes[index].type == .alert {
                history.pushes[index].arrivedAt = history.pushes[index].arrivedAt + .seconds(4.5)
                history.pushes[index].answeredAt = history.pushes[index].arrivedAt
            }
        }
        #expect(late.findings(Self.rule) == nil)
        #expect(asked([8, 8, 8]).with { $0.pushes.removeAll { $0.type == .alert } }.findings(Self.rule) == nil)
    }

    @Test("a relay that is slow where nothing holds it up proves nothing", arguments: [(2.49, 3), (2.51, nil)] as [(Double, Int?)])
    func slow(seconds: Double, expected: Int?) {
        // Long behind each window a question that nobody holds back.
        let history = asked([8, 8, 8]).with { history in
            for turn in 0..<3 {
                let (step, asked) = (UInt32(20 + turn), 200 + 20 * Double(turn))
                history.call(step, .permission, at: asked)
                history.expect(step, .permission, at: asked, .alert)
                history.expect(step, .permission, at: asked)
                history.push(step, at: asked, .alert)
                history.push(step, at: asked + seconds)
            }
        }
        #expect(history.findings(Self.rule) == expected)
    }

    @Test("a relay that holds back the first progress as well is put to the test, too")
    func trailingOnly() {
        func held(_ waits: [Double]) -> History {
            asked(waits).with { history in
                history.pushes.removeAll { $0.isLiveActivity && $0.step % 2 == 0 }
            }
        }
        #expect(held([0.02, 0.02, 0.02]).verdict(of: Self.rule) == .kept(evidenceCount: 3))
        #expect(held([8, 8, 8]).findings(Self.rule) == 3)
    }

    @Test("faults, outages and states that were held or wait are not judged")
    func ours() {
        let waits = asked([8, 8, 8])
        // Until the activity has been told something again, and APNs is in no trouble any more.
        func refused(_ turns: Int) -> History {
            asked(Array(repeating: 8, count: turns)).with { $0.refuse(0, status: 429, reason: "TooManyRequests") }
        }
        #expect(refused(1).findings(Self.rule) == nil && refused(3).findings(Self.rule) == 0)
        #expect(refused(4).findings(Self.rule) == 3)
        let trouble = refused(4)
        trouble.run.noteTrouble(from: at(30), to: at(140))
        #expect(trouble.findings(Self.rule) == nil)
        for index in waits.rows.indices where waits.rows[index].kind == Kind.permission.rawValue {
            #expect(waits.with { $0.rows[index].flags.insert(.wasHeld) }.findings(Self.rule) == (waits.rows[index].type == .alert ? 3 : 0))
        }
        let down = asked([8, 8, 8])
        down.run.circumstances.outages = [.init(from: at(33), until: at(34))]
        #expect(down.findings(Self.rule) == 0)
        let fired = asked([8, 8, 8])
        fired.run.circumstances.connectionFirings = [(at: at(33), rule: 1)]
        #expect(fired.findings(Self.rule) == 0)
        let free = asked([8, 8, 8])
        free.run.circumstances.throttle = nil
        #expect(free.findings(Self.rule) == nil)
    }
}
