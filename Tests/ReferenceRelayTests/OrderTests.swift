import Basics
import Testing

@testable import ReferenceRelay

/// An alert is answered before its event's state leaves (R0.2), and when the caller is.
@Suite struct OrderTests {
    private func waiting() -> Rig {
        let rig = Rig()
        rig.device()
        rig.activity()
        rig.answer = { _ in nil }
        return rig
    }

    @Test func theStateWaitsForTheAlertsAnswer() {
        let rig = waiting()
        rig.event(.permission)
        #expect(rig.seen == ["alert d1"])
        rig.answerOldest()
        #expect(rig.seen == ["alert d1", "update a1 permission"])
    }

    @Test(arguments: [
        Rig.refusal(503, "Shutdown"), Rig.refusal(410, "Unregistered"), .failed(isSafeToResend: false, words: "timeout"),
    ])
    func anyAnswerWillDo(outcome: PushOutcome) {
        let rig = waiting()
        rig.event(.permission)
        rig.answerOldest(outcome)
        #expect(rig.seen == ["alert d1", "update a1 permission"])
    }

    @Test func whatAPNsNeverSawIsNoAnswer() {
        let rig = waiting()
        rig.event(.permission)
        rig.answerOldest(.failed(isSafeToResend: true, words: "refused"))
        #expect(rig.seen == ["alert d1"])
        rig.pass(.seconds(1))
        #expect(rig.seen == ["alert d1", "alert d1"])
        rig.answerOldest()
        #expect(rig.seen == ["alert d1", "alert d1", "update a1 permission"])
    }

    @Test func anAlertThatHangsIsNotWaitedForLong() {
        let rig = waiting()
        rig.event(.permission)
        rig.pass(.seconds(2.9))
        #expect(rig.attempts.count == 1)
        rig.pass(.seconds(0.2))
        #expect(rig.seen == ["alert d1", "update a1 permission"])
        rig.answerOldest()
        rig.answerOldest()
        #expect(rig.attempts.count == 2)
    }

    @Test func laterEventsOfTheSessionStayBehind() {
        let rig = waiting()
        rig.event(.permission, "one")
        rig.event(.progress, "two")
        rig.event(.complete, "three")
        #expect(rig.seen == ["alert d1", "alert d1"])
        rig.answerOldest()
        #expect(rig.seen == ["alert d1", "alert d1", "update a1 permission"])
        rig.answerOldest()
        rig.answerOldest()
        #expect(rig.seen.last == "end a1 complete")
        #expect(rig.attempts.count == 4, "what was accepted meanwhile is contained in the end")
    }

    @Test func otherSessionsDoNotWait() {
        let rig = waiting()
        rig.activity("a2", session: "s2")
        rig.event(.permission)
        rig.event(.progress, session: "s2")
        #expect(rig.seen == ["alert d1", "update a2 working"])
    }

    @Test func aStartWaitsAsWell() {
        let rig = Rig()
        rig.device(start: "p1")
        rig.answer = { _ in nil }
        rig.event(.permission)
        rig.event(.progress)
        #expect(rig.seen == ["alert d1"])
        rig.answerOldest()
        #expect(rig.seen == ["alert d1", "start p1"])
    }

    @Test func anUnregisterThatOvertakesTheAnswerFindsTheEndUnderWay() {
        let rig = waiting()
        rig.event(.complete)
        rig.unregister()
        #expect(rig.seen == ["alert d1", "end a1 complete"])
    }

    @Test func anAlertThatRestsIsWaitedFor() {
        let rig = waiting()
        rig.event(.permission, "one")
        rig.answerOldest(Rig.refusal(429, "TooManyRequests"))
        rig.answerOldest()
        rig.event(.permission, "two")
        #expect(rig.seen == ["alert d1", "update a1 permission"])
        rig.answer = { _ in Rig.accepted }
        rig.pass(.seconds(1))
        #expect(rig.seen == ["alert d1", "update a1 permission", "alert d1", "alert d1", "update a1 permission"])
    }

    // MARK: - The caller

    @Test func lateIsAfterEveryFirstAttempt() {
        let rig = waiting()
        let ticket = rig.event(.permission)
        rig.answerOldest()
        #expect(!rig.isAnswered(ticket))
        rig.answerOldest()
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (1, 0))
    }

    @Test func lateIsNotForEver() {
        let rig = waiting()
        let ticket = rig.event(.permission)
        rig.answerOldest()
        rig.pass(.seconds(9))
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (1, 0), "the phone was alerted")
        rig.answerOldest()
        #expect(rig.replies.count == 1)
    }

    @Test func earlyIsAtOnce() {
        let rig = Rig { $0.answers = .early }
        rig.device("d1")
        rig.device("d2")
        rig.activity()
        rig.answer = { _ in nil }
        let ticket = rig.event(.permission)
        #expect(rig.isAnswered(ticket))
        #expect((ticket.sent, ticket.failed) == (2, 0))
        while !rig.open.isEmpty { rig.answerOldest(Rig.refusal(400, "BadTopic")) }
        #expect(rig.replies.count == 1)
        #expect((ticket.sent, ticket.failed) == (2, 0), "what was said stays said")
        #expect(rig.logged.filter { !$0.isSent }.count == 3)
    }
}
