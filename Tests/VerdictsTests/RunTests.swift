// Whole runs from their directory: judged twice, killed anywhere, cut anywhere, with all that notes tell.

import Basics
import Conformance
import Glibc
import Journal
import Metrics
import Pushes
import Scenarios
import Testing

@testable import Verdicts

/// Ten sessions of some seconds.
let smallScenario = """
    name: small
    relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
    workload:
      arrivals: [{ rate: 5, for: 2s }]
      pace: 4
      scripts: [{ script: sessions/S0-happy.yaml }]
    gates: [lost == 0]
    """

private func at(_ seconds: Double) -> Instant { SyntheticRun.origin + .seconds(seconds) }

private func options(_ turn: (inout JudgeOptions) -> Void) -> JudgeOptions {
    var options = JudgeOptions()
    turn(&options)
    return options
}

private func fault(_ text: String) -> String {
    smallScenario + "\nfaults: [\(text)]"
}

@Suite("A run's directory")
struct RunDirectoryTests {
    @Test("judged twice gives the same record, and judged by its journal alone as well")
    func twice() throws {
        try withDirectory { directory in
            try SyntheticRun(smallScenario, directory: directory).write(spoil: { sendings, _ in
                // So that there is something to tell.
                if let last = sendings.last { sendings.append(last) }
                sendings[0].token = "0f"
            })
            let record = try Verdicts.judge(directory)
            #expect(record.exit.code == 4)
            let text = record.json.text
            #expect(try Verdicts.judge(directory).json.text == text)
            #expect(try Verdicts.judge(directory + "/journal").json.text == text)
            let read = try RunRecord(json: JSONValue(parsing: text))
            #expect(read.json.text == text)
        }
    }

    @Test("that holds no journal is one clear line")
    func noJournal() throws {
        try withDirectory { directory in
            for place in [directory, "/tmp/pushrig-nothing-here"] {
                #expect { try Verdicts.judge(place) } throws: { error in
                    let failure = error as? Failure
                    return failure?.kind == .usage && failure?.message == "\(place) holds no journal"
                        && "\(error)".split(separator: "\n").count == 1
                }
            }
        }
    }

    @Test("says what the run was, and the command that repeats it")
    func command() throws {
        let record = try judge(smallScenario, extras: { extras in
            extras.plan = { plan in
                plan.overrides = [["name", "it's small"]]
                plan.gates = ["late == 0"]
                plan.knownFailing = ["R0.7"]
                plan.isStrict = true
                plan.command = "pushrig run small"
                plan.toolVersion = "9.9"
            }
        })
        #expect(record.name == "it's small" && record.command == "pushrig run small" && record.toolVersion == "9.9")
        #expect(record.replayCommand.contains("--seed 1 --set 'name=it'\\''s small' --gate 'late == 0' --known-failing R0.7 --strict"))
        #expect(record.gates.map(\.text) == ["lost == 0", "late == 0"])
        #expect(record.seed == 1 && record.run == 0x1a2b_3c4d && record.profile == "opencode")
        #expect(record.phases.map(\.name) == ["measure", "drain"])
        #expect(record.phases[0].start == .zero && record.phases[0].end == record.phases[1].start)
        #expect(record.load.planned == record.load.sent && record.load.sent > 100)
        #expect(record.mock.pushes == Int64(record.correlation.pushes) && record.mock.byStatus[200] == record.mock.pushes)
        #expect(record.startedAt == WallTime(seconds: 1_760_000_000) + (SyntheticRun.origin - Instant(nanoseconds: 0)) - .seconds(1))
    }

    @Test("whose plan is another is unsound")
    func otherPlan() throws {
        let record = try judge(smallScenario, extras: { $0.plan = { $0.digest = "other" } })
        #expect(record.exit.code == 5)
        #expect(record.soundness.first { $0.name == "the plan is the same" }?.passed == false)
    }

    @Test("of a shard is judged by the shard's part of the plan")
    func shard() throws {
        // Another shard's plan: what this one sent belongs to sessions that it does not have.
        let record = try judge(smallScenario, extras: { $0.plan = { $0.shardCount = 2 } })
        #expect(record.replayCommand.contains("--shard 0/2"))
        #expect(record.correlation.expected < (try judge(smallScenario).correlation.expected))
    }

    @Test("takes further gates, known breaks and strictness from whoever judges it")
    func judgeOptions() throws {
        try withDirectory { directory in
            try SyntheticRun(smallScenario, directory: directory).write(spoil: { sendings, _ in
                for index in sendings.indices where sendings[index].event == .start {
                    sendings[index].payload = sendings[index].payload.replacing(#","input-push-token":1"#, with: "")
                }
            })
            func code(_ turn: (inout JudgeOptions) -> Void) throws -> Int32 { try Verdicts.judge(directory, options(turn)).exit.code }
            #expect(try code { _ in } == 0)
            #expect(try code { $0.isStrict = true } == 4)
            #expect(try code { $0.isStrict = true; $0.knownFailing = ["start-asks-for-token"] } == 0)
            #expect(try code { $0.knownFailing = ["r0.13"] } == 4)
            #expect(try code { $0.gates = ["delivered > 1000000"] } == 3)
            #expect(try code { $0.gates = ["dead.pushesafter == 0"] } == 5)
            #expect(throws: Failure.self) { try code { $0.gates = ["nonsense"] } }
        }
    }
}

@Suite("A start's alert")
struct StartAlertTests {
    @Test("says something: an empty one is none", arguments: [
        (#"{"title":"","body":""}"#, true), (#"{"sound":"default"}"#, true), ("{}", true), ("\"\"", true),
        (#"{"title":"","body":"b"}"#, false), (#"{"title":"t"}"#, false), (#"{"title":{"loc-key":"k"}}"#, false),
        (#"{"title-loc-key":"k"}"#, false), (#"{"loc-key":"k"}"#, false), (#""text""#, false),
    ] as [(String, Bool)])
    func alert(alert: String, isLacking: Bool) throws {
        let record = try judge(smallScenario, spoil: { sendings, _ in
            for index in sendings.indices where sendings[index].event == .start {
                sendings[index].payload = sendings[index].payload.replacing(
                    #"{"title":"Session","body":"started"}"#, with: alert)
            }
        })
        let rule = try result("start-is-complete", record)
        #expect(rule.verdict.isBroken == isLacking)
        if isLacking { #expect(rule.verdict.findings.first?.seen == "an alert with neither title nor body") }
    }
}

@Suite("A run that did not come to its end")
struct KilledRunTests {
    @Test("is judged as far as it got, at whatever instant it was killed", arguments: [-0.7, 0, 0.5, 3, 11, 23, 40, 46, 60] as [Double])
    func killed(seconds: Double) throws {
        let record = try judge(smallScenario, extras: { $0.killedAt = at(seconds) })
        #expect(record.exit.code == 5, "\(record.exit.reasons)")
        #expect(record.verdicts.allSatisfy { !$0.verdict.isBroken }, "\(record.verdicts.filter { $0.verdict.isBroken }.map(\.id))")
        let c = record.correlation
        #expect(c.count(.lost) == 0 && c.count(.unexpected) == 0 && c.count(.late) == 0)
        #expect(DeliveryClass.ofExpectations.reduce(0) { $0 + c.count($1) } == c.expected)
        #expect(record.soundness.first { $0.name == "the run came to its end" }?.passed == false)
    }

    @Test("is broken all the same where that is proven")
    func killedAndBroken() throws {
        let record = try judge(smallScenario, extras: { $0.killedAt = at(30) }, spoil: { sendings, _ in
            for index in sendings.indices where sendings[index].event == .update { sendings[index].stamp = 1 }
        })
        #expect(record.exit.code == 4)
    }

    @Test("was interrupted where it says so itself")
    func interrupted() throws {
        let finish = FinishNote(isInterrupted: true)
        let own = try judge(smallScenario, options: options { $0.saysInterrupted = true }, extras: { $0.finish = finish })
        #expect(own.exit.code == 130)
        #expect(try judge(smallScenario, extras: { $0.finish = finish }).exit.code == 5)
    }

    @Test("gives a verdict wherever its files are cut, and blames nobody", arguments: ["run", "apns-0", "load-0"])
    func cut(file: String) throws {
        try withDirectory { directory in
            try SyntheticRun(smallScenario, directory: directory).write()
            let path = directory + "/journal/\(file).journal"
            let bytes = try #require(readFile(path))
            for part in 0..<8 {
                // The plan itself is whole; of the rest every place is as good as another.
                let length = bytes.count - (bytes.count - (file == "run" ? bytes.count - 400 : 200)) * part / 8 - (part == 0 ? 1 : 0)
                writeFile(path, Array(bytes.prefix(length)))
                let record = try Verdicts.judge(directory)
                #expect(record.exit.code == 5, "\(file) cut to \(length): \(record.exit)")
                #expect(record.soundness.first { $0.name == "the history is whole" || $0.name == "the run came to its end" } != nil)
            }
        }
    }

    @Test("tells of a truncated last record")
    func truncated() throws {
        try withDirectory { directory in
            try SyntheticRun(smallScenario, directory: directory).write()
            let path = directory + "/journal/apns-0.journal"
            let bytes = try #require(readFile(path))
            writeFile(path, Array(bytes.dropLast(3)))
            let record = try Verdicts.judge(directory)
            #expect(record.exit.code == 5)
            #expect(record.exit.reasons.contains { $0.contains("the history is whole") && $0.contains("1 files are cut") })
        }
    }

    @Test("could not run when the relay was never ready")
    func neverReady() throws {
        let record = try judge(smallScenario, extras: {
            $0.killedAt = .distantFuture
            $0.finish = FinishNote(trouble: "the relay did not answer /health in 15 s", wasNeverReady: true)
        })
        #expect(record.exit == .init(code: 1, word: "could not run", reasons: ["the relay did not answer /health in 15 s"]))
    }
}

@Suite("What notes tell")
struct NoteTests {
    @Test("an answer that never reached the relay makes its retry no duplicate")
    func undelivered() throws {
        func record(_ isUndelivered: Bool) throws -> RunRecord {
            try judge(smallScenario, spoil: { sendings, _ in
                guard let index = sendings.firstIndex(where: { $0.row.type == .alert }) else { return }
                sendings[index].isUndelivered = isUndelivered
                var again = sendings[index]
                again.isUndelivered = false
                again.at = again.at + .milliseconds(300)
                sendings.append(again)
            })
        }
        #expect(try record(true).exit.code == 0)
        let blamed = try record(false)
        #expect(blamed.correlation.count(.duplicated) > 5)
        let finding = try #require(try result("no-duplicate-push", blamed).verdict.findings.first)
        // The pushes themselves are there to be looked at, and the call that caused them.
        #expect(finding.exchanges.map(\.entry) == finding.entries && finding.entries.count == 2)
        #expect(finding.exchanges[0].request.contains(":method: POST"))
        let call = try #require(finding.call)
        #expect(!call.kind.isEmpty && call.answer.hasPrefix("20") && call.answer.hasSuffix(" in 1.9 ms"), "\(call)")
        #expect(finding.exchanges[0].payload.hasPrefix(#"{"aps""#) && finding.exchanges[0].answer == "200")
        #expect(finding.exchanges[0].device == "shown")
        let path = try #require(finding.exchanges[0].request.first { $0.hasPrefix(":path") })
        let short = try #require(blamed.withShortTokens.verdicts.first { $0.id == "no-duplicate-push" }?.verdict.findings.first)
        #expect(short.exchanges[0].request.contains(String(path.prefix(25)) + "…"))
        #expect(!short.exchanges[0].request.contains(path))
        #expect(short.exchanges[0].request.contains("authorization: bearer …"))
        #expect(finding.more(in: "some run").hasPrefix("pushrig journal 'some run' --session "))
        #expect(finding.more(in: "").hasSuffix(" --around \(finding.entries[1])"))
    }

    @Test("what became of a stored push counts as what its device did")
    func late() throws {
        func record(_ outcome: Outcome) throws -> RunRecord {
            try judge(smallScenario, spoil: { sendings, index in
                guard index == 0, let last = sendings.indices.last else { return }
                sendings[last].outcome = .stored
                sendings[last].late = outcome
            })
        }
        #expect(try record(.ended).exit.code == 0)
        #expect(try record(.ended).correlation.outcomes["late ended"] == 1)
        #expect(try record(.undecodable).exit.code == 4)
    }

    @Test("a fault that was given explains what it refused, and one that never fired explains nothing")
    func faults() throws {
        let scenario = fault("{ at: 2s, for: 3s, action: { respond: { reason: BadTopic } } }")
        func record(given: Bool, fired: Int) throws -> RunRecord {
            try judge(scenario, extras: { extras in
                if given {
                    extras.notes = [
                        (at(2), .faultGiven(FaultNote(number: 0, rule: 7, label: "400 BadTopic"))), (at(5), .faultTaken(0)),
                    ]
                }
                extras.totals = { $0.firings = [fired] }
            }, spoil: { sendings, index in
                guard index == 0, let alert = sendings.firstIndex(where: { $0.row.type == .alert }) else { return }
                sendings[alert].status = 400
                sendings[alert].reason = "BadTopic"
                sendings[alert].outcome = nil
                sendings[alert].faultRule = 7
            })
        }
        let whole = try record(given: true, fired: 1)
        #expect(whole.exit.code == 0, "\(whole.exit.reasons)")
        #expect(whole.correlation.excuses == ["400 BadTopic": 1])
        #expect(whole.bands.map(\.label) == ["400 BadTopic"])
        #expect(whole.bands.first?.start == .seconds(2) && whole.bands.first?.end == .seconds(5))
        #expect(try record(given: true, fired: 0).exit.code == 5)
        #expect(try record(given: true, fired: 0).exit.reasons.first?.contains("fault 1 fired") == true)
        #expect(try record(given: false, fired: 1).bands.isEmpty)
    }

    @Test("a restart of ours excuses what was owed meanwhile, and is drawn; a death of its own is the relay's")
    func outages() throws {
        func record(_ notes: [(Instant, RunNote)]) throws -> RunRecord {
            try judge(smallScenario, extras: { $0.notes = notes.map { (at: $0.0, note: $0.1) } }, spoil: { sendings, _ in
                sendings.removeAll { at(24) <= $0.at && $0.at <= at(25) && $0.row.type == .alert }
                sendings.removeAll { at(24) <= $0.row.plannedAt && $0.row.plannedAt <= at(25) }
            })
        }
        #expect(try record([]).exit.code == 4)
        let held = try record([
            (at(24), .relayStopping(signal: "KILL")),
            (at(24.1), .relayExited(RelayExitNote(how: "was ended by signal 9", wasAsked: true, lastLines: ""))),
            (at(24.5), .relayStarted(restart: 1, arguments: [])), (at(25), .relayReady(restart: 1)),
        ])
        #expect(held.exit.code == 0, "\(held.exit.reasons)")
        #expect(held.correlation.excuses["relay held down"] ?? 0 > 0)
        #expect(held.bands == [.init(kind: .restart, label: "relay down", start: .seconds(24), end: .seconds(25))])
        // Started again, it has its own time to be ready, and no more.
        let hung = try record([
            (at(2), .relayStopping(signal: "KILL")), (at(2.5), .relayStarted(restart: 1, arguments: [])),
        ])
        #expect(hung.exit.code == 4, "\(hung.exit.reasons)")
        #expect(hung.bands == [.init(kind: .restart, label: "relay down", start: .seconds(2), end: .seconds(17.5))])
        let died = try record([
            (at(24), .relayExited(RelayExitNote(how: "was ended by signal 11", wasAsked: false, lastLines: "panic")))
        ])
        #expect(died.exit.code == 4)
        #expect(try result("relay-serves", died).verdict.findings.first?.seen == "was ended by signal 11: panic")
    }

    @Test("the end of the run stops the relay too, and nothing is owed then")
    func stopping() throws {
        let record = try judge(smallScenario, extras: { $0.notes = [(at: at(500), note: .relayStopping(signal: "TERM"))] })
        #expect(record.bands.isEmpty)
        #expect(record.exit.code == 0)
    }

    @Test("answers that nobody expected are grouped, first thing among the reasons")
    func wrongAnswers() throws {
        let record = try judge(smallScenario, call: { event in
            event.status = 401
            event.answer = Array("unknown secret".utf8)
        }, spoil: { sendings, _ in sendings = [] })
        #expect(record.exit.code == 5)
        #expect(record.exit.reasons.first?.contains("calls with 401: unknown secret") == true)
        #expect(record.correlation.wrongAnswers.count == 1)
        #expect(record.load.failed == record.load.sent)
    }

    @Test("a relay that takes every call and pushes nothing has failed")
    func nothingPushed() throws {
        let record = try judge(smallScenario, spoil: { sendings, _ in sendings = [] })
        #expect(record.exit.code == 4)
        #expect(try result("accepted-is-pushed", record).standing == .broken)
    }

    @Test("our own lateness is no relay's, and proves nothing that rests on timing")
    func lateness() throws {
        func record(_ lateness: Interval) throws -> RunRecord {
            try judge(smallScenario, call: { $0.lateness = lateness }, spoil: { sendings, _ in
                for index in sendings.indices where sendings[index].event == .start {
                    sendings[index].at = sendings[index].at + .seconds(30)
                }
            })
        }
        #expect(try record(.zero).exit.code == 4)
        let late = try record(.seconds(40))
        #expect(late.exit.code == 5, "\(late.exit.reasons)")
        #expect(late.correlation.count(.late) == 0)
    }

    @Test("an event that we posted twice excuses its second push")
    func sentTwice() throws {
        func record(_ attempts: UInt8) throws -> RunRecord {
            try judge(smallScenario, call: { $0.attempts = attempts }, spoil: { sendings, _ in
                for sending in sendings where sending.row.type == .alert {
                    var again = sending
                    again.at = sending.at + .milliseconds(1)
                    sendings.append(again)
                }
            })
        }
        #expect(try record(1).exit.code == 4)
        #expect(try record(2).exit.code == 0)
    }

}

private func readFile(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
}

private func writeFile(_ path: String, _ bytes: [UInt8]) {
    guard let file = fopen(path, "w") else { return }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
}
