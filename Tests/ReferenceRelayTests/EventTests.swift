import Basics
import Testing

@testable import ReferenceRelay

@Suite struct EventTests {
    @Test func anAlertComesBeforeTheActivityPush() {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "update a1 permission"])
        #expect(rig.attempts.map(\.topic) == ["com.example.app", "com.example.app.push-type.liveactivity"])
        #expect(rig.attempts.map(\.pushType) == ["alert", "liveactivity"])
        #expect(rig.attempts.map(\.priority) == ["10", "10"])
    }

    @Test func completeAndErrorEndTheActivity() {
        for type in [EventType.complete, .error] {
            let rig = Rig()
            rig.device()
            rig.activity()
            rig.event(type)
            #expect(rig.seen == ["alert d1", "end a1 \(type.rawValue)"])
            #expect(rig.rows.activities.isEmpty)
            #expect(rig.rows.devices.count == 1)
        }
    }

    @Test func progressAndStartRaiseNoAlert() {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.event(.progress)
        rig.event(.start)
        #expect(rig.seen == ["update a1 working", "update a1 working"])
    }

    @Test func anEventGoesToEveryPhoneOfItsSecretAndToNoOther() {
        let rig = Rig()
        for token in ["d1", "d2", "d3"] { rig.device(token) }
        rig.device("x1", secret: Rig.otherSecret)
        rig.activity("x2", secret: Rig.otherSecret)
        rig.answer = { $0.token == "d2" ? Rig.refusal(400, "BadTopic") : Rig.accepted }
        let ticket = rig.event(.complete)
        #expect(rig.seen == ["alert d1", "alert d2", "alert d3"])
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (2, 1))
        #expect(rig.logged.map(\.isSent) == [true, false, true])
        #expect(rig.logged.map(\.error) == [nil, "400 BadTopic", nil])
    }

    @Test func aWrongSecretIsAnsweredWithNothingSent() {
        let rig = Rig()
        rig.device()
        let ticket = rig.event(.complete, secret: Rig.otherSecret)
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (0, 0))
        #expect(rig.attempts.isEmpty)
        #expect(rig.core.registry.accounts[Rig.otherSecret] == nil)
    }

    @Test func theCountsOfAnAlertEventAreThoseOfThePhones() {
        let rig = Rig()
        rig.device()
        rig.activity()
        let ticket = rig.event(.permission)
        #expect((ticket.sent, ticket.failed) == (1, 0))
        let progress = rig.event(.progress)
        #expect((progress.sent, progress.failed) == (1, 0))
    }

    @Test func theAnswerWaitsForAllFirstAttempts() {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.answer = { _ in nil }
        let ticket = rig.event(.permission)
        rig.answerOldest()
        #expect(!rig.isAnswered(ticket))
        rig.answerOldest(.failed(isSafeToResend: false, words: "timeout"))
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (1, 0))
    }

    @Test func aRepeatedCompleteIsSentOnce() {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.event(.complete)
        rig.pass(.seconds(4))
        let second = rig.event(.complete)
        #expect(rig.seen == ["alert d1", "end a1 complete"])
        #expect((second.sent, second.failed) == (0, 0))
        rig.pass(.seconds(6))
        rig.event(.complete)
        // A later one is another, but ends nothing twice.
        #expect(rig.seen == ["alert d1", "end a1 complete", "alert d1"])
    }

    @Test func theNextTurnMayCompleteSoonAfterTheLast() {
        let rig = Rig()
        rig.device()
        rig.event(.complete)
        rig.pass(.seconds(1))
        rig.event(.start)
        rig.pass(.seconds(1))
        rig.event(.complete)
        #expect(rig.seen == ["alert d1", "alert d1"])
    }

    @Test func permissionsAreNotTakenForRepeats() {
        let rig = Rig()
        rig.device()
        rig.event(.permission)
        rig.event(.permission)
        #expect(rig.seen == ["alert d1", "alert d1"])
    }

    @Test func theEventsKindDecidesTheStatus() {
        let rig = Rig()
        rig.activity()
        rig.event(.permission, status: .working)
        rig.pass(.seconds(11))
        rig.event(.progress, status: .complete)
        rig.pass(.seconds(11))
        rig.event(.progress, status: .retry, retryInfo: "Retry 2/5 in 8s")
        #expect(rig.seen == ["update a1 permission", "update a1 working", "update a1 retry"])
        let states = rig.attempts.map { Rig.payload($0).at(pointer: "/aps/content-state/retryInfo") }
        #expect(states == [.null, .null, "Retry 2/5 in 8s"])
    }

    @Test func progressSpendsNoBudgetWhateverItShows() {
        let rig = Rig()
        rig.activity()
        for status in [ActivityStatus.working, .retry, .retry, .working] {
            rig.event(.progress, status: status)
            rig.pass(.seconds(11))
        }
        rig.event(.permission)
        rig.event(.permission)
        rig.event(.complete)
        #expect(rig.attempts.map(\.priority) == ["5", "5", "5", "5", "10", "10", "10"])
    }

    @Test func sessionsNeverCross() {
        let rig = Rig()
        rig.activity("a1", session: "s1")
        rig.activity("a2", session: "s2")
        rig.event(.progress, "one", session: "s1")
        rig.event(.progress, "two", session: "s2")
        rig.event(.complete, "done", session: "s1")
        #expect(rig.seen == ["update a1 working", "update a2 working", "end a1 complete"])
        #expect((0..<3).map(rig.message) == ["one", "two", "done"])
    }

    @Test func aSessionIsForgottenSomeTimeAfterItsEnd() {
        let rig = Rig()
        rig.activity()
        rig.event(.complete)
        #expect(rig.core.registry.sessionCount == 1)
        rig.pass(.seconds(1_300))
        #expect(rig.core.registry.sessionCount == 0)
        #expect(rig.core.registry.accounts.isEmpty)
    }
}
