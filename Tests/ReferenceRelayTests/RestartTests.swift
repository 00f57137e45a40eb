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
