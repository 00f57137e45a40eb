// Relays that are none: neither `check` nor `run` finds one right, and each says what it lacks, in bounded time.

import Basics
import Foundation
import Testing

@Suite("Relays that are none")
struct OddRelayTests {
    /// What each does, and the rule of which it is convicted.
    private static let modes = [
        ("ok", "accepted-is-pushed"), ("echo", "accepted-is-pushed"), ("hang", "relay-serves"), ("garbage", "states-delivered"),
        ("dies", "relay-serves"),
    ]

    private static func launch(_ mode: String) -> [String] {
        [
            "/usr/bin/python3", "Tests/OddRelays/relay.py", "--listen", "{{relay.listen}}", "--mode", mode, "--apns", "{{mock.apns}}",
            "--ca", "{{mock.ca}}",
        ]
    }

    @Test("are convicted by check", arguments: modes)
    func check(mode: String, rule: String) throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "check", "Scenarios/relays/opencode.yaml", "--only", "strangers", "--out", folder + "/check", "--seed", "4",
                    "--set", "latenessBudget=5s", "--",
                ] + Self.launch(mode), seconds: 200)
            #expect(run.code == 4, "\(run.out)\(run.error)")
            let record = try Rig.json(folder + "/check/check.json")
            #expect(record["cases"]?.array?.first?["verdict"]?.string == nil || run.out.contains(rule), "\(run.out)")
            #expect(run.out.contains(rule), "\(run.out)")
        }
    }

    @Test("are convicted by run", arguments: modes)
    func run(mode: String, rule: String) throws {
        try Rig.withFolder { folder in
            let words = Self.launch(mode).map { JSONValue.string($0).text }.joined(separator: ", ")
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", "Scenarios/conformance/starts.yaml", "--quiet", "--out", folder + "/run", "--set", "latenessBudget=5s",
                    "--set", "relay.launch=[\(words)]", "--set", "workload.maxSessions=6", "--set", "workload.requestTimeout=3s",
                ], seconds: 200)
            #expect(run.code == 4 && run.out.contains(rule), "\(run.out)\(run.error)")
        }
    }

    @Test("One that is never there could not be tested")
    func down() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", "Scenarios/conformance/starts.yaml", "--quiet", "--out", folder + "/run", "--set",
                    "relay.launch=[\"/bin/false\"]",
                ])
            #expect(run.code == 1, "\(run.out)\(run.error)")
            let check = try Rig.run(
                Rig.pushrig,
                ["check", "Scenarios/relays/opencode.yaml", "--out", folder + "/check", "--", "/bin/false"])
            #expect(check.code == 1, "\(check.out)\(check.error)")
        }
    }
}
