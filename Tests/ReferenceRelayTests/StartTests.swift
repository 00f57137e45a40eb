import Basics
import Testing

@testable import ReferenceRelay

@Suite struct StartTests {
    @Test func theFirstEventStartsTheActivity() {
        for type in [EventType.start, .progress, .permission] {
            let rig = Rig()
            rig.device(start: "p1")
            rig.event(type)
            #expect(rig.seen.last == "start p1")
            let aps = Rig.payload(rig.attempts.last!)["aps"]
            #expect(aps?["attributes-type"] == "SessionActivityAttributes")
            #expect(aps?["attributes"] == ["sessionId": "s1"])
            #expect(aps?["content-state"]?["status"] == "working")
            #expect(aps?["input-push-token"] == 1)
            #expect(aps?["alert"]?["title"] == "Fix the roof")
            #expect(aps?["timestamp"]?.int == rig.time.wall().seconds)
            #expect(rig.attempts.last?.priority == "10")
            #expect(rig.attempts.last?.topic == "com.example.app.push-type.liveactivity")
        }
    }

    @Test func anEndStartsNothing() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.complete)
        #expect(rig.seen == ["alert d1"])
    }

    @Test func oneStartIsSentAndTheLatestStateHeldUntilTheTokenComes() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start, "step 0")
        for step in 1...12 {
            rig.pass(.seconds(10))
            rig.event(.progress, "step \(step)")
        }
        #expect(rig.seen == ["start p1"])
        rig.activity()
        #expect(rig.seen == ["start p1", "update a1 working"])
        #expect(rig.message(1) == "step 12")
        rig.pass(.seconds(60))
        #expect(rig.attempts.count == 2)
    }

    @Test func nothingIsFlushedThatTheStartHasShown() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start)
        rig.activity()
        #expect(rig.seen == ["start p1"])
    }

    @Test func aHeldProgressThatNoStartShowsCountsForTheThrottle() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start, "zero")
        rig.event(.progress, "one")
        rig.activity()
        rig.event(.progress, "two")
        #expect(rig.seen == ["start p1", "update a1 working"] && rig.message(1) == "one")
        #expect(rig.attempts[1].priority == "5")
        rig.pass(.seconds(11))
        #expect(rig.seen.count == 3 && rig.message(2) == "two")
    }

    @Test func aHeldPermissionIsFlushedAsOne() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.permission)
        rig.activity()
        #expect(rig.seen == ["alert d1", "start p1", "update a1 permission"])
        #expect(rig.stamp(2)! > rig.stamp(1)!)
    }

    @Test func anEndThatCameFirstIsDeliveredToTheLateToken() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start)
        rig.event(.complete)
        rig.pass(.seconds(40))
        rig.activity()
        #expect(rig.seen == ["start p1", "alert d1", "end a1 complete"])
        #expect(rig.rows.activities.isEmpty)
    }

    @Test func bothPhonesAreStartedAndServed() {
        let rig = Rig()
        rig.device("d1", start: "p1")
        rig.device("d2", start: "p2")
        rig.event(.start)
        rig.event(.progress, "one")
        rig.activity("a1")
        rig.activity("a2")
        #expect(rig.seen == ["start p1", "start p2", "update a1 working", "update a2 working"])
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "alert d2", "update a1 permission", "update a2 permission"])
        #expect(rig.stamp(2) == rig.stamp(3), "the same state has the same stamp")
    }

    @Test func aRegisteredActivityIsNotStartedAgain() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.activity()
        rig.event(.start)
        #expect(rig.seen == ["update a1 working"])
    }

    @Test func aPhoneThatChangesItsDeviceTokenIsStartedOnce() {
        let rig = Rig()
        rig.device("d1", start: "p1")
        rig.device("d2", start: "p1")
        rig.event(.start)
        #expect(rig.seen == ["start p1"])
        rig.device("d3", start: "p1")
        rig.event(.progress)
        #expect(rig.seen == ["start p1"])
    }

    @Test func aRegistrationWithoutAStartTokenKeepsTheKnownOne() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.device()
        rig.event(.start)
        rig.device("d1", start: "p2")
        rig.event(.complete)
        rig.event(.start)
        #expect(rig.seen == ["start p1", "alert d1", "start p2"])
    }

    @Test func theNextTurnStartsAnew() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start)
        rig.activity()
        rig.event(.complete)
        rig.pass(.seconds(2))
        rig.event(.start)
        #expect(rig.seen == ["start p1", "alert d1", "end a1 complete", "start p1"])
    }

    @Test func progressRightAfterTheEndStartsNothingButLaterItDoes() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start)
        rig.activity()
        rig.event(.complete)
        rig.forgetSeen()
        rig.pass(.seconds(2))
        rig.event(.progress)
        #expect(rig.seen == [])
        rig.pass(.seconds(9))
        rig.event(.progress)
        #expect(rig.seen == ["start p1"])
    }

    @Test func aCardThatWasDismissedStaysAwayUntilTheServerStartsAgain() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start)
        rig.activity()
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.progress)
        rig.pass(.seconds(20))
        rig.event(.progress)
        #expect(rig.seen == ["start p1", "update a1 working"])
        rig.event(.start)
        #expect(rig.seen == ["start p1", "update a1 working", "start p1"])
    }

    @Test func aDeadStartTokenIsForgottenAndTheDeviceIsNot() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.answer = { $0.token == "p1" ? Rig.refusal(410, "ExpiredToken") : Rig.accepted }
        rig.event(.start)
        rig.event(.progress)
        #expect(rig.seen == ["start p1"])
        #expect(rig.rows.devices.map(\.startToken) == [nil])
        #expect(rig.rows.starts.isEmpty)
        rig.device(start: "p2")
        rig.event(.progress)
        #expect(rig.seen == ["start p1", "start p2"])
    }

    @Test func aStartIsTriedAgainWithTheSameIDAndNotTwiceAtOnce() {
        let rig = Rig()
        rig.device(start: "p1")
        var refusals = 2
        rig.answer = { _ in
            refusals -= 1
            return refusals >= 0 ? Rig.refusal(503, "ServiceUnavailable") : Rig.accepted
        }
        let ticket = rig.event(.start)
        #expect((ticket.sent, ticket.failed) == (0, 1))
        rig.event(.progress)
        #expect(rig.attempts.count == 1)
        rig.pass(.seconds(5))
        #expect(rig.seen == ["start p1", "start p1", "start p1"])
        #expect(Set(rig.attempts.map(\.apnsID)).count == 1)
    }

    @Test func aStartThatWaitsIsDroppedWhenTheTurnEnds() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.answer = { $0.token == "p1" ? Rig.refusal(503, "Shutdown") : Rig.accepted }
        rig.event(.start)
        rig.event(.complete)
        rig.pass(.seconds(60))
        #expect(rig.seen == ["start p1", "alert d1"])
    }

    @Test func aStartInFlightSurvivesARestart() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.event(.start)
        let again = Rig(time: rig.time)
        again.core.restore(rig.rows, now: again.now)
        again.event(.progress, "after")
        #expect(again.seen == [])
        again.activity()
        #expect(again.seen == ["update a1 working"])
        #expect(again.stamp(0)! > rig.stamp(0)!)
    }
}
