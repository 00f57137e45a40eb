// A comparison on the terminal, in Markdown, on its page, and its JSON against docs/compare.schema.json.

import Basics
import Conformance
import Foundation
import Metrics
import Testing
import Verdicts

@testable import Comparison
@testable import Reports

@Suite("what a comparison shows")
struct CompareReportTests {
    private func record(_ turn: (inout ComparisonRecord) -> Void = { _ in }) -> ComparisonRecord {
        var record = ComparisonRecord()
        (record.name, record.profile, record.toolVersion) = ("smoke", "opencode", "0.1.0")
        (record.command, record.design, record.seed) = ("pushrig compare a b", .pairs, .max)
        for _ in 0..<7 {
            let run = ComparisonRecord.Run(
                directory: "a/1 <b>", startedAt: WallTime(seconds: 1_790_000_000), seed: 3, exit: "passed")
            record.base.runs.append(run)
            record.new.runs.append(run)
        }
        record.base.delivery.record(2_000_000, count: 100)
        record.new.delivery.record(3_000_000, count: 100)
        var row = SeriesRow(second: 0)
        (row.deliveries, row.deliveryMicroseconds, row.slowestMicroseconds) = (100, 200_000, 3_000)
        record.base.series = [row]
        record.new.series = [row, SeriesRow(second: 1)]
        record.metrics = [
            .init(
                name: "delivery.p99", unit: .nanoseconds, base: [2e6, 2.1e6], new: [3e6], isBetterWhenMore: false,
                shift: 0.4055, low: 0.0953, high: nil, chance: 0.0156, adjustedChance: 0.0312, margin: 0.05, word: .worse),
            .init(
                name: "errors.rate", unit: .ratio, base: [0], new: [0.01], isBetterWhenMore: false, scale: .difference,
                shift: 0.01, low: -0.02, high: 0.03, word: .undecided, reason: "not every run has data"),
        ]
        record.counts = [
            .init(name: "lost", base: [0, 0], new: [0, 3], word: .worse),
            .init(name: "altered", base: [0], new: [0], word: .same),
        ]
        record.rules = [
            .init(
                id: "one-start", level: .must, requirement: "There is one start.", change: .broken, isProven: true, base: 0, new: 2,
                finding: "two | starts", directory: "a/1 <b>")
        ]
        record.percentiles = Comparison.percentiles(record)
        record.uses = [.init(name: "memory, most", unit: .bytes, base: 2e6, new: 3e6), .init(name: "x", unit: .bytes)]
        record.remarks = ["all <runs>"]
        record.exit = Comparison.exit(record)
        turn(&record)
        return record
    }

    private func schema() throws -> JSONValue {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let near = root.appending(path: "docs/compare.schema.json")
        let far = root.appending(path: "Tests").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "docs/compare.schema.json")
        let file = FileManager.default.fileExists(atPath: near.path) ? near : far
        return try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
    }

    @Test("the schema describes what is written, and refuses what is not")
    func json() throws {
        let schema = try schema()
        let validator = Validator(schema: schema)
        #expect(validator.complaints(about: record().json) == [])
        #expect(validator.complaints(about: ComparisonRecord().json) == [])
        let full = record {
            $0.firstDifference = "number 3"
            let metric = ComparisonRecord.Metric(
                name: "m", unit: .count, base: [1, 2, 3, 4], new: [], isBetterWhenMore: false)
            $0.selfCheck = SelfCheck([metric], margin: Margin(), seed: Seed(1))
        }
        #expect(full.selfCheck != nil)
        #expect(validator.complaints(about: full.json) == [])
        #expect(Set(full.json.object!.keys) == Set(schema["properties"]!.object!.keys))
        for turn: (inout JSONObject) -> Void in [
            { $0["seed"] = 7 }, { $0["surprise"] = true }, { $0["design"] = "x" }, { $0["metrics"] = [["name": "x"]] },
        ] {
            var json = record().json.object!
            turn(&json)
            #expect(validator.complaints(about: .object(json)) != [])
        }
        // A ratio is written as such.
        let metric = try #require(record().json["metrics"]?.array?.first)
        #expect(abs(try #require(metric["shift"]?.double) - 1.5) < 0.001)
        #expect(metric["high"] == .null)
    }

    @Test("the terminal has a table, and the sentence last")
    func terminal() {
        let text = CompareText.text(record(), color: false)
        #expect(text.contains("delivery.p99  2.05 ms  3 ms  +50 %   +10 % … ?      0.031  worse\n"), "\(text)")
        let open = "errors.rate   0 %      1 %   +1 %    -2 % … +3 %           undecided: not every run has data\n"
        #expect(text.contains(open), "\(text)")
        #expect(text.contains("lost   0     0 to 3  worse\n"))
        #expect(text.contains("none on either side: altered\n"))
        let rule = "newly broken  one-start (must, broken in 0 of 7 runs before, 2 of 7 now): There is one start.\n"
        #expect(text.contains(rule))
        #expect(text.contains("memory, most  2 MB  3 MB  +50 %\n"))
        #expect(text.contains("delivery p50       2 ms (2 ms … 2 ms)"))
        let end = """
            A MUST IS NEWLY BROKEN  1 rule newly broken, lost worse, delivery.p99 worse (+50 %), errors.rate undecided (+1 %); \
            7 pairs in turn
              - one-start is broken, and was not before
              - delivery.p99 is worse
              - lost is worse

            """
        #expect(text.hasSuffix(end), "\(text)")
        #expect(CompareText.text(record(), color: true).contains("\u{1B}[31m"))
    }

    @Test("Markdown and page hold the same, with foreign text made harmless")
    func markdownAndPage() {
        let text = CompareMarkdown(record: record()).text
        #expect(text.hasPrefix("## ❌ smoke, compared: a must is newly broken\n\n"))
        #expect(text.contains("| delivery.p99 | 2.05 ms | 3 ms | +50 % | +10 % … ? | 0.031 | **worse** |\n"), "\(text)")
        #expect(text.contains(#"two \| starts"#) && text.contains("all &lt;runs&gt;"))
        #expect(text.contains("| lost | 0 | 0 to 3 | **worse** |"))
        let page = ComparePage(record: record()).text
        for piece in [
            "course-wide-t", "delivery-wide-t", "a/1 &lt;b&gt;", "base, mean", "+10 % … ?", "newly broken", "memory, most",
        ] {
            #expect(page.contains(piece), "\(piece)")
        }
        #expect(!page.contains("<b>\"") && !page.contains("answer-wide-t"))
        let empty = ComparePage(record: ComparisonRecord()).text
        #expect(empty.contains("No data.") && empty.contains("Undecided"))
    }
}
