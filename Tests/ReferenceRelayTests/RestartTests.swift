import Basics
import Testing

@testable import ReferenceRelay

/// What a process leaves behind when it is asked to end, and what the next one makes of it.
@Suite struct RestartTests {
    private func restarted(_ rig: Rig) -> Rig {
        rig.core.leaveHeldStates()
        rig.settle()
        let next = Rig(time: rig.time)
        next.core.restore(rig.rows, now: next.now)
        next.settle()
        return next
    }

    /// Half a second behind what happened last, without a goodbye.
    private func killed(_ rig: Rig) -> Rig {
        rig.pass(.milliseconds(500))
        let next = Rig(time: rig.time)
        next.core.restore(rig.rows, now: next.now)
        next.settle()
        next.pass(.seconds(11))
        return next
    }

    private static let busy = Rig.refusal(503, "ServiceUnavailable")

    @Test func aKillTakesNoStateAlongThatWaits() {
        let throttled = Rig()
        throttled.activity()
        throttled.event(.progress, "one")
        throttled.event(.progress, "two")
        #expect(killed(throttled).seen == ["update a1 working"])
        let held = Rig()
        held.device(start: "p1")
        held.event(.start)
        held.event(.progress, "two")
        let next = killed(held)
        next.activity()
        #expect((next.seen, next.message(0)) == (["update a1 working"], "two"))
        for type in [EventType.progress, .complete] {
            let refused = Rig()
            refused.activity()
            refused.answer = { _ in Self.busy }
            refused.event(type)
            #expect(killed(refused).seen == [type == .progress ? "update a1 working" : "end a1 complete"])
        }
    }

    @Test func whatHasWaitedIsNotSentBehindWhatCameLater() {
        func rig(answering: Bool) -> Rig {
            let rig = Rig()
            rig.activity()
            rig.event(.progress, "one")
            rig.event(.progress, "two")
            rig.pass(.milliseconds(500))
            #expect(rig.rows.held.count == 1)
            if !answering { rig.answer = { _ in nil } }
            rig.event(.permission, "three")
            return rig
        }
        #expect(rig(answering: true).rows.held.isEmpty, "it is paid")
        let next = killed(rig(answering: false))
        #expect((next.seen, next.message(0)) == (["update a1 permission"], "three"), "the newest that left")
    }

    @Test func aKillTakesNoAlertAndNoStartAlongThatWaits() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.answer = { _ in Self.busy }
        rig.event(.permission)
        let next = killed(rig)
        #expect(Set(next.seen) == ["alert d1", "start p1"])
        #expect(Set(next.attempts.map(\.apnsID)) == Set(rig.attempts.map(\.apnsID)), "the same pushes")
        #expect(next.rows.waiting.isEmpty)
    }

    @Test func whatIsThroughLeavesNoRow() {
        let rig = Rig()
        rig.device(start: "p1")
        var isBusy = true
        rig.answer = { _ in isBusy ? Self.busy : Rig.accepted }
        rig.event(.permission)
        #expect(rig.rows.waiting.count == 2)
        isBusy = false
        rig.pass(.seconds(11))
        #expect(rig.rows.waiting.isEmpty)
        let gone = Rig()
        gone.device(start: "p1")
        gone.answer = { _ in Self.busy }
        gone.event(.permission)
        gone.core.unregisterDevice("d1", of: Rig.secret, now: gone.now)
        gone.settle()
        gone.answer = { _ in Rig.accepted }
        #expect(killed(gone).seen.isEmpty)
        let ended = Rig()
        ended.device(start: "p1")
        ended.answer = { push in push.isActivity ? Self.busy : Rig.accepted }
        ended.event(.start)
        ended.event(.complete)
        #expect(killed(ended).seen.isEmpty, "nobody could end its card")
    }

    @Test func aThrottledStateIsDeliveredByTheNext() {
        let rig = Rig()
        rig.activity()
        rig.event(.progress, "one")
        rig.event(.progress, "two")
        let next = restarted(rig)
        #expect(next.seen == [])
        next.pass(.seconds(11))
        #expect(next.seen == ["update a1 working"])
        #expect(next.message(0) == "two")
        #expect(next.stamp(0)! > rig.stamp(0)!)
        #expect(next.writes.contains(.deleteHeld(Rig.secret, sessionID: "s1")))
    }

    /// The next process knows whose goodbye is still to come, and for how long.
    @Test(arguments: [(0.0, true), (31.0, false)])
    func aLateUnregisterIsTheOldOnesBehindARestart(seconds: Double, isLate: Bool) {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.activity("a2")
        #expect(rig.rows.replaced.map(\.token) == ["a1"])
        let next = restarted(rig)
        next.pass(.seconds(seconds))
        next.unregister()
        #expect(next.writes.contains(.deleteReplaced(Rig.secret, sessionID: "s1")))
        next.event(.permission)
        #expect(next.seen == (isLate ? ["alert d1", "update a2 permission"] : ["alert d1"]))
    }

    @Test func anUnregisterOfAnActivityThatReplacedNoneIsObeyedBehindARestart() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        let next = restarted(rig)
        next.unregister()
        next.event(.permission)
        #expect(next.seen == ["alert d1"])
    }

    @Test func nothingIsLeftBehindWhereNothingIsOwed() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.activity()
        rig.event(.progress)
        rig.event(.start, session: "s2")
        rig.core.leaveHeldStates()
        rig.settle()
        #expect(rig.rows.held.isEmpty)
    }

    @Test func theWindowHoldsAcrossARestart() {
        let rig = Rig()
        rig.activity()
        rig.event(.progress, "one")
        rig.pass(.seconds(1))
        let next = restarted(rig)
        next.event(.progress, "two")
        #expect(next.seen == [])
        next.pass(.seconds(11))
        #expect((next.seen, next.message(0)) == (["update a1 working"], "two"))
    }

    @Test func aStateThatAPNsRefusedIsTriedByTheNext() {
        let rig = Rig()
        rig.activity()
        rig.answer = { _ in Rig.refusal(503, "Shutdown") }
        rig.event(.permission, "may I?")
        let next = restarted(rig)
        #expect(next.seen == ["update a1 permission"])
        #expect(next.message(0) == "may I?")
    }

    @Test func anEndThatIsOwedIsDelivered() {
        let rig = Rig()
        rig.activity()
        rig.answer = { _ in Rig.refusal(503, "Shutdown") }
        rig.event(.complete)
        let next = restarted(rig)
        #expect(next.seen == ["end a1 complete"])
        #expect(next.core.registry.accounts[Rig.secret]?.sessions["s1"]?.phase == .ended)
    }

    @Test func aStateHeldForATokenWaitsForIt() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start)
        rig.event(.progress, "held")
        let next = restarted(rig)
        #expect(next.seen == [])
        next.activity()
        #expect((next.seen, next.message(0)) == (["update a1 working"], "held"))
    }
}
