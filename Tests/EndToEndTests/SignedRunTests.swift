// A relay that wants forms, signatures and a ticket of its own, described by a profile alone (Tests/SignedRelay).

import Basics
import Foundation
import Journal
import Testing

/// A Python that has httpx with HTTP/2: the Debian packages belong to the system's own.
private let isThere =
    (try? Rig.run("/usr/bin/python3", ["-c", "import httpx, h2"], seconds: 20).code) == 0
    && (try? Rig.run("openssl", ["version"], seconds: 20).code) == 0

@Suite("pushrig run with a relay that wants signatures", .enabled(if: isThere))
struct SignedRunTests {
    private static let key = "hush-signed-relay-key-8412"

    private func run(
        _ folder: String, _ arguments: [String] = [], scenario: String = "Tests/SignedRelay/scenario.yaml"
    ) throws -> (run: Rig.Output, record: JSONValue) {
        let run = try Rig.run(
            "env",
            [
                "SIGNED_RELAY_KEY=" + Self.key, Rig.pushrig, "run", scenario, "--out", folder + "/run",
                "--set", "latenessBudget=5s",
            ] + arguments)
        return (run, try Rig.json(folder + "/run/run.json"))
    }

    @Test("is green, and no file of the run holds the key or a ticket")
    func green() throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(folder)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect(record["correlation"]?["totals"]?["delivered"]?.int == 40)
            var seen: (key: [String], marker: [String]) = ([], [])
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            for file in files {
                guard let bytes = FileManager.default.contents(atPath: folder + "/" + file) else { continue }
                if bytes.range(of: Data(Self.key.utf8)) != nil { seen.key.append(file) }
                if bytes.range(of: Data("SIGNED_RELAY_KEY".utf8)) != nil { seen.marker.append(file) }
            }
            #expect(seen.key == [] && !run.out.contains(Self.key) && !run.error.contains(Self.key))
            #expect(!seen.marker.isEmpty, "what a file holds is found")
            var tickets: [String?] = []
            _ = try JournalReader(directory: folder + "/run/journal").forEach(since: nil) { entry in
                if case .note(let note) = entry, let capture = note.capture { tickets.append(capture.value) }
                return true
            }
            #expect(tickets == Array(repeating: "(secret)", count: 20))
            let again = try Rig.run(Rig.pushrig, ["judge", folder + "/run"])
            #expect(again.code == 0, "\(again.out)\(again.error)")
        }
    }

    /// `--set` and the relay's command with those options.
    private static func launching(_ options: [String]) -> [String] {
        let words = [
            "/usr/bin/python3", "Tests/SignedRelay/relay.py", "--listen", "{{relay.listen}}", "--apns", "{{mock.apns}}", "--ca",
            "{{mock.ca}}", "--key", "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic",
            "{{mock.topic}}",
        ]
        return ["--set", "relay.launch=" + JSONValue.array((words + options).map { .string($0) }).text]
    }

    @Test("is asked by a check whether it refuses a wrong signature", arguments: [([], 0), (["--lax"], 4)] as [([String], Int32)])
    func lax(options: [String], code: Int32) throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                "env",
                [
                    "SIGNED_RELAY_KEY=" + Self.key, Rig.pushrig, "check", "Tests/SignedRelay/scenario.yaml", "--only",
                    "wrong-credentials", "--out", folder + "/check", "--set", "latenessBudget=5s",
                ] + Self.launching(options))
            #expect(run.code == code && run.out.contains("bad-requests-refused") == (code == 4), "\(run.out)\(run.error)")
        }
    }

    @Test("is red where the relay loses a push")
    func drops() throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(folder, Self.launching(["--drop", "5"]))
            #expect(run.code == 4, "\(run.out)\(run.error)")
            #expect(record["correlation"]?["totals"]?["lost"]?.int == 8)
        }
    }

    @Test("is not green where each signature is wrong, and the record does not repeat what the relay says of it")
    func forged() throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(folder, ["--set", "relay.environment={ SIGNED_RELAY_KEY: another }"])
            #expect(run.code == 5, "\(run.out)\(run.error)")
            #expect((record["correlation"]?["totals"]?["delivered"]?.int ?? 0) == 0)
            var answers: Set<String> = []
            _ = try JournalReader(directory: folder + "/run/journal").forEach(since: nil) { entry in
                if case .event(let event) = entry, event.status == 401 {
                    answers.insert(String(decoding: event.answer, as: UTF8.self))
                }
                return true
            }
            #expect(answers == [#"{"error": "wrong signature", "got": "(secret)"}"#])
        }
    }

    @Test("is red where the signatures of those calls are wrong that owe pushes")
    func spoilt() throws {
        try Rig.withFolder { folder in
            for (name, old, new) in [
                ("profile", "    expect: 202\n", "    expect: 202\n    auth: { spoil: true }\n"), ("scenario", "", ""),
            ] {
                let text = try String(contentsOfFile: Rig.root + "/Tests/SignedRelay/\(name).yaml", encoding: .utf8)
                try text.replacingOccurrences(of: old, with: new)
                    .write(toFile: folder + "/\(name).yaml", atomically: true, encoding: .utf8)
            }
            let (run, record) = try run(folder, scenario: folder + "/scenario.yaml")
            #expect(run.code == 4, "\(run.out)\(run.error)")
            #expect(record["correlation"]?["totals"]?["lost"]?.int == 40)
            #expect(run.out.contains(#"401 in "#) && run.out.contains(#""got": "(secret)""#), "\(run.out)")
        }
    }

    @Test("is refused in one line where its key is missing")
    func missing() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                "env", ["-u", "SIGNED_RELAY_KEY", Rig.pushrig, "run", "Tests/SignedRelay/scenario.yaml", "--dry-run"])
            #expect(run.code == 2)
            #expect(
                run.error.contains(
                    "Tests/SignedRelay/profile.yaml:8:17: the environment variable `SIGNED_RELAY_KEY` is not set"
                        + " (export it before pushrig starts)"), "\(run.error)")
        }
    }
}
