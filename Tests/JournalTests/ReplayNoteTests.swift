// What a replay notes of itself beside the plan.

import Basics
import Testing

@testable import Journal

struct ReplayNoteTests {
    private var plan: PlanNote {
        var plan = PlanNote(files: [.init(path: "a.yaml", text: "name: a")], seed: 7, run: 1, digest: "d")
        plan.folder = "/home/me/relay"
        plan.replay = ReplayNote(
            users: [3, 9], speed: 2.5, skipped: .seconds(12),
            faults: [ReplayedFault(), ReplayedFault(isLeftOut: true), ReplayedFault(mayRest: true, tokens: ["ab"], after: 1, times: 2)],
            exercises: ["new-token-used"], knownFailing: ["R0.8"])
        return plan
    }

    private func read(_ json: JSONValue) throws -> PlanNote { try PlanNote(JSONReading(json, of: "plan")) }

    private func changed(_ key: String, _ value: JSONValue) -> JSONValue {
        var object = plan.json.object!
        var replay = object["replay"]!.object!
        replay[key] = value
        object["replay"] = .object(replay)
        return .object(object)
    }

    @Test func `comes back from its JSON as it was`() throws {
        #expect(try read(JSONValue(parsing: plan.json.text)) == plan)
    }

    @Test func `is none in the journal of an older run, and of a run that is its own`() throws {
        var object = try #require(plan.json.object)
        object["replay"] = .null
        #expect(try read(.object(object)).replay == nil)
        var older = JSONObject()
        for (key, value) in object where key != "replay" { older[key] = value }
        #expect(try read(.object(older)).replay == nil)
    }

    @Test func `is refused where its numbers cannot be`() {
        for (key, value) in [("speed", 0), ("speed", 1e9), ("users", [2, 1]), ("users", [-1]), ("users", [2_147_483_648]), ("faults", [[:]])]
            as [(String, JSONValue)]
        {
            #expect(throws: Failure.self, "\(key) \(value.text)") { try read(changed(key, value)) }
        }
    }

    @Test func `is refused where its part is none of a plan`() throws {
        func part(_ index: Int64, of count: Int64) throws -> PlanNote {
            var object = plan.json.object!
            (object["shardIndex"], object["shardCount"]) = (.integer(index), .integer(count))
            return try read(.object(object))
        }
        #expect(try part(3, of: 4).shardIndex == 3)
        #expect(try part(999_999, of: 1_000_000).shardCount == 1_000_000)
        for (index, count) in [(0, 0), (4, 4), (-1, 4), (0, -1), (0, 1_000_001), (0, .max)] as [(Int64, Int64)] {
            #expect(throws: Failure.self, "\(index) of \(count)") { try part(index, of: count) }
        }
    }

    @Test func `never skips backwards`() throws {
        #expect(try read(changed("skippedNanoseconds", -5)).replay?.skipped == .zero)
    }
}

struct LongPlanTests {
    @Test func `a plan with a file of data is read again, however long`() throws {
        try withDirectory { directory in
            let text = "user\n" + String(repeating: "\"é\\ and a line\",\n", count: 1_200_000)
            let plan = PlanNote(files: [.init(path: "users.csv", text: text)], seed: 7, run: 1, digest: "d")
            #expect(text.utf8.count > Format.maxNoteBytes * 4)
            let writer = try JournalWriter(directory: directory, name: "run", time: ManualTime())
            writer.append(.plan(plan), at: Instant(nanoseconds: 5))
            writer.append(.phase("measure"), at: Instant(nanoseconds: 6))
            #expect(writer.commit())
            let notes = try JournalReader(directory: directory).all().compactMap { entry -> RunNote? in
                if case .note(let note) = entry { note.run } else { nil }
            }
            #expect(notes == [.plan(plan), .phase("measure")])
        }
    }
}
