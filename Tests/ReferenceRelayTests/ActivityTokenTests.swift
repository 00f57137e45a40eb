import Basics
import Testing

@testable import ReferenceRelay

@Suite struct ActivityTokenTests {
    @Test func aRotatedTokenTakesTheOldOnesPlace() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.event(.progress)
        rig.activity("a2")
        rig.event(.permission)
        #expect(rig.seen == ["update a1 working", "alert d1", "update a2 permission"])
        #expect(rig.rows.activities.map(\.token) == ["a2"])
    }

    @Test func aPushInFlightWhileTheTokenRotatesFindsItsWay() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.answer = { _ in nil }
        rig.event(.progress, "one")
        rig.activity("a2")
        rig.answerOldest(Rig.refusal(410, "Unregistered"))
        #expect(rig.seen == ["update a1 working", "update a2 working"])
        #expect(rig.stamp(0) == rig.stamp(1))
        rig.answerOldest()
        #expect(rig.rows.activities.map(\.token) == ["a2"])
    }

    @Test func aPushThatWaitedGoesToTheRotatedToken() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.answer = { $0.token == "a1" ? Rig.refusal(503, "ServiceUnavailable") : Rig.accepted }
        rig.event(.progress, "one")
        rig.activity("a2")
        #expect(rig.seen == ["update a1 working", "update a2 working"])
        rig.pass(.seconds(60))
        #expect(rig.attempts.count == 2)
        #expect(rig.core.waiting == 0)
    }

    @Test func anAcceptedPushIsNotRepeatedAfterRotation() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.answer = { _ in nil }
        rig.event(.progress, "one")
        rig.activity("a2")
        rig.answerOldest()
        #expect(rig.seen == ["update a1 working"])
    }

    @Test func whatADeadTokenKeptFromTheCardLeavesWithTheNext() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.permission)
        rig.event(.permission)
        rig.forgetSeen()
        rig.activity("a2")
        #expect(rig.seen == ["update a2 permission"])
        rig.activity("a3")
        #expect(rig.seen.count == 1, "it was shown")
    }

    @Test func whatADeadTokenKeptFromTheCardWaitsForTheWindow() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.progress)
        rig.forgetSeen()
        rig.activity("a2")
        #expect(rig.seen == [])
        rig.pass(.seconds(60))
        #expect(rig.seen == ["update a2 working"])
    }

    @Test func twoPhonesAreBothServed() {
        let rig = Rig()
        rig.device("d1")
        rig.device("d2")
        rig.activity("a1")
        rig.activity("a2")
        let ticket = rig.event(.progress)
        #expect(rig.seen == ["update a1 working", "update a2 working"])
        #expect((ticket.sent, ticket.failed) == (2, 0))
        rig.event(.complete)
        #expect(rig.seen.suffix(4) == ["alert d1", "alert d2", "end a1 complete", "end a2 complete"])
    }

    @Test func withTwoPhonesARotatedTokenIsFoundOutByItsFirst410() {
        let rig = Rig()
        rig.device("d1")
        rig.device("d2")
        for token in ["a1", "a2", "a3"] { rig.activity(token) }
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "ExpiredToken") : Rig.accepted }
        rig.event(.permission)
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "alert d2", "update a2 permission", "update a3 permission"])
    }

    @Test func aPhoneWhoseDeviceTokenDiedIsServedOnByItsActivity() {
        let rig = Rig()
        rig.device("d1")
        rig.device("d2")
        rig.answer = { $0.token == "d2" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.permission)
        rig.activity("a1")
        rig.activity("a2")
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "update a1 permission", "update a2 permission"])
    }

    @Test func aDeadDeviceTokenOfAPhoneThatIsHereUnderAnotherIsNoSecondPhone() {
        let rig = Rig()
        rig.device("d1", start: "s1")
        rig.device("d2", start: "s1")
        rig.answer = { $0.token == "d1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.permission)
        rig.activity("a1")
        rig.activity("a2")
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d2", "update a2 permission"])
    }

    @Test func aPhoneThatComesBackIsOnePhone() {
        let rig = Rig()
        rig.device("d1")
        rig.answer = { $0.token == "d1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.permission)
        rig.device("d2")
        rig.activity("a1")
        rig.activity("a2")
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d2", "update a2 permission"])
    }

    @Test func aRegistrationThatNamesItsPhoneReplacesExactlyItsOwnToken() {
        let rig = Rig()
        rig.device("d1")
        rig.device("d2")
        rig.activity("a1", phone: "d1")
        rig.activity("a2", phone: "d2")
        rig.activity("a3", phone: "d1")
        rig.event(.progress)
        #expect(rig.seen == ["update a3 working", "update a2 working"])
    }

    @Test func tokensOfOneSessionAreBounded() {
        let rig = Rig()
        rig.device("d1")
        rig.device("d2")
        for number in 1...50 { rig.activity("a\(number)") }
        rig.event(.progress)
        #expect(rig.attempts.count == 4)
        #expect(rig.rows.activities.count == 4)
    }

    @Test func anUnregisteredActivityGetsNothingMoreButAlertsGoOn() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.activity()
        rig.event(.progress)
        rig.unregister()
        for type in [EventType.progress, .start, .permission] {
            rig.pass(.seconds(20))
            rig.event(type)
        }
        #expect(rig.seen == ["update a1 working", "alert d1"])
        rig.event(.complete)
        rig.pass(.seconds(2))
        rig.event(.start)
        #expect(rig.seen == ["update a1 working", "alert d1", "alert d1", "start p1"])
    }

    @Test func anUnregisteredActivityCanRegisterAgain() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.unregister()
        rig.activity("a2")
        rig.event(.progress)
        #expect(rig.seen == ["update a2 working"])
    }

    @Test func aLateUnregisterDoesNotRemoveTheNewerActivity() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.event(.complete)
        rig.pass(.seconds(3))
        rig.event(.start)
        rig.activity("a2")
        rig.pass(.seconds(1))
        rig.unregister()
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "update a2 permission"])
        rig.unregister()
        rig.event(.permission)
        // The second unregister is the newer one's.
        #expect(rig.seen == ["alert d1", "update a2 permission", "alert d1"])
    }

    @Test func aLateUnregisterAfterAReplacementWithoutAnEndIsTheOldOnes() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.activity("a2")
        rig.unregister()
        rig.event(.progress)
        #expect(rig.seen == ["update a2 working"])
    }

    @Test func aLateUnregisterIsTheOldOnesWhichAPNsHadDeclaredDead() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.progress)
        rig.activity("a2")
        rig.unregister()
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "update a2 permission"])
        rig.unregister()
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1"])
    }

    /// Two phones and three tokens: one of them has rotated, and its goodbye is still to come; one more is meant.
    @Test(arguments: [false, true])
    func aLateUnregisterSilencesNoneOfTwoPhones(isOldOneDead: Bool) {
        let rig = Rig()
        rig.device("d1")
        rig.device("d2")
        for token in ["a1", "a2", "a3"] { rig.activity(token) }
        if isOldOneDead {
            rig.answer = { $0.token == "a1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
            rig.event(.permission)
        }
        rig.unregister()
        rig.forgetSeen()
        rig.event(.permission)
        let former = isOldOneDead ? [] : ["update a1 permission"]
        #expect(rig.seen.filter { $0.hasPrefix("update") } == former + ["update a2 permission", "update a3 permission"])
        rig.unregister()
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.seen.allSatisfy { $0.hasPrefix("alert") })
    }

    @Test func longAfterARotationAnUnregisterIsMeant() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.activity("a2")
        rig.pass(.seconds(31))
        rig.unregister()
        rig.event(.progress)
        #expect(rig.seen == [])
    }

    @Test func anUnregisterOnTimeIsNotCountedAgainstTheNextActivity() {
        let rig = Rig()
        rig.device()
        rig.activity("a1")
        rig.event(.complete)
        rig.unregister()
        rig.activity("a2")
        rig.unregister()
        rig.event(.progress)
        #expect(rig.seen == ["alert d1", "end a1 complete"])
    }

    @Test func anUnregisterThatNamesItsTokenRemovesThatOne() {
        let rig = Rig()
        rig.device("d1")
        rig.device("d2")
        rig.activity("a1")
        rig.activity("a2")
        rig.unregister(token: "a1")
        rig.event(.progress)
        #expect(rig.seen == ["update a2 working"])
    }

    @Test func theTokenOfAnEndedActivityDoesNotComeBack() {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.event(.complete)
        rig.pass(.seconds(12))
        rig.activity()
        rig.event(.progress)
        #expect(rig.seen == ["alert d1", "end a1 complete"])
        #expect(rig.rows.activities.isEmpty)
    }

    @Test func anActivityIsEndedBeforeTheSystemDoes() {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.event(.progress, "one")
        rig.pass(.seconds(8 * 3600 - 61))
        #expect(rig.attempts.count == 1)
        rig.pass(.seconds(2))
        #expect(rig.seen == ["update a1 working", "end a1 error"])
        #expect(rig.message(1) == "Timed out after 8 hours.")
        #expect(rig.rows.activities.isEmpty)
    }

    @Test func ageSurvivesARestart() {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.pass(.seconds(7 * 3600))
        let again = Rig(time: rig.time)
        again.core.restore(rig.rows, now: again.now)
        again.pass(.seconds(3600))
        #expect(again.seen == ["end a1 error"])
    }

    @Test func registrationsSurviveARestart() {
        let rig = Rig()
        rig.device("d1", start: "p1")
        rig.activity()
        let again = Rig(time: rig.time)
        again.core.restore(rig.rows, now: again.now)
        again.event(.permission)
        #expect(again.seen == ["alert d1", "update a1 permission"])
        again.device("d2")
        again.activity("b1", session: "s2")
        #expect(again.rows.devices.map(\.id) == [2])
        #expect(again.rows.activities.map(\.id) == [2])
    }
}
