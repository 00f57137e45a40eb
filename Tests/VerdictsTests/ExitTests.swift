// What a run comes to: the order of exit codes, and all that keeps a run from having proven anything.

import Basics
import Conformance
import Faults
import Metrics
import Scenarios
import Testing

@testable import Journal
@testable import Verdicts

private typealias Run = ExitRun

@Suite("A run comes to")
struct ExitTests {
    @Test("passed when rules and gates hold")
    func passed() throws {
        #expect(try Run.with { _ in } == RunRecord.Exit(code: 0, word: "passed", reasons: []))
        // A SHOULD warns.
        let warned = try Run.with { $0.results.append(Run.result("x", .should, basis: [], verdict: Run.broken)) }
        #expect(warned.code == 0)
    }

    @Test("no end that proves anything where a relay's tables are to be read, and never are")
    func tables() throws {
        let failure = (NoteKind.other, #"{"state":"no such table: tokens"}"#)
        let exit = try Run.with { $0.others = [failure] }
        #expect(exit.code == 5 && exit.reasons.contains { $0.contains("no such table: tokens") }, "\(exit)")
        let look = (NoteKind.state, #"{"beganNanoseconds":1,"tables":["device"],"added":{},"removed":{}}"#)
        #expect(try Run.with { $0.others = [failure, look] }.code == 0, "it came up later")
        #expect(try Run.with { $0.others = [(NoteKind.other, #"{"else":"no such table"}"#)] }.code == 0)
    }

    @Test("could not run, whatever else holds, when the relay was never ready")
    func neverReady() throws {
        let exit = try Run.with {
            $0.results[0].verdict = Run.broken
            $0.saysInterrupted = true
            $0.finish = .finished(FinishNote(isInterrupted: true, wasNeverReady: true))
        }
        #expect(exit == RunRecord.Exit(code: 1, word: "could not run", reasons: ["the relay was never ready"]))
        let told = try Run.with { $0.finish = .finished(FinishNote(trouble: "no such file", wasNeverReady: true)) }
        #expect(told.reasons == ["no such file"])
        #expect(try Run.with { $0.finish = .finished(FinishNote(trouble: "the port is taken")) }.code == 1)
    }

    @Test("interrupted before all that is proven, where the run says so itself; else what is proven")
    func interrupted() throws {
        func exit(isBroken: Bool, saysSo: Bool) throws -> RunRecord.Exit {
            try Run.with {
                if isBroken { $0.results[0].verdict = Run.broken }
                $0.saysInterrupted = saysSo
                $0.finish = .finished(FinishNote(isInterrupted: true))
            }
        }
        #expect(try exit(isBroken: true, saysSo: true).code == 130)
        #expect(try exit(isBroken: true, saysSo: true).reasons.count == 2)
        #expect(try exit(isBroken: false, saysSo: true).code == 130)
        #expect(try exit(isBroken: true, saysSo: false).code == 4)
        #expect(try exit(isBroken: false, saysSo: false).code == 5)
        #expect(try Run.with { $0.saysInterrupted = true }.code == 0)
    }

    @Test("broken before a breached gate, with both told")
    func broken() throws {
        let exit = try Run.with {
            $0.results[0].verdict = Run.broken
            $0.gates[0] = Run.gate(passed: false)
        }
        #expect(exit.code == 4 && exit.word == "conformance broken")
        #expect(exit.reasons == ["one-start (R0.1) is broken: Do.", "gate breached: lost == 0, measured 4"])
        let strict = try Run.with {
            $0.results.append(Run.result("x", .should, basis: [], verdict: Run.broken, strict: true))
        }
        #expect(strict.code == 4)
        #expect(try Run.with { $0.results.append(Run.result("x", .environment, basis: [], verdict: Run.broken)) }.code == 0)
    }

    @Test("a breached gate")
    func breached() throws {
        let exit = try Run.with { $0.gates[0] = Run.gate(passed: false) }
        #expect(exit == .init(code: 3, word: "gate breached", reasons: ["gate breached: lost == 0, measured 4"]))
        // Not proven where our own part was not sound.
        let late = try Run.with {
            $0.gates[0] = Run.gate(passed: false)
            $0.correlation.lateness.record(500_000_000, count: 100)
        }
        #expect(late.code == 5)
        #expect(late.reasons.contains("gate breached: lost == 0, measured 4"))
    }

    @Test("a known break that heals fails the run, and one that does not is expected")
    func known() throws {
        #expect(try Run.with { $0.results[0] = Run.result("x", .must, basis: [], verdict: Run.broken, known: true) }.code == 0)
        let healed = try Run.with { $0.results[0] = Run.result("x", .must, basis: [], known: true) }
        #expect(healed.code == 4)
        #expect(healed.reasons == ["x is kept again: strike it from the list of known breaks"])
    }

    /// Inconclusive hides no proof, and proves nothing that rests on what was not sound.
    @Test("broken although we were late, where the rule rests on no timing, and inconclusive where it does")
    func late() throws {
        func exit(_ index: Int) throws -> RunRecord.Exit {
            try Run.with {
                $0.correlation.lateness.record(500_000_000, count: 100)
                $0.results[index].verdict = Run.broken
            }
        }
        #expect(try exit(0).code == 4)
        #expect(try exit(1).code == 5)
        #expect(try exit(1).reasons.contains { $0.hasPrefix("not proven, because of that: states-in-time") })
        #expect(try Run.with { $0.results[1].verdict = Run.broken }.code == 4)
    }

    @Test("broken although events left out of order or the history is cut, where the rule rests on neither")
    func otherBases() throws {
        for (basis, turn) in [
            (.order, { $0.totals.inverted = 1 }), (.absence, { $0.pushesRead = 49 }),
            (.absence, { $0.isFinished = false }),
        ] as [(Rule.Basis, (inout Run) -> Void)] {
            func code(_ own: Rule.Basis) throws -> Int32 {
                try Run.with { run in
                    turn(&run)
                    run.results[0] = Run.result("x", .must, basis: own, verdict: Run.broken)
                }.code
            }
            #expect(try code(basis) == 5)
            #expect(try code([basis, .timing]) == 5)
            #expect(try code(.timing) == 4)
            #expect(try code([]) == 4)
        }
    }

    @Test("inconclusive where something of ours was not sound", arguments: [
        "our lateness", "our queues", "our order", "the history is whole", "events", "cuts", "the plan is the same",
        "the run came to its end", "fault 1 fired", "every restart happened", "every deadline has passed",
    ])
    func unsound(what: String) throws {
        let exit = try Run.with { run in
            switch what {
            case "our lateness": run.correlation.lateness.record(10_100_000, count: 900)
            case "our queues": run.correlation.dropped = 1
            case "our order": run.totals.inverted = 1
            case "every restart happened":
                run.notes.append(.relayStopping(signal: "KILL"))
                run.scenario.relay.restarts = [5, 900].map { RelayRestart(at: .seconds($0), signal: .kill, down: .zero) }
            case "the history is whole": run.pushesRead = 49
            case "events": run.eventsRead = 99
            case "cuts": run.cuts = [JournalCut(file: "apns-0", offset: 8, byteCount: 3)]
            case "the plan is the same": run.digestHolds = false
            case "the run came to its end": run.isFinished = false
            case "every deadline has passed": run.correlation.totals[.undecided] = 1
            default: run.totals.firings = [0]
            }
        }
        #expect(exit.code == 5)
        #expect(exit.reasons.count == 1)
        let name = ["events", "cuts"].contains(what) ? "the history is whole" : what
        #expect(exit.reasons.first?.hasPrefix("our own measuring is not sound: \(name)") == true, "\(exit.reasons)")
    }

    @Test("a thread of ours that had no time to spare is told where the relay is blamed for time", arguments: [
        (899, true, 0), (900, true, 1), (900, false, 0),
    ])
    func threads(busiest: Int, isBlamed: Bool, count: Int) throws {
        var run = try Run()
        run.totals.busiestThread = busiest
        let grounds = run.grounds
        var soundness = grounds.soundness
        let before = soundness.checks.count
        soundness.addThreads(grounds.story, run.scenario, blame: isBlamed ? .timing : .absence)
        #expect(soundness.checks.count == before + count && soundness.lost.contains(.timing) == (count == 1))
    }

    @Test("inconclusive where the relay fell behind a load of one rate, which is no mistake of ours")
    func fellBehind() throws {
        func checks(_ slope: BacklogSlope?, _ turn: (inout Run) -> Void = { _ in }) throws -> [RunRecord.SoundnessCheck] {
            var run = try Run()
            run.scenario.workload.arrivals = [.constant(rate: 5, duration: .seconds(10)), .constant(rate: 5, duration: .seconds(5))]
            run.scenario.faults = []
            turn(&run)
            var soundness = run.grounds.soundness
            let before = soundness.checks.count
            soundness.addSteadiness(slope, run.scenario, kinds: [])
            #expect(soundness.lost.isEmpty)
            return Array(soundness.checks[before...])
        }
        func slope(_ growth: Double) -> BacklogSlope? {
            var ages = DeliveryAges()
            for second in 0..<10 {
                ages.add(microseconds: Int(growth * Double(second) * 1e6) * 100, count: 100, kind: 0, second: second)
            }
            return BacklogSlope(ages, in: 0..<10)
        }
        #expect(try checks(slope(0.064)).map(\.passed) == [false])
        #expect(
            try checks(slope(0.064))[0].detail
                == "the relay fell behind by 64 ms a second: latencies of this run depend on its length")
        #expect(try checks(slope(0.009)).map(\.passed) == [true])
        #expect(try checks(nil).isEmpty)
        #expect(try checks(slope(0.064)) { $0.scenario.relay.restarts = [RelayRestart(at: .seconds(5), signal: .kill, down: .zero)] }.isEmpty)
        #expect(try checks(slope(0.064)) { $0.scenario.workload.arrivals = [.ramp(from: 1, to: 9, duration: .seconds(9))] }.isEmpty)
        func faulted(_ text: String, at: Double) throws -> [RunRecord.SoundnessCheck] {
            let rule = try FaultRule(json: try JSONValue(parsing: text))
            return try checks(slope(0.064)) { $0.scenario.faults = [ScheduledFault(at: .seconds(at), rule: rule)] }
        }
        #expect(try faulted(#"{"action": {"delay": "10ms"}}"#, at: 0).map(\.passed) == [false], "it stays")
        #expect(try faulted(#"{"action": {"delay": "10ms"}}"#, at: 1).isEmpty)
        #expect(try faulted(#"{"action": {"delay": "10ms"}, "for": "2s"}"#, at: 0).isEmpty)
        let exit = try Run.with { run in
            run.correlation.dropped = 0
            run.isSteady = false
        }
        #expect(exit.code == 5 && exit.reasons == ["the relay fell behind"])
    }

    @Test("inconclusive where the drain was too short for what was still due, and broken all the same where that is proven")
    func shortDrain() throws {
        func exit(_ turn: (inout Run) -> Void = { _ in }) throws -> RunRecord.Exit {
            try Run.with { run in
                run.correlation.totals = [.delivered: 47, .undecided: 3]
                turn(&run)
            }
        }
        let reason =
            "our own measuring is not sound: every deadline has passed: 3 pushes had not come and were not due when the run "
            + "ended: make `phases.drain` longer than \(Interval.seconds(5))"
        #expect(try exit() == .init(code: 5, word: "inconclusive", reasons: [reason]))
        let passedOver = try exit { $0.correlation.undecidedPassedOver = 1 }
        #expect(passedOver.reasons == [
            reason + "; 1 of them was refused for now and not sent again, though more went to its token meanwhile"
        ])
        // Nothing else rests on it: not what is proven, and no gate on what did come.
        for basis in [.timing, .absence, .order] as [Rule.Basis] {
            #expect(try exit { $0.results[0] = Run.result("x", .must, basis: basis, verdict: Run.broken) }.code == 4)
        }
        #expect(try exit { $0.gates[0] = Run.gate(passed: false) }.code == 3)
        // One that was killed says so, and had no drain.
        let killed = try exit { $0.isFinished = false }
        #expect(killed.code == 5 && !killed.reasons.contains { $0.contains("every deadline") })
    }

    @Test("sound where lateness is within its budget at p99, and more pushes came than were counted")
    func sound() throws {
        #expect(try Run.with { $0.correlation.lateness.record(500_000_000) }.code == 0)
        #expect(try Run.with { $0.pushesRead = 51 }.code == 0)
        #expect(try Run.with { $0.correlation.lateness = Histogram() }.code == 0)
        let restarted = try Run.with { run in
            run.notes.append(.relayStopping(signal: "KILL"))
            run.scenario.relay.restarts = [RelayRestart(at: .seconds(5), signal: .kill, down: .zero)]
        }
        #expect(restarted.code == 0)
    }

    @Test("inconclusive where nothing was proven, for the reason why", arguments: [
        "no event was sent", "took none", "no rule was put to the test", "nothing was delivered", "gate without data",
        "was not put to the test", "which is no rule",
    ])
    func empty(reason: String) throws {
        let exit = try Run.with { run in
            switch reason {
            case "no event was sent": run.correlation.sent = 0
            case "took none": run.correlation.taken = 0
            case "no rule was put to the test": run.results = [Run.result("x", .must, basis: [], verdict: .notExercised)]
            case "nothing was delivered": run.correlation.totals = [.excused: 50]
            case "gate without data": run.gates[0] = Run.gate(passed: nil)
            case "was not put to the test": run.exercises = ["one-start", "goaway-obeyed"]
            default: run.exercises = ["goaway-obeyedd"]
            }
        }
        #expect(exit.code == 5 && exit.word == "inconclusive")
        #expect(exit.reasons.contains { $0.contains(reason) }, "\(exit.reasons)")
        #expect(exit.reasons.count == 1)
    }

    @Test("passed where late pushes are all there is, nothing was owed, or what must be exercised was, by id or claim")
    func notEmpty() throws {
        #expect(try Run.with { $0.correlation.totals = [.late: 50] }.code == 0)
        #expect(try Run.with { $0.exercises = ["one-start"] }.code == 0)
        let claimed = try Run.with { run in
            run.exercises = ["R0.8"]
            run.results = RuleBook.rules(named: "R0.8").map { Run.result($0.id, .must, basis: []) }
        }
        #expect(claimed.code == 0, "\(claimed.reasons)")
    }

    /// A relay that answers each call and pushes nothing keeps what is asked of answers alone.
    @Test("inconclusive where calls are made that owe pushes, and none was owed, unless the scenario says what it is for", arguments: [
        (true, [], 5), (false, [], 0), (true, ["one-start"], 0),
    ] as [(Bool, [String], Int32)])
    func nothingOwed(callsForPushes: Bool, exercises: [String], code: Int32) throws {
        let exit = try Run.with { run in
            (run.callsForPushes, run.exercises) = (callsForPushes, exercises)
            (run.correlation.totals, run.correlation.expected) = ([:], 0)
        }
        #expect(exit.code == code)
        #expect(exit.reasons.contains { $0.hasPrefix("no push was owed: does any call") } == (code == 5), "\(exit.reasons)")
    }

    @Test("inconclusive where one of the rules that judge a claim was not put to the test")
    func claims() throws {
        let exit = try Run.with { $0.exercises = ["R0.8"] }
        #expect(exit.code == 5)
        let wanting = RuleBook.rules(named: "R0.8").map(\.id).filter { $0 != "states-in-time" }
        #expect(wanting.count == 2)
        #expect(exit.reasons == wanting.map {
            "\($0), one of 3 rules of R0.8, was not put to the test, and the scenario says that it must be"
        })
    }

    @Test("what is proven and what is left open, whatever has healed")
    func proof() throws {
        let healed = Run.result("x", .must, basis: [], known: true)
        let sound = try Run.proof { $0.results.append(healed) }
        #expect(sound == RunRecord.Proof())
        let unsound = try Run.proof { run in
            run.results.append(healed)
            run.correlation.dropped = 12
        }
        #expect(unsound.broken.isEmpty && unsound.doubts.count == 1 && unsound.doubts[0].contains("our queues"))
        func late(_ index: Int) throws -> RunRecord.Proof {
            try Run.proof { run in
                run.results.append(healed)
                run.results[index].verdict = Run.broken
                run.correlation.lateness.record(500_000_000, count: 100)
            }
        }
        #expect(try late(0).broken == ["one-start"] && late(1).broken.isEmpty)
        #expect(try late(1).doubts.last?.hasPrefix("not proven, because of that: states-in-time") == true)
        let refused = try Run.proof { run in
            run.results[0].verdict = Run.broken
            run.correlation.taken = 0
            run.correlation.wrongAnswers = [WrongAnswer(status: 401, body: "", count: 100)]
        }
        #expect(refused.broken.isEmpty, "perhaps it was never meant")
        let missing = try Run.proof { $0.finish = .finished(FinishNote(wasNeverReady: true)) }
        #expect(missing.wasNeverReady && !sound.wasNeverReady)
    }

    @Test("what the relay answered comes first, where it took less than half")
    func answersFirst() throws {
        let wrong = [
            WrongAnswer(status: 401, body: "unknown secret", count: 90), WrongAnswer(status: 0, body: "timeout", count: 10),
        ]
        let exit = try Run.with {
            $0.correlation.taken = 0
            $0.correlation.wrongAnswers = wrong
        }
        #expect(exit.code == 5)
        #expect(exit.reasons.prefix(2) == [
            "the relay answered 90 of 100 calls with 401: unknown secret", "the relay answered 10 of 100 calls with nothing: timeout",
        ])
        let broken = try Run.with {
            $0.correlation.taken = 49
            $0.correlation.wrongAnswers = wrong
            $0.results[0].verdict = Run.broken
        }
        #expect(broken.code == 4)
        #expect(broken.reasons.first?.hasPrefix("the relay answered 90") == true)
        let once = try Run.with { ($0.correlation.sent, $0.correlation.taken) = (1, 0) }
        #expect(once.reasons.contains("the relay took none of 1 calls: does the profile fit it?"), "\(once.reasons)")
        // A relay that was never called has refused nothing: what it broke counts.
        let uncalled = try Run.with {
            $0.correlation = Correlation()
            $0.totals = TotalsNote()
            ($0.totals.pushes, $0.totals.firings) = (50, [1])
            $0.eventsRead = 0
            $0.results[0].verdict = Run.broken
        }
        #expect(uncalled.code == 4, "\(uncalled.reasons)")
        let most = try Run.with {
            $0.correlation.taken = 50
            $0.correlation.wrongAnswers = wrong
            $0.results[0].verdict = Run.broken
        }
        #expect(most.reasons.first?.hasPrefix("one-start") == true)
    }
}
