// The relay as a server, and the form of what it sends: one honest history, one knob each.

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing

@Suite("Rules about serving")
struct ServingRuleTests {
    /// A request with an id that is too long: whatever comes of it, it is no failure like others.
    @Test("an id that is too long is refused", arguments: [(413, 0), (200, 1), (500, 1)] as [(UInt16, Int)])
    func oversized(status: UInt16, findings: Int) {
        let history = History.honest.with { history in
            history.call(7, .long, at: 30, status: status) { $0.wasTaken = status == 413 }
        }
        #expect(history.findings("oversized-refused") == findings)
        #expect(history.findings("relay-serves") == 0 && history.findings("bad-requests-refused") == nil)
    }

    @Test("an answer that the profile does not name breaks answers-named, where nothing of ours explains it")
    func named() {
        func answered(
            _ status: UInt16, _ failure: EventFailure, _ kind: Kind = .progress, at seconds: Double = 15, _ base: History = .honest
        ) -> History {
            base.with { history in
                history.call(7, kind, at: seconds, status: status) { $0.failure = failure.rawValue }
            }
        }
        #expect(answered(404, .unexpectedStatus).findings("answers-named") == 1)
        // A session whose card is gone has nothing to be told.
        #expect(answered(404, .unexpectedStatus, at: 40).findings("answers-named") == 0, "its end was told")
        #expect(answered(409, .unexpectedStatus, at: 20, .died(.activity, at: 13)).findings("answers-named") == 0)
        #expect(answered(400, .unexpectedStatus, at: 20, .died(.activity, at: 13)).findings("answers-named") == 1)
        let again = answered(409, .unexpectedStatus, at: 20, .died(.activity, at: 13)).with { history in
            history.call(8, .registerActivity, at: 16)
            history.registers(8, TokenHash("a9"), .activity)
        }
        #expect(again.findings("answers-named") == 1, "it has another card")
        #expect(answered(404, .unexpectedStatus).findings("relay-serves") == 0)
        #expect(answered(200, .none).findings("answers-named") == 0)
        #expect(answered(201, .none).findings("answers-named") == 0)
        #expect(answered(500, .unexpectedStatus).findings("answers-named") == 0)
        #expect(answered(200, .unexpectedStatus, .nonsense).findings("answers-named") == 0)
    }

    @Test("an answer that it is too much says for how long, where the profile has a place for that", arguments: [
        (true, 0), (false, 1), (nil, nil),
    ] as [(Bool?, Int?)])
    func tooMuch(isSaid: Bool?, findings: Int?) {
        let history = History.toldToWait(isSaid)
        history.run.learn(RetryNote(session: 1, step: 2, status: 503, isThrottled: false, wait: .seconds(1), isSaid: false))
        #expect(history.findings("throttled-says-when") == findings)
    }

    @Test("a relay that is started again and never answers breaks relay-serves, when its time for that is over", arguments: [
        (20.0, 1), (40.0, 0),
    ])
    func neverBack(end: Double, findings: Int) {
        let history = History.honest
        history.run.isComingBack = .init(startedAt: at(5), dueBy: at(end))
        history.run.circumstances.end = at(30)
        #expect(history.findings("relay-serves") == findings)
    }

    @Test("a call without an answer breaks relay-serves", arguments: [EventFailure.timeout, .connect, .reset, .closed])
    func unanswered(failure: EventFailure) {
        let history = History.honest.with {
            $0.calls[2].status = 0
            $0.calls[2].wasTaken = false
            $0.calls[2].failure = failure.rawValue
        }
        #expect(history.findings("relay-serves") == 1)
    }

    @Test("what the end of the run cut off, or what was never sent, is nobody's failure")
    func cutOff() {
        let cut = History.honest.with {
            $0.calls[2].status = 0
            $0.calls[2].answeredAt = Instant(nanoseconds: 0)
        }
        #expect(cut.isKept("relay-serves"))
        for state in [SeenCall.State.planned, .dropped] {
            let unsent = History.honest.with {
                $0.calls[2].state = state
                $0.calls[2].status = 0
            }
            #expect(unsent.isKept("relay-serves"))
        }
    }

    @Test("what we cut off by holding the relay down is ours", arguments: [(1.5, 2.5, 0), (9, 10, 1), (0.2, 0.8, 1)] as [(Double, Double, Int)])
    func heldDown(from: Double, until: Double, expected: Int) {
        let history = History.honest.with {
            $0.calls[2].status = 0
            $0.calls[2].wasTaken = false
            $0.calls[2].failure = EventFailure.reset.rawValue
            $0.run.circumstances.outages = [.init(from: at(from), until: at(until))]
        }
        #expect(history.findings("relay-serves") == expected)
    }

    @Test("an answer of 5xx is the relay's failure, but for one while our faults were at work")
    func failures() {
        func freshlyFailed() -> History {
            History.honest.with {
                $0.calls[2].status = 500
                $0.calls[2].wasTaken = false
                $0.calls[2].failure = EventFailure.unexpectedStatus.rawValue
            }
        }
        #expect(freshlyFailed().findings("relay-serves") == 1)
        // The call took from 2 to 2.005. Trouble that APNs had by our doing may be believed in two seconds longer.
        for (from, until, expected) in [(1.5, 3.0, 0), (0, 0.01, 0), (2.002, 9, 0), (-1, -0.01, 1), (2.01, 9, 1)] {
            let context = freshlyFailed()
            context.run.noteTrouble(from: at(from), to: at(until))
            #expect(context.findings("relay-serves") == expected, "\(from)")
        }
        #expect(History.honest.with { $0.calls[2].status = 499 }.isKept("relay-serves"))
        // A profile may name it: bark's server answers so where APNs refuses.
        #expect(History.honest.with { $0.calls[2].status = 500 }.isKept("relay-serves"))
    }

    @Test("a relay that ends by itself has failed, and its last lines are shown")
    func death() {
        let history = History.honest
        history.run.deaths = [.init(at: at(5), how: "was ended by signal 9", lastLines: "out of memory")]
        let finding = history.verdict(of: "relay-serves").findings.first
        #expect(finding?.seen == "was ended by signal 9: out of memory")
    }

    @Test("calls that were taken and no push at all break accepted-is-pushed")
    func nothingPushed() {
        let silent = History.honest.with { $0.pushes = [] }
        #expect(silent.findings("accepted-is-pushed") == 1)
        #expect(History.honest.with { $0.pushes.removeLast(6) }.isKept("accepted-is-pushed"))
        let refused = silent.with { for index in $0.calls.indices { $0.calls[index].wasTaken = false } }
        #expect(refused.findings("accepted-is-pushed") == nil)
    }

    @Test("a caller that waits in vain because the provider is silent breaks answers-in-time")
    func silence() {
        let silent = History.honest.with {
            $0.pushes[0].status = 0
            $0.pushes[0].faultRule = 1
            $0.calls[2].status = 0
            $0.calls[2].failure = EventFailure.timeout.rawValue
            $0.calls[2].answeredAt = at(12)
        }
        #expect(silent.findings("answers-in-time") == 1)
        #expect(silent.with { $0.calls[2].failure = EventFailure.reset.rawValue }.findings("answers-in-time") == 0)
        #expect(silent.with { $0.calls[2].status = 504 }.findings("answers-in-time") == 0)
        #expect(silent.with { $0.pushes[0].faultRule = 0 }.findings("answers-in-time") == nil)
        #expect(silent.with { $0.calls[2].state = .planned }.findings("answers-in-time") == nil)
    }

    @Test("a request that is to be refused because its session is over may be taken where the relay was not told so")
    func untoldEnd() {
        func taken(_ state: SeenCall.State) -> History {
            History.honest.with { history in
                history.call(7, .nonsense, at: 30)
                for index in history.calls.indices where history.calls[index].kind == Kind.complete.rawValue {
                    history.calls[index].state = state
                }
            }
        }
        #expect(taken(.sent).findings("bad-requests-refused") == 1)
        #expect(taken(.dropped).findings("bad-requests-refused") == nil)
        let pushed = { (state: SeenCall.State) in taken(state).with { $0.push(7, at: 30.1, .alert) } }
        #expect(pushed(.sent).findings("bad-requests-refused") == 2)
        #expect(pushed(.dropped).findings("bad-requests-refused") == nil)
    }

    @Test("a forbidden request that is taken, or that causes a push, breaks bad-requests-refused")
    func nonsense() {
        let taken = History.honest.with { $0.call(7, .nonsense, at: 30, status: 200) }
        #expect(taken.findings("bad-requests-refused") == 1)
        let pushed = History.honest.with {
            $0.call(7, .nonsense, at: 30, status: 400)
            $0.push(7, at: 30.1, .alert)
        }
        #expect(pushed.findings("bad-requests-refused") == 1)
        #expect(History.honest.with { $0.call(7, .nonsense, at: 30, status: 0) }.findings("bad-requests-refused") == nil)
    }
}

@Suite("Rules about form and content")
struct FormRuleTests {
    @Test("what no app can decode breaks content-decodes")
    func undecodable() {
        let word = History.honest.with { $0.pushes[0].undecodable = $0.text("no status") }
        #expect(word.verdict(of: "content-decodes").findings.map(\.seen) == ["no status"])
        #expect(History.honest.with { $0.pushes[0].outcome = .undecodable }.findings("content-decodes") == 1)
        let refused = History.honest.with {
            $0.pushes[0].status = 400
            $0.pushes[0].outcome = .undecodable
        }
        #expect(refused.isKept("content-decodes"))
        #expect(History.honest.with { $0.pushes[3].outcome = .undecodable }.findings("content-decodes") == 1, "an alert, too")
    }

    @Test("the contract and what is passed through are judged where the profile says what they are")
    func contract() {
        let broken = History.honest.with {
            $0.pushes[0].contractBreak = $0.text("lastMessage is too long")
            $0.pushes[1].alteration = $0.text("status is another")
        }
        #expect(broken.findings("content-fits-contract") == nil)
        #expect(broken.findings("content-unchanged") == nil)
        broken.run.hasSchemas = true
        broken.run.passesContent = true
        #expect(broken.findings("content-fits-contract") == 1)
        #expect(broken.findings("content-unchanged") == 1)
        // Where nothing was compared nothing is kept.
        let blind = History.honest.with { $0.run.passesContent = true }
        #expect(blind.findings("content-unchanged") == nil)
        let seeing = blind.with { $0.pushes[1].flags.insert(.isCompared) }
        #expect(seeing.findings("content-unchanged") == 0)
    }

    @Test("4,096 bytes fit and 4,097 do not, but for VoIP", arguments: [(4096, 0), (4097, 1)] as [(Int32, Int)])
    func size(bytes: Int32, expected: Int) {
        #expect(History.honest.with { $0.pushes[0].payloadCount = bytes }.findings("payload-fits") == expected)
        let calls = History.honest.with {
            $0.pushes[0].payloadCount = bytes
            $0.pushes[0].type = .voip
        }
        #expect(calls.findings("payload-fits") == 0)
    }

    @Test("a push to a token that nobody has registered is held to its form as well", arguments: [
        ("BadPriority", 1), ("BadDeviceToken", 0),
    ])
    func strayForm(reason: String, expected: Int) {
        let history = History.honest
        var stray = history.pushes[0]
        (stray.status, stray.reason) = (400, history.text(reason))
        history.run.note(refusedStray: stray)
        #expect(history.findings("requests-well-formed") == expected)
        for _ in 0..<200 { history.run.note(refusedStray: stray) }
        #expect(history.run.refusedStrays.count == 100)
    }

    @Test("a rejection that only a malformed request earns breaks requests-well-formed, unless a fault says it")
    func malformed() {
        let rejected = History.honest.with {
            $0.pushes[0].status = 400
            $0.pushes[0].reason = $0.text("BadPriority")
        }
        #expect(rejected.findings("requests-well-formed") == 1)
        #expect(rejected.with { $0.pushes[0].faultRule = 3 }.findings("requests-well-formed") == 0)
        #expect(rejected.with { $0.pushes[0].reason = $0.text("BadDeviceToken") }.isKept("requests-well-formed"))
    }

    @Test("a live activity's topic ends as it should")
    func topic() {
        let wrong = History.honest.with { $0.pushes[0].topic = $0.text("com.example.app") }
        #expect(wrong.findings("topic-fits-type") == 1)
        #expect(History.honest.with { $0.pushes[0].topic = -1 }.isKept("topic-fits-type"))
    }

    // MARK: Timestamps

    @Test(
        "a timestamp in other units, or far ahead, breaks timestamp-seconds-rising",
        arguments: [
            (1_760_000_002_000, 1), (782_000_000, 1), (0, 1), (-5, 1), (.min, 1), (.max, 1), (1_760_028_802, 0),
            (1_760_028_803, 1), (1_760_086_402, 1), (1_000_000_000, 0), (999_999_999, 1),
        ] as [(Int64, Int)])
    func units(stamp: Int64, expected: Int) {
        let history = History.honest.with { history in
            history.pushes[0].stamp = stamp
            history.pushes.removeAll { $0.step > 2 }
        }
        #expect(history.findings("timestamp-seconds-rising") == expected)
    }

    @Test("a newer state with an older timestamp breaks it, and so does an older one with a newer one")
    func rising() {
        #expect(History.honest.with { $0.pushes[1].stamp = epoch + 1 }.findings("timestamp-seconds-rising") == 1)
        let same = History.honest.with { history in
            history.pushes[4].stamp = history.pushes[1].stamp
            history.calls[4].sentAt = history.calls[3].answeredAt + .seconds(2)
        }
        #expect(same.findings("timestamp-seconds-rising") == 1)
        // Within two seconds the clock may not have moved between them.
        let close = same.with { history in
            history.calls[4].sentAt = history.calls[3].answeredAt + .milliseconds(1_999)
        }
        #expect(close.isKept("timestamp-seconds-rising"))
        #expect(same.with { $0.pushes[4].arrivedAt = at(15.01) }.isKept("timestamp-seconds-rising"))
        let swapped = History.honest.with {
            $0.pushes[1].arrivedAt = at(1.9)
            $0.pushes[1].arrivedWall = $0.pushes[0].arrivedWall
        }
        #expect(swapped.isKept("timestamp-seconds-rising"))
        #expect(swapped.with { $0.pushes[0].stamp = epoch + 13 }.isKept("timestamp-seconds-rising"))
        #expect(swapped.with { $0.pushes[0].stamp = epoch + 14 }.findings("timestamp-seconds-rising") == 1)
    }

    @Test("three states of unknown calls that carry one timestamp for more than five seconds break it")
    func standstill() {
        func history(_ third: Double) -> History {
            History.honest.with { history in
                history.pushes = []
                for (step, seconds) in [(2, 2.0), (3, 4.0), (5, third)] as [(UInt32, Double)] {
                    history.push(step, at: seconds) { $0.stamp = epoch + 2 }
                }
                for index in history.pushes.indices { history.pushes[index].flags.remove(.isMarked) }
            }
        }
        #expect(history(7.0).isKept("timestamp-seconds-rising"))
        #expect(history(7.1).findings("timestamp-seconds-rising") == 1)
        // A clock that went on in between is no standstill.
        let moved = history(9).with {
            $0.pushes[1].stamp = epoch + 3
            $0.pushes[2].stamp = epoch + 3
        }
        #expect(moved.isKept("timestamp-seconds-rising"))
        // Each timestamp has states of its own: two of these, however long.
        let again = history(4.5).with {
            $0.push(7, at: 9.5) { $0.stamp = epoch + 9 }
            $0.push(8, at: 15) { $0.stamp = epoch + 9 }
            for index in $0.pushes.indices { $0.pushes[index].flags.remove(.isMarked) }
        }
        #expect(again.isKept("timestamp-seconds-rising"))
        let third = again.with { $0.push(9, at: 15.1) { $0.stamp = epoch + 9; $0.flags.remove(.isMarked) } }
        #expect(third.findings("timestamp-seconds-rising") == 1)
    }

    @Test("an update that is stamped older than the start of its activity breaks it", arguments: [(0, 1), (1, 0)] as [(Int64, Int)])
    func olderThanStart(seconds: Int64, expected: Int) {
        let history = History.started.with { $0.pushes[0].stamp = epoch + seconds }
        #expect(history.findings("timestamp-seconds-rising") == expected)
        let seen = history.verdict(of: "timestamp-seconds-rising").findings
        #expect(seen.map(\.message) == Array(repeating: "an update is stamped older than the start of its activity", count: expected))
        // Shown in the order of push: the start, which came first, and the update.
        #expect(seen.map(\.entries) == Array(repeating: [8, 1], count: expected))
        // That of another activity, which was there before the start, or of another session.
        let earlier = history.with { history in
            history.tokenCalls.removeLast()
            history.registers(0, .activity, .activity)
        }
        #expect(earlier.isKept("timestamp-seconds-rising"))
        let other = history.with { history in
            for index in history.pushes.indices where history.pushes[index].event == .start { history.pushes[index].session = 2 }
        }
        #expect(other.isKept("timestamp-seconds-rising"))
        // A start that was refused started nothing.
        let refused = history.with { history in
            for index in history.pushes.indices where history.pushes[index].event == .start { history.pushes[index].status = 503 }
        }
        #expect(refused.isKept("timestamp-seconds-rising"))
    }

    /// J8.
    @Test("sessions that share a start token are not compared with each other")
    func sharedStartToken() {
        let history = History.started.with { history in
            history.push(1, at: 1.5, event: .start, token: .start, session: 2) {
                $0.stamp = epoch
                $0.step = 9
            }
        }
        #expect(history.isKept("timestamp-seconds-rising"))
    }

    @Test("without markers arrival is the only order there is")
    func unmarked() {
        let history = History.honest.with { history in
            for index in history.pushes.indices { history.pushes[index].flags.remove(.isMarked) }
        }
        #expect(history.isKept("timestamp-seconds-rising"))
        #expect(history.with { $0.pushes[1].stamp = epoch + 1 }.findings("timestamp-seconds-rising") == 1)
    }

    @Test("an answer that holds what its caller may not see breaks answers-keep-secrets, and is no captured value")
    func secrets() {
        func findings(_ note: CaptureNote, of kind: UInt16) -> (kept: Int?, held: Int?) {
            let history = History.honest.with { history in
                history.run.lackingKinds = [3: ["key"]]
                history.run.learn(note, of: kind)
            }
            return (history.findings("answers-keep-secrets"), history.findings("answers-hold-values"))
        }
        let (held, lacking) = (CaptureNote(session: 1, step: 2, name: "key", value: "s3"), CaptureNote(session: 1, step: 2, name: "key", failure: "nothing there"))
        #expect(findings(lacking, of: 3) == (0, nil))
        #expect(findings(held, of: 3) == (1, nil))
        #expect(findings(held, of: 4) == (nil, 0))
        #expect(findings(lacking, of: 4) == (nil, 1))
    }
}
