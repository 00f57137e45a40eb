// The profiles of relays of others, each against a stand-in that is right, and against the same with one bug.

import Basics
import Foundation
import Testing

@Suite("Profiles of relays of others")
struct StandInTests {
    /// Profile, bug of its stand-in, and the rule that it breaks.
    static let bugs = [
        ("bark", "keeps-dead-token", "dead-device-token-dropped"), ("expo", "retries-at-once", "retry-backs-off"),
        ("gorush", "loses-failed-batch", "states-delivered"), ("home-assistant", "milliseconds", "timestamp-seconds-rising"),
        ("mattermost", "new-provider-token", "provider-token-reused"), ("ntfy", "forwards-twice", "no-duplicate-push"),
        ("parse", "ignores-where", "sessions-kept-apart"), ("pushgo", "keeps-old-token", "new-token-used"),
        ("reloads", "reloads-all-controls", "nothing-unexpected"), ("scores", "loses-goals", "states-delivered"),
        ("sockudo", "ignores-idempotency-key", "nothing-unexpected"), ("sygnal", "cuts-text", "content-unchanged"),
    ]

    private func run(_ name: String, _ folder: String, bug: String? = nil) throws -> (run: Rig.Output, record: JSONValue) {
        let words = ["/usr/bin/python3", "Tests/StandIns/relay.py", name, "{{relay.listen}}"] + (bug.map { ["--bug", $0] } ?? [])
        let run = try Rig.run(
            Rig.pushrig,
            [
                "run", "Scenarios/relays-of-others/\(name).yaml", "--quiet", "--out", folder + "/run", "--set", "latenessBudget=5s",
                "--set", "relay.launch=" + JSONValue.array(words.map { .string($0) }).text,
            ])
        return (run, try Rig.json(folder + "/run/run.json"))
    }

    @Test("each has a scenario, a bug and a line in docs/relays-of-others.md")
    func complete() throws {
        let scenarios = try FileManager.default.contentsOfDirectory(atPath: Rig.root + "/Scenarios/relays-of-others")
        #expect(scenarios.sorted() == Self.bugs.map { $0.0 + ".yaml" })
        let page = try String(contentsOfFile: Rig.root + "/docs/relays-of-others.md", encoding: .utf8)
        for (name, _, _) in Self.bugs {
            #expect(page.contains("| [`\(name)`](../Scenarios/relays/\(name).yaml) | "), "\(name)")
        }
    }

    @Test("is green against a stand-in that does what is known of the relay", arguments: bugs.map(\.0))
    func green(name: String) throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(name, folder)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect((record["correlation"]?["totals"]?["delivered"]?.int ?? 0) >= 8, "\(run.out)")
        }
    }

    @Test("a relay that shows APNs a certificate is handed one, and asked nothing about provider tokens")
    func certificate() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "check", "Scenarios/relays-of-others/gorush.yaml", "--only", "lifecycle", "--only", "hours", "--quiet",
                    "--out", folder + "/check", "--set", "latenessBudget=5s", "--set", "relay.with.credential=certificate",
                    "--set", "relay.environment.APNS_CERTIFICATE_FILE='{{mock.certificate}}'",
                    "--set", "relay.environment.APNS_CERTIFICATE_KEY_FILE='{{mock.certificateKey}}'",
                ])
            #expect(run.code == 0, "\(run.out)\(run.error)")
            let cases = try #require(try Rig.json(folder + "/check/check.json")["cases"]?.array)
            #expect(cases.contains { $0["name"]?.string == "lifecycle" && $0["verdict"]?.string == "kept" }, "\(run.out)")
            #expect(run.out.contains("signs no provider token"), "\(run.out)")
        }
    }

    @Test("convicts the stand-in with a bug, by the right rule", arguments: bugs)
    func red(name: String, bug: String, rule: String) throws {
        try Rig.withFolder { folder in
            let (run, _) = try run(name, folder, bug: bug)
            #expect(run.code == 4, "\(run.out)\(run.error)")
            #expect(run.out.contains("  - \(rule) ("), "\(run.out)")
        }
    }
}
