// What becomes of an expectation: each class, and the border between it and its neighbour.

import Basics
import Journal
import Pushes
import Testing

@testable import Metrics

@Suite struct DeliveryTests {
    var history = History()

    @Test mutating func aPushThatArrivesInTimeIsDelivered() {
        history.expect()
        history.push()
        let result = history.finish()
        #expect(classes(result) == "delivered 1")
        #expect(result.classes == ["progress": [.delivered: 1]])
        #expect(result.expected == 1)
        #expect(result.delivery.count == 1)
        #expect(result.delivery.value(at: 50) / 1_000_000 == 50)
        #expect(result.deliveryByKind["progress"] == result.delivery)
    }

    @Test mutating func nothingAtAllIsLost() {
        history.expect()
        #expect(classes(history.finish()) == "lost 1")
    }

    @Test(arguments: [(1500, "delivered 1"), (1501, "late 1")])
    mutating func theDeadlineItselfIsStillInTime(arrival: Int64, expected: String) {
        history.expect(deadline: 500)
        history.push(at: arrival)
        let result = history.finish()
        #expect(classes(result) == expected)
        #expect(result.delivery.count == 1)
    }

    @Test mutating func theOrderInWhichThingsAreToldDoesNotMatter() {
        history.push(1, 2, at: 1200)
        history.push(1, 1, at: 1050)
        history.expect(1, 2, at: 1100)
        history.expect(1, 1, at: 1000)
        let result = history.finish()
        #expect(classes(result) == "delivered 2")
    }

    @Test mutating func finishingTwiceGivesTheSame() {
        history.expect()
        history.push()
        history.push(status: 429, reason: "TooManyRequests")
        let first = history.finish()
        let second = history.finish()
        #expect(classes(first) == classes(second))
        #expect(first.reasons == second.reasons)
    }

    @Test(
        arguments: [
            (1, 1, PushType.alert), (1, 2, .liveactivity), (2, 1, .liveactivity),
        ] as [(UInt32, UInt32, PushType)])
    mutating func anotherSessionStepOrChannelDoesNotDeliver(session: UInt32, step: UInt32, channel: PushType) {
        history.expect(1, 1)
        history.push(session, step, channel: channel)
        #expect(classes(history.finish()) == "lost 1, unexpected 1")
    }

    @Test mutating func oneEventMayBeExpectedOnTwoChannels() {
        history.expect(channel: .alert)
        history.expect(channel: .liveactivity)
        history.push(channel: .alert)
        #expect(classes(history.finish()) == "delivered 1, lost 1")
        history.push(channel: .liveactivity)
        #expect(classes(history.finish()) == "delivered 2")
    }

    @Test mutating func anotherTokenStillDelivers() {
        history.expect(token: "aa")
        history.push(token: "bb")
        #expect(classes(history.finish()) == "delivered 1")
    }

    // MARK: Superseded

    @Test mutating func aNewerStateSupersedes() {
        history.expect(1, 1, coalesce: true)
        history.expect(1, 2, at: 1100)
        history.push(1, 2, at: 1150)
        #expect(classes(history.finish()) == "delivered 1, superseded 1")
    }

    @Test mutating func whatMayNotBeCoalescedIsLost() {
        history.expect(1, 1, coalesce: false)
        history.expect(1, 2, at: 1100)
        history.push(1, 2, at: 1150)
        #expect(classes(history.finish()) == "delivered 1, lost 1")
    }

    @Test mutating func anOlderStateSupersedesNothing() {
        history.expect(1, 1, coalesce: true)
        history.expect(1, 2, at: 1100, coalesce: true)
        history.push(1, 1)
        #expect(classes(history.finish()) == "delivered 1, lost 1")
    }

    @Test(arguments: [(UInt32(2), PushType.liveactivity), (1, .alert)])
    mutating func anotherSessionOrChannelSupersedesNothing(session: UInt32, channel: PushType) {
        history.expect(1, 1, coalesce: true)
        history.expect(session, 2, at: 1100, channel: channel)
        history.push(session, 2, at: 1150, channel: channel)
        #expect(classes(history.finish()) == "delivered 1, lost 1")
    }

    @Test mutating func aRefusedNewerStateSupersedesNothing() {
        history.expect(1, 1, coalesce: true)
        history.expect(1, 2, at: 1100, coalesce: true)
        history.push(1, 2, at: 1150, status: 503, reason: "ServiceUnavailable")
        #expect(classes(history.finish()) == "lost 2")
    }

    @Test mutating func aLateNewerStateSupersedesToo() {
        history.expect(1, 1, coalesce: true)
        history.expect(1, 2, at: 1100)
        history.push(1, 2, at: 9000)
        #expect(classes(history.finish()) == "superseded 1, late 1")
    }

    @Test mutating func everyEarlierStateIsSupersededByTheLast() {
        for step in 1...50 { history.expect(7, UInt32(step), at: 1000 + Int64(step), coalesce: true) }
        history.push(7, 20, at: 1100)
        history.push(7, 40, at: 1200)
        #expect(classes(history.finish()) == "delivered 2, superseded 38, lost 10")
    }

    @Test mutating func ofTwoPhonesOneDoesNotStandInForTheOther() {
        // The relay forgot the first phone: its states are lost, though the other phone has newer ones.
        for step in 1...3 {
            for token in ["aa", "bb"] {
                history.expect(1, UInt32(step), at: 1000 * Int64(step), coalesce: true, token: token)
            }
        }
        history.push(1, 3, at: 3050, token: "bb")
        #expect(classes(history.finish()) == "delivered 1, superseded 2, lost 3")
    }

    @Test mutating func twoPhonesAreTwoDeliveries() {
        for token in ["aa", "bb"] { history.expect(token: token) }
        history.push(at: 1050, token: "bb")
        history.push(at: 1060, token: "aa")
        let result = history.finish()
        #expect(classes(result) == "delivered 2")
    }

    // MARK: What the device did

    @Test(arguments: [Outcome.shown, .started, .updated, .ended, .silent, nil])
    mutating func outcomesThatTookTheStateDeliver(outcome: Outcome?) {
        history.expect()
        history.push(outcome: outcome)
        #expect(classes(history.finish()) == "delivered 1")
    }

    @Test(arguments: [Outcome.ignoredOlder, .ignoredEnded, .ignoredFuture, .undecodable, .unknownActivity])
    mutating func outcomesThatDidNotAreNoDelivery(outcome: Outcome) {
        history.expect()
        history.push(outcome: outcome)
        let result = history.finish()
        #expect(classes(result) == "lost 1")
        #expect(result.outcomes == [outcome.word.description: 1])
    }

    @Test mutating func theBestArrivalCounts() {
        history.expect()
        history.push(at: 1050, outcome: .undecodable)
        history.push(at: 1100, outcome: .updated)
        let result = history.finish()
        #expect(classes(result) == "delivered 1, duplicated 1")
        #expect(result.delivery.value(at: 50) / 1_000_000 == 100)
    }

    @Test mutating func aStoredStateThatIsTakenLateIsDelivered() {
        history.expect()
        history.push(outcome: .stored)
        history.late(.updated)
        let result = history.finish()
        #expect(classes(result) == "delivered 1")
        #expect(result.outcomes == ["stored": 1, "late updated": 1])
    }

    @Test(arguments: [Outcome.superseded, .expired, .ignoredEnded])
    mutating func aStoredStateThatIsNotTakenIsNoDelivery(outcome: Outcome) {
        history.expect()
        history.push(outcome: .stored)
        history.late(outcome)
        #expect(classes(history.finish()) == "lost 1")
    }

    @Test mutating func outcomesOfOtherChannelsDoNotMatter() {
        history.expect(channel: .alert)
        history.push(outcome: .notDelivered, channel: .alert)
        #expect(classes(history.finish()) == "delivered 1")
    }

    @Test mutating func aStateIgnoredBecauseANewerOneCameFirstIsSuperseded() {
        history.expect(1, 1, coalesce: true)
        history.expect(1, 2, at: 1100)
        history.push(1, 2, at: 1150)
        history.push(1, 1, at: 1160, outcome: .ignoredOlder)
        #expect(classes(history.finish()) == "delivered 1, superseded 1, reordered 1")
    }

    // MARK: Answers other than 200

    @Test(arguments: [(429, "TooManyRequests"), (500, "InternalServerError"), (0, nil)] as [(UInt16, String?)])
    mutating func aPushThatIsNotAnswered200DeliversNothing(status: UInt16, reason: String?) {
        history.expect()
        history.push(status: status, reason: reason)
        #expect(classes(history.finish()) == "lost 1")
    }

    @Test(arguments: [(503, "ServiceUnavailable"), (0, nil)] as [(UInt16, String?)])
    mutating func aRetryIsNoDuplicate(status: UInt16, reason: String?) {
        history.expect()
        history.push(at: 1010, status: status, reason: reason)
        history.push(at: 1200)
        let result = history.finish()
        #expect(classes(result) == "delivered 1")
        #expect(result.delivery.value(at: 50) / 1_000_000 == 200)
        #expect(result.reasons == [status == 0 ? "no answer" : "503 ServiceUnavailable": 1, "200": 1])
    }

    // MARK: Pushes beyond what was expected

    @Test mutating func everyFurther200IsADuplicate() {
        history.expect()
        for instant in [1050, 1060, 1070] as [Int64] { history.push(at: instant) }
        let result = history.finish()
        #expect(classes(result) == "delivered 1, duplicated 2")
        #expect(result.classes["progress"] == [.delivered: 1, .duplicated: 2])
        #expect(result.delivery.count == 1)
    }

    @Test mutating func aFailureAfterThe200IsNoDuplicate() {
        history.expect()
        history.push(at: 1050)
        history.push(at: 1060, status: 429, reason: "TooManyRequests")
        #expect(classes(history.finish()) == "delivered 1")
    }

    @Test mutating func anOlderStepAfterANewerOneIsReordered() {
        history.expect(1, 1)
        history.expect(1, 2, at: 1100)
        history.push(1, 2, at: 1150)
        history.push(1, 1, at: 1160)
        #expect(classes(history.finish()) == "delivered 2, reordered 1")
    }

    @Test mutating func alertsHaveNoOrder() {
        history.expect(1, 1, channel: .alert)
        history.expect(1, 2, at: 1100, channel: .alert)
        history.push(1, 2, at: 1150, channel: .alert)
        history.push(1, 1, at: 1160, channel: .alert)
        #expect(classes(history.finish()) == "delivered 2")
    }

    @Test mutating func anAlertDoesNotMakeAnOlderActivityStateReordered() {
        history.expect(1, 1)
        history.expect(1, 2, at: 1100, channel: .alert)
        history.push(1, 2, at: 1150, channel: .alert)
        history.push(1, 1, at: 1160)
        #expect(classes(history.finish()) == "delivered 2")
    }

    @Test mutating func sessionsHaveNoOrderAmongEachOther() {
        history.expect(1, 1)
        history.expect(2, 2)
        history.push(2, 2, at: 1050)
        history.push(1, 1, at: 1060)
        #expect(classes(history.finish()) == "delivered 2")
    }

    @Test mutating func twoPhonesHaveNoOrderAmongEachOther() {
        for step in 1...2 { for token in ["aa", "bb"] { history.expect(1, UInt32(step), token: token) } }
        history.push(1, 1, at: 1050, token: "aa")
        history.push(1, 2, at: 1060, token: "aa")
        history.push(1, 1, at: 1070, token: "bb")
        history.push(1, 2, at: 1080, token: "bb")
        #expect(classes(history.finish()) == "delivered 4")
    }

    @Test mutating func aNewerStepThatWasRefusedDoesNotMakeTheOlderOneReordered() {
        history.expect(1, 1)
        history.expect(1, 2, at: 1100)
        history.push(1, 2, at: 1150, status: 503, reason: "ServiceUnavailable")
        history.push(1, 1, at: 1160)
        #expect(classes(history.finish()) == "delivered 1, lost 1")
    }

    @Test mutating func pushesThatNobodyPlannedAreUnexpected() {
        history.expect()
        history.push()
        history.push(1, 9)
        history.pushText(#"{"aps":{}}"#, at: 1070)
        history.push(run: 1)
        history.push(9, 9, status: 400, reason: "BadTopic")
        let result = history.finish()
        #expect(classes(result) == "delivered 1, unexpected 3")
        #expect(result.classes[""] == [.unexpected: 3])
    }

    @Test mutating func anUnexpectedPushIsCountedUnderTheKindOfItsEvent() {
        history.expect(kind: "complete", channel: .alert)
        history.push(channel: .alert)
        history.push(channel: .liveactivity)
        #expect(history.finish().classes == ["complete": [.delivered: 1, .unexpected: 1]])
    }

    // MARK: Not held against the relay

    @Test mutating func whatWeDidNotSendIsNotLost() {
        history.expect()
        history.event(sent: nil, answered: nil, failure: .dropped)
        let result = history.finish()
        #expect(classes(result) == "unsent 1")
        #expect(result.dropped == 1)
    }

    @Test(arguments: [(1999, "undecided 1"), (2000, "lost 1")])
    mutating func whatIsStillDueAtTheEndIsUndecided(end: Int64, expected: String) {
        history.expect(at: 1000, deadline: 1000)
        #expect(classes(history.finish(end: end)) == expected)
    }

    @Test mutating func lossesThatTheRelayNeverAcceptedAreTold() {
        history.expect(1, 1)
        history.expect(1, 2)
        history.expect(1, 3)
        history.event(1, 1, status: 200)
        history.event(1, 2, status: 503)
        history.event(1, 3, answered: nil, failure: .connect)
        let result = history.finish()
        #expect(classes(result) == "lost 3")
        #expect(result.lostUnaccepted == 2)
        #expect(result.failed == 1)
    }
}
