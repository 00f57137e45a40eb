// The judge's small parts: when accounts close, which samples are kept, when a fault was in force, numbers and versions.

import Basics
import Conformance
import Faults
import Metrics
import Pushes
import Scenarios
import Testing

@testable import Journal
@testable import Verdicts

private func at(_ seconds: Double) -> Instant { SyntheticRun.origin + .seconds(seconds) }

@Suite("The judge's small parts")
struct JudgePartTests {
    @Test("a histogram is written with the figures that people ask for, and an empty one as such")
    func histograms() {
        var histogram = Histogram()
        for value in 1...1_000 { histogram.record(Int64(value)) }
        let json = JSONWriting.histogram(histogram)
        #expect(json["count"]?.int == 1_000 && json["minNanoseconds"]?.int == 1 && json["maxNanoseconds"]?.int == 1_000)
        for (key, percentile) in [("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9)] {
            #expect(json[key + "Nanoseconds"]?.int == histogram.value(at: percentile), "\(key)")
        }
        #expect(JSONWriting.histogram(Histogram()) == ["count": 0])
    }

    @Test("accounts close in order of their ends, and none before its own")
    func closing() {
        var generator = Seed(7).generator()
        var queue = ClosingQueue()
        var ends: [UInt32: Instant] = [:]
        for account in 0..<1_000 as Range<UInt32> {
            ends[account] = at(Double(generator.next() % 500))
            queue.add(account, at: ends[account]!)
        }
        var order: [Instant] = []
        for seconds in stride(from: 0.0, through: 500, by: 50) {
            while let account = queue.next(before: at(seconds)) {
                #expect(ends[account]! < at(seconds))
                order.append(ends[account]!)
            }
            #expect(order.count == ends.values.count { $0 < at(seconds) })
        }
        #expect(order == order.sorted() && order.count == 1_000)
    }

    @Test("of more than 4,096 samples of the relay every second one is kept", arguments: [(4_096, 4_096), (4_097, 2_049)])
    func samples(given: Int, kept: Int) throws {
        let run = try SyntheticRun(smallScenario, directory: "/tmp")
        var story = Story()
        let context = RunContext()
        for number in 0..<given {
            let note = RunNote.relaySample(RelaySample(cpu: .zero, residentBytes: Int64(number), descriptors: 1, sockets: 1))
            story.pass(
                NoteEntry(id: 1, kind: note.kind, text: note.json.text, at: at(Double(number))), run.scenario, context)
        }
        #expect(story.samples.count == kept)
        #expect(story.samples.first?.sample.residentBytes == 0 && story.samples.last?.sample.residentBytes == Int64(given - 1))
    }

    @Test("a fault is in force from its `at` on, for its time, its time to live, or until it is taken")
    func times() {
        func times(_ rule: FaultRule) -> [Range<Instant>] { rule.times(givenAt: at(10), until: at(60)) }
        #expect(times(FaultRule(action: .silence)) == [at(10)..<at(60)])
        #expect(times(FaultRule(action: .silence, duration: .seconds(5))) == [at(10)..<at(15)])
        #expect(times(FaultRule(action: .silence, duration: .seconds(5), at: .seconds(3))) == [at(13)..<at(18)])
        #expect(times(FaultRule(action: .silence, at: .seconds(3), timeToLive: .seconds(4))) == [at(13)..<at(14)])
        #expect(times(FaultRule(action: .silence, duration: .seconds(100))) == [at(10)..<at(60)])
        #expect(times(FaultRule(action: .silence, at: .seconds(50))) == [])
    }

    @Test("a fault cuts off what it ends before there is an answer, and no push that has one or waits for it", arguments: [
        ("close: { how: reset, when: before-answer }", true), ("reset-stream: { code: REFUSED_STREAM }", true),
        ("goaway: { reason: Shutdown, last: this }", true), ("respond: { reason: BadTopic }", false), ("delay: 2s", false),
        ("silence: true", false),
    ])
    func cutsOff(action: String, isCut: Bool) throws {
        let run = try SyntheticRun(smallScenario + "\nfaults: [{ action: { \(action) } }]", directory: "/tmp")
        #expect(run.scenario.faults.map { $0.rule.action.hearing == .end } == [isCut])
        #expect(run.scenario.faults.map { $0.rule.action.hearing == .nothing } == [action.hasPrefix("silence")])
    }

    @Test("numbers below zero keep their sign, and nothing has none", arguments: [
        (-3.5, 1, "-3.5"), (3.5, 1, "3.5"), (-0.001, 2, "0"), (0, 2, "0"), (-1_234, 0, "-1,234"),
    ])
    func numbers(value: Double, places: Int, text: String) { #expect(Numbers.trimmed(value, places: places) == text) }

    @Test("faults that met connections are kept in order of time, also where a push that was held back fires late")
    func firings() {
        let (story, context) = (Story(), RunContext())
        for (rule, seconds) in [(1, 10), (2, 30), (3, 20), (4, 5)] as [(UInt32, Double)] { story.fire(rule, at: at(seconds), context) }
        #expect(context.circumstances.connectionFirings.map(\.rule) == [4, 1, 3, 2])
    }

    @Test("tokens are cut wherever a record tells what the relay said")
    func shortTokens() throws {
        var record = try judge(smallScenario)
        let said = "no such token: " + String(repeating: "a1", count: 32)
        record.correlation.wrongAnswers = [WrongAnswer(status: 400, body: said, count: 1)]
        var finding = Finding(message: said, expected: said, seen: said)
        finding.call = CallSeen(entry: 1, kind: "complete", at: .zero, time: WallTime(milliseconds: 1), answer: said)
        record.verdicts[0].verdict = .broken([finding], count: 1)
        let short = record.withShortTokens
        let found = try #require(short.verdicts[0].verdict.findings.first)
        let told = [found.message, found.expected, found.seen, found.call?.answer, short.correlation.wrongAnswers[0].body]
        #expect(told == Array(repeating: "no such token: a1a1a1a1…", count: 5))
    }

    @Test("a web token is cut when it is longer than 48 characters and has three parts", arguments: [
        (43, "a.", true), (42, "a.", false), (43, "aa", false),
    ])
    func webTokens(filler: Int, middle: String, isCut: Bool) {
        let token = "eyJ" + middle + String(repeating: "x", count: filler - 1) + ".y"
        // Behind other words, so that where it stands does not pass for its length.
        let text = String(repeating: "said ", count: 20) + token
        #expect(ShortTokens.cut(text).hasSuffix(token) != isCut)
    }

    @Test("processes of a relay each have connections of their own", arguments: [(1, true), (20, false)])
    func processes(count: Int, isBroken: Bool) throws {
        let text = usualScenario.replacing("127.0.0.1:1\" }", with: "127.0.0.1:1\", processes: \(count) }")
        let record = try judge(text, spoil: { sendings, account in
            for index in sendings.indices { sendings[index].connection = UInt64((7 * account + index) % 60 + 1) }
        })
        let verdict = try result("connections-reused", record).verdict
        #expect(verdict.isBroken == isBroken)
        // It is nobody's session: the whole run shows it again, also by its record.
        let again = try RunRecord(json: record.json).verdicts.first { $0.id == "connections-reused" }
        for finding in verdict.findings + (again?.verdict.findings ?? []) {
            #expect(finding.session == nil && finding.replay(in: "some run") == "pushrig replay 'some run'")
        }
    }

    @Test("what has to do with another user's sessions is played again whole, also by its record")
    func involved() throws {
        var first: String?
        let record = try judge(usualScenario, spoil: { sendings, account in
            guard let own = sendings.firstIndex(where: { $0.event == .update }) else { return }
            // The second user's state goes to the first one's card.
            if let token = first, account == 1 { sendings[own].token = token } else { first = first ?? sendings[own].token }
        })
        let findings = try result("sessions-kept-apart", record).verdict.findings
        let again = try RunRecord(json: record.json).verdicts.first { $0.id == "sessions-kept-apart" }?.verdict.findings ?? []
        #expect(!findings.isEmpty && findings.count == again.count)
        for finding in findings + again {
            #expect(finding.session != nil && finding.replay(in: "some run") == "pushrig replay 'some run'")
            #expect(finding.more(in: "some run").contains("--session"))
        }
    }

    @Test("a start is looked at as deep as 128 levels, and what is deeper is left to the schemas", arguments: [(126, true), (127, false)])
    func depth(arrays: Int, isTold: Bool) throws {
        let nested = String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays)
        let record = try judge(smallScenario, spoil: { sendings, index in
            guard index == 0, let start = sendings.firstIndex(where: { $0.event == .start }) else { return }
            sendings[start].payload = #"{"aps":{"timestamp":\#(sendings[start].stamp),"event":"start","x":\#(nested)}}"#
        })
        let rule = try #require(record.verdicts.first { $0.id == "start-is-complete" })
        #expect(rule.verdict.isBroken == isTold)
    }

    @Test("a coordinate has two decimals at most", arguments: [
        (12, "12"), (-3, "-3"), (0.001, "0"), (1.5, "1.5"), (-0.25, "-0.25"), (7.049, "7.05"), (1_234.5, "1234.5"),
    ])
    func coordinates(value: Double, text: String) { #expect(Numbers.coordinate(value) == text) }

    @Test("what failed on our side is a reason to doubt the run")
    func trouble() throws {
        let record = try judge(smallScenario, extras: { $0.finish.trouble = "no room on the disk" })
        let check = try #require(record.soundness.first { $0.name == "nothing of ours failed" })
        #expect(!check.passed && check.detail == "no room on the disk")
    }

    @Test("a record says version 2, and one of a later version is not read")
    func version() throws {
        let record = try judge(smallScenario)
        var object = try #require(record.json.object)
        #expect(object["version"] == 2)
        #expect(throws: Never.self) { try RunRecord(json: .object(object)) }
        object["version"] = 3
        #expect(throws: (any Error).self) { try RunRecord(json: .object(object)) }
    }

    @Test("a mock whose clock is ahead is followed by a relay on that clock")
    func skewed() throws {
        func broken(ahead hours: Int64, _ scenario: String) throws -> [String] {
            try judge(scenario, spoil: { sendings, _ in
                for index in sendings.indices {
                    sendings[index].stamp = 1_760_000_000 + 3_600 * hours
                        + (sendings[index].at - SyntheticRun.origin).nanoseconds / 1_000_000_000
                }
            }).verdicts.filter { $0.verdict.isBroken }.map(\.id)
        }
        #expect(try broken(ahead: 20, smallScenario) == ["timestamp-seconds-rising"])
        #expect(try broken(ahead: 20, smallScenario + "\nmock: { clockSkew: 20h }") == [])
    }

    @Test("what was planned in the warm-up is judged, and left out of the latency figures")
    func warmUp() throws {
        let whole = try judge(smallScenario).correlation
        let part = try judge(smallScenario + "\nphases: { warmUp: 20s }").correlation
        #expect(part.count(.delivered) == whole.count(.delivered))
        #expect(part.delivery.count < whole.delivery.count && part.delivery.count > 0)
        #expect(part.answer.count < whole.answer.count && part.answer.count > 0)
    }

    @Test("a clock that runs faster is no break of timestamps, nor of anything else")
    func scaled() throws {
        let scenario = smallScenario + "\nclockScale: 60"
        func record(_ scale: Double, _ text: String) throws -> RunRecord {
            try judge(text, spoil: { sendings, _ in
                for index in sendings.indices {
                    let gone = (sendings[index].at - SyntheticRun.origin).seconds + 1
                    sendings[index].stamp = 1_760_000_000 + 999 + Int64(gone * scale)
                }
            })
        }
        #expect(try record(1, scenario).verdicts.filter { $0.verdict.isBroken }.map(\.id) == [])
        // The history is kept by that clock: stamps of one that is a good deal faster lie far ahead of it.
        #expect(try record(6_000, scenario).verdicts.first { $0.id == "timestamp-seconds-rising" }?.verdict.isBroken == true)
    }

    @Test("a rule whose span comes to less than 50 ms of real time says so, and is neither kept nor broken", arguments: [
        ("1", []), ("10", []), ("10.1", ["retry-backs-off"]), ("20.1", ["retry-backs-off", "retry-storm"]),
    ] as [(String, [String])])
    func tooFast(scale: String, hindered: [String]) throws {
        let record = try judge(smallScenario + "\nclockScale: \(scale)")
        let told = record.verdicts.filter { $0.hindrance != nil && $0.id.hasPrefix("retry-") }
        #expect(told.map(\.id) == hindered)
        for result in told {
            #expect(result.verdict == .notExercised && result.hindrance?.hasPrefix("scale too high") == true)
        }
        let again = try RunRecord(json: record.json)
        #expect(again.verdicts.map(\.hindrance) == record.verdicts.map(\.hindrance))
    }

    @Test("what the relay used is read from its samples")
    func used() throws {
        var options = JudgeOptions()
        options.gates = ["relay.rss.max < 5000", "relay.fds.max == 9"]
        let record = try judge(
            smallScenario, options: options,
            extras: { extras in
                extras.notes = (0..<3).map {
                    (at(Double($0)), .relaySample(RelaySample(cpu: .zero, residentBytes: 4_000 + Int64($0), descriptors: 9, sockets: 1)))
                }
            })
        #expect(record.exit.code == 0)
        #expect(record.gates.map(\.value).suffix(2) == [4_002, 9])
    }
}
