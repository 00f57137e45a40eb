// The life of a Live Activity, and the alerts beside it.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about activities")
struct ActivityRuleTests {
    private func startedAgain(_ seconds: Double = 1.9, _ turn: (inout SeenPush) -> Void = { _ in }) -> History {
        History.started.with { history in
            history.push(1, at: seconds, event: .start, token: .start) {
                $0.flags.insert(.asksForToken)
                turn(&$0)
            }
        }
    }

    @Test("a refused start that is sent again behind the registration of its activity breaks stale-start-dropped")
    func behindRegistration() {
        func broken(_ seconds: Double, _ turn: (inout History) -> Void = { _ in }) -> Int? {
            History.refusedStart(acceptedAt: seconds).with(turn).findings("stale-start-dropped")
        }
        // Answered at 2.005, and a quarter of a second is granted to what is under way.
        #expect(broken(2.25) == 0 && broken(2.26) == 1)
        #expect(History.started.findings("stale-start-dropped") == nil, "one attempt puts nothing to the test")
        #expect(broken(3.01) { $0.pushes[$0.pushes.count - 1].status = 429 } == 0)
        #expect(broken(3.01) { $0.pushes[$0.pushes.count - 2].status = 200 } == nil, "that is a second start")
        #expect(broken(3.01) { $0.calls[2].wasTaken = false } == 0)
        #expect(broken(3.01) { $0.tokenCalls[$0.tokenCalls.count - 1].lane.phone = 1 } == 0)
        #expect(broken(3.01) { $0.push(2, at: 2.5, status: 410, reason: "Unregistered") } == 0, "it is over already")
        let letGo = { (history: inout History) in
            history.call(7, .unregister, at: 2.5)
            history.registers(7, .activity, .activity, isRegistration: false)
        }
        #expect(broken(3.01, letGo) == 0 && broken(2.4, letGo) == 1)
        let laterLetGo = { (history: inout History) in
            history.call(7, .unregister, at: 27)
            history.registers(7, .activity, .activity, isRegistration: false)
            history.push(7, at: 28, status: 410, reason: "Unregistered")
        }
        #expect(broken(3.01, laterLetGo) == 1)
        #expect(broken(3.01) { $0.registers(7, .activity, .activity, isRegistration: false) } == 1, "no call has said so")
        #expect(History.refusedStart(acceptedAt: 3.01).verdict(of: "stale-start-dropped").findings.first?.message
            == "session 1 was started although its activity had registered")
    }

    @Test("or behind the end of its session, unless that has begun again")
    func behindEnd() {
        func history(_ seconds: Double, _ turn: (inout History) -> Void = { _ in }) -> History {
            History.refusedStart(acceptedAt: seconds).with { history in
                history.tokenCalls.removeLast()
                turn(&history)
            }
        }
        #expect(history(26.25).findings("stale-start-dropped") == 0 && history(26.26).findings("stale-start-dropped") == 1)
        #expect(history(27.01).findings("stale-start-dropped") == 1)
        #expect(history(27.01).verdict(of: "stale-start-dropped").findings.first?.message == "session 1 was started although it was over")
        let unheard = history(27.01) { history in
            for index in history.calls.indices where history.calls[index].kind == Kind.complete.rawValue {
                history.calls[index].wasTaken = false
            }
        }
        #expect(unheard.findings("stale-start-dropped") == 0)
        func again(_ seconds: Double) -> History {
            history(seconds) { history in
                history.call(9, .start, at: 40)
                history.expect(9, .start, at: 40, event: .start, token: .start, lane: .start)
            }
        }
        #expect(again(41).findings("stale-start-dropped") == 0 && again(39).findings("stale-start-dropped") == 1)
    }

    @Test("a second start of a session before it has answered breaks one-start")
    func secondStart() {
        #expect(startedAgain().findings("one-start") == 1)
        #expect(startedAgain { $0.session = 2 }.findings("one-start") == 0)
        #expect(startedAgain { $0.token = .device2 }.findings("one-start") == 0)
        #expect(startedAgain { $0.status = 503 }.findings("one-start") == 0)
    }

    /// J2.
    @Test("a start whose answer never reached the relay, or that we caused twice, may come again")
    func repeatedStart() {
        let first = History.started.pushes.last!.id
        #expect(startedAgain().with { $0.undelivered = [first] }.findings("one-start") == 0)
        #expect(startedAgain().with { $0.calls[1].attempts = 2 }.findings("one-start") == 0)
    }

    @Test("an update or an end closes what was started, and so does a registration of the start token")
    func closed() {
        #expect(startedAgain(24.5).findings("one-start") == 0)
        #expect(startedAgain(26.5).findings("one-start") == 0)
        let registered = startedAgain(1.9).with { history in
            history.call(8, .register, at: 1.5)
            history.registers(8, .start, .start)
        }
        #expect(registered.findings("one-start") == 0)
        // Another session's update closes nothing.
        let other = startedAgain(1.9).with { $0.push(2, at: 1.5, token: .activity2, session: 2) }
        #expect(other.findings("one-start") == 1)
        // Three starts are two too many.
        #expect(startedAgain(1.9).with { $0.push(1, at: 1.95, event: .start, token: .start) }.findings("one-start") == 2)
    }

    @Test("an update closes what was started on its own phone, and on no other", arguments: [
        (0, 0), (1, 1),
    ] as [(UInt8, Int)])
    func otherPhone(phone: UInt8, expected: Int) {
        let history = History.started.with { history in
            history.registers(0, .stranger, Lane(role: .start, phone: phone))
            for seconds in [1.03, 24.5] { history.push(1, at: seconds, event: .start, token: .stranger) }
        }
        #expect(history.findings("one-start") == expected)
    }

    /// Its card was never told a state before it was dismissed.
    @Test("a start that the plan owes behind an activity that was taken back is no second one")
    func owedAnew() {
        let again = History.started.with { history in
            history.run.circumstances.finalKinds = []
            history.pushes.removeAll { $0.token == .activity }
            history.call(7, .unregister, at: 30)
            history.registers(7, .activity, .activity, isRegistration: false)
            history.call(9, .start, at: 40)
            history.expect(9, .start, at: 40, event: .start, token: .start, lane: .start)
            history.push(9, at: 40.02, event: .start, token: .start) { $0.outcome = .started }
        }
        #expect(again.findings("one-start") == 0)
        #expect(again.with { $0.rows.removeLast() }.findings("one-start") == 1, "no call asks for it")
        #expect(again.with { $0.tokenCalls.removeLast() }.findings("one-start") == 1, "the card is there")
        #expect(again.with { $0.calls[7].state = .withheld }.findings("one-start") == 1, "nobody said so")
    }

    @Test("a start whose answer left right before we ended the relay may come again", arguments: [
        (2.01, 0), (2.03, 1),
    ] as [(Double, Int)])
    func lostStart(seconds: Double, expected: Int) {
        let history = startedAgain(2.5)
        history.run.circumstances.outages = [.init(from: at(seconds), until: at(2.4))]
        #expect(history.with { $0.pushes.removeAll { $0.token == .activity } }.findings("one-start") == expected)
    }

    @Test("a session that was over and begins again has another start, also where no card was told of the end")
    func anotherLife() {
        let again = History.started.with { history in
            history.pushes.removeAll { $0.token == .activity }
            history.call(8, .start, at: 40)
            history.push(8, at: 40.02, event: .start, token: .start) { $0.flags.insert(.asksForToken) }
        }
        #expect(again.findings("one-start") == 0)
        let untaken = again.with { history in
            for index in history.calls.indices where history.calls[index].kind == Kind.complete.rawValue {
                history.calls[index].wasTaken = false
            }
        }
        #expect(untaken.findings("one-start") == 1)
        // The end does not lie between the two.
        #expect(again.with { $0.pushes[$0.pushes.count - 1].step = 2 }.findings("one-start") == 1)
        #expect(again.with { $0.pushes[$0.pushes.count - 1].step = 6 }.findings("one-start") == 1, "it is the end's own")
    }

    @Test("a second start after the activity's token died says so")
    func startedAfterDeath() {
        let died = History.started.with { history in
            history.pushes.removeAll { $0.token == .activity }
            history.push(2, at: 2.02, status: 410, reason: "Unregistered")
            history.push(3, at: 13.02, event: .start, token: .start)
        }
        let finding = died.verdict(of: "one-start").findings.first
        #expect(
            finding?.expected
                == "no further start: the activity's token died, and its user may have dismissed it (R0.13, G17)")
        #expect(startedAgain().verdict(of: "one-start").findings.first?.expected == "one start until an update token is known")
        let alive = died.with { $0.pushes.removeAll { $0.status == 410 } }
        #expect(alive.verdict(of: "one-start").findings.first?.expected == "an update to the token that was registered")
    }

    @Test("a start that lacks something, or asks for no token, breaks its rule")
    func incomplete() {
        let lacking = History.started.with { $0.pushes[$0.pushes.count - 1].startLack = $0.text("no alert") }
        #expect(lacking.verdict(of: "start-is-complete").findings.map(\.seen) == ["no alert"])
        let silent = History.started.with { $0.pushes[$0.pushes.count - 1].flags.remove(.asksForToken) }
        #expect(silent.findings("start-asks-for-token") == 1)
        #expect(silent.with { $0.pushes[$0.pushes.count - 1].status = 503 }.findings("start-asks-for-token") == nil)
        #expect(lacking.with { $0.pushes[$0.pushes.count - 1].event = .update }.findings("start-is-complete") == nil)
    }

    @Test("an end for a state that goes on, and anything else for the last one, break activity-event-fits")
    func wrongEvent() {
        #expect(History.honest.with { $0.pushes[0].event = .end }.findings("activity-event-fits") == 1)
        #expect(History.honest.with { $0.pushes[6].event = .update }.findings("activity-event-fits") == 1)
        #expect(History.honest.with { $0.pushes[6].event = nil }.findings("activity-event-fits") == 1)
        #expect(History.honest.with { $0.pushes[0].event = nil }.findings("activity-event-fits") == 1)
        // A state that comes as the start of its activity.
        #expect(History.honest.with { $0.pushes[0].event = .start }.isKept("activity-event-fits"))
    }

    /// P10.
    @Test("an update behind the end, even of the same second, breaks nothing-after-end")
    func afterEnd() {
        let after = { (seconds: Double, stamp: Int64, connection: UInt64) in
            History.honest.with { history in
                history.push(5, at: seconds) {
                    $0.stamp = epoch + stamp
                    $0.connection = connection
                }
            }
        }
        #expect(after(27, 27, 1).findings("nothing-after-end") == 1)
        #expect(after(26.04, 26, 1).findings("nothing-after-end") == 1)
        #expect(after(26.5, 26, 2).findings("nothing-after-end") == 1)
        // Over another connection they may have changed places on the wire.
        #expect(after(26.05, 26, 2).findings("nothing-after-end") == 0)
        // The device passes over what is older than the end.
        #expect(after(27, 25, 1).findings("nothing-after-end") == 0)
        #expect(after(26.02, 26, 1).findings("nothing-after-end") == 0)
        #expect(after(27, 27, 1).with { $0.pushes[$0.pushes.count - 1].token = .activity2 }.findings("nothing-after-end") == 0)
        #expect(after(27, 27, 1).with { $0.pushes[$0.pushes.count - 1].event = .start }.findings("nothing-after-end") == 0)
        #expect(after(27, 27, 1).with { $0.pushes[$0.pushes.count - 1].status = 410 }.findings("nothing-after-end") == 0)
    }

    @Test("an end whose call we cut off, the relay with it, binds nobody")
    func afterLostEnd() {
        let cut = { (isAnswered: Bool, down: Range<Double>) in
            History.honest.with { history in
                history.push(5, at: 29) { $0.stamp = epoch + 29 }
                let end = history.pushes.first { $0.event == .end }!
                for index in history.calls.indices where history.calls[index].step == end.step && !isAnswered {
                    history.calls[index].status = 0
                    history.calls[index].wasTaken = false
                }
                history.run.circumstances.outages = [.init(from: at(down.lowerBound), until: at(down.upperBound))]
            }
        }
        #expect(cut(true, 28.5..<28.9).findings("nothing-after-end") == 1)
        // Its 200 came so soon before the kill that the next process need not know of it.
        #expect(cut(true, 26.5..<26.9).findings("nothing-after-end") == 0)
        #expect(cut(false, 26.5..<26.9).findings("nothing-after-end") == 0)
        #expect(cut(false, 40..<41).findings("nothing-after-end") == 1)
    }

    @Test("a question at priority 5 breaks urgent-states-at-10")
    func urgent() {
        #expect(History.honest.with { $0.pushes[4].priority = 5 }.findings("urgent-states-at-10") == 1)
        #expect(History.honest.with { $0.pushes[4].priority = 9 }.findings("urgent-states-at-10") == 1)
        #expect(History.honest.with { $0.run.urgentKinds = [] }.findings("urgent-states-at-10") == nil)
    }

    /// J13.
    @Test("twenty states that could wait, all at priority 10, break activity-priorities-mixed")
    func allUrgent() {
        let urgent = History.busy.with { history in
            for index in history.pushes.indices { history.pushes[index].priority = 10 }
        }
        #expect(urgent.findings("activity-priorities-mixed") == 1)
        #expect(urgent.with { $0.pushes[10].priority = 5 }.isKept("activity-priorities-mixed"))
        // 50 at the end, each behind another that could wait, and one before the question; 20 are enough.
        #expect(urgent.with { $0.pushes.removeLast(31) }.findings("activity-priorities-mixed") == 1)
        #expect(urgent.with { $0.pushes.removeLast(32) }.findings("activity-priorities-mixed") == nil)
        // A state that matters may be urgent.
        let mattering = urgent.with { history in
            for index in history.rows.indices { history.rows[index].flags = [] }
        }
        #expect(mattering.findings("activity-priorities-mixed") == nil)
        // Each follows one that does, so that it changes what the card says.
        let alternating = urgent.with { history in
            for index in history.rows.indices where index % 2 == 0 { history.rows[index].flags = [] }
        }
        #expect(alternating.findings("activity-priorities-mixed") == nil)
        // Without a plan every update counts.
        #expect(urgent.with { $0.rows = [] }.findings("activity-priorities-mixed") == 1)
        #expect(urgent.with { history in
            for index in history.pushes.indices { history.pushes[index].status = 503 }
        }.findings("activity-priorities-mixed") == nil)
        #expect(urgent.with { history in
            for index in history.pushes.indices { history.pushes[index].event = .start }
        }.findings("activity-priorities-mixed") == nil)
    }
}

@Suite("Rules about alerts")
struct AlertRuleTests {
    @Test("an alert within a state that may be coalesced is told, within any other it is not")
    func loud() {
        func findings(_ turn: (inout History) -> Void) -> Int? {
            History.honest.with { history in
                history.run.hasSchemas = true
                turn(&history)
            }.findings("progress-is-quiet")
        }
        #expect(findings { $0.pushes[0].flags.insert(.alerts) } == 1)
        #expect(findings { $0.pushes[$0.pushes.firstIndex { $0.step == 4 && $0.isLiveActivity }!].flags.insert(.alerts) } == 0)
        #expect(findings { $0.pushes[0].flags.insert(.alerts); $0.pushes[0].status = 503 } == 0)
        // Without schemas nobody has looked.
        #expect(findings { $0.pushes[0].flags.insert(.alerts); $0.run.hasSchemas = false } == nil)
    }

    @Test("an alert for a silent event breaks alerts-only-where-due")
    func silentEvent() {
        #expect(History.honest.with { $0.push(2, at: 2.01, .alert) }.findings("alerts-only-where-due") == 1)
        #expect(History.honest.with { $0.push(4, at: 15.02, .alert) }.findings("alerts-only-where-due") == 0)
        // Of a step that nobody planned, or that is owed nothing at all, another rule speaks.
        #expect(History.honest.with { $0.push(77, at: 2.01, .alert) }.findings("alerts-only-where-due") == 0)
        #expect(History.honest.with { $0.push(0, at: 2.01, .alert) }.findings("alerts-only-where-due") == 0)
    }

    private func alert(at seconds: Double, connection: UInt64 = 1) -> History {
        History.honest.with { history in
            let index = history.pushes.firstIndex { $0.type == .alert }!
            history.pushes[index].arrivedAt = at(seconds)
            history.pushes[index].connection = connection
        }
    }

    /// J16.
    @Test(
        "an alert behind its activity's push breaks alert-goes-first, unless the wire may have swapped them",
        arguments: [(15.03, 1, 0), (15.031, 1, 1), (15.08, 2, 0), (15.09, 2, 1)] as [(Double, UInt64, Int)])
    func order(seconds: Double, connection: UInt64, expected: Int) {
        #expect(alert(at: seconds, connection: connection).findings("alert-goes-first") == expected)
    }

    /// Of two phones one has a dead device token, and gets no alert that its card could wait for.
    @Test("the card of one phone does not wait for the alert of another")
    func otherPhone() {
        func history(phone: UInt8) -> History {
            alert(at: 15.2).with { history in
                let row = history.rows.firstIndex { $0.type == .alert && $0.step == 4 }!
                history.rows[row].lane = Lane(role: .device, phone: phone)
            }
        }
        #expect(history(phone: 0).findings("alert-goes-first") == 1 && history(phone: 1).findings("alert-goes-first") == 0)
    }

    @Test("an alert that is missing is lost, and breaks no order")
    func missing() {
        let history = History.honest.with { $0.pushes.removeAll { $0.type == .alert && $0.step == 4 } }
        #expect(history.findings("alert-goes-first") == 0)
        #expect(history.findings("states-delivered") == 1)
    }

    /// J5.
    @Test("an alert that a dead device token forbids is not asked for")
    func deadDevice() {
        let history = History.died(.device, at: 14)
        // Step 4's own alert told of the death; step 6's must not be sent.
        #expect(history.pushes.filter { $0.type == .alert }.count == 1)
        #expect(history.verdict(of: "alert-goes-first").isBroken == false)
        #expect(history.findings("states-delivered") == 0)
    }

    @Test("a refused alert that went first has gone first")
    func refused() {
        let history = History.honest.with { history in
            let index = history.pushes.firstIndex { $0.type == .alert }!
            history.push(4, at: 16, .alert)
            history.refuse(index, status: 503, reason: "ServiceUnavailable")
        }
        #expect(history.findings("alert-goes-first") == 0)
    }
}
