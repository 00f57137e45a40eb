// Many activities that come of age in the same second: on a clock that stands, and on one that runs from then on.

import Basics
import Journal
import Pushes
import Testing

@Suite("a run of many activities of one age", .serialized)
struct AlignedRunTests {
    private static let sessions = 200

    private struct Outcome {
        var code: Int32
        var words: String
        var verdicts: [String: String] = [:]
        /// Of activities that take the place of others, since the run's first start; in seconds.
        var restarts: [Double] = []
    }

    private func run(_ defect: [String] = [], _ more: [String] = []) throws -> Outcome {
        let words = [
            "{{pushrig}}", "relay", "--dialect", "epilogue", "--listen", "{{relay.listen}}", "--apns",
            "https://{{mock.apns}}", "--apns-sandbox", "https://{{mock.sandbox}}", "--apns-ca", "{{mock.ca}}", "--key",
            "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic", "{{mock.topic}}",
            "--storage", "{{run.dir}}/relay.sqlite", "--throttle", "15s", "--clock", "{{mock.clock}}",
        ]
        return try Rig.withFolder { folder in
            let arguments = [
                "run", "Scenarios/long/S4-aligned.yaml", "--out", folder + "/run", "--quiet", "--set",
                "relay.launch=" + JSONValue.array((words + defect).map { .string($0) }).text, "--set",
                "workload.arrivals=[{ rate: \(Self.sessions), for: 1s }]", "--set", "workload.maxSessions=\(Self.sessions)",
                "--set", "workload.scripts[0].with.updateAt={ uniform: [6h52m, 6h53m] }", "--set",
                "workload.scripts[0].with.endAt={ uniform: [6h53m, 6h54m] }",
            ]
            let run = try Rig.run(Rig.pushrig, arguments + more)
            var outcome = Outcome(code: run.code, words: run.out + run.error)
            let record = try Rig.json(folder + "/run/run.json")
            for verdict in record["verdicts"]?.array ?? [] {
                outcome.verdicts[verdict["id"]?.string ?? ""] = verdict["verdict"]?.string
            }
            var starts: [Instant] = []
            _ = try JournalReader(directory: folder + "/run/journal").forEach(since: nil) { entry in
                if case .push(let push) = entry, push.event == .start { starts.append(push.arrivedAt) }
                return true
            }
            let first = starts.min() ?? Instant(nanoseconds: 0)
            outcome.restarts = starts.map { ($0 - first).seconds }.filter { $0 > 3_600 }
            return outcome
        }
    }

    @Test("passes a relay that replaces them one after the other, and tells it from one that does not")
    func spread() throws {
        let honest = try run()
        #expect(honest.code == 0 && honest.verdicts["restarts-spread"] == "kept", "\(honest.words)")
        let (first, last) = (try #require(honest.restarts.min()), try #require(honest.restarts.max()))
        #expect(honest.restarts.count == Self.sessions && last - first > 90, "\(first) to \(last)")
        let other = try run(["--defect", "restarts-all-at-once"])
        #expect(other.code == 4 && other.verdicts["restarts-spread"] == "broken", "\(other.words)")
    }

    /// A relay that is not told that the clock runs from 6 h 48 min on stands there, and sends all that is due too late.
    @Test("goes on with a clock that runs from a given age on")
    func scaled() throws {
        let run = try run([], ["--set", "steppedUntil=6h48m", "--set", "clockScale=20"])
        #expect([0, 5].contains(run.code), "\(run.words)")
        #expect(run.verdicts["restarts-spread"] == "kept" && run.verdicts["restart-in-window"] == "kept", "\(run.words)")
        #expect(run.restarts.count == Self.sessions)
        // Twelve stretches of the window that the relay draws from.
        let (first, width) = (try #require(run.restarts.min()), 9.0)
        let stretches = Dictionary(grouping: run.restarts) { Int(($0 - first) / width) }.mapValues(\.count)
        #expect(stretches.keys.max() ?? 0 <= 12 && stretches.values.max() ?? 0 <= 2 * Self.sessions / 12, "\(stretches)")
    }
}
