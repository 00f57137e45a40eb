// What a relay cannot know, or nobody can know of it: answers that it may have lost when we ended it, calls that crossed on
// their way, tokens that were changed meanwhile. And what proves nothing.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("An answer that left within a second before we ended the relay")
struct LostAnswerTests {
    private func ended(_ history: History, at seconds: Double) -> History {
        history.run.circumstances.outages = [.init(from: at(seconds), until: at(seconds + 0.5))]
        return history
    }

    /// The token of the activity is called dead at 15.03, that of the device at 15.01.
    @Test("tells of no death, and the next one does", arguments: [(16.0, nil), (16.1, 1)] as [(Double, Int?)])
    func death(seconds: Double, expected: Int?) {
        let activity = History.died(.activity, at: 14).with { $0.push(5, at: 24.02) }
        #expect(ended(activity, at: seconds).findings("dead-token-dropped") == expected)
        let device = History.died(.device, at: 14).with { $0.push(6, at: 26.01, .alert) }
        #expect(ended(device, at: seconds).findings("dead-device-token-dropped") == expected)
        let again = History.died(.activity, at: 14).with { history in
            history.push(5, at: 24.02, status: 410, reason: "Unregistered")
            history.push(6, at: 26.03, event: .end)
        }
        #expect(ended(again, at: 16).findings("dead-token-dropped") == 1)
    }

    @Test("refuses nothing for good", arguments: [(3.0, nil), (3.1, 1)] as [(Double, Int?)])
    func refusal(seconds: Double, expected: Int?) {
        let history = History.refused(status: 400, reason: "BadTopic").with { $0.push(2, at: 4) }
        #expect(ended(history, at: seconds).findings("refusal-not-repeated") == expected)
    }

    @Test("sends nobody to the other host", arguments: [(2.9, nil), (3.1, 1)] as [(Double, Int?)])
    func otherHost(seconds: Double, expected: Int?) {
        let history = History.otherEnvironment("BadDeviceToken").with { history in
            history.pushes.removeAll { $0.step == 2 && $0.environment == .sandbox }
        }
        #expect(ended(history, at: seconds).findings("bad-token-other-environment") == expected)
        // Whoever asks there when he is back need not begin again.
        let asked = history.with { history in
            history.pushes.removeAll { $0.environment == .sandbox }
            history.push(2, at: 3.8, status: 400, reason: "BadDeviceToken") { $0.environment = .sandbox }
        }
        #expect(ended(asked, at: seconds).findings("bad-token-other-environment") == (expected == nil ? nil : 0))
    }
}

@Suite("Where a relay has died by itself")
struct DiedByItselfTests {
    private func died(_ history: History, at seconds: Double) -> History {
        history.run.deaths = [RunContext.Death(at: at(seconds), how: "signal 11", lastLines: "")]
        return history
    }

    @Test("what it does not send any more is no forgotten token", arguments: [(10.0, nil), (90_000, 1)] as [(Double, Int?)])
    func forgotten(seconds: Double, expected: Int?) {
        let history = History.refused(status: 400, reason: "BadTopic").with { history in
            history.pushes.removeAll { $0.token == .activity && $0.step != 2 }
        }
        #expect(died(history, at: seconds).findings("living-token-kept") == expected)
        let other = History.died(.activity, at: 14).with { $0.pushes.removeAll { $0.type == .alert && $0.step == 6 } }
        #expect(died(other, at: seconds).findings("other-token-kept") == expected)
    }
}

@Suite("A device's death")
struct DeviceDeathTests {
    /// R0.44: one row may hold both.
    @Test("may take its phone's start token along, an activity's may not", arguments: [
        (.device, 0), (.activity, 1),
    ] as [(TokenHash, Int)])
    func startToken(token: TokenHash, expected: Int) {
        let history = History.died(token, at: 14).with { history in
            history.call(9, .start, at: 40)
            history.expect(9, .start, at: 40, event: .start, token: .start, lane: .start)
        }
        #expect(history.findings("other-token-kept") == expected)
    }
}

@Suite("A token that gets nothing behind another one's death")
struct UnservedTokenTests {
    @Test("had not gone with it, where what was owed to it before had not come either")
    func unserved() {
        func earlier(at seconds: Double = 4, isSent: Bool, _ token: TokenHash = .device) -> Int? {
            History.died(.activity, at: 14).with { history in
                history.pushes.removeAll { $0.type == .alert && $0.step == 6 }
                history.call(9, .permission, at: seconds)
                history.expect(9, .permission, at: seconds, .alert, token: token)
                if isSent { history.push(9, at: seconds + 0.01, .alert) }
            }.findings("other-token-kept")
        }
        #expect(earlier(isSent: true) == 1 && earlier(isSent: false) == nil)
        #expect(earlier(at: 12, isSent: false) == 1, "it was still to come")
        #expect(earlier(isSent: false, .device2) == nil, "by whatever token")
        let ofAnotherKind = History.died(.activity, at: 14).with { history in
            history.pushes.removeAll { $0.type == .alert && $0.step == 6 }
            history.call(9, .progress, at: 4)
            history.expect(9, .progress, at: 4, token: .device, lane: .device)
        }
        #expect(ofAnotherKind.findings("other-token-kept") == 1)
    }
}

@Suite("Where calls are sent in parallel")
struct ParallelCallTests {
    /// The call of that step is answered so late.
    private func parallel(_ history: History, _ step: Int, answeredAt seconds: Double) -> History {
        history.run.circumstances.isOrdered = false
        return history.with { $0.calls[step].answeredAt = at(seconds) }
    }

    @Test("states may be stamped in the order in which they were heard, which is not known of calls that cross")
    func stamps() {
        let older = { History.honest.with { $0.pushes[1].stamp = epoch + 1 } }
        #expect(older().verdict(of: "timestamp-seconds-rising").basis == .order)
        #expect(older().findings("timestamp-seconds-rising") == 1)
        #expect(parallel(older(), 2, answeredAt: 12.9).findings("timestamp-seconds-rising") == 1)
        #expect(parallel(older(), 2, answeredAt: 13.1).findings("timestamp-seconds-rising") == 0)
        let absurd = History.honest.with { $0.pushes[1].stamp = 1 }
        #expect(absurd.verdict(of: "timestamp-seconds-rising").basis == [], "that needs no order")
    }

    @Test("which of two tokens is the newer is not known where their registrations cross")
    func rotation() {
        let old = { History.rotated.with { $0.push(9, at: 41) } }
        #expect(RuleBook.rule(named: "new-token-used")?.basis == .order)
        #expect(parallel(old(), 1, answeredAt: 26.9).findings("new-token-used") == 1)
        #expect(parallel(old(), 1, answeredAt: 27.1).findings("new-token-used") == nil)
    }

    @Test("nor whether a token was taken back or registered last")
    func takenBack() {
        let pushed = { History.goneOn.with { $0.push(6, at: 30) } }
        #expect(RuleBook.rule(named: "unregister-respected")?.basis == .order)
        #expect(parallel(pushed(), 1, answeredAt: 26.9).findings("unregister-respected") == 1)
        #expect(parallel(pushed(), 1, answeredAt: 27.1).findings("unregister-respected") == nil)
    }

    @Test("nor whether a start token was known when a start was called for")
    func startToken() {
        let lost = { History.relaunched.with { $0.pushes.removeLast() } }
        #expect(RuleBook.rule(named: "start-token-kept")?.basis == [.absence, .order])
        #expect(parallel(lost(), 0, answeredAt: 39.9).findings("start-token-kept") == 1)
        #expect(parallel(lost(), 0, answeredAt: 40.1).findings("start-token-kept") == nil)
    }
}

@Suite("A token that was taken back")
struct TakenBackTests {
    @Test("says something of a relay that had something to send")
    func tempted() {
        #expect(History.takenBack.findings("unregister-respected") == nil)
        #expect(History.goneOn.findings("unregister-respected") == 0)
        #expect(History.goneOn.with { $0.calls[8].wasTaken = false }.findings("unregister-respected") == nil)
        #expect(History.goneOn.with { $0.calls[8].kind = Kind.register.rawValue }.findings("unregister-respected") == nil)
        // A state that was refused until then.
        let waiting = History.takenBack.with { history in
            let end = history.pushes.firstIndex { $0.event == .end }!
            history.pushes[end].status = 503
        }
        #expect(waiting.findings("unregister-respected") == 0)
    }

    @Test("is another session's all the same, where it is a registration", arguments: [(1, true), (2, false)] as [(UInt32, Bool)])
    func registration(session: UInt32, isBroken: Bool) {
        let lane = Lane(role: .registration)
        let history = History.twoSessions.with { history in
            history.registers(1, .stranger, lane)
            history.registers(1, .stranger, lane, session: 2)
            history.call(7, .unregister, at: 27)
            history.registers(7, .stranger, lane, isRegistration: false)
            history.push(5, at: 40, token: .stranger, session: session)
        }
        #expect(history.verdict(of: "unregister-respected").isBroken == isBroken)
        let unmarked = { (history: History) in
            history.with { $0.pushes[$0.pushes.count - 1].flags.remove(.isMarked) }.verdict(of: "unregister-respected").isBroken
        }
        #expect(!unmarked(history), "which of the two is meant nobody says")
        let alone = history.with { $0.tokenCalls.removeAll { $0.token == .stranger && $0.place >> 32 == 2 } }
        #expect(unmarked(alone))
    }
}

@Suite("At the other environment")
struct OtherEnvironmentTests {
    private let rule = "other-environment-once"

    /// The second step's push is refused at 2.01 and tried there so, once a second from second 3 on.
    private func tried(_ answers: (UInt16, String)...) -> Int? {
        History.otherEnvironment("BadEnvironmentKeyInToken").with { history in
            history.pushes.removeAll { $0.environment == .sandbox }
            for (number, answer) in answers.enumerated() {
                history.push(2, at: 3 + Double(number), status: answer.0, reason: answer.1) { $0.environment = .sandbox }
            }
        }.findings(rule)
    }

    @Test("only refusals of the token count as attempts, and count whatever comes of a further one")
    func attempts() {
        #expect(tried((0, ""), (403, "BadEnvironmentKeyInToken")) == 0)
        #expect(tried((403, "ExpiredProviderToken"), (403, "BadEnvironmentKeyInToken")) == 0)
        #expect(tried((403, "Forbidden"), (403, "Forbidden"), (200, "")) == 1)
    }

    private func untried(_ turn: (inout History) -> Void) -> Int? {
        History.otherEnvironment("BadEnvironmentKeyInToken").with { history in
            history.pushes.removeAll { $0.step == 2 && $0.environment == .sandbox }
            turn(&history)
        }.findings(rule)
    }

    @Test("nothing is owed to a token that was taken back or replaced meanwhile", arguments: [
        (2.5, false, .activity, nil), (2.5, true, .rotated, nil), (2.5, true, .activity, 1), (3.1, false, .activity, 1),
    ] as [(Double, Bool, TokenHash, Int?)])
    func changed(seconds: Double, isRegistration: Bool, token: TokenHash, expected: Int?) {
        let findings = untried { history in
            history.call(7, isRegistration ? .registerActivity : .unregister, at: seconds)
            history.registers(7, token, .activity, isRegistration: isRegistration)
        }
        #expect(findings == expected)
    }

    @Test("a token whose first refusal was overtaken is judged by the next")
    func overtaken() {
        let findings = untried { history in
            let row = history.rows.firstIndex { $0.step == 2 }!
            history.rows[row].deadline = .seconds(60)
            history.pushes.removeAll { $0.step == 4 && $0.isLiveActivity }
            history.push(4, at: 15.02, status: 403, reason: "BadEnvironmentKeyInToken")
        }
        #expect(findings == 1)
    }

    @Test("a phone's other token that gets something all the same was not dropped, whatever that says")
    func astray() {
        let both = History.died(.activity, at: 14).with { $0.pushes.removeAll { $0.type == .alert && $0.step == 6 } }
        #expect(both.findings("other-token-kept") == 1)
        #expect(both.with { $0.push(2, at: 21, .alert) }.findings("other-token-kept") == 0)
        #expect(both.with { $0.push(2, at: 13, .alert) }.findings("other-token-kept") == 1, "before that")
    }

    @Test("what worked is remembered where the relay heard of it, and until the token is registered again")
    func remembered() {
        let forgotten = {
            History.otherEnvironment("BadEnvironmentKeyInToken").with { history in
                for index in history.pushes.indices where history.pushes[index].step > 2 {
                    history.pushes[index].environment = .production
                }
            }
        }
        #expect(forgotten().findings(rule) == 1)
        #expect(forgotten().with { $0.undelivered = [1] }.findings(rule) == 0)
        let again = forgotten().with { history in
            history.call(7, .registerActivity, at: 5)
            history.registers(7, .activity, .activity)
        }
        #expect(again.findings(rule) == 0)
    }
}

@Suite("A call that we gave up")
struct GivenUpCallTests {
    /// A stranger's relay that was starved heard of a session's first call last, and stamped in the order of hearing.
    @Test("may have been heard at any time, so nothing rests on its place")
    func place() {
        let swapped = History.honest.with { history in
            history.pushes[1].arrivedAt = at(1.9)
            history.pushes[1].arrivedWall = history.pushes[0].arrivedWall
            history.pushes[0].stamp = epoch + 14
        }
        #expect(swapped.findings("timestamp-seconds-rising") == 1)
        let givenUp = swapped.with { history in
            for index in history.calls.indices where history.calls[index].step == history.pushes[0].step {
                history.calls[index].status = 0
            }
        }
        #expect(givenUp.findings("timestamp-seconds-rising") ?? 0 == 0)
    }
}
