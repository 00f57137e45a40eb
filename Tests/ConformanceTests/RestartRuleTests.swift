// Rules about activities that a relay replaces before the system ends them.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("Activities that are replaced:")
struct RestartRuleTests {
    private static let rules = RestartRules.all.map(\.id).filter { $0 != "start-is-shown" }

    private func aged(_ age: Double) -> History {
        var history = History.withRestarts()
        history.play(History.Day(age: age))
        return history
    }

    /// The push of that place in the order of arrival goes.
    private func without(_ history: History, _ isMeant: (SeenPush) -> Bool) -> History {
        history.with { $0.pushes.removeAll(where: isMeant) }
    }

    private static func isSuccessor(_ push: SeenPush) -> Bool { push.event == .start && push.arrivedAt > at(100) }
    private static func isOldEnd(_ push: SeenPush) -> Bool { push.event == .end && push.token == TokenHash("a1-1") }

    @Test("nothing is asked of a relay whose profile says nothing of it", arguments: rules)
    func unasked(id: String) {
        let history = History.replaced
        history.run.circumstances.restart = nil
        #expect(history.verdict(of: id) == .notExercised)
    }

    @Test("pushes that belong to no call are no surprise, and no second start")
    func explained() {
        for history in [History.replaced, .unadopted(), .aligned()] {
            #expect(history.isKept("nothing-unexpected") || history.verdict(of: "nothing-unexpected") == .notExercised)
            #expect(!history.verdict(of: "one-start").isBroken)
            #expect(history.joined.fault.allSatisfy { $0 == nil })
        }
        // Where the profile knows no restarts the same pushes are.
        let plain = History.replaced
        plain.run.circumstances.restart = nil
        #expect(plain.joined.fault.contains { $0 != nil })
    }

    // MARK: When

    @Test("a start by the age that the profile allows is in time", arguments: [(24_539.5, 0), (24_661, 0), (25_195, 0), (25_203, 1)])
    func inTime(age: Double, findings: Int) {
        #expect(aged(age).findings("restart-in-time") == findings)
    }

    @Test("an activity that lives on without any start has grown too old")
    func never() {
        #expect(without(.unadopted(), Self.isSuccessor).findings("restart-in-time") == 1)
        // Not where its session is over before, nor where we held the relay down, nor without a start token.
        let short = without(.unadopted(), Self.isSuccessor).with { history in
            for index in history.calls.indices where history.calls[index].kind == Kind.complete.rawValue {
                history.calls[index].sentAt = at(24_900)
            }
        }
        #expect(short.findings("restart-in-time") == nil)
        // To the nanosecond of the age by which a start must have left.
        let limit = short.joined.restarts!.activities[0].born.upperBound + .seconds(25_200) + RestartRules.slack(short.run)
        for (end, findings) in [(limit, nil), (limit + Interval(nanoseconds: 1), 1)] as [(Instant, Int?)] {
            let ended = short.with { history in
                for index in history.calls.indices where history.calls[index].kind == Kind.complete.rawValue {
                    history.calls[index].sentAt = end
                }
            }
            #expect(ended.findings("restart-in-time") == findings)
        }
        let down = without(.unadopted(), Self.isSuccessor)
        down.run.circumstances.outages = [.init(from: at(24_000), until: at(25_000))]
        #expect(down.findings("restart-in-time") == 1, "it has been back for long")
        down.run.circumstances.end = at(25_001)
        #expect(down.findings("restart-in-time") == nil)
        let tokenless = without(.unadopted(), Self.isSuccessor).with { $0.tokenCalls.removeAll { $0.lane.role == .start } }
        #expect(tokenless.findings("restart-in-time") == nil)
    }

    @Test("the window is asked for by a rule of its own", arguments: [(24_530.0, 1), (24_545, 0), (24_655, 0), (24_670, 1)])
    func window(age: Double, findings: Int) { #expect(aged(age).findings("restart-in-window") == findings) }

    @Test("a relay that was down has the window again when it is back; one that could start nothing is not asked")
    func heldDown() {
        let late = aged(24_670)
        late.run.circumstances.outages = [.init(from: at(24_000), until: at(24_650))]
        #expect(late.findings("restart-in-window") == 0)
        let tokenless = aged(24_670).with { $0.tokenCalls.removeAll { $0.lane.role == .start } }
        #expect(tokenless.findings("restart-in-window") == nil)
    }

    @Test("an activity is replaced at its own age, not at its session's", arguments: [(24_545.0, 0), (22_141, 0), (22_139.5, 0), (22_137, 1), (600, 1)])
    func ownAge(age: Double, findings: Int) { #expect(aged(age).findings("restart-by-own-age") == findings) }

    @Test("behind a 5xx a relay may rest for a quarter of an hour, or as long as it usually does", arguments: [
        (500, 60.0, 900.0), (503, 60, 900), (503, 3_600, 3_600), (429, 60, 60),
    ] as [(UInt16, Double, Double)])
    func pause(status: UInt16, usual: Double, expected: Double) {
        let push = History.honest.with { $0.pushes[0].status = status }.pushes[0]
        #expect(RestartRules.pause(behind: push, .seconds(usual)) == .seconds(expected))
    }

    @Test("the successor's age counts from its own start")
    func successor() {
        func second(at seconds: Double) -> History { .replaced.with { $0.start(7, at: seconds) } }
        #expect(second(at: 26_000).findings("restart-by-own-age") == 1)
        // It is replaced as well, or grows too old.
        let long = History.replaced.with { history in
            history.pushes.removeAll { $0.step == 10 }
            for index in history.calls.indices where history.calls[index].step == 10 { history.calls[index].sentAt = at(60_000) }
        }
        #expect(long.findings("restart-in-time") == 1)
        #expect(long.with { $0.start(7, at: 49_205) }.findings("restart-in-time") == 0)
    }

    @Test("what began together is not replaced in the same second")
    func spread() {
        #expect(History.aligned().findings("restarts-spread") == 0)
        #expect(History.aligned(apart: 0.001).findings("restarts-spread") == 1)
        #expect(History.replaced.findings("restarts-spread") == nil)
    }

    /// Of six hundred in two minutes five fall on each second.
    @Test("of many no second holds far more than the mean one", arguments: [(5, 0), (20, 0), (60, 1)])
    func spreadOfMany(atOnce: Int, findings: Int) {
        var machine = RestartSpread()
        let run = History.withRestarts().run
        for number in 0..<600 {
            machine.close(History.aligned(one: number, age: 24_545 + Double(number / atOnce)).joined, run)
        }
        guard case .broken(_, let count) = machine.verdict(run) else {
            #expect(findings == 0)
            return
        }
        #expect(count == findings)
    }

    // MARK: Whom it reaches

    @Test("a start goes to the start token that was registered last")
    func currentToken() {
        #expect(History.relaunchedAndReplaced.findings("restart-by-current-token") == 0)
        let renewed = History.replaced.with { history in
            history.call(3, .register, at: 3)
            history.registers(3, TokenHash("52"), .start)
        }
        #expect(renewed.findings("restart-by-current-token") == 1)
        let followed = renewed.with { history in
            for index in history.pushes.indices where Self.isSuccessor(history.pushes[index]) {
                history.pushes[index].token = TokenHash("52")
            }
        }
        #expect(followed.findings("restart-by-current-token") == 0)
    }

    // MARK: The old card

    @Test("an end before the successor's token breaks the rule, one behind it does not")
    func oldKept() {
        #expect(History.replaced.findings("old-kept-until-adopted") == 0)
        let early = History.replaced.with { history in
            let index = history.pushes.firstIndex(where: Self.isOldEnd)!
            history.pushes[index].arrivedAt = at(24_601.5)
        }
        #expect(early.findings("old-kept-until-adopted") == 1)
        // Nobody ever adopts it, and the relay ends the old one all the same.
        let never = History.unadopted().with { $0.push(2, at: 24_603, event: .end) }
        #expect(never.findings("old-kept-until-adopted") == 1)
        #expect(History.unadopted().findings("old-kept-until-adopted") == 0)
    }

    @Test("an old card that stands beside the new one breaks the rule")
    func replacedEnded() {
        #expect(without(.replaced, Self.isOldEnd).findings("replaced-card-ended") == 1)
        let late = History.replaced.with { history in
            let index = history.pushes.firstIndex(where: Self.isOldEnd)!
            history.pushes[index].arrivedAt = at(24_640)
        }
        #expect(late.findings("replaced-card-ended") == 1)
        #expect(History.unadopted().findings("replaced-card-ended") == nil)
    }

    @Test("an end that went to a token which a rotation had replaced is none")
    func rotatedBefore() {
        func history(rotatedAt seconds: Double) -> History {
            .replaced.with { history in
                history.call(3, .registerActivity, at: seconds)
                history.registers(3, TokenHash("rotated"), .activity)
                let index = history.pushes.firstIndex(where: Self.isOldEnd)!
                history.pushes[index].status = 410
            }
        }
        #expect(history(rotatedAt: 5_000).findings("replaced-card-ended") == 1)
        // The rotation and the end crossed on their way.
        #expect(history(rotatedAt: 24_601.5).findings("replaced-card-ended") == nil)
    }

    @Test("a card that turns up behind its session's end is ended", arguments: [(0.1, 0), (5.5, 0), (30, 1), (nil, 1)])
    func lateCard(end: Double?, findings: Int) { #expect(History.late(end).findings("late-card-ended") == findings) }

    @Test("also by a relay that was restarted in between, but not just when the session ended", arguments: [(0.5, nil), (3, 1)])
    func lateCardBehindRestart(after: Double, findings: Int?) {
        let late = History.late(nil).with { history in
            history.run.circumstances.outages = [.init(from: at(24_610 + after), until: at(24_610.5 + after))]
        }
        #expect(late.findings("late-card-ended") == findings)
    }

    @Test("one whose token nobody registered is nobody's")
    func unknownCard() { #expect(History.late(nil, registered: false).findings("late-card-ended") == nil) }

    @Test("a push to the ended activity behind its late registration breaks the rule")
    func lateRegistration() {
        let late = History.replacedAndLate.with { $0.push(7, at: 26_001, token: TokenHash("a1-1")) }
        #expect(late.findings("late-registration-ignored") == 1)
        #expect(History.replaced.findings("late-registration-ignored") == nil)
    }

    // MARK: Starts that nobody adopts

    @Test("a start that nobody adopts is followed by another")
    func triedAgain() {
        #expect(History.unadopted().findings("restart-tried-again") == 0)
        #expect(History.unadopted(starts: [24_602]).findings("restart-tried-again") == 1)
        // The session is over before the next one was due.
        #expect(History.unadopted(starts: [24_602, 24_902, 25_502, 26_702, 27_900]).findings("restart-tried-again") == 0)
        #expect(History.replaced.findings("restart-tried-again") == nil)
    }

    @Test("one to a dead start token is followed by another when the phone has told of a new one", arguments: [true, false])
    func renewed(isFollowed: Bool) {
        let new = TokenHash("new-start")
        let history = History.unadopted(starts: [24_602]).with { history in
            let index = history.pushes.firstIndex(where: Self.isSuccessor)!
            history.pushes[index].status = 410
            history.call(3, .register, at: 24_700)
            history.registers(3, new, .start)
            for seconds in isFollowed ? [24_701.0, 25_301, 26_501] : [] { history.start(3, at: seconds, token: new) }
        }
        #expect(history.findings("restart-tried-again") == (isFollowed ? 0 : 1))
        let unrenewed = history.with { $0.tokenCalls.removeAll { $0.token == new } }
        if !isFollowed { #expect(unrenewed.findings("restart-tried-again") == nil) }
    }

    @Test("pauses double", arguments: [([24_602, 24_902, 25_502], 0), ([24_602, 24_662, 24_722], 2), ([24_602, 24_902, 25_202], 1)])
    func backsOff(starts: [Double], findings: Int) {
        #expect(History.unadopted(starts: starts).findings("restart-backs-off") == findings)
    }

    @Test("what is sent again because of a 503 is no new start")
    func sentAgain() {
        let history = History.unadopted(starts: [24_602, 24_603, 24_903]).with { $0.pushes[1].status = 503 }
        #expect(history.findings("restart-backs-off") == 0)
    }

    // MARK: What the new card shows

    @Test("a start that shows another state breaks the rule, and a number that falls the other")
    func content() {
        func spoilt(_ turn: (inout SeenPush, Int32) -> Void) -> History {
            .replaced.with { history in
                let text = history.text("/bookTitle is missing")
                let index = history.pushes.firstIndex(where: Self.isSuccessor)!
                turn(&history.pushes[index], text)
            }
        }
        #expect(spoilt { $0.lapse = $1 }.findings("restart-keeps-state") == 1)
        #expect(spoilt { $0.alteration = $1 }.findings("restart-keeps-state") == 1)
        #expect(spoilt { $0.fall = $1 }.findings("restart-keeps-state") == 0)
        #expect(spoilt { $0.fall = $1 }.findings("numbers-run-on") == 1)
        // Behind a call that failed nobody knows what to show.
        let doubtful = spoilt { $0.lapse = $1 }.with { $0.calls[1].wasTaken = false }
        #expect(doubtful.findings("restart-keeps-state") == nil)
    }
}
