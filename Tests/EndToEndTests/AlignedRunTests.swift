// Many activities that come of age in the same second: a run that is stepped to that age and then runs in time that passes.

import Basics
import Journal
import Testing

@Suite("a run that is stepped and then scaled", .serialized)
struct AlignedRunTests {
    private static let sessions = 300

    private struct Outcome {
        var code: Int32
        var words: String
        var verdicts: [String: String] = [:]
        /// Of activities that take the place of others, since the run's first start; in seconds.
        var restarts: [Double] = []
    }

    private func run(_ defect: [String] = []) throws -> Outcome {
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
            let run = try Rig.run(Rig.pushrig, arguments)
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

    /// A relay that is not told that the clock runs from 6 h 48 min on stands there, and sends all that is due too late.
    @Test("starts of one age leave one after the other, within their window")
    func spread() throws {
        let run = try run()
        #expect([0, 5].contains(run.code), "\(run.words)")
        #expect(run.verdicts["restarts-spread"] == "kept" && run.verdicts["restart-in-window"] == "kept", "\(run.words)")
        #expect(run.restarts.count == Self.sessions)
        // Twelve stretches of the window that the relay draws from.
        let (first, width) = (try #require(run.restarts.min()), 9.0)
        let stretches = Dictionary(grouping: run.restarts) { Int(($0 - first) / width) }.mapValues(\.count)
        #expect(stretches.keys.max() ?? 0 <= 12 && stretches.values.max() ?? 0 <= 2 * Self.sessions / 12, "\(stretches)")
    }

    @Test("starts that all leave at once are found")
    func atOnce() throws {
        let run = try run(["--defect", "restarts-all-at-once"])
        #expect(run.verdicts["restarts-spread"] == "broken", "\(run.words)")
    }
}
