import Basics
import Pushes
import Testing

@testable import ReferenceRelay

@Suite struct AnswerTests {
    // MARK: - Dead tokens

    @Test(arguments: [
        (410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"),
    ])
    func aDeadActivityTokenIsPrunedAndTheDeviceStays(status: Int, reason: String) {
        let rig = Rig(hosts: 1)
        rig.device()
        rig.activity()
        rig.answer = { $0.token == "a1" ? Rig.refusal(status, reason) : Rig.accepted }
        rig.event(.progress)
        rig.pass(.seconds(30))
        rig.event(.permission)
        #expect(rig.seen == ["update a1 working", "alert d1"])
        #expect(rig.rows.activities.isEmpty)
        #expect(rig.rows.devices.map(\.token) == ["d1"])
    }

    @Test func aDeadDeviceTokenIsPrunedAndTheActivityStays() {
        let rig = Rig(hosts: 1)
        rig.device()
        rig.activity()
        rig.answer = { $0.token == "d1" ? Rig.refusal(410, "Unregistered") : Rig.accepted }
        rig.event(.permission)
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "update a1 permission", "update a1 permission"])
        #expect(rig.rows.devices.isEmpty)
        #expect(rig.core.registry.deviceCount == 0)
    }

    @Test(arguments: [
        (400, "BadTopic"), (400, "PayloadEmpty"), (403, "Forbidden"), (403, "InvalidProviderToken"), (404, "BadPath"),
        (413, "PayloadTooLarge"), (429, "TooManyRequests"), (429, "TooManyProviderTokenUpdates"),
        (500, "InternalServerError"), (503, "ServiceUnavailable"), (418, "SomethingNew"),
    ])
    func otherRepliesDeleteNothing(status: Int, reason: String) {
        let rig = Rig()
        rig.device(start: "p1")
        rig.activity()
        rig.answer = { _ in Rig.refusal(status, reason) }
        rig.event(.permission)
        rig.event(.start, session: "s2")
        rig.pass(.seconds(300))
        #expect(rig.rows.devices.map(\.startToken) == ["p1"])
        #expect(rig.rows.activities.map(\.token) == ["a1"])
    }

    @Test func aTokenRegisteredAgainWhileThePushWasUnderWayStays() {
        let rig = Rig(hosts: 1)
        rig.device()
        rig.activity()
        rig.answer = { _ in nil }
        rig.event(.permission)
        rig.pass(.seconds(1))
        rig.device()
        rig.answerOldest(Rig.refusal(410, "Unregistered"))
        rig.activity()
        rig.answerOldest(Rig.refusal(410, "Unregistered"))
        #expect(rig.rows.devices.count == 1)
        #expect(rig.rows.activities.count == 1)
        #expect(rig.seen.last == "update a1 permission", "and gets what the dead one missed")
        #expect(rig.attempts.count == 3)
    }

    @Test func aTokenThatDiedBeforeItWasRegisteredAgainStays() {
        for (offset, survives) in [(Int64(-1_000), true), (0, false), (1_000, false)] {
            let rig = Rig(hosts: 1)
            rig.pass(.seconds(100))
            rig.device()
            let timestamp = rig.time.wall().milliseconds + offset
            rig.pass(.seconds(100))
            rig.answer = { _ in Rig.refusal(410, "Unregistered", timestamp: timestamp) }
            rig.event(.permission)
            #expect(rig.rows.devices.isEmpty != survives, "\(offset)")
        }
    }

    // MARK: - The other host

    @Test(arguments: [(403, "BadEnvironmentKeyInToken"), (403, "BadEnvironmentKeyIdInToken"), (400, "BadDeviceToken")])
    func theOtherHostIsAskedOnceAndRemembered(status: Int, reason: String) {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.answer = { $0.environment == .sandbox ? Rig.accepted : Rig.refusal(status, reason) }
        let ticket = rig.event(.permission)
        #expect(rig.hosts == [.production, .sandbox, .production, .sandbox])
        #expect(Set(rig.attempts.map(\.apnsID)).count == 2)
        #expect((ticket.sent, ticket.failed) == (1, 0))
        #expect(rig.rows.devices.map(\.environment) == [.sandbox])
        #expect(rig.rows.activities.map(\.environment) == [.sandbox])
        rig.device()
        rig.forgetSeen()
        rig.event(.permission)
        #expect(rig.hosts == [.sandbox, .sandbox], "also after the phone has repeated its wrong claim")
    }

    @Test func whatBothHostsRefuseIsDead() {
        let rig = Rig()
        rig.device()
        rig.answer = { _ in Rig.refusal(400, "BadDeviceToken") }
        let ticket = rig.event(.permission)
        #expect(rig.hosts == [.production, .sandbox])
        #expect((ticket.sent, ticket.failed) == (0, 1))
        #expect(rig.rows.devices.isEmpty)
    }

    @Test func aKeyThatDoesNotFitTheFirstHostCondemnsNobody() {
        let rig = Rig()
        rig.device()
        rig.answer = {
            $0.environment == .production
                ? Rig.refusal(403, "BadEnvironmentKeyInToken") : Rig.refusal(400, "BadDeviceToken")
        }
        rig.event(.permission)
        #expect(rig.rows.devices.map(\.environment) == [.production])
    }

    @Test func withOneHostThereIsNoOther() {
        let rig = Rig(hosts: 1)
        rig.device()
        rig.answer = { _ in Rig.refusal(400, "BadDeviceToken") }
        rig.event(.permission)
        #expect(rig.attempts.count == 1)
        #expect(rig.rows.devices.isEmpty)
    }

    @Test func aNewActivityGoesToTheHostThatItsPhoneHasLearned() {
        let rig = Rig()
        rig.device()
        rig.answer = { $0.environment == .sandbox ? Rig.accepted : Rig.refusal(400, "BadDeviceToken") }
        rig.event(.permission)
        rig.forgetSeen()
        // The question has waited for it.
        rig.activity()
        rig.event(.progress)
        #expect(rig.hosts == [.sandbox, .sandbox])
    }

    // MARK: - The provider token

    @Test func anExpiredProviderTokenIsReplacedOnceForAll() {
        let rig = Rig()
        for token in ["d1", "d2", "d3"] { rig.device(token) }
        rig.answer = { _ in nil }
        let ticket = rig.event(.permission)
        for _ in 0..<3 { rig.answerOldest(Rig.refusal(403, "ExpiredProviderToken")) }
        #expect(rig.signatures == 2)
        #expect(rig.renewals == [.production])
        for _ in 0..<3 { rig.answerOldest() }
        #expect((ticket.sent, ticket.failed) == (3, 0))
        #expect(rig.attempts.count == 6)
    }

    @Test func aProviderTokenThatStaysBadIsTriedOnce() {
        let rig = Rig()
        rig.device()
        rig.answer = { _ in Rig.refusal(403, "ExpiredProviderToken") }
        for _ in 0..<20 {
            rig.event(.permission)
            rig.pass(.seconds(1))
        }
        #expect(rig.attempts.count == 21)
        #expect(rig.signatures == 2)
        #expect(rig.rows.devices.count == 1)
    }

    // MARK: - Passing trouble

    @Test func passingTroubleIsRetriedWithGrowingWaitsUnderTheSameID() {
        let rig = Rig {
            $0.attempts = 6
            $0.retryDelay = .seconds(1)
        }
        rig.device()
        var instants: [Instant] = []
        rig.answer = { [time = rig.time] _ in
            instants.append(time.now())
            return Rig.refusal(503, "ServiceUnavailable")
        }
        let ticket = rig.event(.permission)
        #expect((ticket.sent, ticket.failed) == (0, 1))
        rig.pass(.seconds(600))
        #expect(instants.count == 6)
        let waits = zip(instants, instants.dropFirst()).map { $1 - $0 }
        for (wait, expected) in zip(waits, [1.0, 2, 4, 8, 15]) {
            #expect(wait.seconds >= expected && wait.seconds <= expected * 1.2)
        }
        #expect(Set(rig.attempts.map(\.apnsID)).count == 1)
        #expect(rig.logged.map(\.error) == ["503 ServiceUnavailable"])
        #expect(rig.core.waiting == 0)
    }

    @Test func aTimeoutIsRetriedAndCountedAsFailedAtFirst() {
        let rig = Rig()
        rig.device()
        rig.answer = { _ in nil }
        let ticket = rig.event(.permission)
        rig.answerOldest(.failed(isSafeToResend: false, words: "timeout"))
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (0, 1))
        rig.pass(.seconds(1))
        rig.answerOldest()
        #expect(rig.attempts.count == 2)
        #expect(rig.logged.map(\.isSent) == [true])
    }

    @Test func whatAPNsNeverLookedAtIsSentAgainAndCountedAsSent() {
        let rig = Rig { $0.attempts = 1 }
        rig.device()
        rig.activity()
        var refusals = 4
        rig.answer = { _ in
            refusals -= 1
            return refusals >= 0 ? .failed(isSafeToResend: true, words: "refused") : Rig.accepted
        }
        let ticket = rig.event(.permission)
        #expect(!rig.isAnswered(ticket))
        rig.pass(.seconds(10))
        #expect((ticket.sent, ticket.failed) == (1, 0))
        #expect(rig.seen == Array(repeating: "alert d1", count: 5) + ["update a1 permission"])
    }

    @Test func aNewerStateTakesThePlaceOfTheOneThatWaits() {
        let rig = Rig()
        rig.activity()
        var isBusy = true
        rig.answer = { _ in isBusy ? Rig.refusal(503, "ServiceUnavailable") : Rig.accepted }
        rig.event(.progress, "one")
        rig.event(.permission, "two")
        rig.event(.complete, "three")
        #expect(rig.attempts.count == 1)
        isBusy = false
        rig.pass(.seconds(60))
        #expect(rig.seen == ["update a1 working", "end a1 complete"])
        #expect(rig.attempts[0].apnsID != rig.attempts[1].apnsID)
        #expect(rig.stamp(1)! > rig.stamp(0)!)
        #expect(rig.rows.activities.isEmpty)
    }

    @Test func oneStateIsUnderWayAtATimeAndTheLatestIsNext() {
        let rig = Rig()
        rig.activity()
        rig.answer = { _ in nil }
        rig.event(.permission, "one")
        rig.event(.permission, "two")
        rig.event(.permission, "three")
        #expect(rig.attempts.count == 1)
        rig.answerOldest()
        #expect((0..<2).map(rig.message) == ["one", "three"])
        rig.answerOldest()
        #expect(rig.attempts.count == 2)
    }

    @Test func anEndIsTriedAsOftenAsAnyState() {
        let rig = Rig { $0.attempts = 3 }
        rig.activity()
        rig.answer = { _ in Rig.refusal(500, "InternalServerError") }
        rig.event(.progress)
        rig.pass(.milliseconds(900))
        rig.event(.complete)
        rig.pass(.seconds(60))
        let end = "end a1 complete"
        #expect(rig.seen == ["update a1 working", "update a1 working", end, end, end])
        #expect(rig.rows.activities.isEmpty, "then its row goes")
    }

    @Test func aStateThatWasGivenUpDoesNotStopTheNext() {
        let rig = Rig { $0.attempts = 2 }
        rig.activity()
        rig.answer = { _ in Rig.refusal(500, "InternalServerError") }
        rig.event(.progress, "one")
        rig.pass(.seconds(20))
        rig.answer = { _ in Rig.accepted }
        rig.event(.progress, "two")
        #expect(rig.message(rig.attempts.count - 1) == "two")
        #expect(rig.core.waiting == 0)
    }

    @Test func aPhoneThatIsPushedTooOftenGetsItsRest() {
        let rig = Rig()
        rig.device()
        rig.answer = { _ in Rig.refusal(429, "TooManyRequests") }
        rig.event(.permission, "one")
        rig.answer = { _ in Rig.accepted }
        let second = rig.event(.permission, "two")
        #expect(rig.attempts.count == 1)
        #expect((second.sent, second.failed) == (0, 1))
        rig.pass(.seconds(2))
        #expect(rig.attempts.count == 3)
        #expect(rig.logged.map(\.isSent) == [true, true])
    }

    @Test(arguments: [Rig.refusal(503, "ServiceUnavailable"), .failed(isSafeToResend: true, words: "refused")])
    func anUnregisteredActivityIsNotRetried(outcome: PushOutcome) {
        let rig = Rig()
        rig.activity()
        rig.answer = { _ in outcome }
        let ticket = rig.event(.progress)
        rig.unregister()
        #expect(rig.isAnswered(ticket))
        #expect(rig.logged.map(\.isSent) == [false])
        rig.pass(.seconds(60))
        #expect(rig.attempts.count == 1)
        #expect(rig.core.waiting == 0)
    }

    @Test func everyAttemptIsAccountedFor() {
        let rig = Rig { $0.attempts = 3 }
        rig.device("d1", start: "p1")
        rig.device("d2")
        var generator = Seed(11).generator()
        let outcomes: [PushOutcome] = [
            Rig.accepted, Rig.accepted, Rig.refusal(503, "Shutdown"), Rig.refusal(400, "BadTopic"),
            Rig.refusal(403, "ExpiredProviderToken"), Rig.refusal(403, "BadEnvironmentKeyInToken"),
            Rig.refusal(429, "TooManyRequests"), .failed(isSafeToResend: true, words: "refused"),
            .failed(isSafeToResend: false, words: "timeout"), Rig.refusal(410, "Unregistered"),
        ]
        rig.answer = { _ in
            let draw = Int(generator.next() % 12)
            return draw < outcomes.count ? outcomes[draw] : nil
        }
        var tickets: [EventTicket] = []
        var chance = Seed(12).generator()
        let types: [EventType] = [.start, .progress, .progress, .progress, .permission, .complete, .error]
        for round in 0..<3_000 {
            let session = "s\(chance.next() % 5)"
            switch chance.next() % 12 {
            case 0: rig.activity("a\(round)", session: session)
            case 1: rig.device("d\(chance.next() % 3)", start: "p\(chance.next() % 3)")
            case 2: rig.unregister(session: session)
            default: tickets.append(rig.event(types[Int(chance.next() % 7)], "step \(round)", session: session))
            }
            while let _ = rig.open.first, chance.next() % 3 != 0 {
                rig.answerOldest(outcomes[Int(chance.next() % UInt64(outcomes.count))])
            }
            rig.pass(.milliseconds(Int64(chance.next() % 1_500)))
        }
        rig.answer = { _ in Rig.accepted }
        while !rig.open.isEmpty { rig.answerOldest() }
        rig.pass(.seconds(120))
        #expect(tickets.allSatisfy { $0.outstanding == 0 })
        #expect(tickets.allSatisfy(rig.isAnswered))
        #expect(rig.core.inFlight == 0)
        #expect(rig.core.waiting == 0)
        let pushed = Set(rig.attempts.map(\.apnsID))
        #expect(rig.logged.count >= pushed.count)
        rig.pass(.seconds(9 * 3600))
        #expect(rig.core.deadlines.count < 20_000)
        #expect(rig.rows.activities.isEmpty, "every activity has found its end")
    }
}
