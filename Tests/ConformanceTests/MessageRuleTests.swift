// Rules about messages to FCM and their answers, each by one knob of an honest session on an Android device.

import Basics
import Journal
import Metrics
import Pushes
import Testing

@testable import Conformance

extension TokenHash {
    static let registration = TokenHash("cdef:APA91b1")
}

extension History {
    /// A session whose three states go to FCM, all of one registration.
    static var messages: History {
        var history = History()
        history.call(0, .register, at: 0)
        history.registers(0, .registration, Lane(role: .registration))
        for (step, seconds) in [(2, 2.0), (3, 80.0), (5, 160.0)] as [(UInt32, Double)] {
            history.call(step, .progress, at: seconds)
            history.expect(step, .progress, at: seconds, token: .registration, lane: Lane(role: .registration))
            history.rows[history.rows.count - 1].provider = .fcm
            history.message(step, at: seconds + 0.02)
        }
        return history
    }

    /// The one message answered so, and what follows it.
    static func answered(_ status: UInt16, _ reason: String) -> History {
        messages.with { history in
            history.pushes[0].status = status
            history.pushes[0].reason = history.text(reason)
            history.pushes[0].outcome = nil
            history.pushes[0].faultRule = 1
            history.run.circumstances.faults = [.init(rule: 1, label: "\(status)", windows: [])]
        }
    }

    /// The first message meets an answer that takes so many seconds.
    static func slowMessage(_ seconds: Double) -> History {
        messages.with { history in
            history.pushes[0].faultRule = 1
            history.pushes[0].answeredAt = history.pushes[0].arrivedAt + .seconds(seconds)
        }
    }

    /// Sixty messages to one registration, dealt to so many connections in turn.
    static func manyMessages(over connections: Int) -> History {
        messages.with { history in
            for step in UInt32(6)..<63 {
                let seconds = 200 + Double(step) * 12
                history.call(step, .progress, at: seconds)
                history.expect(step, .progress, at: seconds, token: .registration, lane: Lane(role: .registration))
                history.rows[history.rows.count - 1].provider = .fcm
                history.message(step, at: seconds + 0.02)
            }
            for index in history.pushes.indices { history.pushes[index].connection = UInt64(1 + index % connections) }
        }
    }

    /// The second message is answered after twenty seconds, and was sent again meanwhile.
    static func sentAgain(_ outcome: Outcome, _ flags: SeenPush.Flags = []) -> History {
        messages.with { history in
            history.pushes[1].outcome = .shown
            history.pushes[1].faultRule = 1
            history.pushes[1].answeredAt = history.pushes[1].arrivedAt + .seconds(20)
            history.pushes[1].flags.insert(.isAnswerUndelivered)
            history.message(3, at: 95) { ($0.outcome, $0.flags) = (outcome, $0.flags.union(flags)) }
        }
    }

    /// A caller met an answer that it is too much, which said for how long or did not; nil: the profile has no place for that.
    static func toldToWait(_ isSaid: Bool?) -> History {
        let history = honest
        history.run.learn(RetryNote(session: 1, step: 2, status: 429, isThrottled: true, wait: .seconds(1), isSaid: isSaid))
        return history
    }

    mutating func message(
        _ step: UInt32, at seconds: Double, status: UInt16 = 200, reason: String? = nil,
        _ turn: (inout SeenPush) -> Void = { _ in }
    ) {
        let access = text("Bearer ya29.one")
        push(step, at: seconds, token: .registration, status: status, reason: reason) { push in
            push.provider = .fcm
            push.priority = 10
            push.stamp = nil
            push.topic = -1
            push.authorization = access
            if status == 200 { push.outcome = .handedOver }
            turn(&push)
        }
    }
}

extension HeldTokens {
    /// A relay that says that it holds the registration until that second, asked every five.
    static func registration(until last: Int) -> HeldTokens {
        var held = HeldTokens()
        for second in stride(from: 1, to: 300, by: 5) {
            held.look(
                began: at(Double(second)), ended: at(Double(second) + 0.01), id: UInt64(5_000 + second), roles: [.registration],
                added: second == 1 ? [(.registration, .registration)] : [],
                removed: last < 300 && (last..<last + 5) ~= second ? [(.registration, .registration)] : [])
        }
        return held
    }
}

@Suite("Rules about messages to FCM")
struct MessageRuleTests {
    @Test("a rule about one provider sees nothing of an account that goes to the other alone, and all of one that is empty")
    func views() {
        func isSeen(_ history: History, _ reach: Rule.Reach) -> Bool { Views(history.joined, history.run)[reach] != nil }
        #expect(isSeen(.honest, .apns) && !isSeen(.honest, .fcm) && isSeen(.honest, .both))
        #expect(!isSeen(.messages, .apns) && isSeen(.messages, .fcm) && isSeen(.messages, .both))
        #expect(isSeen(History(), .apns) && isSeen(History(), .fcm))
    }

    @Test("a message that FCM refuses for its form is told, and one whose registration is malformed is not", arguments: [
        ("INVALID_JSON", true), ("INVALID_TTL", true), ("MESSAGE_TOO_BIG", true), ("INVALID_REGISTRATION_TOKEN", false),
    ])
    func form(reason: String, isBroken: Bool) {
        let history = History.answered(400, reason).with { $0.pushes[0].faultRule = 0 }
        #expect(history.verdict(of: "messages-well-formed").isBroken == isBroken)
        #expect(!History.answered(400, reason).verdict(of: "messages-well-formed").isBroken)
    }

    @Test("a message for trial is told where an event calls for it")
    func trial() {
        #expect(History.messages.with { $0.pushes[1].outcome = nil }.verdict(of: "messages-are-meant").isBroken)
    }

    @Test("a registration that another has replaced gets nothing more")
    func replaced() {
        let rotated = History.messages.with { history in
            let next = TokenHash("cdef:APA91b2")
            history.call(4, .registerActivity, at: 120)
            history.registers(4, next, Lane(role: .registration))
            history.rows[2].token = next
            history.pushes[2].token = next
        }
        #expect(rotated.verdict(of: "new-token-used") == .kept(evidenceCount: 1))
        let both = rotated.with { history in history.message(5, at: 160.03) }
        #expect(both.findings("new-token-used") == 1)
        let ofOther = rotated.with { history in history.message(5, at: 160.03) { $0.session = 2 } }
        #expect(ofOther.findings("new-token-used") == 0, "another session has it in a row of its own")
        // A second phone has no part in that: a registration is of one app.
        func withPhone(_ history: History) -> History {
            history.with { $0.registers(0, .device2, Lane(role: .device, phone: 1)) }
        }
        #expect(withPhone(rotated).findings("new-token-used") == 0)
        #expect(withPhone(both).findings("new-token-used") == 1)
    }

    /// The third message ends the card.
    private static var ended: History {
        History.messages.with { history in
            (history.rows[2].event, history.pushes[2].event) = (.end, .end)
        }
    }

    @Test("no update comes behind the end of its session, whose registration lives on")
    func ended() {
        func behind(_ step: UInt32, at seconds: Double = 160.5, _ turn: (inout SeenPush) -> Void = { _ in }) -> Int? {
            Self.ended.with { $0.message(step, at: seconds, turn) }.findings("nothing-after-end")
        }
        #expect(Self.ended.verdict(of: "nothing-after-end") == .kept(evidenceCount: 1))
        #expect(behind(5) == 1 && behind(3) == 1)
        #expect(behind(6) == 0, "a later event begins anew")
        #expect(behind(5) { $0.event = .end } == 0 && behind(5) { $0.session += 1 } == 0)
        #expect(behind(5) { $0.token = TokenHash("cdef:APA91b9") } == 0)
        #expect(behind(5, at: 160.06) { $0.connection += 1 } == 0, "they may have changed places on the way")
        #expect(behind(5, at: 160.5) { $0.connection += 1 } == 1)
    }

    @Test("an update behind the end that its phone knows for older brings nothing back")
    func endedOlder() {
        func behind(stamp: Int64?, isForApple: Bool = true, _ outcome: Outcome = .handedOver, tellsApart: Bool = false) -> Int? {
            Self.ended.with { history in
                if isForApple { history.pushes[2].flags.insert(.isForApple) }
                history.pushes[2].stamp = 100
                history.run.tellsStatesApart = tellsApart
                history.message(5, at: 160.5) { push in
                    (push.stamp, push.outcome) = (stamp, outcome)
                    if isForApple { push.flags.insert(.isForApple) }
                }
            }.findings("nothing-after-end")
        }
        #expect(behind(stamp: 99) == 0 && behind(stamp: 100) == 1 && behind(stamp: nil) == 1)
        #expect(behind(stamp: 99, isForApple: false) == 1)
        #expect(behind(stamp: nil, isForApple: false, .ignoredOlder, tellsApart: true) == 0)
        #expect(behind(stamp: nil, isForApple: false, .ignoredOlder) == 1, "no app knows in which order FCM took them")
    }

    @Test("of two ends of a session the later one counts")
    func endedTwice() {
        let again = Self.ended.with { history in
            history.message(11, at: 170) { $0.event = .end }
            history.message(9, at: 175)
        }
        #expect(again.findings("nothing-after-end") == 1)
    }

    @Test("a message tells the event that it is for, where the profile says in which place")
    func event() {
        #expect(Self.ended.verdict(of: "activity-event-fits") == .kept(evidenceCount: 3))
        #expect(Self.ended.with { $0.pushes[2].event = .update }.findings("activity-event-fits") == 1)
        #expect(Self.ended.with { $0.pushes[2].event = nil }.findings("activity-event-fits") == 0)
    }

    @Test("a message for trial delivers nothing")
    func lost() {
        let history = History.messages.with { $0.pushes[1].outcome = nil }
        #expect(history.verdict(of: "states-delivered").isBroken && !History.messages.verdict(of: "states-delivered").isBroken)
    }

    @Test("a Live Update has no notification, and goes at high; an ordinary message may do as it likes")
    func liveUpdate() {
        func turned(_ turn: (inout SeenPush) -> Void) -> History { History.messages.with { turn(&$0.pushes[1]) } }
        #expect(turned { $0.flags.insert(.hasNotification) }.verdict(of: "live-update-data-only").isBroken)
        #expect(turned { $0.priority = 5 }.verdict(of: "live-update-high").isBroken)
        let ordinary = turned { push in
            push.flags.insert(.hasNotification)
            push.priority = 5
            push.type = .alert
        }
        #expect(!ordinary.verdict(of: "live-update-data-only").isBroken && !ordinary.verdict(of: "live-update-high").isBroken)
    }

    @Test("an older state that stays on an Android device breaks late-states-in-order; one that was passed over keeps it", arguments: [
        (.setBack, true), (.ignoredOlder, false), (.superseded, false),
    ] as [(Outcome, Bool)])
    func late(outcome: Outcome, isBroken: Bool) {
        func history(tellsApart: Bool) -> History {
            History.messages.with { history in
                history.pushes[1].outcome = outcome
                history.run.tellsStatesApart = tellsApart
            }
        }
        let (history, byOrder) = (history(tellsApart: true), history(tellsApart: false))
        #expect((byOrder.verdict(of: "late-states-in-order") == .notExercised) == (outcome == .ignoredOlder))
        #expect(history.verdict(of: "late-states-in-order").isBroken == isBroken)
        #expect(history.isKept("late-states-in-order") == !isBroken)
        #expect(!history.verdict(of: "states-delivered").isBroken, "what a device does with it is not the relay's")
        #expect(History.messages.verdict(of: "late-states-in-order") == .notExercised)
    }

    @Test("a message that was sent again and is shown twice breaks repeats-shown-once, unless it takes its own place")
    func again() {
        func repeated(_ outcome: Outcome, _ flags: SeenPush.Flags = []) -> Verdict {
            History.sentAgain(outcome, flags).verdict(of: "repeats-shown-once")
        }
        #expect(repeated(.shown).isBroken)
        for outcome in [Outcome.replaced, .ignoredOlder] { #expect(repeated(outcome) == .kept(evidenceCount: 1)) }
        #expect(repeated(.handedOver) == .notExercised, "nobody knows what the app made of it")
        #expect(repeated(.shown, .hasTag) == .notExercised, "the system puts it in its own place")
    }

    @Test("240 messages a minute are let pass, and one more is not", arguments: [(239, false), (240, true)])
    func rate(more: Int, isBroken: Bool) {
        let history = History.messages.with { history in
            for number in 0..<more { history.message(5, at: 160.03 + Double(number) * 0.2) { $0.flags = [] } }
        }
        #expect(history.verdict(of: "token-rate-kept").isBroken == isBroken)
    }

    @Test("what FCM's own quota has refused counts too")
    func refusedRate() {
        let history = History.messages.with { history in
            for number in 0..<240 {
                history.message(5, at: 160.03 + Double(number) * 0.2) { ($0.flags, $0.status, $0.outcome) = ([], 429, nil) }
            }
        }
        #expect(history.verdict(of: "token-rate-kept").isBroken)
    }

    @Test("spread over more than a minute they are no flood")
    func spread() {
        let history = History.messages.with { history in
            for number in 0..<400 { history.message(5, at: 160.03 + Double(number) * 0.26) { $0.flags = [] } }
        }
        #expect(!history.verdict(of: "token-rate-kept").isBroken)
    }

    @Test("no rule about APNs sees a message to FCM")
    func apart() {
        for rule in RuleBook.all where rule.reach == .apns {
            #expect(!History.messages.verdict(of: rule.id).isBroken, "\(rule.id)")
        }
        for rule in RuleBook.all where rule.reach == .fcm {
            #expect(History.honest.verdict(of: rule.id) == .notExercised, "\(rule.id)")
        }
    }
}
