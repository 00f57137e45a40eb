// Rules about the cards that a user sees while activities take each other's place.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("Cards while activities are replaced:")
struct RestartCardRuleTests {
    private static func isEnd(of token: String) -> (SeenPush) -> Bool {
        { $0.event == .end && $0.token == TokenHash(token) }
    }

    private func turned(_ history: History, _ isMeant: (SeenPush) -> Bool, _ turn: (inout SeenPush) -> Void) -> History {
        history.with { history in
            for index in history.pushes.indices where isMeant(history.pushes[index]) { turn(&history.pushes[index]) }
        }
    }

    // MARK: One at a time

    @Test("two cards that both live break the rule, whichever of them it is")
    func rivals() {
        #expect(History.rivals.findings("one-card-at-a-time") == 0)
        let both = History.rivals.with { history in
            history.pushes.removeAll(where: Self.isEnd(of: "a2-1"))
            history.cards[1].endedAt = nil
        }
        #expect(both.findings("one-card-at-a-time") == 1)
        // The other one may be ended as well, and no rule blames the relay for the one it kept.
        let other = both.with { history in
            history.endReplaced(1, at: 25_260.02, token: TokenHash("a3-1"))
            history.cards[2].endedAt = at(25_260.02)
        }
        #expect(other.findings("one-card-at-a-time") == 0)
        #expect(other.findings("old-kept-until-adopted") == 0 && other.findings("replaced-card-ended") == 0)
        // An end that was accepted has done its part, though the phone is out of reach.
        let told = History.rivals.with { $0.cards[1].endedAt = nil }
        #expect(told.findings("one-card-at-a-time") == 0)
        // One that ended by its age does not stand beside another.
        let aged = both.with { $0.cards[1].endedAt = at(25_100) }
        #expect(aged.findings("one-card-at-a-time") == 0)
    }

    @Test("one that was begun in one life of the session and registered in the next is judged as neither's")
    func eitherLife() {
        func again(_ begins: Bool, _ turn: (inout History) -> Void) -> History {
            History.rivals.with { history in
                history.pushes.removeAll(where: Self.isEnd(of: "a2-1"))
                history.cards[1].endedAt = nil
                history.call(7, .complete, at: 24_700)
                history.registers(7, TokenHash("a1-1"), .activity, isRegistration: false)
                if begins {
                    history.call(8, .start, at: 24_800)
                    history.expect(8, .start, at: 24_800, event: .start, token: .start, lane: .start)
                }
                turn(&history)
            }
        }
        #expect(again(true) { _ in }.findings("one-card-at-a-time") == 0)
        #expect(again(false) { _ in }.findings("one-card-at-a-time") == 1)
        #expect(again(false) { _ in }.findings("late-card-ended") ?? 0 > 0)
        let ended = again(true) { $0.endReplaced(1, at: 24_962, token: TokenHash("a2-1")) }
        #expect(ended.findings("old-kept-until-adopted") == 0)
        #expect(ended.findings("late-card-ended") ?? 0 == 0)
    }

    @Test("where the phone does not tell, or the relay was down, or the run over, nothing is known")
    func unknown() {
        let both = History.rivals.with { history in
            history.pushes.removeAll(where: Self.isEnd(of: "a2-1"))
            history.cards[1].endedAt = nil
        }
        #expect(both.with { $0.cards = [] }.findings("one-card-at-a-time") == nil)
        let down = both.with { $0.cards.removeFirst() }
        down.run.circumstances.outages = [.init(from: at(25_259), until: at(25_262))]
        #expect(down.findings("one-card-at-a-time") == nil)
        let over = both.with { $0.cards.removeFirst() }
        over.run.circumstances.end = at(25_262)
        #expect(over.findings("one-card-at-a-time") == nil)
    }

    // MARK: Ends that are refused

    @Test("an end that was refused for now is sent again", arguments: [(0, 1), (1, 0)])
    func refused(retries: Int, findings: Int) {
        let refused = turned(.replaced, Self.isEnd(of: "a1-1")) {
            $0.status = 429
            $0.faultRule = 1
            $0.outcome = nil
        }
        let history = refused.with { history in
            // Long after the patience that there is without a refusal.
            for _ in 0..<retries { history.endReplaced(4, at: 24_602.04 + 590, token: TokenHash("a1-1")) }
        }
        #expect(history.findings("replaced-card-ended") == findings)
        // Refused again and again it is nobody's fault.
        let twice = refused.with { history in
            history.endReplaced(4, at: 24_700, token: TokenHash("a1-1"))
            for index in history.pushes.indices where history.pushes[index].arrivedAt == at(24_700) {
                history.pushes[index].status = 429
                history.pushes[index].faultRule = 1
            }
        }
        #expect(twice.findings("replaced-card-ended") == 0)
    }

    /// The session ends while its successor is on its way, and the end gets through when that one is registered.
    @Test("a session's end that was held up goes to its own card, also behind another's registration", arguments: [
        ("end", 0), ("update", 1),
    ])
    func endSentAgain(event: String, findings: Int) {
        let history = History.late(0.02).with { history in
            let end = history.pushes.firstIndex(where: Self.isEnd(of: "a1-1"))!
            history.refuse(end, status: 429, reason: "TooManyRequests")
            history.push(6, at: 24_703, event: event == "end" ? .end : .update, token: TokenHash("a1-1"))
        }
        #expect((history.findings("new-token-used") ?? 0) == findings)
        // A rotated token is the same activity's.
        let rotated = History.rotated.with { $0.push(9, at: 41, event: .end) }
        #expect(rotated.findings("new-token-used") == 1)
    }

    @Test("of two cards one has the patience of a refused end, also of one that left before the registration was answered", arguments: [
        (590.0, 0), (700, 1),
    ])
    func rivalRefused(pause: Double, findings: Int) {
        let refused = turned(History.rivals.with { $0.cards[1].endedAt = nil }, Self.isEnd(of: "a2-1")) {
            $0.status = 429
            $0.faultRule = 1
            $0.outcome = nil
            $0.arrivedAt = at(25_260.002)
        }
        let again = refused.with { $0.endReplaced(1, at: 25_260 + pause, token: TokenHash("a2-1")) }
        #expect(again.findings("one-card-at-a-time") == findings)
    }

    @Test("an end that was refused for good need not come again", arguments: [(400, 0), (403, 0), (413, 0), (429, 1), (503, 1)])
    func refusedForGood(status: UInt16, findings: Int) {
        func refused(_ history: History, _ token: String) -> History {
            turned(history, Self.isEnd(of: token)) {
                $0.status = status
                $0.faultRule = 1
                $0.outcome = nil
            }
        }
        #expect((refused(.replaced, "a1-1").findings("replaced-card-ended") ?? 0) == findings)
        #expect((refused(.late(0.02), "a2-1").findings("late-card-ended") ?? 0) == findings)
        let both = refused(History.rivals.with { $0.cards[1].endedAt = nil }, "a2-1")
        #expect((both.findings("one-card-at-a-time") ?? 0) == findings)
        // By no doing of ours it is the relay's own mistake.
        let own = turned(.replaced, Self.isEnd(of: "a1-1")) { $0.status = status }
        #expect(own.findings("replaced-card-ended") == 1)
    }

    @Test("after a failure of APNs' own a quarter of an hour may pass", arguments: [(429, 1_000, 1), (503, 1_000, 0), (503, 1_900, 1)])
    func quarter(status: UInt16, pause: Double, findings: Int) {
        let end = turned(.replaced, Self.isEnd(of: "a1-1")) {
            $0.status = status
            $0.faultRule = 1
            $0.outcome = nil
        }.with { $0.endReplaced(4, at: 24_602.04 + pause, token: TokenHash("a1-1")) }
        #expect(end.findings("replaced-card-ended") == findings)
        let start = turned(History.unadopted(starts: [24_602, 24_602 + pause]), { $0.arrivedAt == at(24_602) }) {
            $0.status = status
            $0.faultRule = 1
        }.with { history in
            for index in history.calls.indices where history.calls[index].kind == Kind.complete.rawValue {
                history.calls[index].sentAt = at(24_602 + pause + 10)
            }
        }
        #expect((start.findings("restart-tried-again") ?? 0) == findings)
    }

    // MARK: Whether and how long they are seen

    @Test("a start that is stale on arrival is never shown")
    func stale() {
        let stale = turned(.started, { $0.event == .start }) { $0.outcome = .neverShown }
        #expect(stale.findings("start-is-shown") == 1)
        #expect(History.honest.findings("start-is-shown") == nil)
    }

    @Test("a card that was replaced goes at once", arguments: [(-100, 0), (0, 0), (10, 0), (11, 1), (14_400, 1)])
    func replacedGoes(stay: Int64, findings: Int) {
        let history = turned(.replaced, Self.isEnd(of: "a1-1")) { $0.dismissal = $0.stamp! + stay }
        #expect(history.findings("replaced-card-goes") == findings)
    }

    @Test("one without a dismissal-date stays for hours")
    func stays() {
        #expect(turned(.replaced, Self.isEnd(of: "a1-1")) { $0.dismissal = nil }.findings("replaced-card-goes") == 1)
        #expect(turned(.rivals, Self.isEnd(of: "a3-1")) { $0.dismissal = nil }.findings("ended-card-goes") == 1)
    }

    @Test("that of a session goes when the profile says, and what is past is now", arguments: [
        (20, -3_600, 1), (20, 9, 1), (20, 10, 0), (20, 30, 0), (20, 31, 1), (5, -3_600, 0), (5, 15, 0), (5, 16, 1),
    ])
    func endedGoes(wanted: Int64, stay: Int64, findings: Int) {
        let history = turned(.rivals, Self.isEnd(of: "a3-1")) { $0.dismissal = $0.stamp! + stay }
        history.run.circumstances.dismissal = .seconds(Double(wanted))
        #expect(history.findings("ended-card-goes") == findings)
        history.run.circumstances.dismissal = nil
        #expect(history.findings("ended-card-goes") == nil)
    }

    @Test("one that turned up too late may go at once, and need not stay as long", arguments: [
        (0, 0), (60, 0), (600, 1), (nil, 1),
    ] as [(Int64?, Int)])
    func lateGoes(stay: Int64?, findings: Int) {
        let late = History.late(0.02).with { history in
            history.run.circumstances.dismissal = .seconds(60)
            for index in history.pushes.indices where history.pushes[index].event == .end {
                let stamp = history.pushes[index].stamp!
                let isLate = history.pushes[index].token == TokenHash("a2-1")
                history.pushes[index].dismissal = isLate ? stay.map { stamp + $0 } : stamp + 60
            }
        }
        #expect(late.findings("ended-card-goes") == findings)
    }

    @Test("what came while the start was on its way it cannot show", arguments: [(24_600.5, 0), (24_590, 1)])
    func crossed(sent: Double, findings: Int) {
        let history = History.replaced.with { history in
            let start = history.pushes.lastIndex { $0.event == .start }!
            history.pushes[start].fall = history.text("/n fell from 2 to 1")
            history.call(5, .progress, at: sent)
        }
        #expect(history.findings("numbers-run-on") == findings, "\(history.verdict(of: "numbers-run-on"))")
    }

    // MARK: What came in between

    @Test("what was said before the adoption is told to the new card")
    func catchesUp() {
        #expect(History.between.findings("hand-over-catches-up") == 0)
        func isCatchUp(_ push: SeenPush) -> Bool { push.step == 5 && push.token == TokenHash("a2-1") }
        let lost = History.between.with { $0.pushes.removeAll(where: isCatchUp) }
        #expect(lost.findings("hand-over-catches-up") == 1)
        let late = turned(.between, isCatchUp) { $0.arrivedAt = at(24_640) }
        #expect(late.findings("hand-over-catches-up") == 1)
        // It is due five seconds and what the way takes behind the registration, and by then the run has to last.
        let due = at(24_636.025) + RestartRules.slack(lost.run)
        func until(_ end: Instant) -> Int? {
            lost.run.circumstances.end = end
            return lost.findings("hand-over-catches-up")
        }
        #expect(until(due) == nil && until(due + .milliseconds(1)) == 1)
        // Refused for now it is sent again; for good, or twice, it is a fault that kept it away.
        func refused(_ status: UInt16) -> History {
            turned(.between, isCatchUp) {
                $0.status = status
                $0.faultRule = 1
            }.with { history in
                // The next state would tell it as well.
                history.pushes.removeAll { $0.step == 7 }
            }
        }
        #expect(refused(429).findings("hand-over-catches-up") == 1 && refused(0).findings("hand-over-catches-up") == 1)
        #expect(refused(400).findings("hand-over-catches-up") == nil)
        let again = refused(429).with { $0.push(5, at: 25_200, token: TokenHash("a2-1")) }
        #expect(again.findings("hand-over-catches-up") == 0)
        let twice = again.with { history in
            history.pushes[history.pushes.count - 1].status = 429
            history.pushes[history.pushes.count - 1].faultRule = 1
        }
        #expect(twice.findings("hand-over-catches-up") == nil)
        // The start had it already, or the relay could not know of it.
        let told = lost.with { history in
            for index in history.pushes.indices where history.pushes[index].arrivedAt == at(24_601.02) {
                history.pushes[index].step = 5
            }
        }
        #expect(told.findings("hand-over-catches-up") == nil)
        let untaken = lost.with { history in
            for index in history.calls.indices where history.calls[index].step == 5 { history.calls[index].wasTaken = false }
        }
        #expect(untaken.findings("hand-over-catches-up") == nil)
    }

    @Test("what the first of two rivals was told is told to the second, which stays", arguments: [true, false])
    func rivalCatchesUp(isTold: Bool) {
        let history = History.rivals.with { history in
            history.call(5, .progress, at: 25_000)
            history.expect(5, .progress, at: 25_000, token: TokenHash("a2-1"), flags: [.mayBeSuperseded])
            history.push(5, at: 25_000.02, token: TokenHash("a2-1"))
            if isTold { history.push(5, at: 25_260.05, token: TokenHash("a3-1")) }
            // A phone makes the card when the start has come.
            for index in history.cards.indices { history.cards[index].startedAt = history.cards[index].startedAt + .milliseconds(1) }
        }
        #expect(history.findings("hand-over-catches-up") == (isTold ? 0 : 1))
    }

    @Test("what was said a while before the relay was ended is told when it is back", arguments: [(0.0, nil), (2, 1), (21.5, nil)])
    func catchesUpBehindRestart(after: Double, findings: Int?) {
        let lost = History.between.with { history in
            history.pushes.removeAll { $0.step == 5 && $0.token == TokenHash("a2-1") }
            let from = (history.calls.first { $0.step == 5 }!.sentAt - at(0)).seconds + after
            history.run.circumstances.outages = [.init(from: at(from), until: at(from + 1))]
        }
        #expect(lost.findings("hand-over-catches-up") == findings)
    }

    @Test("where the new card's token had died, what was said before the adoption is told to the next one")
    func catchesUpBehindDeath() {
        func died(next: Double?, _ token: String = "a3-1", told: Double? = nil) -> History {
            turned(.between, { $0.step == 5 && $0.token == TokenHash("a2-1") }) {
                $0.status = 410
                $0.outcome = nil
            }.with { history in
                if let next {
                    history.call(8, .registerActivity, at: next)
                    history.registers(8, TokenHash(token), .activity)
                }
                if let told { history.push(5, at: told, token: TokenHash(token)) }
            }
        }
        #expect(died(next: 24_660, told: 24_660.1).findings("hand-over-catches-up") == 0)
        #expect(died(next: 24_660).findings("hand-over-catches-up") == 1)
        #expect(died(next: 24_660, told: 24_690).findings("hand-over-catches-up") == 1)
        #expect(died(next: nil).findings("hand-over-catches-up") == nil)
        // Nor is one over that is registered again.
        #expect(died(next: 24_660, "a2-1", told: 24_660.1).findings("hand-over-catches-up") == 0)
        #expect(died(next: 24_660, "a2-1").findings("hand-over-catches-up") == 1)
        #expect(died(next: 24_660, "a2-1", told: 24_690).findings("hand-over-catches-up") == 1)
    }

    @Test("seconds that do not run with the clock break the rule")
    func seconds() {
        func drifting(_ history: History) -> History {
            history.with { history in
                history.run.countsSeconds = true
                history.pushes[1].drift = history.text("/sessionDuration is 3 where 60 seconds have passed")
            }
        }
        #expect(drifting(.honest).findings("seconds-run-with-clock") == 1)
        let unasked = drifting(.honest)
        unasked.run.countsSeconds = false
        #expect(unasked.findings("seconds-run-with-clock") == nil)
    }

    // MARK: What else changes with them

    @Test("a window is one activity's: the old card's last state and the new one's first may lie close together")
    func throttle() {
        var history = History.between
        for index in history.rows.indices where history.rows[index].event == .update {
            history.rows[index].flags.insert(.isThrottled)
        }
        history.call(8, .progress, at: 24_632)
        history.expect(8, .progress, at: 24_632, token: TokenHash("a2-1"), flags: [.mayBeSuperseded, .isThrottled])
        history.push(8, at: 24_632.02, token: TokenHash("a2-1"))
        let index = history.pushes.firstIndex { $0.step == 5 && $0.event == .update && $0.token == TokenHash("a1-1") }!
        history.pushes[index].arrivedAt = at(24_630)
        #expect(history.findings("throttle-respected") == 0)
        // On one card it is too close.
        history.run.circumstances.restart = nil
        #expect(history.findings("throttle-respected") == 1)
    }

    @Test("a restart may be quiet, a session's first start may not")
    func quiet() {
        func quiet(_ seconds: Double) -> Int? {
            turned(.replaced, { $0.event == .start && $0.arrivedAt == at(seconds) }) { $0.flags.insert(.isQuietStart) }
                .findings("start-is-complete")
        }
        #expect(quiet(24_601.02) == 0 && quiet(1.02) == 1)
    }

    @Test("a restart without a marker is its phone's only session's")
    func unmarked() {
        let history = turned(.replaced, { $0.event == .start && $0.arrivedAt > at(100) }) { $0.flags.remove(.isMarked) }
        #expect(history.joined.fault.allSatisfy { $0 == nil } && history.findings("restart-in-time") == 0)
    }

    @Test("what a card says while it goes nobody reads")
    func lastWords() {
        let history = turned(.replaced, Self.isEnd(of: "a1-1")) { $0.lapse = 0 }
        #expect(history.findings("omitted-values-kept") == 0)
        #expect(turned(.replaced, Self.isEnd(of: "a2-1")) { $0.lapse = 0 }.findings("omitted-values-kept") == 1)
        // Of one that turned up too late, where it goes at once.
        let late = turned(.late(0.02), Self.isEnd(of: "a2-1")) { $0.lapse = 0 }
        #expect(late.findings("omitted-values-kept") == 0)
        #expect(turned(late, Self.isEnd(of: "a2-1")) { $0.dismissal = $0.stamp! + 5 }.findings("omitted-values-kept") == 1)
        // Nor its seconds.
        func drifting(_ token: String) -> Int? {
            turned(.replaced.with { $0.run.countsSeconds = true }, Self.isEnd(of: token)) { $0.drift = 0 }
                .findings("seconds-run-with-clock")
        }
        #expect(drifting("a1-1") == 0 && drifting("a2-1") == 1)
    }
}
