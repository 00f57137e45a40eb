// What a relay makes of an answer that comes late, of a dismissal, and of what was refused for good.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about what has changed meanwhile")
struct ChangedRowRuleTests {
    private func dropped(_ token: TokenHash) -> History { .changed(token).with { $0.pushes.removeLast() } }

    @Test("what is registered while a 410 is on its way, and dropped for it, breaks changed-row-kept")
    func changedRow() {
        #expect(History.changed(.rotated).findings("changed-row-kept") == 0)
        #expect(dropped(.rotated).findings("changed-row-kept") == 1)
        #expect(History.changed(.activity).findings("changed-row-kept") == 0)
        #expect(dropped(.activity).findings("changed-row-kept") == 1)
    }

    @Test("only where it was stored before the answer came, and behind the push")
    func order() {
        let call = dropped(.rotated).calls.count - 2
        let move = { (seconds: Double) in
            dropped(.rotated).with { history in
                history.calls[call].sentAt = at(seconds)
                history.calls[call].answeredAt = at(seconds + 0.005)
            }
        }
        #expect(move(38.99).findings("changed-row-kept") == nil)
        #expect(move(39.01).findings("changed-row-kept") == 1)
        #expect(move(40.94).findings("changed-row-kept") == 1)
        #expect(move(40.95).findings("changed-row-kept") == nil)
        #expect(dropped(.rotated).with { $0.undelivered = [$0.pushes.last!.id] }.findings("changed-row-kept") == nil)
    }

    @Test("BadDeviceToken says nothing of when a token died, and speaks of that token only")
    func withoutTime() {
        let bad = { (token: TokenHash) in
            dropped(token).with { history in
                history.pushes[history.pushes.count - 1].status = 400
                history.pushes[history.pushes.count - 1].reason = history.text("BadDeviceToken")
            }
        }
        #expect(bad(.rotated).findings("changed-row-kept") == 1)
        #expect(bad(.activity).findings("changed-row-kept") == nil)
    }
}

@Suite("Rules about what was dismissed or refused")
struct DismissedAndRefusedTests {
    @Test("BadDeviceToken is not the last word where the other host, asked with the same push, refused something else", arguments: [
        (400, "BadTopic", 0), (503, "Shutdown", 0), (400, "BadDeviceToken", 1), (410, "Unregistered", 1),
    ] as [(UInt16, String, Int)])
    func unsettled(status: UInt16, reason: String, expected: Int) {
        let history = History.died(.activity, at: 14, status: 400, reason: "BadDeviceToken").with { history in
            history.push(4, at: 15.04, status: status, reason: reason) { $0.environment = .sandbox }
            history.push(5, at: 24.02)
        }
        #expect(history.findings("dead-token-dropped") == expected)
    }

    @Test("a start that nothing calls for behind a dismissal breaks dismissal-respected, a SHOULD")
    func dismissed() {
        #expect(History.goneOn.findings("dismissal-respected") == 0)
        #expect(History.takenBack.findings("dismissal-respected") == nil, "nothing came that might bring it back")
        let again = { (seconds: Double) in
            History.goneOn.with { $0.push(9, at: seconds, event: .start, token: .start) }
        }
        #expect(again(40.03).findings("dismissal-respected") == 1)
        #expect(again(27.9).findings("dismissal-respected") == 0, "it was under way")
        let owed = again(40.03).with { $0.expect(9, .permission, at: 40, event: .start, token: .start, lane: .start) }
        #expect(owed.findings("dismissal-respected") == 0)
        let returned = again(40.03).with { history in
            history.call(8, .registerActivity, at: 39)
            history.registers(8, .rotated, .activity)
        }
        #expect(returned.findings("dismissal-respected") == nil, "the app has asked for it")
    }

    @Test("what was refused for good and comes again as it was breaks refusal-not-repeated", arguments: [
        (400, "BadTopic", 1), (400, "DeviceTokenNotForTopic", 1), (404, "BadPath", 1), (413, "PayloadTooLarge", 1),
        (403, "Forbidden", 1), (400, "BadDeviceToken", nil), (400, "IdleTimeout", nil), (403, "ExpiredProviderToken", nil),
        (429, "TooManyRequests", nil), (503, "Shutdown", nil),
    ] as [(UInt16, String, Int?)])
    func repeated(status: UInt16, reason: String, expected: Int?) {
        let history = History.refused(status: status, reason: reason).with { $0.push(2, at: 4) }
        #expect(history.findings("refusal-not-repeated") == expected)
    }

    @Test("another payload, topic or environment is another push, and so is one behind a registration")
    func changed() {
        let history = History.refused(status: 400, reason: "BadTopic").with { $0.push(2, at: 4) }
        let last = history.pushes.count - 1
        #expect(history.with { $0.pushes[last].payloadHash = 7 }.findings("refusal-not-repeated") == 0)
        #expect(history.with { $0.pushes[last].priority = 10 }.findings("refusal-not-repeated") == 0)
        #expect(history.with { $0.pushes[last].event = .end }.findings("refusal-not-repeated") == 0)
        #expect(history.with { $0.pushes[last].flags.insert(.gaveExpiration) }.findings("refusal-not-repeated") == 0)
        #expect(history.with { $0.calls[2].attempts = 2 }.findings("refusal-not-repeated") == 0, "the relay was told twice")
        #expect(history.with { $0.pushes[last].topic = $0.text("other") }.findings("refusal-not-repeated") == 0)
        #expect(history.with { $0.pushes[last].environment = .sandbox }.findings("refusal-not-repeated") == 0)
        let unmarked = history.with { history in
            for index in history.pushes.indices where history.pushes[index].step == 2 {
                history.pushes[index].flags.remove(.isMarked)
            }
        }
        #expect(unmarked.findings("refusal-not-repeated") == nil, "the same words may be another push")
        let named = unmarked.with { history in
            for index in history.pushes.indices where history.pushes[index].step == 2 {
                history.pushes[index].flags.insert(.gaveAPNsID)
            }
        }
        #expect(named.findings("refusal-not-repeated") == 1)
        let again = history.with { history in
            history.call(7, .registerActivity, at: 3)
            history.registers(7, .activity, .activity)
        }
        #expect(again.findings("refusal-not-repeated") == 0)
    }
}

@Suite("What was refused and is made anew")
struct MadeAnewTests {
    /// The second step's push is refused, and comes twice more with another time and another apns-id.
    private func madeAnew(_ reason: String = "BadTopic", saying: Int = 5) -> History {
        History.refused(status: 400, reason: reason).with { history in
            for seconds in [4.0, 6.0] {
                history.push(2, at: seconds, status: 400, reason: reason) {
                    $0.payloadHash = Int(seconds)
                    $0.flags.insert(.gaveAPNsID)
                    $0.apnsID = UUIDBytes(high: UInt64(seconds), low: 1)
                }
            }
            for index in history.pushes.indices where history.pushes[index].step == 2 { history.pushes[index].saying = 5 }
            history.pushes[history.pushes.count - 1].saying = saying
        }
    }

    @Test("says the same all the same, and breaks refusal-not-repeated; a newer state does not")
    func sayings() {
        #expect(madeAnew().findings("refusal-not-repeated") == 2)
        #expect(madeAnew(saying: 7).findings("refusal-not-repeated") == 1)
        #expect(madeAnew("BadMessageId").findings("refusal-not-repeated") == 0, "the id is what was refused")
    }
}

extension History {
    /// Pushes to one token by IDs that are too long: each ID, and what was made of it.
    static func shortened(_ pairs: (meant: UInt64, given: UInt64)...) -> History {
        honest.with { history in
            let places = history.pushes.indices.filter { history.pushes[$0].token == .activity && history.pushes[$0].isAccepted }
            for (place, pair) in zip(places, pairs) {
                history.pushes[place].shortened = SeenPush.Shortened(meant: pair.meant, given: pair.given)
            }
        }
    }
}

@Suite("IDs that are too long for apns-collapse-id")
struct LongIDTests {
    @Test("become one of their own each, and the same each time, or break long-ids-apart, a MUST")
    func apart() {
        #expect(RuleBook.rule(named: "long-ids-apart")?.level == .must)
        #expect(History.shortened((1, 1), (2, 2), (1, 1)).findings("long-ids-apart") == 0)
        #expect(History.shortened((1, 1), (2, 1), (3, 3)).findings("long-ids-apart") == 1)
        #expect(History.shortened((1, 1), (1, 2), (3, 3)).findings("long-ids-apart") == 1)
        func second(_ turn: (inout SeenPush) -> Void) -> History {
            History.shortened((1, 1), (2, 1)).with { history in
                turn(&history.pushes[history.pushes.lastIndex { $0.shortened != nil }!])
            }
        }
        #expect(second { $0.token = .start }.findings("long-ids-apart") == 0, "another device's")
        let refused = second { $0.status = 400 }
        #expect(refused.findings("long-ids-apart") == 0)
        #expect(History.honest.findings("long-ids-apart") == nil)
    }
}

@Suite("In a mock's own journal")
struct AloneRuleTests {
    @Test("what was accepted and comes again under its apns-id breaks accepted-not-repeated, a SHOULD")
    func repeated() {
        #expect(RuleBook.rule(named: "accepted-not-repeated")?.level == .should)
        #expect(History.alone([1, 1, 1]).findings("accepted-not-repeated") == 2)
        #expect(History.alone([1, 2, 3]).findings("accepted-not-repeated") == 0)
        #expect(History.alone([1, 1]) { $0.flags.remove(.gaveAPNsID) }.findings("accepted-not-repeated") == nil)
        #expect(History.alone([1, 1]).with { $0.pushes[1].payloadHash = 7 }.findings("accepted-not-repeated") == 0)
    }

    @Test("unless the first answer was late, cut off or never came")
    func unheard() {
        let again = History.alone([1, 1])
        #expect(again.with { $0.pushes[0].answeredAt = at(2.0) }.findings("accepted-not-repeated") == 0)
        #expect(again.with { $0.pushes[0].flags.insert(.isAnswerUndelivered) }.findings("accepted-not-repeated") == 0)
        #expect(again.with { $0.pushes[0].faultRule = 1 }.findings("accepted-not-repeated") == 0)
        #expect(again.with { $0.pushes[0].status = 503 }.findings("accepted-not-repeated") == 0)
        #expect(again.with { $0.call(1, .progress, at: 0) }.findings("accepted-not-repeated") == nil, "of a run's")
    }

    @Test("a push without apns-push-type breaks push-type-given, a SHOULD, and one that is no JSON content-decodes")
    func form() {
        #expect(RuleBook.rule(named: "push-type-given")?.level == .should)
        #expect(History.alone([1]) { $0.flags.insert(.lacksType) }.findings("push-type-given") == 1)
        #expect(History.alone([1]).findings("push-type-given") == 0)
        #expect(History.alone([1]) { $0.outcome = .undecodable }.findings("content-decodes") == 1)
        #expect(History.alone([1]).findings("content-decodes") == nil, "an alert that is JSON says nothing of it")
    }

    @Test("twenty pushes say whether connections are kept, and fewer nothing")
    func connections() {
        func findings(_ count: Int) -> Int? {
            History.alone(Array(1...UInt64(count))).with { history in
                for index in history.pushes.indices { history.pushes[index].connection = UInt64(index + 1) }
            }.findings("connections-reused")
        }
        #expect(findings(19) == nil && findings(20) == 1)
    }
}

@Suite("Which of several refusals a token was forgotten for")
struct ForgottenTests {
    /// Steps 2 and 3 are refused, and nothing goes to the token behind that.
    private var forgotten: History {
        History.refused(status: 400, reason: "BadTopic").with { history in
            history.pushes.removeAll { $0.token == .activity && $0.step != 2 }
            history.push(3, at: 13.02, status: 403, reason: "InvalidProviderToken") { $0.faultRule = 1 }
        }
    }

    @Test("a token that survives one refusal and is forgotten for the next breaks living-token-kept once")
    func second() {
        #expect(forgotten.findings("living-token-kept") == 1)
        #expect(forgotten.with { $0.push(5, at: 24.02) }.findings("living-token-kept") == 0)
    }
}
