// Whole runs from their directory: judged twice, killed anywhere, cut anywhere, with all that notes tell.

import Basics
import Conformance
import Glibc
import Journal
import Metrics
import Planning
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
        if isLacking {
            let hasKeys = alert.contains("title")
            let words = hasKeys ? "an alert whose title and body are empty" : "an alert with neither title nor body"
            #expect(rule.verdict.findings.first?.seen == words)
        }
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
        #expect(record.load.sessions == 0, "nothing was counted")
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
