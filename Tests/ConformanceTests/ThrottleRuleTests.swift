// The relay's throttle, and pushes that are sent again.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about the throttle")
struct ThrottleRuleTests {
    @Test("a machine that is uneven by so much may shorten the gap by as much, down to half a window", arguments: [
        (1.0, 10.0, 0), (1.0, 9.99, 1), (9.0, 7.01, 0), (9.0, 6.99, 1),
    ] as [(Double, Double, Int)])
    func jitter(jitter: Double, seconds: Double, expected: Int) {
        let history = History.honest.with { history in
            history.pushes[1].arrivedAt = at(seconds)
            history.run.jitter = .seconds(jitter)
        }
        #expect(history.findings("throttle-respected") == expected)
    }

    @Test("two progress pushes within nine tenths of a window break throttle-respected", arguments: [(11.0, 0), (10.99, 1)] as [(Double, Int)])
    func tooClose(seconds: Double, expected: Int) {
        #expect(History.honest.with { $0.pushes[1].arrivedAt = at(seconds) }.findings("throttle-respected") == expected)
    }

    /// The first push left at 2.02 at the latest, or it was a second on its way and no longer: counted from its arrival, a push
    /// that was held up and one that was not lie closer together than they left.
    @Test("a push that was held up on its way counts from when it may have left", arguments: [
        (2.8, 11.0, 0), (2.8, 10.99, 1), (5.0, 13.0, 0), (5.0, 12.99, 1),
    ] as [(Double, Double, Int)])
    func heldUp(first: Double, second: Double, expected: Int) {
        let history = History.honest.with { history in
            history.pushes[0].arrivedAt = at(first)
            history.pushes[1].arrivedAt = at(second)
        }
        #expect(history.findings("throttle-respected") == expected)
    }

    /// Called for at 3, it waited for the window of the first one and arrived at 11.5.
    @Test("a push that waited for its window cannot have left before that", arguments: [
        (20.0, 0), (19.99, 1),
    ] as [(Double, Int)])
    func chain(third: Double, expected: Int) {
        let history = History.honest.with { history in
            for (step, seconds) in [(3, 3.0), (5, 12.1)] as [(UInt32, Double)] {
                history.calls[history.calls.firstIndex { $0.step == step }!].sentAt = at(seconds)
            }
            history.pushes[1].arrivedAt = at(11.5)
            history.pushes[2].arrivedAt = at(third)
        }
        #expect(history.findings("throttle-respected") == expected)
    }

    @Test("without a window, of other sessions, and for states that do not wait there is no throttle")
    func noThrottle() {
        let close = { History.honest.with { $0.pushes[1].arrivedAt = at(8) } }
        #expect(close().findings("throttle-respected") == 1)
        #expect(close().with { $0.run.circumstances.throttle = nil }.findings("throttle-respected") == nil)
        // The sessions of one user lie a second apart.
        #expect(History.twoSessions.findings("throttle-respected") == 0)
        #expect(close().with { $0.rows[1].flags = [] }.findings("throttle-respected") == 0)
        let twoPhones = History.honest.with { history in
            history.registers(1, .activity2, Lane(role: .activity, phone: 1))
            history.expect(
                2, .progress, at: 2, token: .activity2, lane: Lane(role: .activity, phone: 1), flags: .isThrottled)
            history.push(2, at: 2.03, token: .activity2)
        }
        #expect(twoPhones.findings("throttle-respected") == 0)
    }

    /// J11.
    @Test("a window may be counted from the first attempt, where our fault refused it")
    func firstAttempt() {
        let history = History.honest.with { history in
            // Refused at 2.02, accepted at 8; the next window may be counted from 2.02.
            history.push(2, at: 8)
            history.refuse(0, status: 429, reason: "TooManyRequests")
            history.rows[0].deadline = .seconds(20)
        }
        #expect(history.findings("throttle-respected") == 0)
        #expect(history.with { $0.pushes[1].arrivedAt = at(10.5) }.findings("throttle-respected") == 1)
    }

    /// J2.
    @Test("a progress push whose answer never reached the relay opens no window")
    func undelivered() {
        let close = History.honest.with { $0.pushes[1].arrivedAt = at(8) }
        #expect(close.with { $0.undelivered = [1] }.findings("throttle-respected") == 0)
        #expect(close.with { $0.undelivered = [2] }.findings("throttle-respected") == 1)
    }

    /// J9.
    @Test("a relay that we restarted in between has forgotten the window")
    func restarted() {
        let close = History.honest.with { $0.pushes[1].arrivedAt = at(8) }
        close.run.circumstances.outages = [.init(from: at(4), until: at(6))]
        #expect(close.findings("throttle-respected") == 0)
    }

    @Test("a pair is not judged where our fault met a connection before the earlier one came")
    func connections() {
        let close = { (seconds: Double) in
            let history = History.honest.with { $0.pushes[1].arrivedAt = at(8) }
            history.run.circumstances.connectionFirings = [(at: at(seconds), rule: 1)]
            return history.findings("throttle-respected")
        }
        #expect(close(1.99) == 1)
        #expect(close(2.01) == 0)
        #expect(close(2.03) == 1)
    }

    /// Three states in four seconds, of which the last comes at the window's end.
    private var trailing: History {
        History().with { history in
            for (step, seconds) in [(1, 1.0), (2, 3.0), (3, 5.0)] as [(UInt32, Double)] {
                history.call(step, .progress, at: seconds)
                history.expect(step, .progress, at: seconds, flags: [.mayBeSuperseded, .isThrottled], deadline: 15)
            }
            history.push(3, at: 11)
        }
    }

    @Test("a relay that sends only at the window's end puts both rules to the test")
    func trailingEdge() {
        #expect(trailing.findings("throttle-respected") == 0)
        #expect(trailing.with { $0.pushes = [] }.findings("throttle-respected") == nil)
        let urgent = trailing.with { history in for index in 0...1 { history.rows[index].flags.remove(.isThrottled) } }
        #expect(urgent.findings("throttle-respected") == nil)
        let apart = trailing.with { history in
            for index in history.rows.indices.dropLast() {
                history.rows[index].plannedAt = at(-20 * Double(2 - index))
                history.rows[index].deadline = .seconds(100)
            }
        }
        #expect(apart.findings("throttle-respected") == nil, "nothing was coalesced")
        let second = { (seconds: Double) in
            trailing.with { history in
                for step in [1, 2, 3] as [UInt32] {
                    let at = seconds - 10 + 2 * Double(step - 1)
                    history.call(step, .progress, at: at, session: 2)
                    history.expect(
                        step, .progress, at: at, token: .activity2, flags: [.mayBeSuperseded, .isThrottled], deadline: 15,
                        session: 2)
                }
                history.push(3, at: seconds, token: .activity2, session: 2)
            }
        }
        #expect(second(12).findings("throttle-per-session") == 0)
        #expect(second(22).findings("throttle-per-session") == nil, "by no means a proof")
        // The first session's push came at 10 … and nine tenths of a window later is no proof either.
        let last = trailing.pushes.map(\.arrivedAt).max()!
        #expect(second((last - at(0)).seconds + 8.999).findings("throttle-per-session") == 0)
        #expect(second((last - at(0)).seconds + 9).findings("throttle-per-session") == nil)
        #expect(trailing.findings("throttle-per-session") == nil)
    }

    @Test("a window of less than 50 ms cannot be seen")
    func tinyWindow() {
        let tiny = History.honest.with { $0.pushes[1].arrivedAt = at(2.03) }
        tiny.run.circumstances.throttle = .milliseconds(49)
        #expect(tiny.findings("throttle-respected") == nil)
        tiny.run.circumstances.throttle = .milliseconds(50)
        #expect(tiny.findings("throttle-respected") == 1)
        let shared = shared()
        shared.run.circumstances.throttle = .milliseconds(49)
        #expect(shared.findings("throttle-per-session") == nil)
    }

    /// Two busy sessions whose pushes share one window of ten seconds.
    private func shared(pairs: Int = 4, offered: Int = 3, gap: Double = 10) -> History {
        History().with { history in
            var step: UInt32 = 0
            for number in 0..<pairs {
                for session in [1, 2] as [UInt32] {
                    let token: TokenHash = session == 1 ? .activity : .activity2
                    let seconds = (Double(number) * 2 + Double(session)) * gap
                    for _ in 0..<offered {
                        step += 1
                        history.call(step, .progress, at: seconds, session: session)
                        history.expect(
                            step, .progress, at: seconds, token: token, flags: [.mayBeSuperseded, .isThrottled],
                            session: session)
                    }
                    history.push(step, at: seconds + 0.02, token: token, session: session)
                }
            }
        }
    }

    @Test("sessions whose progress never comes within a window of each other break throttle-per-session, a SHOULD")
    func perSession() {
        #expect(shared().findings("throttle-per-session") == 1)
        #expect(shared(gap: 9.01).findings("throttle-per-session") == 1)
        #expect(shared(gap: 8.9).findings("throttle-per-session") == 0)
        #expect(shared(pairs: 2).findings("throttle-per-session") == 1)
        #expect(shared(pairs: 1).findings("throttle-per-session") == nil)
        // They had nothing more to say.
        #expect(shared(offered: 2).findings("throttle-per-session") == 0)
        let refused = shared().with { history in
            let row = history.rows[0]
            history.push(row.step, at: 1, token: row.token, status: 403, session: row.session)
        }
        #expect(refused.findings("throttle-per-session") == 0, "what was refused leaves gaps, too")
        let astray = shared().with { $0.push(90, at: 5) }
        #expect(astray.findings("throttle-per-session") == 0, "what went astray, too")
        #expect(shared().with { $0.run.circumstances.throttle = nil }.findings("throttle-per-session") == nil)
        #expect(History.honest.findings("throttle-per-session") == nil)
    }
}

@Suite("Rules about retries")
struct RetryRuleTests {
    @Test("a retry within half a second of 429 or 5xx breaks retry-backs-off", arguments: [(0.5, 0), (0.49, 1)] as [(Double, Int)])
    func backsOff(pause: Double, expected: Int) {
        #expect(History.retried(after: pause).findings("retry-backs-off") == expected)
        let limited = History.retried(after: pause).with { $0.pushes[0].status = 429 }
        #expect(limited.findings("retry-backs-off") == expected)
        let refused = History.retried(after: pause).with { $0.pushes[0].status = 403 }
        #expect(refused.findings("retry-backs-off") == nil)
    }

    @Test("the pause counts from the answer, and only between attempts of one push")
    func samePush() {
        #expect(History.retried(after: 0.6).with { $0.pushes[0].answeredAt = at(2.3) }.findings("retry-backs-off") == 1)
        #expect(History.retried(after: 0.1).with { $0.pushes[0].step = 9 }.findings("retry-backs-off") == nil)
        #expect(History.retried(after: 0.1).with { $0.pushes[0].token = .start }.findings("retry-backs-off") == nil)
        #expect(History.retried(after: 0.1).with { $0.undelivered = [1] }.findings("retry-backs-off") == nil)
        // An accepted one in between closes the matter.
        let accepted = History.retried(after: 1).with { $0.push(2, at: 3.1) }
        #expect(accepted.findings("retry-backs-off") == 0)
    }

    /// P10.
    @Test(
        "more than three attempts within a second of a refusal break retry-storm, a MUST",
        arguments: [(0.2, 3, 1), (0.2, 2, 0), (0.3, 3, 1), (0.34, 3, 0), (0.02, 9, 7)] as [(Double, Int, Int)])
    func storm(pause: Double, attempts: Int, expected: Int) throws {
        #expect(History.retried(after: pause, attempts: attempts).findings("retry-storm") == expected)
        #expect(RuleBook.rule(named: "retry-storm")?.level == .must)
    }

    @Test("attempts of different pushes are no storm, and answers that were not delivered are no refusals")
    func noStorm() {
        let spread = History.retried(after: 0.2, attempts: 5).with { history in
            for index in history.pushes.indices.suffix(5) { history.pushes[index].step = UInt32(20 + index) }
        }
        #expect(spread.findings("retry-storm") == 0)
        let lost = History.retried(after: 0.2, attempts: 3).with { history in
            history.undelivered = Set(history.pushes.filter { $0.status == 503 }.map(\.id))
        }
        #expect(lost.findings("retry-storm") == nil)
    }

    @Test("pushes without markers are told apart by their payload")
    func unmarked() {
        let unmarked = { (payload: Int) in
            History.retried(after: 0.1).with { history in
                for index in history.pushes.indices { history.pushes[index].flags.remove(.isMarked) }
                for index in history.pushes.indices { history.pushes[index].payloadHash = index }
                history.pushes[history.pushes.count - 1].payloadHash = payload
            }
        }
        #expect(unmarked(0).findings("retry-backs-off") == 1)
        #expect(unmarked(99).findings("retry-backs-off") == nil)
    }

    /// A mock's own journal: four refusals of one text within a second.
    @Test("where nobody knows of calls, equal words without an apns-id may be so many pushes", arguments: [
        (true, 1, 3), (false, nil, nil),
    ] as [(Bool, Int?, Int?)])
    func equalWords(isNamed: Bool, storm: Int?, hasty: Int?) {
        let history = History.alone([7, 7, 7, 7]) { push in
            push.arrivedAt = at((push.arrivedAt - at(0)).seconds / 5)
            push.answeredAt = push.arrivedAt
            push.status = 503
            if !isNamed { push.flags.remove(.gaveAPNsID) }
        }
        #expect(history.findings("retry-storm") == storm && history.findings("retry-backs-off") == hasty)
    }

    @Test("what we posted twice may be pushed twice, and each tried again")
    func postedTwice() {
        let posted = { (attempts: Int) in History.retried(after: 0.1, attempts: attempts).with { $0.calls[2].attempts = 2 } }
        #expect(posted(1).findings("retry-backs-off") == nil)
        #expect(posted(3).findings("retry-storm") == 0 && posted(6).findings("retry-storm") == 1)
    }

    @Test("a retry under another apns-id breaks retry-keeps-apns-id")
    func keepsID() {
        let other = { History.retried(after: 1).with { $0.pushes[$0.pushes.count - 1].apnsID = UUIDBytes(high: 8, low: 8) } }
        #expect(other().findings("retry-keeps-apns-id") == 1)
        #expect(other().with { $0.pushes[0].flags.remove(.gaveAPNsID) }.findings("retry-keeps-apns-id") == 0, "none to keep")
        #expect(other().with { $0.pushes[0].status = 400 }.findings("retry-keeps-apns-id") == nil)
        let none = other().with { $0.pushes[$0.pushes.count - 1].flags.remove(.gaveAPNsID) }
        #expect(none.findings("retry-keeps-apns-id") == 1, "it is not kept")
        #expect(other().with { $0.pushes[0].status = 0 }.findings("retry-keeps-apns-id") == 1, "no answer asks for another try")
        let killed = other().with { history in
            let from = history.pushes[0].answeredAt + .milliseconds(300)
            history.run.circumstances.outages = [.init(from: from, until: from + .milliseconds(200))]
        }
        #expect(killed.findings("retry-keeps-apns-id") == nil, "a new process need not know the id")
    }

    @Test("what is rendered anew for another try is another push, with an apns-id of its own")
    func rendersAnew() {
        let anew = History.retried(after: 1).with { history in
            history.pushes[history.pushes.count - 1].apnsID = UUIDBytes(high: 8, low: 8)
            history.pushes[history.pushes.count - 1].payloadHash = 1
        }
        #expect(anew.findings("retry-keeps-apns-id") == nil)
    }

    @Test("one apns-id on two pushes breaks apns-id-unique")
    func unique() {
        let twice = History.retried(after: 1).with { history in
            history.pushes[1].flags.insert(.gaveAPNsID)
            history.pushes[1].apnsID = UUIDBytes(high: 7, low: 7)
        }
        #expect(twice.findings("apns-id-unique") == 1)
        #expect(twice.with { $0.pushes[1].flags.remove(.gaveAPNsID) }.findings("apns-id-unique") == 0)
        #expect(History.honest.findings("apns-id-unique") == 0, "APNs makes one for each push without")
    }

    @Test("a push that was not accepted keeps its apns-id under a rotated token, and without a marker in other words")
    func sameInOtherForm() {
        let rotated = { History.retried(after: 1).with { $0.pushes[$0.pushes.count - 1].token = .rotated } }
        #expect(rotated().findings("apns-id-unique") == 0)
        #expect(rotated().with { $0.pushes[0].status = 200 }.findings("apns-id-unique") == 1)
        #expect(rotated().with { $0.pushes[$0.pushes.count - 1].step = 3 }.findings("apns-id-unique") == 1)
        #expect(rotated().with { $0.pushes[$0.pushes.count - 1].type = .alert }.findings("apns-id-unique") == 1)
        let behind = History.retried(after: 1).with { history in
            history.push(2, at: 5, token: .rotated) {
                $0.flags.insert(.gaveAPNsID)
                $0.apnsID = UUIDBytes(high: 7, low: 7)
            }
        }
        #expect(behind.findings("apns-id-unique") == 1, "the retry was accepted")
        let retry = behind.pushes.count - 1
        #expect(behind.with { $0.undelivered = [$0.pushes[retry - 1].id] }.findings("apns-id-unique") == 0, "and it never knew")
        let slow = behind.with { history in
            history.pushes[retry - 1].faultRule = 1
            history.pushes[retry - 1].answeredAt = at(15)
        }
        #expect(slow.findings("apns-id-unique") == 0, "nor when the answer was held back")
        let words = { (status: UInt16) in
            History.alone([7, 7]).with { history in
                history.pushes[0].status = status
                history.pushes[1].payloadHash = 9
            }
        }
        #expect(words(503).findings("apns-id-unique") == 0 && words(200).findings("apns-id-unique") == 1)
    }

    @Test("of apns-ids the last 8,192 are remembered", arguments: [(8_191, 1), (8_192, 0)] as [(Int, Int)])
    func bounded(others: Int, expected: Int) {
        let history = History().with { history in
            let id = { (number: Int) in UUIDBytes(high: 1, low: UInt64(number)) }
            history.push(1, at: 1) {
                $0.flags.insert(.gaveAPNsID)
                $0.apnsID = id(0)
            }
            for number in 1...others {
                history.push(UInt32(number + 1), at: 1 + Double(number)) {
                    $0.flags.insert(.gaveAPNsID)
                    $0.apnsID = id(number)
                }
            }
            history.push(UInt32(others + 9), at: 10_000) {
                $0.flags.insert(.gaveAPNsID)
                $0.apnsID = id(0)
            }
        }
        #expect(history.findings("apns-id-unique") == expected)
    }
}
