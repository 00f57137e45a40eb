// What reaches the user: once, in time, in order, at the right token; and what is nobody's loss.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about delivery")
struct DeliveryRuleTests {
    @Test("what is refused in the wrong environment is lost, and its token not dead", arguments: [true, false])
    func otherEnvironment(playsBoth: Bool) {
        let own = History.died(.activity, at: 14, status: 400, reason: "BadDeviceToken").with {
            $0.run.circumstances.hasBothEnvironments = playsBoth
        }
        let fault = own.with { history in
            for index in history.pushes.indices where history.pushes[index].status == 400 { history.pushes[index].faultRule = 1 }
        }
        #expect(fault.findings("states-delivered") == 0 && own.findings("dead-token-dropped") == 0)
        #expect((own.findings("states-delivered") ?? 0 > 0) == playsBoth)
    }

    @Test("a state that may not be superseded and never comes breaks states-delivered")
    func lost() {
        let history = History.honest.with { $0.pushes.removeAll { $0.step == 4 && $0.type == .liveactivity } }
        #expect(history.findings("states-delivered") == 1)
        #expect(history.findings("last-state-delivered") == 0)
        let refused = History.honest.with { $0.pushes[4].status = 503 }
        let finding = refused.verdict(of: "states-delivered").findings.first
        #expect(finding?.entries == [refused.pushes[4].id])
        #expect(finding?.session == 1 && finding?.step == 4)
    }

    @Test("a push that was accepted and is not what was said is told as altered, not as one that never came")
    func altered() {
        let history = History.honest.with { $0.pushes[4].event = .end }
        let finding = history.verdict(of: "states-delivered").findings.first
        #expect(finding?.message.contains("came altered, not as the liveactivity update that is owed") == true, "\(finding as Any)")
        #expect(finding?.seen.contains("content-unchanged") == true && finding?.entries == [history.pushes[4].id])
    }

    @Test("a loss without an attempt names what of ours stands near it")
    func lossEvidence() {
        let lost = History.honest.with { history in
            history.pushes.removeAll { $0.step == 4 && $0.type == .liveactivity }
            history.push(3, at: 15.2, status: 503) { $0.faultRule = 1 }
        }
        lost.run.circumstances.faults = [.init(rule: 1, label: "503", windows: [at(15)..<at(15.5)])]
        let finding = lost.verdict(of: "states-delivered").findings.first
        #expect(finding?.seen.hasPrefix("no push for it; an older state of its card met 503 200ms after this state's call") == true)
        #expect(finding?.entries == [lost.pushes.last!.id])
        let gone = lost.with { $0.pushes.removeLast() }
        gone.run.circumstances.faults = [.init(rule: 2, label: "goaway", windows: [at(15)..<at(15.5)])]
        gone.run.circumstances.connectionFirings = [(at: at(15.2), rule: 2)]
        let met = gone.verdict(of: "states-delivered").findings.first
        #expect(met?.seen.hasPrefix("no push for it; a connection met goaway 200ms after its call") == true)
        gone.run.circumstances.connectionFirings = []
        #expect(gone.verdict(of: "states-delivered").findings.first?.seen.contains("met") == false)
    }

    @Test("the last state, and the last of a burst, break last-state-delivered")
    func lastState() {
        let end = History.honest.with { $0.pushes.removeLast() }
        #expect(end.findings("last-state-delivered") == 1)
        #expect(end.findings("states-delivered") == 0)
        // Step 5 could have been superseded by the end, which came in time.
        #expect(History.honest.with { $0.pushes.remove(at: 2) }.findings("last-state-delivered") == 0)
        // Step 3 could not: what is newer came two seconds later, but a permission is no reason to drop it late.
        let burst = History.honest.with { history in
            history.pushes.removeAll { $0.step == 3 }
            history.rows[1].deadline = .seconds(2)
        }
        #expect(burst.findings("last-state-delivered") == 1)
    }

    @Test("more than one late push in a hundred breaks states-in-time")
    func late() {
        let history = History.busy.with { $0.pushes[1].arrivedAt = at(18.1) }
        #expect(history.findings("states-in-time") == 1)
        let many = History.busy.with { history in
            for number in 0..<50 as Range<UInt32> {
                let seconds = 600 + 11 * Double(number)
                history.call(70 + number, .progress, at: seconds)
                history.expect(70 + number, .progress, at: seconds, flags: [.mayBeSuperseded])
                history.push(70 + number, at: seconds + 0.02)
            }
        }
        // 105 pushes: one may be late, two may not.
        #expect(many.with { $0.pushes[1].arrivedAt = at(18.1) }.isKept("states-in-time"))
        let two = many.with {
            $0.pushes[1].arrivedAt = at(18.1)
            $0.pushes[2].arrivedAt = at(29.1)
        }
        #expect(two.findings("states-in-time") == 2)
        // Exactly one in a hundred is none too many.
        let surplus = many.joined.deliveries.count { $0.accepted != nil } - 100
        let hundred = many.with { history in
            history.pushes[1].arrivedAt = at(18.1)
            history.pushes.removeLast(surplus)
        }
        #expect(hundred.isKept("states-in-time"))
        #expect(hundred.with { $0.pushes.removeLast() }.findings("states-in-time") == 1)
    }

    @Test("a push that our fault or outage held up is late by our doing, and so is one that we sent late")
    func lateByUs() {
        let history = { History.honest.with { $0.pushes[1].arrivedAt = at(18.1) } }
        #expect(history().findings("states-in-time") == 1)
        #expect(history().with { $0.pushes[1].faultRule = 1 }.findings("states-in-time") == 1, "it came too late to be met in time")
        #expect(history().with { $0.calls[3].lateness = .milliseconds(200) }.findings("states-in-time") == 0)
        let down = history()
        down.run.circumstances.outages = [.init(from: at(14), until: at(15))]
        #expect(down.findings("states-in-time") == 0)
        for (firing, count) in [(13.5, 0), (10.9, 1)] {
            let cut = history()
            cut.run.circumstances.meet(1, at: [.apns], from: at(firing), to: at(firing))
            #expect(cut.findings("states-in-time") == count, "its connection was met, or that of another before it")
        }
    }

    @Test("a second 200 breaks no-duplicate-push")
    func duplicate() {
        let twice = History.honest.with { $0.push(2, at: 2.1) }
        #expect(twice.findings("no-duplicate-push") == 1)
        #expect(twice.verdict(of: "no-duplicate-push").findings.first?.entries == [1, 8])
        #expect(twice.with { $0.pushes[0].status = 503 }.findings("no-duplicate-push") == 0)
    }

    /// J2.
    @Test("a retry of a push whose 200 never reached the relay is no duplicate, and nor is one that we posted twice")
    func honestRepetition() {
        let twice = History.honest.with { $0.push(2, at: 2.1) }
        #expect(twice.with { $0.undelivered = [1] }.findings("no-duplicate-push") == 0)
        #expect(twice.with { $0.calls[2].attempts = 2 }.findings("no-duplicate-push") == 0)
        let third = twice.with {
            $0.push(2, at: 2.2)
            $0.undelivered = [1]
        }
        #expect(third.findings("no-duplicate-push") == 1)
    }

    private func swapped(after seconds: Double, connection: UInt64 = 1, outcome: Outcome = .ignoredOlder) -> History {
        History.honest.with { history in
            history.pushes[1].arrivedAt = history.pushes[4].arrivedAt + .seconds(seconds)
            history.pushes[1].connection = connection
            history.pushes[1].outcome = outcome
        }
    }

    /// J16, J4.
    @Test("an older state behind a newer one breaks state-order where the relay, and not the wire, put it there")
    func order() {
        #expect(swapped(after: 1).findings("state-order") == 1)
        #expect(swapped(after: 0.01).findings("state-order") == 1)
        #expect(swapped(after: 0.05, connection: 2).findings("state-order") == 0)
        #expect(swapped(after: 0.051, connection: 2).findings("state-order") == 1)
        #expect(swapped(after: 0.01, connection: 2, outcome: .updated).findings("state-order") == 1)
        let unordered = swapped(after: 1)
        unordered.run.circumstances.isOrdered = false
        #expect(unordered.findings("state-order") == nil)
    }

    @Test("what no event called for breaks nothing-unexpected")
    func unexpected() {
        #expect(History.honest.with { $0.push(2, at: 2.01, .alert) }.findings("nothing-unexpected") == 1)
        #expect(History.honest.with { $0.push(77, at: 3) }.findings("nothing-unexpected") == 1)
        #expect(History.honest.with { $0.push(77, at: 3, status: 400) }.findings("nothing-unexpected") == 0)
        let unmarked = History.honest.with { $0.push(0, at: 3) { $0.flags.remove(.isMarked) } }
        #expect(unmarked.findings("nothing-unexpected") == 1)
        unmarked.run.circumstances.isRelayOurs = false
        #expect(unmarked.findings("nothing-unexpected") == 1, "its token we alone have told the relay")
        let others = unmarked.with { $0.pushes[$0.pushes.count - 1].token = .stranger }
        #expect(others.findings("nothing-unexpected") == 0, "somebody else may be served as well")
        // We do not know what the relay made of a registration that it did not take.
        let disturbed = History.honest.with {
            $0.push(77, at: 3)
            $0.calls[1].wasTaken = false
        }
        #expect(disturbed.findings("nothing-unexpected") == 0)
    }

    /// P3.
    @Test("a state at a token that nobody has is misdirected, and not delivered")
    func misdirected() {
        let astray = History.honest.with { $0.pushes[4].token = .stranger }
        #expect(astray.findings("nothing-unexpected") == 1)
        #expect(astray.findings("states-delivered") == 1)
        #expect(astray.verdict(of: "nothing-unexpected").findings.first?.message.contains("token") == true)
    }

    /// P3.
    @Test("an activity that is never started is not delivered by an update that bears the start's marker")
    func startAsUpdate() {
        let history = History.started.with { history in
            history.pushes[history.pushes.count - 1].event = .update
            history.pushes[history.pushes.count - 1].outcome = .unknownActivity
        }
        #expect(history.findings("states-delivered") == 1)
    }

    @Test("a state at another session's or user's token breaks sessions-kept-apart")
    func apart() {
        let other = History.twoSessions.with { $0.pushes[0].token = .activity2 }
        #expect(other.findings("sessions-kept-apart") == 1)
        let foreign = History.honest.with { $0.pushes[0].owner = 2 }.verdict(of: "sessions-kept-apart").findings
        // Its own sessions alone show it again, another user's do not.
        #expect(foreign.map(\.involvesOthers) == [true] && foreign[0].session != nil)
        #expect(other.verdict(of: "sessions-kept-apart").findings.map(\.involvesOthers) == [false])
        #expect(History.honest.with { $0.pushes[0].owner = 0 }.findings("sessions-kept-apart") == 0)
        // The device token is shared by a user's sessions.
        let shared = History.twoSessions.with { $0.push(2, at: 3.5, .alert, session: 2) }
        #expect(shared.findings("sessions-kept-apart") == 0)
    }

    @Test("a phone that gets nothing where another does breaks each-phone-served")
    func phones() {
        let one = History.twoPhones.with { $0.pushes.removeAll { $0.token == .device2 && $0.step == 4 } }
        #expect(one.findings("each-phone-served") == 1)
        #expect(one.verdict(of: "each-phone-served").findings.first?.message.contains("phone 2") == true)
        // Nobody was served: that is a loss, but none phone's place was taken.
        let none = one.with { $0.pushes.removeAll { $0.type == .alert } }
        #expect(none.findings("each-phone-served") == nil)
        #expect(History.honest.findings("each-phone-served") == nil)
        let refused = History.twoPhones.with { history in
            for index in history.pushes.indices where history.pushes[index].token == .device2 {
                history.pushes[index].status = 503
            }
        }
        #expect(refused.findings("each-phone-served") == 0)
        // Nothing that was told behind a refusal came, but for what came later.
        func behind(_ status: UInt16) -> Int? {
            History.twoPhones.with { history in
                history.pushes.removeAll { $0.token == .device2 && $0.step == 4 }
                history.push(9, at: 10, .alert, token: .device2, status: status)
            }.findings("each-phone-served")
        }
        #expect(behind(400) == 0 && behind(200) == 1)
    }

    @Test("a push that is lost with a connection that went away breaks goaway-obeyed")
    func goAway() {
        let lost = History.goneAway.with { $0.pushes.removeAll { $0.step == 3 } }
        lost.run.circumstances.throttle = nil
        let replaced = lost.with { $0.rows[1].flags = [] }
        #expect(replaced.findings("goaway-obeyed") == nil, "a newer state was told before the relay need have connected again")
        let firm = replaced.with { $0.pushes.removeAll { $0.step == 4 && $0.isLiveActivity } }
        #expect(firm.findings("goaway-obeyed") == 1)
        // It met two: more than one retry is asked of nobody.
        let twice = firm
        twice.run.circumstances.connectionFirings.append((at: at(13.3), rule: 1))
        #expect(twice.findings("goaway-obeyed") == nil)
        // By faults of two kinds, too, which excuse nothing by themselves.
        twice.run.circumstances.connectionFirings[1].rule = 2
        #expect(twice.findings("goaway-obeyed") == nil)
        #expect(twice.findings("states-delivered") == 2, "with the state behind it")
        twice.run.circumstances.connectionFirings = []
        #expect(twice.findings("goaway-obeyed") == nil)
    }

    @Test("goaway-obeyed is put to the test by what a connection took along, and not by what had come before it went", arguments: [
        (13.01, 0), (13.3, nil),
    ] as [(Double, Int?)])
    func goAwayTested(seconds: Double, expected: Int?) {
        let history = History.goneAway
        history.run.circumstances.connectionFirings = [(at: at(seconds), rule: 1)]
        #expect(history.findings("goaway-obeyed") == expected)
        let again = history.with { history in for index in history.calls.indices { history.calls[index].attempts = 2 } }
        #expect(again.findings("goaway-obeyed") == nil, "its caller had to tell it twice")
    }

    @Test("a connection that went when the push was long on its way, or not yet due, took nothing along", arguments: [
        (14.0, 1), (14.01, nil), (12.99, nil),
    ] as [(Double, Int?)])
    func goAwayApart(seconds: Double, expected: Int?) {
        let lost = History.goneAway.with { history in
            history.pushes.removeAll { $0.step == 3 || $0.step == 4 && $0.isLiveActivity }
            history.rows[1].flags = []
        }
        lost.run.circumstances.throttle = nil
        lost.run.circumstances.connectionFirings = [(at: at(seconds), rule: 1)]
        #expect(lost.findings("goaway-obeyed") == expected)
    }

    @Test("a token that the relay had let go of before the connection went was not lost with it")
    func goAwayForgotten() {
        func lost(_ turn: (inout History) -> Void) -> History {
            let history = History.goneAway.with { history in
                history.pushes.removeAll { $0.step >= 3 && $0.isLiveActivity }
                history.rows[1].flags = []
                turn(&history)
            }
            history.run.circumstances.throttle = nil
            return history
        }
        #expect((lost { _ in }.findings("goaway-obeyed") ?? 0) > 0)
        let refused = lost { history in
            for index in history.pushes.indices where history.pushes[index].isLiveActivity { history.pushes[index].status = 400 }
        }
        #expect(refused.findings("goaway-obeyed") == nil)
    }

    /// The stream of the session's end is reset, and what follows is as given.
    private func cutOff(touches: Bool = true, _ turn: (inout History) -> Void) -> History {
        let history = History.goneAway.with { history in
            history.pushes.removeAll { $0.step == 6 && $0.isLiveActivity }
            history.push(6, at: 26.02, event: .end, status: 0) { $0.faultRule = 2 }
            turn(&history)
        }
        history.run.circumstances.connectionFirings = []
        history.run.circumstances.faults = [
            .init(rule: 2, label: "reset", windows: [at(26)..<at(26.1)], cutsOff: touches)
        ]
        return history
    }

    @Test("a stream that is cut off and not sent again breaks goaway-obeyed")
    func cutOffStream() {
        let lost = cutOff { _ in }
        #expect(lost.findings("goaway-obeyed") == 1)
        #expect(lost.verdict(of: "goaway-obeyed").findings.first?.entries == [lost.pushes.last?.id ?? 0])
        #expect(cutOff { $0.push(6, at: 26.5, event: .end) }.findings("goaway-obeyed") == 0)
        // Sent again, and lost by another cause: it was not the connection.
        #expect(cutOff { $0.push(6, at: 26.5, event: .end, status: 400, reason: "BadTopic") }.findings("goaway-obeyed") == nil)
        // Another fault than one of connections.
        #expect(cutOff(touches: false) { _ in }.findings("goaway-obeyed") == nil)
    }
}

/// What explains a loss, and for how long.
@Suite("Losses that are not the relay's")
struct BlameTests {
    /// P1.
    @Test("a relay that never sends an update loses them, whatever comes in the end")
    func supersededHasADeadline() {
        let history = History.honest.with { $0.pushes.removeAll { $0.type == .liveactivity && $0.step < 5 } }
        // Steps 2, 3 and 4 were due before step 5 came.
        #expect(history.joined.deliveries.filter { $0.outcome == .lost }.count == 3)
        #expect(history.findings("last-state-delivered") == 2)
        #expect(history.findings("states-delivered") == 1)
    }

    /// J9.
    @Test("what was sent or due while we held the relay down is ours")
    func heldDown() {
        let history = History.honest.with { $0.pushes.removeAll { $0.step == 4 } }
        #expect(history.findings("states-delivered") == 2)
        history.run.circumstances.outages = [.init(from: at(14.9), until: at(15.5))]
        #expect(history.findings("states-delivered") == 0)
        #expect(Set(history.joined.deliveries.compactMap(\.excuse)) == ["relay held down"])
        history.run.circumstances.outages = [.init(from: at(20.1), until: at(21))]
        #expect(history.findings("states-delivered") == 2)
        // The call itself was not answered, because we held the relay down: it never had it.
        history.run.circumstances.outages = [.init(from: at(14.9), until: at(15.5))]
        let unanswered = history.with { history in
            history.calls[4].status = 0
            history.calls[4].wasTaken = false
        }
        #expect(unanswered.joined.deliveries.filter { $0.outcome == .unsent }.count == 2)
    }

    @Test("what we never sent is nobody's loss")
    func unsent() {
        for state in [SeenCall.State.planned, .dropped] {
            let history = History.honest.with { history in
                history.pushes.removeAll { $0.step == 4 }
                history.calls[4].state = state
            }
            #expect(history.findings("states-delivered") == 0)
        }
        // The activity's registration was never sent.
        let unregistered = History.honest.with { history in
            history.pushes.removeAll { $0.token == .activity }
            history.calls[1].state = .dropped
        }
        #expect(unregistered.findings("states-delivered") == 0)
        #expect(unregistered.findings("last-state-delivered") == nil)
    }

    @Test("what is due after the end of the run is undecided")
    func undecided() {
        let history = History.honest.with { $0.pushes.removeLast() }
        history.run.circumstances.end = at(30.9)
        #expect(history.findings("last-state-delivered") == 0)
        history.run.circumstances.end = at(31)
        #expect(history.findings("last-state-delivered") == 1)
    }
}
