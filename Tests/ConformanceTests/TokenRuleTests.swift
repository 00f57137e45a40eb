// Tokens that die, are registered again, replaced, taken back, or belong to the other environment.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about tokens")
struct TokenRuleTests {
    // MARK: Dead tokens

    @Test(
        "a push to a token that was declared dead breaks dead-token-dropped",
        arguments: [(410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken")] as [(UInt16, String)])
    func deadActivity(status: UInt16, reason: String) {
        let history = History.died(.activity, at: 14, status: status, reason: reason)
        #expect(history.findings("dead-token-dropped") == 0)
        #expect(history.with { $0.push(5, at: 24.02) }.findings("dead-token-dropped") == 1)
        #expect(history.with { $0.push(5, at: 24.02) }.findings("dead-device-token-dropped") == nil)
    }

    @Test("a push to a dead device token breaks the rule about device tokens, a SHOULD")
    func deadDevice() {
        let history = History.died(.device, at: 14)
        #expect(history.findings("dead-device-token-dropped") == 0)
        #expect(history.with { $0.push(6, at: 26.01, .alert) }.findings("dead-device-token-dropped") == 1)
        #expect(RuleBook.rule(named: "dead-device-token-dropped")?.level == .must, "P9")
        #expect(history.with { $0.push(6, at: 26.01, .alert) }.findings("dead-token-dropped") == nil)
    }

    @Test("a push that was on its way when the answer left is not held against the relay", arguments: [(16.02, 0), (16.04, 1)] as [(Double, Int)])
    func inFlight(seconds: Double, expected: Int) {
        let history = History.died(.activity, at: 14).with { $0.push(3, at: seconds) }
        #expect(history.findings("dead-token-dropped") == expected)
    }

    @Test("what a call causes that came after the answer was not on its way", arguments: [(15.27, 0), (15.28, 1)] as [(Double, Int)])
    func laterCall(seconds: Double, expected: Int) {
        let history = History.died(.activity, at: 14).with { history in
            history.calls[5].sentAt = at(seconds)
            history.push(5, at: 15.5)
        }
        #expect(history.findings("dead-token-dropped") == expected)
        #expect(history.with { $0.run.circumstances.inFlightGrace = .seconds(3) }.findings("dead-token-dropped") == 0)
    }

    @Test("a rule about dead tokens is put to the test by what would have been sent, and with no grace by the next instant")
    func tested() {
        #expect(History.died(.activity, at: 26.02).findings("dead-token-dropped") == nil)
        let strict = History.died(.activity, at: 14).with { $0.run.circumstances.inFlightGrace = .zero }
        #expect(strict.findings("dead-token-dropped") == 0)
        #expect(strict.with { $0.push(3, at: 15.03) }.findings("dead-token-dropped") == 1)
    }

    /// Whoever sends the same push again had its answer.
    @Test("the very push that was answered 410 is not on its way when it comes again", arguments: [
        (15.04, 4, 1), (15.03, 4, 1), (15.04, 3, 0),
    ] as [(Double, UInt32, Int)])
    func sentAgain(seconds: Double, step: UInt32, expected: Int) {
        let history = History.died(.activity, at: 14).with { $0.push(step, at: seconds) }
        #expect(history.findings("dead-token-dropped") == expected)
        guard expected == 1 else { return }
        // The relay cannot know an answer that is still held back, that is lost, or that a registration made void.
        let slow = history.with { history in
            let death = history.pushes.firstIndex { $0.status == 410 }!
            history.pushes[death].answeredAt = at(seconds + 0.001)
        }
        #expect(slow.findings("dead-token-dropped") == 0)
        let lost = history.with { history in history.undelivered = [history.pushes.first { $0.status == 410 }!.id] }
        #expect(lost.findings("dead-token-dropped") == nil)
        let again = history.with { history in
            history.pushes[history.pushes.count - 1].arrivedAt = at(15.5)
            history.call(7, .registerActivity, at: 15.2)
            history.registers(7, .activity, .activity)
        }
        #expect(again.findings("dead-token-dropped") == 0)
        #expect(again.with { $0.calls[7].sentAt = at(15.51) }.findings("dead-token-dropped") == 1)
    }

    @Test("other refusals kill no token", arguments: [(403, "BadEnvironmentKeyInToken"), (429, "TooManyRequests")] as [(UInt16, String)])
    func alive(status: UInt16, reason: String) {
        let history = History.refused(status: status, reason: reason)
        #expect(history.findings("dead-token-dropped") == nil)
    }

    /// J6.
    @Test("DeviceTokenNotForTopic excuses what is owed to the token, and forbids no other topic")
    func notForTopic() {
        let history = History.died(.activity, at: 14, status: 400, reason: "DeviceTokenNotForTopic")
        #expect(history.findings("states-delivered") == 0)
        #expect(history.findings("last-state-delivered") == 0)
        #expect(history.with { $0.push(5, at: 24.02) }.findings("dead-token-dropped") == nil)
    }

    /// J7.
    @Test("a token that was registered again lives again, from the instant at which the call was sent")
    func registeredAgain() {
        let again = History.died(.activity, at: 14).with { history in
            history.call(7, .registerActivity, at: 18) { $0.answeredAt = at(18.5) }
            history.registers(7, .activity, .activity)
            // Before our own answer to the registration was in.
            history.push(5, at: 24.02)
            history.push(6, at: 26.03, event: .end)
        }
        #expect(again.findings("dead-token-dropped") == 0)
        let early = again.with { history in
            history.calls[7].sentAt = at(24.01)
            history.calls[7].answeredAt = at(24.3)
        }
        #expect(early.findings("dead-token-dropped") == 0)
        #expect(early.with { $0.calls[7].sentAt = at(24.1) }.findings("dead-token-dropped") == 1)
        // And dies again where it is told so again.
        let twice = again.with { history in
            history.pushes[history.pushes.count - 2].status = 410
            history.pushes[history.pushes.count - 2].reason = history.text("Unregistered")
        }
        #expect(twice.findings("dead-token-dropped") == 1)
    }

    @Test("a 410 whose answer never reached the relay is not known to it")
    func undeliveredDeath() {
        let history = History.died(.activity, at: 14).with { history in
            history.push(5, at: 24.02)
            history.undelivered = [history.pushes.first { $0.status == 410 }!.id]
        }
        #expect(history.findings("dead-token-dropped") == nil)
    }

    @Test("a token is dead where it was refused, and not in the other environment")
    func environments() {
        let history = History.died(.activity, at: 14).with { $0.push(5, at: 24.02) { $0.environment = .sandbox } }
        #expect(history.findings("dead-token-dropped") == 0)
    }

    // MARK: Living tokens

    private func forgotten(_ status: UInt16, _ reason: String) -> History {
        History.refused(status: status, reason: reason).with { history in
            history.pushes.removeAll { $0.token == .activity && $0.step != 2 }
        }
    }

    @Test(
        "a token that is never pushed to again after an answer that spoke of something else breaks living-token-kept",
        arguments: [(400, "BadTopic"), (403, "InvalidProviderToken"), (413, "PayloadTooLarge")] as [(UInt16, String)])
    func pruned(status: UInt16, reason: String) {
        #expect(forgotten(status, reason).findings("living-token-kept") == 1)
        #expect(forgotten(status, reason).with { $0.push(6, at: 26.03, event: .end) }.isKept("living-token-kept"))
        #expect(forgotten(410, "Unregistered").findings("living-token-kept") == nil)
    }

    /// J11.
    @Test("a relay that waits the 15 minutes Apple asks for keeps living-token-kept", arguments: [(890.0, 0), (912.0, 1)] as [(Double, Int)])
    func longBackOff(seconds: Double, expected: Int) {
        let history = forgotten(503, "ServiceUnavailable").with { history in
            history.rows.removeAll { $0.step > 2 }
            history.call(7, .permission, at: seconds)
            history.expect(7, .permission, at: seconds)
        }
        #expect(history.findings("living-token-kept") ?? 0 == expected)
    }

    @Test("what was owed while we held the relay down says nothing about living tokens")
    func restarted() {
        let history = forgotten(400, "BadTopic")
        history.run.circumstances.outages = [.init(from: at(2.5), until: at(3))]
        #expect(history.findings("living-token-kept") == nil)
    }

    @Test("a refusal that never reached the relay, or after which nothing is owed, exercises nothing")
    func nothingOwed() {
        #expect(forgotten(400, "BadTopic").with { $0.undelivered = [1] }.findings("living-token-kept") == nil)
        #expect(forgotten(400, "BadTopic").with { $0.rows.removeAll { $0.step > 2 } }.findings("living-token-kept") == nil)
        let dead = forgotten(400, "BadTopic").with { $0.push(3, at: 13.02, status: 410, reason: "Unregistered") }
        #expect(dead.findings("living-token-kept") == nil)
    }

    @Test("a phone whose alerts end with its activity's token breaks other-token-kept")
    func bothDropped() {
        let history = History.died(.activity, at: 14)
        #expect(history.findings("other-token-kept") == 0)
        let both = history.with { $0.pushes.removeAll { $0.type == .alert && $0.step == 6 } }
        #expect(both.findings("other-token-kept") == 1)
        let bothDead = both.with { $0.push(4, at: 15.02, .alert, status: 410, reason: "Unregistered") }
        #expect(bothDead.findings("other-token-kept") == nil)
        let refused = both.with { $0.push(4, at: 15.02, .alert, status: 400, reason: "BadTopic") }
        #expect(refused.findings("other-token-kept") == nil, "dropped for its own refusal")
    }

    @Test("a token that is dropped for a 410 about the past breaks old-410-ignored")
    func oldReport() {
        #expect(History.oldReport.findings("old-410-ignored") == 0)
        let dropped = History.oldReport.with { $0.pushes.removeAll { $0.token == .activity && $0.step != 2 } }
        #expect(dropped.findings("old-410-ignored") == 1)
        #expect(dropped.with { $0.undelivered = [1] }.findings("old-410-ignored") == nil)
        let later = dropped.with { $0.push(3, at: 13.02, status: 400, reason: "BadTopic") { $0.faultRule = 1 } }
        #expect(later.findings("old-410-ignored") == 0, "it was still known, and dropped for what came then")
        // Speaks of the present: the token is dead.
        #expect(dropped.with { $0.pushes[0].diedMilliseconds = 0 }.findings("old-410-ignored") == nil)
        #expect(dropped.with { $0.pushes[0].diedMilliseconds = (epoch + 2) * 1000 }.findings("old-410-ignored") == nil)
        // More than a second before the registration at second 1, and within what two clocks may differ by.
        #expect(dropped.with { $0.pushes[0].diedMilliseconds = epoch * 1000 - 1 }.findings("old-410-ignored") == 1)
        #expect(dropped.with { $0.pushes[0].diedMilliseconds = epoch * 1000 + 500 }.findings("old-410-ignored") == nil)
    }
}

@Suite("Rules about registrations")
struct RegistrationRuleTests {
    @Test("a push to a replaced token breaks new-token-used, once the answer is in and in-flight pushes have passed")
    func replaced() {
        let old = { (seconds: Double) in History.rotated.with { $0.push(9, at: seconds) } }
        #expect(old(41).findings("new-token-used") == 1)
        #expect(old(28.005).findings("new-token-used") == 0)
        #expect(old(28.006).findings("new-token-used") == 1)
        #expect(old(41).with { $0.pushes[$0.pushes.count - 1].type = .alert }.findings("new-token-used") == 0)
    }

    @Test("a start that does not come after a relaunch breaks start-token-kept, as one to a replaced token does")
    func startToken() {
        let lost = History.relaunched.with { $0.pushes.removeLast() }
        #expect(lost.verdict(of: "start-token-kept").isBroken)
        // Where the device had not registered anew, that is another rule's affair.
        let plain = lost.with { $0.tokenCalls.removeLast() }
        #expect(plain.verdict(of: "start-token-kept") == .notExercised)
        let replaced = History.relaunched.with { history in
            history.registers(7, .stranger, .start)
            history.rows[history.rows.count - 1].token = .stranger
        }
        #expect(replaced.verdict(of: "start-token-kept").isBroken)
        let right = replaced.with { $0.pushes[$0.pushes.count - 1].token = .stranger }
        #expect(right.isKept("start-token-kept"))
    }

    @Test("a registration that was not taken, of another lane or of a second phone replaces nothing")
    func notReplaced() {
        let old = History.rotated.with { $0.push(9, at: 41) }
        #expect(old.with { $0.calls[7].wasTaken = false }.findings("new-token-used") == nil)
        #expect(old.with { $0.tokenCalls[3].lane = .start }.findings("new-token-used") == nil)
        #expect(old.with { $0.registers(0, .device2, Lane(role: .device, phone: 1)) }.findings("new-token-used") == nil)
    }

    @Test("the old token registered again is the new one")
    func backAgain() {
        let history = History.rotated.with { history in
            history.call(8, .registerActivity, at: 30)
            history.registers(8, .activity, .activity)
            history.rows[history.rows.count - 1].token = .activity
            history.pushes[history.pushes.count - 1].token = .activity
        }
        #expect(history.findings("new-token-used") == 0)
    }

    @Test("a late unregister that ends the newer activity's pushes breaks newer-registration-kept")
    func overtaken() {
        let ended = History.overtaken.with { $0.pushes.removeAll { $0.token == .rotated } }
        #expect(ended.findings("newer-registration-kept") == 1)
        #expect(History.rotated.with { $0.pushes.removeAll { $0.token == .rotated } }.findings("newer-registration-kept") == nil)
        let unanswered = ended.with { history in
            for index in history.calls.indices where history.calls[index].kind == Kind.lateUnregister.rawValue {
                history.calls[index].status = 0
            }
        }
        #expect(unanswered.findings("newer-registration-kept") == nil)
        let dead = ended.with { $0.push(9, at: 40.02, token: .rotated, status: 410, reason: "Unregistered") }
        #expect(dead.findings("newer-registration-kept") == nil)
        let unused = ended.with {
            $0.expect(7, .permission, at: 27.5, token: .rotated)
            $0.push(7, at: 27.52)
        }
        #expect(unused.findings("newer-registration-kept") == nil, "the new token was of no use before either")
    }

    @Test("an alert that our fault held up may come after its phone was taken back, and no other")
    func heldUpAlert() {
        func history(token: TokenHash, lane: Lane, status: UInt16?, step: UInt32 = 4) -> History {
            History.honest.with { history in
                history.call(7, .unregister, at: 27)
                history.registers(7, token, lane, isRegistration: false)
                history.pushes.removeAll { $0.step == 4 && $0.token == token }
                if let status {
                    history.push(4, at: 15.01, token == .device ? .alert : .liveactivity, token: token, status: status) { $0.faultRule = 1 }
                }
                history.push(step, at: 30, token == .device ? .alert : .liveactivity, token: token)
            }
        }
        #expect(history(token: .device, lane: .device, status: 503).findings("unregister-respected") == 0)
        #expect(history(token: .device, lane: .device, status: nil).findings("unregister-respected") == 1)
        #expect(history(token: .device, lane: .device, status: 503, step: 9).findings("unregister-respected") == 1)
        #expect(history(token: .activity, lane: .activity, status: 503).findings("unregister-respected") == 1)
    }

    @Test("a push to a token that was taken back breaks unregister-respected")
    func takenBack() {
        let after = { (seconds: Double) in History.goneOn.with { $0.push(6, at: seconds) } }
        #expect(after(30).findings("unregister-respected") == 1)
        #expect(after(28).findings("unregister-respected") == 0)
        // What is under way when the answer comes may still arrive, to the instant.
        let grace = History.takenBack.run.circumstances.inFlightGrace.seconds
        #expect(after(27.005 + grace).findings("unregister-respected") == 0)
        #expect(after(27.006 + grace).findings("unregister-respected") == 1)
        let basis = { (seconds: Double) in after(seconds).verdict(of: "unregister-respected").findings.first?.basis }
        #expect(basis(27.005 + 3 * grace) == .timing && basis(27.006 + 3 * grace) == [])
        #expect(after(30).with { $0.push(6, at: 31) }.findings("unregister-respected") == 1)
        #expect(after(30).with { $0.pushes[$0.pushes.count - 1].token = .device }.findings("unregister-respected") == 0)
        let again = after(30).with { history in
            history.call(8, .registerActivity, at: 29)
            history.registers(8, .activity, .activity)
        }
        #expect(again.findings("unregister-respected") == nil)
        #expect(after(30).with { $0.calls[7].wasTaken = false }.findings("unregister-respected") == nil)
        // The app has let the card go, so an end that had to wait does no harm.
        #expect(after(30).with { $0.pushes[$0.pushes.count - 1].event = .end }.findings("unregister-respected") == 0)
        let refused = after(30).with { $0.pushes[$0.pushes.count - 1].event = nil }
        #expect(refused.findings("unregister-respected") == 0, "the event of one that was refused is the plan's")
        // `complete` takes the token back too, and causes pushes of its own.
        let completing = History.honest.with { $0.registers(6, .activity, .activity, isRegistration: false) }
        #expect(completing.findings("unregister-respected") == nil)
    }

    /// R0.20: nobody can tell it from the older activity's, which may be late.
    @Test("an unregistration within 30 seconds of a rotation is not judged")
    func takenBackSoon() {
        let after = { (registration: Double) in
            History.takenBack.with { history in
                history.call(9, .registerActivity, at: registration)
                history.registers(9, .rotated, .activity)
                history.call(10, .unregister, at: 60)
                history.registers(10, .activity, .activity, isRegistration: false)
                history.registers(10, .rotated, .activity, isRegistration: false)
                history.push(6, at: 63, token: .rotated)
            }.findings("unregister-respected")
        }
        #expect(after(29) == 1)
        #expect(after(30) == nil)
        #expect(after(59) == nil)
    }

    @Test("a push for an event of an unknown user breaks unknown-secret-silent")
    func unknownUser() {
        let silent = History.honest.with { $0.call(7, .stranger, at: 30) }
        #expect(silent.findings("unknown-secret-silent") == 0)
        let pushed = silent.with { $0.push(7, at: 30.01, .alert, token: .stranger) }
        #expect(pushed.findings("unknown-secret-silent") == 1)
        #expect(silent.with { $0.calls[$0.calls.count - 1].status = 404; $0.calls[$0.calls.count - 1].wasTaken = false }
            .findings("unknown-secret-silent") == 1, "a refusal tells who is known")
    }
}

@Suite("Rules about environments")
struct EnvironmentRuleTests {
    private let rules = [
        ("BadEnvironmentKeyInToken", "other-environment-once"), ("BadEnvironmentKeyIdInToken", "other-environment-once"),
        ("BadDeviceToken", "bad-token-other-environment"),
    ]

    @Test("a token of the other environment is tried there once, and what worked is remembered")
    func otherEnvironment() {
        for (reason, rule) in rules {
            let honest = History.otherEnvironment(reason)
            #expect(honest.findings(rule) == 0)
            #expect(honest.with { $0.run.hasBothEnvironments = false }.findings(rule) == nil)
            honest.run.hasBothEnvironments = true
            let untried = honest.with { $0.pushes.removeAll { $0.step == 2 && $0.environment == .sandbox } }
            #expect(untried.findings(rule) == 1, "\(reason)")
            // The next state was there before the answer was read, and took its place.
            let replaced = untried.with { history in
                for index in history.rows.indices where history.rows[index].step == 2 { history.rows[index].deadline = .seconds(60) }
            }
            #expect(replaced.findings(rule) == nil, "\(reason)")
            let forgotten = honest.with { history in
                for index in history.pushes.indices where history.pushes[index].step > 2 {
                    history.pushes[index].environment = .production
                }
            }
            #expect(forgotten.findings(rule) == 1, "\(reason)")
            #expect(untried.with { $0.undelivered = [$0.pushes.last!.id] }.findings(rule) == nil)
            let brief = untried
            brief.run.circumstances.end = at(4.01)
            #expect(brief.findings(rule) == nil)
        }
    }

    @Test("a refusal at both is not tried again and again, unless it is one that passes")
    func again() {
        for (reason, rule) in rules {
            let refused = { (status: UInt16, attempts: Int) in
                History.otherEnvironment(reason).with { history in
                    history.pushes.removeAll { $0.environment == .sandbox }
                    for number in 0..<attempts {
                        history.push(2, at: 3 + Double(number), status: status) { $0.environment = .sandbox }
                    }
                }
            }
            #expect(refused(403, 1).findings(rule) == 0)
            #expect(refused(403, 2).findings(rule) == 1)
            #expect(refused(503, 2).findings(rule) == 0)
        }
    }
}
