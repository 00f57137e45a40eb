// A search as file, text and page.

import Basics
import Capacity
import Foundation
import Testing
import Verdicts

@testable import Reports

@Suite("A search's record")
struct FindTests {
    static func record(_ turn: (inout FindRecord) -> Void = { _ in }) -> FindRecord {
        var goal = FindRecord.Goal(name: "", gates: ["delivery.p99 < 1s"])
        goal.result.answer = .found
        (goal.result.lower, goal.result.upper) = (3_150, 3_215)
        (goal.result.lowerGood, goal.result.lowerSeconds) = (70, 80)
        (goal.result.upperBad, goal.result.upperSeconds) = (50, 80)
        goal.result.isConfirmed = true
        var asked = FindRecord.Asked(scenarioPath: "Scenarios/capacity.yaml")
        asked.overrides = [["workload.pace", "2"]]
        asked.gates = goal.gates
        var record = FindRecord(
            asked, planDigest: "9f2c", filesDigest: "77", seed: .max, command: "pushrig find capacity", terms: CapacityTerms(), goals: [goal],
            startedAt: WallTime(iso8601: "2026-11-28T10:00:00.000Z")!, toolVersion: "0.1.0",
            machine: Sample.machine)
        record.stop = .found
        record.duration = .seconds(310)
        record.warmUp = 6
        record.noiseFloor = 120_000
        for (number, kind) in [FindRecord.Trial.Kind.warmUp, .trial, .trial, .confirm].enumerated() {
            var trial = FindRecord.Trial(
                number: number + 1, kind: kind, place: 400 + number, rate: number == 2 ? 3_215 : 3_150, seconds: 10,
                folder: "trials/00\(number + 1)", seed: UInt64(number))
            trial.words = [number == 2 ? .bad : .good]
            if number == 2 { trial.reasons = ["delivery.p99 < 1s, measured 1.2 s"] }
            trial.figures.p99 = 12e6
            trial.figures.slope = 0.064
            trial.figures.memoryBytes = 41_000_000
            trial.figures.processor = 0.97
            record.trials.append(trial)
        }
        turn(&record)
        return record
    }

    @Test("says the bounds, for how long they were measured, what the limit was, and what it took")
    func text() {
        let text = FindText.text(Self.record(), folder: "F")
        #expect(text.contains("capacity 3,150/s   holds 3,150/s (70 of 80 s good), confirmed 60 s"))
        #expect(text.contains("fails 3,215/s (50 of 80 s bad)   limit: delivery.p99 < 1s, measured 1.2 s"))
        #expect(text.contains("relay 41 MB, relay 97 % of one core, 4 trials (0 void) in 5 min 10 s"))
        let unknown = Self.record { record in
            record.stop = .rigLimit
            record.goals[0].result = FindRecord.Result()
            record.trials[1].void = "our lateness"
        }
        let words = FindText.text(unknown, folder: "F")
        #expect(words.contains("capacity not known") && words.contains("rig-limit: ") && words.contains("(1 void)"))
        #expect(!words.contains("3,150/s"), "no number where the rig was the limit")
    }

    @Test("says what the number is in pushes and sessions, and what is missing")
    func plan() {
        func text(_ turn: (inout FindRecord) -> Void) -> String { FindText.text(Self.record(turn), folder: "F") }
        let mix = FindRecord.Mix(events: 9, pushes: 8, seconds: 4)
        #expect(text { $0.mix = mix }.contains("3,150/s are 2,800/s pushes, 350/s new sessions, 1,400 sessions at once"))
        let lacking = text { record in
            (record.stop, record.goals[0].result.answer, record.goals[0].result.isConfirmed) = (.deadline, nil, false)
        }
        #expect(lacking.contains("capacity not confirmed   holds 3,150/s") && lacking.contains("only the confirmation is missing"))
        let below = text { record in
            record.goals[0].result = FindRecord.Result()
            (record.goals[0].result.answer, record.goals[0].result.upper) = (.belowMin, 3_215)
        }
        // Of a load of 3,215 whose pushes come 64 ms later each second so much is served.
        #expect(below.contains("a lower --from") && below.contains("as that of a relay of 3,022/s would"))
        #expect(FindText.floor(60e6, budget: .milliseconds(50)).contains("trials will be void"))
        #expect(!FindText.floor(40e6, budget: .milliseconds(50)).contains("void"))
    }

    @Test("is read back as it was written, and refused where it is newer or damaged")
    func roundTrip() throws {
        let record = Self.record { $0.broken = ["states-delivered": 900] }
        let again = try FindRecord(json: try JSONValue(parsing: record.json.text))
        #expect(again.trials == record.trials && again.terms == record.terms && again.broken == record.broken)
        #expect(again.asked == record.asked && again.planDigest == "9f2c" && again.stop == .found && again.seed == .max)
        #expect(again.startedAt == record.startedAt && again.duration == record.duration)
        for turn: (inout JSONObject) -> Void in [{ $0["version"] = 2 }, { $0["seed"] = 7 }, { $0["trials"] = [1] }] {
            var object = record.json.object!
            turn(&object)
            #expect(throws: Failure.self) { try FindRecord(json: .object(object)) }
        }
    }

    @Test("keeps to docs/find.schema.json")
    func schema() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/find.schema.json"), encoding: .utf8)
        let schema = try JSONValue(parsing: text)
        let validator = Validator(schema: schema)
        #expect(validator.complaints(about: Self.record().json) == [])
        #expect(validator.complaints(about: Self.record { ($0.stop, $0.trials, $0.asked.axis, $0.asked.mock) = (nil, [], .sessions, "m") }.json) == [])
        var object = Self.record().json.object!
        object["surprise"] = 1
        #expect(validator.complaints(about: .object(object)) != [])
        let reasons = schema["properties"]!["stop"]!["enum"]!.array!.compactMap(\.string)
        #expect(reasons == StopReason.allCases.map(\.rawValue))
        let page = try String(contentsOf: root.appending(path: "docs/capacity.md"), encoding: .utf8)
        for reason in reasons { #expect(page.contains("`\(reason)`")) }
    }

    @Test("ends 0, 3, 4, 5 or 130", arguments: [
        (.found, nil, [:], 0), (.found, 3_000, [:], 0), (.found, 3_200, [:], 3), (.aboveMax, nil, [:], 0),
        (.found, nil, ["one-start": 3_000], 4), (.found, nil, ["one-start": 3_300], 0), (.rigLimit, nil, [:], 5),
        (.deadline, nil, [:], 5), (.unstable, nil, [:], 5), (.noRecovery, nil, [:], 5), (.relayDied, nil, [:], 5),
        (.stopped, nil, [:], 130), (nil, nil, [:], 5),
    ] as [(StopReason?, Double?, [String: Double], Int32)])
    func exits(stop: StopReason?, wanted: Double?, broken: [String: Double], code: Int32) {
        let record = Self.record { ($0.stop, $0.broken) = (stop, broken) }
        #expect(record.exitCode(atLeast: wanted) == code)
        let below = Self.record { record in
            record.stop = .belowMin
            record.goals[0].result = FindRecord.Result()
            record.goals[0].result.answer = .belowMin
        }
        #expect(below.exitCode(atLeast: nil) == 3)
    }

    @Test("is drawn with each trial as a point, void ones hollow")
    func page() {
        let page = CurvePage(record: Self.record { $0.trials[1].void = "late" }).text
        #expect(page.contains("class=\"hollow\"") && page.contains("trials/002/report.html") && page.contains("3,215/s"))
        #expect(page.contains("Delivery, from the planned instant") && !page.contains("Staleness of cards"))
    }
}
