// Shards put together: which are taken, what is wrong with the others, and that a hundred of them are one run.

import Basics
import EventLoop
import Foundation
import Journal
import Planning
import Scenarios
import Testing

@testable import Harness

@Suite("Shards put together")
struct MergeTests {
    /// What a shard's folder is made of.
    struct Kind {
        var count = 3
        var runID = "r"
        var seed: UInt64 = 7
        var version = "0.1.0"
        var attempt = 0
        var startsAt = Interval.zero
        /// Nil: it was killed, and sealed nothing.
        var finish: FinishNote? = FinishNote()
        var void: String?
        var mock: (url: String, offset: Interval, bar: Interval)?
    }

    private static let wall = WallTime(seconds: 1_790_000_000)

    /// Makes a shard's folder, as a run that answered each call at once and pushed nothing leaves it.
    @discardableResult
    private func make(_ folder: String, _ index: Int, _ kind: Kind = Kind(), withEvents: Bool = false) throws -> Int {
        let scenario = try Scenario.load(path: Place.root + "/Tests/Shards/stepped.yaml")
        let place = ShardPlace(index: index, count: kind.count, runID: kind.runID, attempt: kind.attempt)
        var note = PlanNote(
            files: scenario.sources.map { .init(path: $0.path, text: $0.text) }, seed: kind.seed, run: 5, digest: "",
            shardIndex: index, shardCount: kind.count, toolVersion: kind.version)
        note.part = PartNote(
            runID: kind.runID, attempt: kind.attempt, whole: note.wholeDigest(of: scenario), mocks: kind.mock.map { [$0.url] } ?? [])
        let plan = note.plan(of: scenario)
        note.digest = plan.digest()
        // Instants of another machine, a thousand seconds from the next one's.
        let begun = FixedTime(instant: Instant(nanoseconds: Int64(index + 1) * 1_000_000_000_000), moment: Self.wall + kind.startsAt)
        let journal = try JournalWriter(directory: folder + "/journal", name: "run", time: begun)
        journal.append(.plan(note), at: begun.instant)
        if let reason = kind.void { journal.append(.void(reason), at: begun.instant) }
        if let mock = kind.mock {
            journal.append(
                .clockOffset(.init(mock: mock.url, journal: "none", offset: mock.offset, bar: mock.bar)), at: begun.instant)
        }
        let origin = begun.instant + .seconds(1)
        journal.append(.phase("measure"), at: origin)
        var sent = 0
        if withEvents {
            for session in 0..<plan.sessionCount {
                for event in plan.session(session).events {
                    let at = origin + event.at
                    journal.append(event: EventDraft(
                        session: event.session, step: event.step, kind: UInt16(event.call), plannedAt: at, sentAt: at,
                        answeredAt: at + .milliseconds(1), status: 200))
                    sent += 1
                }
            }
        }
        if let finish = kind.finish {
            journal.append(.phase("drain"), at: origin + .seconds(60))
            journal.append(.phase("stop"), at: origin + .seconds(70))
            var totals = TotalsNote()
            (totals.sent, totals.answered, totals.firings) = (sent, sent, [1])
            journal.append(.totals(totals), at: origin + .seconds(70))
            journal.append(.finished(finish), at: origin + .seconds(70))
        }
        #expect(journal.commit())
        if kind.finish != nil { try Seal.write(folder, note, place) }
        return sent
    }

    private func gather(_ folders: [String]) throws -> ShardSet {
        var read: [ShardFolder] = []
        for folder in folders { read.append(try ShardFolder(folder)) }
        return try ShardSet(read)
    }

    /// Three folders, of which `change` makes another.
    private func shardSet(_ change: (String) throws -> [String]) throws -> (ShardSet, String) {
        try Place.withFolder { folder in
            for index in 0..<3 { try make("\(folder)/\(index)", index) }
            let shardSet = try gather((0..<3).map { "\(folder)/\($0)" } + (try change(folder)))
            return (shardSet, shardSet.voids.map { $0.replacing(folder + "/", with: "") }.joined(separator: "\n"))
        }
    }

    @Test("are taken where each is there once, on the clock of the first")
    func whole() throws {
        let (shardSet, voids) = try shardSet { _ in [] }
        #expect(voids == "" && shardSet.missing.isEmpty && shardSet.parts.map(\.index) == [0, 1, 2])
        #expect(shardSet.parts.allSatisfy { $0.ahead == .zero && $0.bar == .zero })
    }

    @Test("leave out what is mixed in", arguments: [
        (Kind(seed: 8), "mixed in: it has another plan"), (Kind(version: "9"), "another version than the others: 9, not 0.1.0"),
        (Kind(runID: "yesterday"), "another run id than the others: yesterday, not r"), (Kind(count: 4), "another count of shards"),
    ])
    func mixed(kind: Kind, says: String) throws {
        let (shardSet, voids) = try shardSet { folder in
            try make(folder + "/other", 1, kind)
            return [folder + "/other"]
        }
        #expect(voids.hasPrefix("other is mixed in: it has ") && voids.contains(says), "\(voids)")
        #expect(shardSet.parts.count == 3 && !voids.contains("\n"))
    }

    @Test("leave out both of what is there twice")
    func double() throws {
        let (shardSet, voids) = try shardSet { folder in
            try make(folder + "/again", 1)
            return [folder + "/again"]
        }
        #expect(voids == "shard 1 is there 2 times: 1, again")
        #expect(shardSet.parts.map(\.index) == [0, 2] && shardSet.missing == [1])
    }

    @Test("are named where one is missing, killed, late, tried again, or not as it was sealed", arguments: [
        ("missing", "shard 1 of 3 is missing", [0, 2]), ("killed", "shard 1 (1) was killed in its phase `measure`", [0, 1, 2]),
        ("void", "shard 1 came late: by 3 s", [0, 2]), ("again", "shard 1 (1) is attempt 1: it was tried again", [0, 2]),
        ("changed", "shard 1 (1) does not fit its seal: journal/run.journal was changed", [0, 2]),
        ("added", "shard 1 (1) does not fit its seal: journal/other.journal was added", [0, 2]),
        ("foreign", "shard 1 (1) has the seal of another: its `run` is \"other\"", [0, 2]),
        ("trouble", "shard 1 (1) could not do its part: no disk", [0, 1, 2]),
        ("interrupted", "shard 1 (1) was ended by a signal", [0, 1, 2]),
        ("apart", "shard 1 (1) began 3s after the others", [0, 1, 2]),
    ])
    func wrong(how: String, says: String, taken: [Int]) throws {
        try Place.withFolder { folder in
            var kind = Kind()
            switch how {
            case "killed": kind.finish = nil
            case "void": kind.void = "shard 1 came late: by 3 s"
            case "again": kind.attempt = 1
            case "trouble": kind.finish = FinishNote(trouble: "no disk")
            case "interrupted": kind.finish = FinishNote(isInterrupted: true)
            case "apart": kind.startsAt = .seconds(3)
            default: break
            }
            for index in 0..<3 where index != 1 || how != "missing" {
                try make("\(folder)/\(index)", index, index == 1 ? kind : Kind())
            }
            if how == "changed" {
                let file = try #require(FileHandle(forWritingAtPath: folder + "/1/journal/run.journal"))
                try file.seekToEnd()
                try file.write(contentsOf: Data([0]))
                try file.close()
            }
            if how == "foreign" {
                let seal = folder + "/1/seal.json"
                var object = try #require(try JSONValue(parsing: String(contentsOfFile: seal, encoding: .utf8)).object)
                object["run"] = "other"
                try JSONValue.object(object).text.write(toFile: seal, atomically: false, encoding: .utf8)
            }
            if how == "added" { try "x".write(toFile: folder + "/1/journal/other.journal", atomically: false, encoding: .utf8) }
            let shardSet = try gather((0..<3).map { "\(folder)/\($0)" }.filter { FileManager.default.fileExists(atPath: $0) })
            #expect(shardSet.voids.count == 1, "\(shardSet.voids)")
            let told = shardSet.voids.first?.replacing(folder + "/", with: "") ?? ""
            #expect(told.hasPrefix(says), "\(told)")
            #expect(shardSet.parts.map(\.index) == taken)
            #expect(shardSet.missing == [0, 1, 2].filter { !taken.contains($0) })
        }
    }

    @Test("are brought to the mock's clock, within what was measured")
    func clocks() throws {
        try Place.withFolder { folder in
            for (index, shift) in [Interval.zero, .seconds(3), .seconds(-3)].enumerated() {
                var kind = Kind()
                kind.startsAt = shift
                kind.mock = ("http://m", .zero - shift, .milliseconds(1))
                try make("\(folder)/\(index)", index, kind)
            }
            let shardSet = try gather((0..<3).map { "\(folder)/\($0)" })
            #expect(shardSet.voids == ["the journal of the mock at http://m is missing: give its state directory"])
            #expect(shardSet.parts.map(\.ahead) == [.zero, .seconds(-3), .seconds(3)])
            #expect(shardSet.parts.allSatisfy { $0.bar == .milliseconds(1) })
        }
    }

    @Test("a hundred of them are one run")
    func hundred() throws {
        try Place.withFolder { folder in
            var kind = Kind()
            kind.count = 100
            var sent = 0
            for index in 0..<100 { sent += try make("\(folder)/\(index)", index, kind, withEvents: true) }
            var command = MergeCommand((0..<100).map { "\(folder)/\($0)" })
            command.outputDirectory = folder + "/all"
            let clock = ContinuousClock()
            let began = clock.now
            _ = try command.run()
            let took = clock.now - began
            print("100 shards merged and judged in \(took)")
            #expect(took < .seconds(60))
            let judged = try JSONValue(parsing: try String(contentsOfFile: folder + "/all/run.json", encoding: .utf8))
            #expect(judged["load"]?["sent"]?.int == Int64(sent) && sent > 200)
            #expect(judged["soundness"]?.array?.contains { $0["detail"] == "100 of 100 shards of run r" } == true)
            #expect(judged["soundness"]?.array?.contains { $0["name"] == "the plan is the same" && $0["passed"] == true } == true)
        }
    }
}
