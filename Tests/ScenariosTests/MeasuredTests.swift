// Distributions of measured values: what a file of them may say.

import Basics
import Testing

@testable import Scenarios

@Suite("Distributions from a file")
struct MeasuredTests {
    private static func scenario(_ file: String, _ key: String = "after: $pause", with new: String) throws -> Scenario {
        let text = Sample.with(key, new)
        return try Scenario.parse(text: text, path: "tiny.yaml", planned: [SourceText(path: "dwell.csv", text: file)])
    }

    private static func complaint(_ file: String, _ new: String) -> String {
        do {
            _ = try scenario(file, "parameters: { pause: 2s }", with: "parameters: { pause: \(new) }")
            return ""
        } catch { return "\(error)" }
    }

    @Test("One value a line, of durations or of counts, wherever a distribution stands")
    func values() throws {
        let script = try Self.scenario(
            "\u{FEFF}1.5s\r\n250ms\r\n1m\n0", "parameters: { pause: 2s }", with: "parameters: { pause: { file: dwell.csv } }"
        ).workload.scripts[0].script
        #expect(script.steps[1].time == .after(.measured(MeasuredValues([1.5, 0.25, 60, 0]))))
        #expect(script.length == 60)
        let counts = try Self.scenario(
            "1\n2.5\n", with: "every: $pause\n            count: { file: dwell.csv }")
        #expect(
            counts.workload.scripts[0].script.steps[1].repetition?.limit == .count(.measured(MeasuredValues([1, 2.5]))))
        #expect(counts.sources.map(\.path) == ["tiny.yaml", "dwell.csv"])
    }

    @Test(
        "What is wrong with it is told with line, column and fix",
        arguments: [
            ("", "dwell.csv:1:1: the file is empty (write one value a line, such as `1.5s`)"),
            ("dwell\n1s\n", "dwell.csv:1:1: `dwell` is no duration (one value a line and nothing else, such as `1.5s`)"),
            ("1s\n5\n", "dwell.csv:2:1: `5` is no duration (write its unit, such as `5s`)"),
            ("1s\n\n2s\n", "dwell.csv:2:1: the line is empty (one value a line, such as `1.5s`)"),
            ("1s\n-2s\n", "dwell.csv:2:1: `-2s` is no duration"),
            ("1s\n99999999s\n", "dwell.csv:2:1: `99999999s` is more than"),
        ])
    func wrong(text: String, words: String) {
        let complaint = Self.complaint(text, "{ file: dwell.csv }")
        #expect(complaint.hasPrefix(words) && !complaint.contains("\n"), "\(complaint)")
    }

    @Test("A hundred thousand values, and no more")
    func bound() {
        let most = String(repeating: "1s\n", count: MeasuredValues.most)
        #expect(Self.complaint(most, "{ file: dwell.csv }") == "")
        #expect(
            Self.complaint(most + "1s\n", "{ file: dwell.csv }")
                == "dwell.csv:100001:1: there are more than 100000 values (leave some out)")
    }

    @Test("A draw is one of the values, each as often as it stands there, and pace divides it")
    func draws() {
        var generator = Seed(1).generator()
        let measured = Distribution.measured(MeasuredValues([1, 5, 5, 9]))
        let drawn = (0..<10_000).map { _ in measured.sample(&generator) }
        #expect(Set(drawn) == [1, 5, 9] && measured.mean == 5)
        #expect(4_800...5_200 ~= drawn.count { $0 == 5 } && 2_300...2_700 ~= drawn.count { $0 == 9 })
        let divided = measured.divided(by: 2)
        #expect(Set((0..<100).map { _ in divided.sample(&generator) }) == [0.5, 2.5, 4.5] && divided.mean == 2.5)
    }
}
