import Basics
import Testing

@testable import ReferenceRelay

@Suite struct ThrottleTests {
    @Test func aBurstBecomesTheFirstAndTheLast() {
        let rig = Rig()
        rig.activity()
        for step in 0..<40 {
            let ticket = rig.event(.progress, "step \(step)")
            #expect(rig.isAnswered(ticket))
            rig.pass(.milliseconds(100))
        }
        #expect((0..<1).map(rig.message) == ["step 0"])
        #expect(rig.attempts.count == 1)
        rig.pass(.seconds(6.2))
        #expect(rig.attempts.count == 2)
        #expect(rig.message(1) == "step 39")
        rig.pass(.seconds(60))
        #expect(rig.attempts.count == 2)
    }

    @Test func pushesOfASessionAreAWindowApart() {
        let rig = Rig()
        rig.activity()
        var instants: [Instant] = []
        rig.answer = { [time = rig.time] _ in
            instants.append(time.now())
            return Rig.accepted
        }
        for step in 0..<600 {
            rig.event(.progress, "step \(step)")
            rig.pass(.milliseconds(137))
        }
        rig.pass(.seconds(30))
        #expect(instants.count >= 8)
        for (earlier, later) in zip(instants, instants.dropFirst()) { #expect(later - earlier >= .seconds(10)) }
        #expect(rig.message(rig.attempts.count - 1) == "step 599")
    }

    @Test func aPushThatLeavesLateKeepsTheNextOneAway() {
        let rig = Rig()
        rig.activity()
        rig.answer = { _ in Rig.refusal(503, "ServiceUnavailable") }
        rig.event(.progress, "one")
        rig.pass(.seconds(9))
        rig.answer = { _ in Rig.accepted }
        rig.pass(.seconds(9))
        let accepted = rig.attempts.count
        rig.event(.progress, "two")
        #expect(rig.attempts.count == accepted, "the window opened with the last attempt of the first")
        rig.pass(.seconds(10))
        #expect(rig.message(rig.attempts.count - 1) == "two")
    }

    @Test func eachSessionHasItsOwnWindow() {
        let rig = Rig()
        rig.activity("a1", session: "s1")
        rig.activity("a2", session: "s2")
        rig.event(.progress, session: "s1")
        rig.event(.progress, session: "s2")
        #expect(rig.seen == ["update a1 working", "update a2 working"])
    }

    @Test func permissionAndEndPassTheThrottle() {
        let rig = Rig()
        rig.activity()
        rig.event(.progress, "one")
        rig.event(.progress, "two")
        rig.event(.permission, "may I?")
        rig.event(.complete, "done")
        #expect(rig.seen == ["update a1 working", "update a1 permission", "end a1 complete"])
        rig.pass(.seconds(60))
        #expect(rig.attempts.count == 3, "what was throttled is contained in what followed")
    }

    @Test func aThrottledStateNeverLandsAfterTheEnd() {
        let rig = Rig()
        rig.activity()
        rig.event(.progress, "one")
        rig.event(.progress, "two")
        rig.event(.error, "broken")
        rig.pass(.seconds(3))
        rig.event(.progress, "late")
        rig.event(.permission, "late")
        rig.pass(.seconds(120))
        #expect(rig.seen == ["update a1 working", "end a1 error"])
    }

    @Test func aThrottledEventIsAnsweredAtOnce() {
        let rig = Rig()
        rig.activity()
        rig.event(.progress)
        let ticket = rig.event(.progress)
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (0, 0))
    }

    @Test func stampsAreSecondsAndGrowWithEachState() {
        let rig = Rig()
        rig.activity()
        for _ in 0..<3 { rig.event(.permission) }
        rig.pass(.seconds(60))
        rig.event(.progress)
        let origin = ManualTime().wall().seconds
        #expect((0..<4).map(rig.stamp) == [origin, origin + 1, origin + 2, origin + 60])
    }
}
