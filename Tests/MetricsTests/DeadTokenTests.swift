// Tokens die, and a relay has to notice.

import Basics
import Testing

@testable import Metrics

@Suite struct DeadTokenTests {
    var history = History()

    @Test(arguments: [(410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken")] as [(UInt16, String)])
    mutating func whatADeadTokenCouldNotGetIsExcused(status: UInt16, reason: String) {
        history.expect(1, 1, at: 1000)
        history.expect(1, 2, at: 5000)
        history.push(1, 1, at: 1050, status: status, reason: reason)
        let result = history.finish()
        #expect(classes(result) == "excused 2")
        #expect(result.deadTokens.died == 1)
        #expect(result.deadTokens.pushesAfterDeath == 0)
        #expect(result.deadTokens.worstToken == nil)
    }

    @Test(
        arguments: [(403, "ExpiredProviderToken"), (429, "TooManyRequests"), (400, "BadTopic")] as [(UInt16, String)])
    mutating func otherRefusalsKillNoToken(status: UInt16, reason: String) {
        history.expect(1, 1, at: 1000)
        history.expect(1, 2, at: 5000)
        history.push(1, 1, at: 1050, status: status, reason: reason)
        let result = history.finish()
        #expect(classes(result) == "lost 2")
        #expect(result.deadTokens.died == 0)
    }

    @Test mutating func whatWasDueBeforeTheDeathIsNotExcused() {
        history.expect(1, 1, at: 1000, deadline: 500)
        history.expect(1, 2, at: 3000)
        history.push(1, 2, at: 3050, status: 410, reason: "Unregistered")
        #expect(classes(history.finish()) == "lost 1, excused 1")
    }

    @Test mutating func whatWasStillDueWhenTheTokenDiedIsExcused() {
        history.expect(1, 1, at: 1000, deadline: 500)
        history.expect(1, 2, at: 1100)
        history.push(1, 2, at: 1150, status: 410, reason: "Unregistered")
        #expect(classes(history.finish()) == "excused 2")
    }

    @Test mutating func anothersTokenExcusesNothing() {
        history.expect(1, 1, token: "aa")
        history.expect(2, 1, at: 5000, token: "bb")
        history.push(1, 1, status: 410, reason: "Unregistered", token: "aa")
        #expect(classes(history.finish()) == "lost 1, excused 1")
    }

    @Test mutating func aDeathExcusesNoDeliveryAway() {
        history.expect(1, 1, at: 1000)
        history.push(1, 1, at: 1020, status: 410, reason: "Unregistered")
        history.push(1, 1, at: 1200, token: "bb")
        #expect(classes(history.finish()) == "delivered 1")
    }

    @Test mutating func pushesAfterDeathAreCountedAndTheWorstTokenNamed() {
        history.push(1, 1, at: 1000, status: 410, reason: "Unregistered", token: "aa")
        history.push(1, 1, at: 1000, status: 410, reason: "Unregistered", token: "bb")
        history.push(1, 2, at: 2000, status: 410, reason: "Unregistered", token: "aa")
        let worst = [2000, 3000].map { history.push(1, 2, at: $0, status: 410, reason: "Unregistered", token: "bb") }
        history.push(1, 2, at: 2000, token: "cc")
        let dead = history.finish().deadTokens
        #expect(dead.died == 2)
        #expect(dead.pushesAfterDeath == 3)
        #expect(dead.worstToken == "bb")
        #expect(dead.worstPushes == 2)
        #expect(Set(worst).isSubset(of: dead.sample))
        #expect(dead.sample.count == 3)
    }

    @Test(arguments: [(1150, 0), (1151, 1)])
    mutating func aPushThatWasOnItsWayIsNotCounted(at instant: Int64, expected: Int) {
        // The answer left 50 ms after the arrival, and 100 ms more are granted.
        history.push(1, 1, at: 1000, status: 410, reason: "Unregistered", delay: 50)
        history.push(1, 2, at: instant, status: 410, reason: "Unregistered")
        #expect(history.finish().deadTokens.pushesAfterDeath == expected)
    }

    @Test mutating func upperAndLowerCaseAreOneToken() {
        history.push(1, 1, at: 1000, status: 410, reason: "Unregistered", token: "aB")
        history.push(1, 2, at: 2000, token: "Ab")
        #expect(history.finish().deadTokens.pushesAfterDeath == 1)
    }

    @Test mutating func theSampleIsBounded() {
        for instant in 0..<100 { history.push(1, 1, at: Int64(instant) * 1000, status: 410, reason: "Unregistered") }
        let dead = history.finish().deadTokens
        #expect(dead.pushesAfterDeath == 99)
        #expect(dead.sample.count == 20)
    }
}
