// One honest history and one defect for each rule about the life of a Live Activity.

import Basics
import Conformance
import Metrics
import Testing

@Suite struct `Last state` {
    @Test func `is kept when the correlation found it delivered`() {
        #expect(History.honest.verdict(of: "R0.8") == .kept(evidenceCount: 1))
    }

    @Test func `is broken when a session never got it`() {
        let lost = History.honest.with {
            $0.correlation.lastState.delivered = 0
            $0.correlation.lastState.missingCount = 1
            $0.pushes.removeLast(2)
        }
        #expect(lost.verdict(of: "R0.8").isBroken)
        #expect(lost.evidence.lastSeen(ofSession: 1) == "push 3 of step 3 as the last, answered 200")
        #expect(lost.evidence.lastSeen(ofSession: 9) == "no push at all")
    }
}

@Suite struct `The throttle` {
    @Test func `is kept with one progress push per window`() {
        #expect(History.honest.verdict(of: "throttle-respected") == .kept(evidenceCount: 2))
    }

    @Test func `is broken by two progress pushes within a window`() {
        let hasty = History.honest.with { $0.pushes[1].seconds = 6 }
        let findings = hasty.verdict(of: "throttle-respected").findings
        #expect(findings.first?.entries == [1, 2])
    }

    @Test func `does not bind events that bypass it, nor other sessions`() {
        let bypassing = History.honest.with { history in
            history.plan[1].kind = "permission"
            history.pushes[1].seconds = 3
            history.plan.append(History.expectation(session: 2, step: 1, at: 1))
            history.pushes.append(Sent(1, session: 2, step: 1))
        }
        #expect(bypassing.verdict(of: "throttle-respected").isKept)
    }

    @Test func `begins anew with the next activity`() {
        let next = History.honest.with { history in
            history.plan.append(History.expectation(step: 5, at: 27))
            history.pushes.append(Sent(27, step: 5))
        }
        #expect(next.verdict(of: "throttle-respected") == .kept(evidenceCount: 2))
    }

    @Test func `does not count a retry of what was refused`() {
        let retried = History.honest.with { history in
            history.pushes[1].status = 503
            history.pushes.append(Sent(12, step: 2))
            history.pushes[2].seconds = 22.5
        }
        #expect(retried.verdict(of: "throttle-respected").isKept)
    }

    @Test func `is not exercised when the profile has none`() {
        #expect(History.honest.with { $0.facts.throttle = nil }.verdict(of: "R0.7") == .notExercised)
    }
}

@Suite struct `After the end` {
    @Test func `is kept when nothing follows`() {
        #expect(History.honest.verdict(of: "G11") == .kept(evidenceCount: 1))
    }

    @Test func `is broken by a throttled leftover`() {
        let leftover = History.honest.with { $0.pushes.append(Sent(30, step: 3)) }
        #expect(leftover.verdict(of: "R0.10").findings.first?.entries == [5, 6])
    }

    @Test func `forgives an update that was overtaken by the end`() {
        let overtaken = History.honest.with { history in
            history.pushes.append(Sent(25.2, step: 3).with { $0.timestamp = 1_760_000_024 })
        }
        #expect(overtaken.verdict(of: "R0.10").isKept)
    }
}

@Suite struct `One start` {
    private var started: History {
        History.honest.with { history in
            history.pushes[0].event = "start"
            history.pushes[0].token = String(repeating: "5a", count: 32)
        }
    }

    @Test func `is kept when the activity answers`() {
        #expect(started.verdict(of: "one-start") == .kept(evidenceCount: 1))
    }

    @Test func `is kept when the session starts again after the activity ended`() {
        let again = started.with { history in
            history.pushes.append(
                Sent(40, step: 5).with {
                    $0.event = "start"
                    $0.token = String(repeating: "5a", count: 32)
                })
        }
        #expect(again.verdict(of: "one-start") == .kept(evidenceCount: 2))
    }

    @Test func `is broken by a second start in the gap`() {
        let twice = started.with { history in
            history.pushes[1].event = "start"
            history.pushes[1].token = String(repeating: "5a", count: 32)
        }
        #expect(twice.verdict(of: "one-start").findings.first?.entries == [1, 2])
    }
}

@Suite struct `Events` {
    @Test func `are kept when only the terminal state ends the activity`() {
        #expect(History.honest.verdict(of: "R0.4") == .kept(evidenceCount: 4))
    }

    @Test func `are broken when the terminal state is sent as an update`() {
        let endless = History.honest.with { $0.pushes[4].event = "update" }
        #expect(endless.verdict(of: "R0.4").findings.first?.seen == "event update")
    }

    @Test func `are broken when progress ends the activity`() {
        #expect(History.honest.with { $0.pushes[0].event = "end" }.verdict(of: "R0.4").isBroken)
    }
}

@Suite struct `Timestamps` {
    @Test func `are kept in rising seconds`() {
        #expect(History.honest.verdict(of: "P16") == .kept(evidenceCount: 4))
    }

    @Test func `are broken in milliseconds`() {
        let milliseconds = History.honest.with { $0.pushes[1].timestamp! *= 1000 }
        #expect(milliseconds.verdict(of: "P16").findings.first?.seen == "1760000010000, as if in milliseconds")
    }

    @Test func `are broken in seconds since 2001`() {
        #expect(History.honest.with { $0.pushes[1].timestamp! -= 978_307_200 }.verdict(of: "P16").isBroken)
    }

    @Test func `are broken when a newer state is stamped older`() {
        #expect(History.honest.with { $0.pushes[2].timestamp = 1_760_000_001 }.verdict(of: "P16").isBroken)
    }

    @Test func `are broken when a late old state is stamped newer`() {
        let stale = History.honest.with { $0.pushes.append(Sent(25.02, step: 1)) }
        #expect(stale.verdict(of: "P16").findings.first?.message == "an older state carries a newer timestamp")
    }

    @Test func `are kept when an old state arrives late with its own timestamp`() {
        let overtaken = History.honest.with { history in
            history.pushes.append(Sent(20.4, step: 2).with { $0.timestamp = 1_760_000_010 })
        }
        #expect(overtaken.verdict(of: "P16").isKept)
    }

    @Test func `are broken when they stand still`() {
        let constant = History.honest.with { history in
            for index in [0, 1, 2, 4] { history.pushes[index].timestamp = 1_760_000_000 }
        }
        #expect(constant.verdict(of: "P16").findings.first?.message == "the timestamp stands still")
    }
}

@Suite struct `Decoding` {
    @Test func `is kept when devices understand`() {
        #expect(History.honest.verdict(of: "R0.43") == .kept(evidenceCount: 4))
    }

    @Test func `is broken when an accepted push is undecodable`() {
        let garbled = History.honest.with { $0.pushes[1].outcome = "undecodable" }
        #expect(garbled.verdict(of: "R0.43").findings.first?.entries == [2])
    }
}

@Suite struct `Priorities` {
    private func updates(_ priority: String, count: Int = 20) -> History {
        History().with {
            $0.pushes = (0..<count).map { Sent(Double($0 * 11), step: 1).with { $0.priority = priority } }
        }
    }

    @Test func `are kept when some updates can wait`() {
        #expect(updates("5").verdict(of: "P19").isKept)
    }

    @Test func `are broken when all updates are urgent`() {
        #expect(updates("10").verdict(of: "P19").isBroken)
    }

    @Test func `are not judged on a few updates`() {
        #expect(updates("10", count: 19).verdict(of: "P19") == .notExercised)
    }
}
