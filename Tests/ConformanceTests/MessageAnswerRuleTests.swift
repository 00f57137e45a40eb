// Rules about what FCM answers, each by one knob of an honest session on an Android device.

import Basics
import Metrics
import Pushes
import Testing

@testable import Conformance

@Suite("Rules about FCM's answers")
struct MessageAnswerRuleTests {
    @Test("a registration that is gone gets nothing more")
    func gone() {
        let history = History.answered(404, "UNREGISTERED")
        #expect(history.verdict(of: "dead-registration-dropped").isBroken)
        let dropped = history.with { $0.pushes.removeLast(2) }
        #expect(dropped.verdict(of: "dead-registration-dropped") == .kept(evidenceCount: 1))
        #expect(!dropped.verdict(of: "living-registration-kept").isBroken)
        #expect(!dropped.verdict(of: "states-delivered").isBroken)
    }

    @Test("404 without UNREGISTERED, and whatever else speaks of something else, is no death", arguments: [
        (404, "NOT_FOUND"), (400, "INVALID_ARGUMENT"), (401, "THIRD_PARTY_AUTH_ERROR"), (403, "IAM_PERMISSION_DENIED"),
        (429, "QUOTA_EXCEEDED"),
    ] as [(UInt16, String)])
    func living(status: UInt16, reason: String) {
        let history = History.answered(status, reason)
        #expect(!history.verdict(of: "dead-registration-dropped").isBroken)
        #expect(!history.verdict(of: "living-registration-kept").isBroken)
        // What is refused for now may be waited for.
        let forgotten = history.with { history in
            history.pushes.removeLast(2)
            for row in 1...2 { history.rows[row].plannedAt = history.rows[row].plannedAt + .seconds(1_000) }
            for call in history.calls.indices.suffix(2) {
                history.calls[call].plannedAt = history.calls[call].plannedAt + .seconds(1_000)
                history.calls[call].sentAt = history.calls[call].sentAt + .seconds(1_000)
                history.calls[call].answeredAt = history.calls[call].answeredAt + .seconds(1_000)
            }
        }
        #expect(forgotten.verdict(of: "living-registration-kept").isBroken == (status != 404))
        #expect(forgotten.verdict(of: "other-not-found-kept").isBroken == (status == 404))
    }

    @Test("a registration is forgotten for a refusal that may pass, where FCM's rest was over and nothing went there", arguments: [
        (429, 121.9, false), (429, 122.1, true), (503, 21.9, false), (503, 22.1, true),
    ] as [(UInt16, Double, Bool)])
    func forgottenForNow(status: UInt16, planned: Double, isBroken: Bool) {
        let history = History.answered(status, status == 429 ? "QUOTA_EXCEEDED" : "UNAVAILABLE").with { history in
            history.pushes.removeLast(2)
            history.rows.removeLast(2)
            history.call(7, .progress, at: planned)
            history.expect(7, .progress, at: planned, token: .registration, lane: Lane(role: .registration))
            history.rows[history.rows.count - 1].provider = .fcm
        }
        #expect(history.verdict(of: "living-registration-kept").isBroken == isBroken)
        #expect(!history.with { $0.message(7, at: planned + 1) }.verdict(of: "living-registration-kept").isBroken)
    }

    @Test("a registration is not forgotten as long as something that goes there has to come again", arguments: [
        (150, 503, false), (60, 503, true), (60, 429, false), (60, 0, false), (60, 200, true), (60, 400, true), (2.5, 503, true),
    ] as [(Double, UInt16, Bool)])
    func waiting(seconds: Double, status: UInt16, isBroken: Bool) {
        let history = History.answered(401, "THIRD_PARTY_AUTH_ERROR").with { history in
            history.pushes.removeLast(2)
            history.message(2, at: seconds) { push in
                (push.status, push.faultRule) = (status, status == 200 ? 0 : 1)
                if status != 200 { push.outcome = nil }
            }
        }
        #expect(history.verdict(of: "living-registration-kept").isBroken == isBroken)
        #expect(history.verdict(of: "states-delivered").isBroken, "lost is lost")
    }

    @Test("what names the registration may cost it its place, and need not", arguments: [
        (403, "SENDER_ID_MISMATCH", false), (400, "INVALID_REGISTRATION_TOKEN", false), (400, "APNS_BAD_DEVICE_TOKEN", false),
        (400, "APNS_DEVICE_TOKEN_NOT_FOR_TOPIC", false),
        (400, "INVALID_ARGUMENT", true), (403, "IAM_PERMISSION_DENIED", true),
    ] as [(UInt16, String, Bool)])
    func named(status: UInt16, reason: String, isBroken: Bool) {
        let kept = History.answered(status, reason)
        for id in ["dead-registration-dropped", "disabled-token-dropped", "living-token-held"] {
            #expect(!kept.verdict(of: id).isBroken, "\(id)")
        }
        let forgotten = kept.with { $0.pushes.removeLast(2) }
        #expect(forgotten.verdict(of: "living-registration-kept").isBroken == isBroken)
        #expect(forgotten.verdict(of: "states-delivered").isBroken == isBroken)
        #expect(forgotten.with { $0.run.held = .registration(until: 10) }.verdict(of: "living-token-held").isBroken == isBroken)
    }

    @Test("a registration that is gone stands in no table any more, and one whose message was wrong does", arguments: [
        (404, "UNREGISTERED", true), (400, "APNS_TOKEN_DISABLED", false), (404, "NOT_FOUND", false),
    ] as [(UInt16, String, Bool)])
    func held(status: UInt16, reason: String, isBroken: Bool) {
        let history = History.answered(status, reason).with { $0.run.held = .registration(until: 300) }
        #expect(history.verdict(of: "dead-token-forgotten").isBroken == isBroken)
        #expect(!history.with { $0.run.held = .registration(until: 10) }.verdict(of: "dead-token-forgotten").isBroken)
    }

    @Test("what APNs calls dead behind FCM gets nothing more, and is no registration that lives")
    func disabled() {
        let history = History.answered(400, "APNS_TOKEN_DISABLED")
        #expect(history.verdict(of: "disabled-token-dropped").isBroken)
        #expect(!history.verdict(of: "dead-registration-dropped").isBroken)
        let dropped = history.with { $0.pushes.removeLast(2) }
        #expect(dropped.verdict(of: "disabled-token-dropped") == .kept(evidenceCount: 1))
        #expect(!dropped.verdict(of: "living-registration-kept").isBroken && !dropped.verdict(of: "states-delivered").isBroken)
    }

    @Test("a flood of copies is no lateness of ours, and one of many states may be", arguments: [(1, false), (241, true)])
    func copies(different: Int, restsOnTiming: Bool) {
        let flood = History.messages.with { history in
            let first = history.pushes[0]
            for number in 0..<250 {
                var copy = first
                copy.id = UInt64(5_000 + number)
                copy.payloadHash = number % different
                history.pushes.insert(copy, at: 1)
            }
        }
        guard case .broken(let findings, _) = flood.verdict(of: "token-rate-kept") else {
            Issue.record("\(flood.verdict(of: "token-rate-kept"))")
            return
        }
        #expect(findings.allSatisfy { $0.basis.contains(.timing) == restsOnTiming })
    }

    @Test("what is refused for good is not sent again as it was", arguments: [
        (400, "INVALID_ARGUMENT", true), (403, "SENDER_ID_MISMATCH", true), (404, "NOT_FOUND", true),
        (401, "ACCESS_TOKEN_EXPIRED", false), (429, "QUOTA_EXCEEDED", false), (503, "UNAVAILABLE", false),
    ] as [(UInt16, String, Bool)])
    func repeated(status: UInt16, reason: String, isBroken: Bool) {
        let history = History.answered(status, reason).with { history in
            var again = history.pushes[0]
            again.id = 999
            again.arrivedAt = again.answeredAt + .seconds(1)
            again.answeredAt = again.arrivedAt
            history.pushes.insert(again, at: 1)
        }
        #expect(history.verdict(of: "refused-message-not-repeated").isBroken == isBroken)
        let changed = history.with { $0.pushes[1].payloadHash += 1 }
        #expect(!changed.verdict(of: "refused-message-not-repeated").isBroken)
        let madeAnew = changed.with { for index in 0...1 { $0.pushes[index].saying = 5 } }
        #expect(madeAnew.verdict(of: "refused-message-not-repeated").isBroken == isBroken)
        #expect(!madeAnew.with { $0.pushes[1].saying = 7 }.verdict(of: "refused-message-not-repeated").isBroken)
        #expect(!history.with { $0.calls[1].attempts = 2 }.verdict(of: "refused-message-not-repeated").isBroken, "told twice")
        #expect(!history.with { $0.pushes[1].priority = 5 }.verdict(of: "refused-message-not-repeated").isBroken, "it was mended")
        #expect(!history.with { $0.pushes[0].flags.insert(.isAnswerUndelivered); $0.pushes.remove(at: 1) }
            .verdict(of: "refused-message-not-repeated").isBroken)
    }

    @Test("an answer within ten seconds is taken; below a second, and beyond ten, nobody asks", arguments: [
        (8.0, true), (1.5, true), (0.5, false), (10.0, false), (11.0, false),
    ])
    func patience(seconds: Double, isAsked: Bool) {
        let taken = History.slowMessage(seconds)
        let given = taken.with { $0.pushes[0].flags.insert(.isAnswerUndelivered) }
        #expect((taken.verdict(of: "message-answer-awaited") != .notExercised) == isAsked)
        #expect(!taken.verdict(of: "message-answer-awaited").isBroken)
        #expect(given.verdict(of: "message-answer-awaited").isBroken == isAsked)
        // By the host's clock.
        let fast = given.with { $0.run.circumstances.pace = 2 }
        #expect(fast.verdict(of: "message-answer-awaited").isBroken == (seconds >= 8))
    }

    @Test("a message that comes again before its answer was given up, be it that FCM never answers", arguments: [
        (8.0, 4.0, true), (20.0, 4.0, true), (20.0, 15.0, false), (2.0, 4.0, false),
    ])
    func givenUp(answer: Double, again: Double, isBroken: Bool) {
        func repeated(_ turn: (inout History) -> Void) -> History {
            History.slowMessage(answer).with { history in
                history.message(2, at: 2.02 + again)
                history.pushes.sort { $0.arrivedAt < $1.arrivedAt }
                turn(&history)
            }
        }
        let history = repeated { _ in }
        #expect(history.verdict(of: "message-answer-awaited").isBroken == isBroken)
        let isInTime = answer > again
        #expect(history.verdict(of: "no-duplicate-push").isBroken == !isInTime, "who has no answer yet may send again")
        let silent = repeated { history in
            history.run.circumstances.faults = [.init(rule: 1, label: "quiet", windows: [], isSilence: true)]
            history.pushes[0].status = 0
            history.pushes[0].outcome = nil
        }
        #expect(silent.verdict(of: "message-answer-awaited").isBroken == (again < 10))
        let toldTwice = history.with { $0.calls[1].attempts = 2 }
        #expect(!toldTwice.verdict(of: "message-answer-awaited").isBroken)
        let cut = silent.with { $0.run.circumstances.faults[0].isSilence = false }
        #expect(!cut.verdict(of: "message-answer-awaited").isBroken, "its connection was gone")
    }

    @Test("messages share connections")
    func connections() {
        #expect(History.manyMessages(over: 60).verdict(of: "message-connections-reused").isBroken)
        #expect(!History.manyMessages(over: 1).verdict(of: "message-connections-reused").isBroken)
        #expect(History.messages.verdict(of: "message-connections-reused") == .notExercised)
    }

    @Test("after 429 a minute passes, after 503 ten seconds", arguments: [
        ("quota-obeyed", 429, 53.0, true), ("quota-obeyed", 429, 61.0, false), ("failure-awaited", 503, 8.5, true),
        ("failure-awaited", 503, 11.0, false),
    ] as [(String, UInt16, Double, Bool)])
    func pauses(id: String, status: UInt16, after: Double, isBroken: Bool) {
        let reason = status == 429 ? "QUOTA_EXCEEDED" : "UNAVAILABLE"
        let history = History.answered(status, reason).with { history in
            history.message(2, at: 2.02 + after)
            history.pushes.swapAt(1, 3)
            history.pushes[1...].sort { $0.arrivedAt < $1.arrivedAt }
        }
        #expect(history.verdict(of: id).isBroken == isBroken)
        #expect(history.verdict(of: id) != .notExercised)
        // What the answer says comes before what is usual.
        for (said, isTooSoon) in [(after * 0.5, false), (after * 2, true)] {
            let told = history.with { history in
                history.run.circumstances.faults = [
                    .init(rule: 1, label: "later", windows: [], retryAfter: .seconds(said))
                ]
            }
            #expect(told.verdict(of: id).isBroken == isTooSoon, "\(said)")
        }
    }

    @Test("what an answer asked for is not known where no scenario gave the fault, nor is it where the mock itself answered")
    func unknown() {
        func again(after seconds: Double, _ turn: (inout History) -> Void) -> History {
            History.answered(429, "QUOTA_EXCEEDED").with { history in
                history.message(2, at: 2.02 + seconds)
                history.pushes.sort { $0.arrivedAt < $1.arrivedAt }
                turn(&history)
            }
        }
        #expect(again(after: 3) { $0.run.circumstances.faults = [] }.verdict(of: "quota-obeyed") == .notExercised)
        for (said, isTooSoon) in [(2.0, false), (60, true)] {
            let told = again(after: 3) { history in
                history.pushes[0].faultRule = 0
                history.run.circumstances.quotaRetryAfter = .seconds(said)
            }
            #expect(told.verdict(of: "quota-obeyed").isBroken == isTooSoon)
        }
    }

    @Test("after 429 a newer message waits as well; after 503 it need not, nor what was on its way")
    func target() {
        func next(_ status: UInt16, _ reason: String, after seconds: Double, _ id: String) -> Bool {
            History.answered(status, reason).with { $0.message(3, at: 2.02 + seconds) }.with { history in
                history.pushes.sort { $0.arrivedAt < $1.arrivedAt }
            }.verdict(of: id).isBroken
        }
        #expect(next(429, "QUOTA_EXCEEDED", after: 3, "quota-obeyed"))
        #expect(!next(429, "QUOTA_EXCEEDED", after: 0.9, "quota-obeyed"))
        #expect(!next(429, "QUOTA_EXCEEDED", after: 61, "quota-obeyed"))
        #expect(!next(503, "UNAVAILABLE", after: 3, "failure-awaited"))
        func next(of processes: Int, _ turn: (inout History) -> Void = { _ in }) -> Bool {
            History.answered(429, "QUOTA_EXCEEDED").with { history in
                history.message(3, at: 5)
                history.pushes.sort { $0.arrivedAt < $1.arrivedAt }
                history.run.circumstances.relayProcesses = processes
                turn(&history)
            }.verdict(of: "quota-obeyed").isBroken
        }
        #expect(next(of: 1) && !next(of: 2), "the other process need not know")
        #expect(!next(of: 1) { $0.calls = [] }, "a mock alone: another test may have sent it")
    }

    @Test("an access token serves an hour, and is replaced when FCM says that it is over")
    func access() {
        let other = History.messages.with { history in history.pushes[1].authorization = history.text("Bearer ya29.two") }
        #expect(other.verdict(of: "access-token-reused").isBroken)
        let refused = other.with { history in
            history.pushes[0].status = 401
            history.pushes[0].reason = history.text("ACCESS_TOKEN_EXPIRED")
        }
        #expect(!refused.verdict(of: "access-token-reused").isBroken)
        #expect(!refused.with { $0.pushes[2].authorization = $0.pushes[1].authorization }.verdict(of: "access-token-renewed").isBroken)
        let kept = refused.with { history in history.pushes[1].authorization = history.pushes[0].authorization }
        #expect(kept.verdict(of: "access-token-renewed").isBroken)
        let whatever = refused.with { history in history.pushes[0].reason = history.text("THIRD_PARTY_AUTH_ERROR") }
        #expect(!whatever.verdict(of: "access-token-reused").isBroken)
        let otherRefusal = kept.with { history in history.pushes[0].reason = history.text("THIRD_PARTY_AUTH_ERROR") }
        #expect(otherRefusal.verdict(of: "access-token-renewed") == .notExercised)
        let single = History.messages.with { $0.pushes.removeLast(2) }
        #expect(single.verdict(of: "access-token-reused") == .notExercised)
        let later = other.with { history in
            for index in 1...2 { history.pushes[index].arrivedAt = at(3_020 + Double(index)) }
            history.pushes[2].authorization = history.pushes[1].authorization
        }
        #expect(!later.verdict(of: "access-token-reused").isBroken)
    }
}
