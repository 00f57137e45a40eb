// `pushrig check` on the reference relay, on relays that are none, and on what a user gets wrong.

import Basics
import Foundation
import Testing

@Suite("pushrig check")
struct CheckTests {
    private func check(_ folder: String, _ arguments: [String]) throws -> (run: Rig.Output, record: JSONValue?) {
        let run = try Rig.run(Rig.pushrig, ["check"] + arguments, seconds: 280)
        return (run, try? Rig.json(folder + "/check/check.json"))
    }

    private func verdicts(_ record: JSONValue?) -> [String: String] {
        var verdicts: [String: String] = [:]
        for item in record?["cases"]?.array ?? [] {
            verdicts[item["name"]?.string ?? ""] = item["verdict"]?.string
        }
        return verdicts
    }

    @Test("finds the reference relay right, case by case, each of which runs again by itself")
    func right() throws {
        try Rig.withFolder { folder in
            let cases = ["rotated-token", "dead-activity-token", "bad-requests", "killed"]
            let (run, record) = try check(
                folder,
                ["Scenarios/smoke.yaml", "--seed", "4", "--out", folder + "/check", "--set", "latenessBudget=5s"]
                    + cases.flatMap { ["--only", $0] })
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect(verdicts(record) == Dictionary(uniqueKeysWithValues: cases.map { ($0, "kept") }))
            for name in ["report.html", "junit.xml", "summary.md", "killed/report.html", "cases/killed.yaml"] {
                #expect(FileManager.default.fileExists(atPath: "\(folder)/check/\(name)"), "\(name)")
            }
            let again = try Rig.run(
                Rig.pushrig,
                ["run", folder + "/check/cases/bad-requests.yaml", "--quiet", "--out", folder + "/again", "--set", "latenessBudget=5s"])
            #expect(again.code == 0, "\(again.out)\(again.error)")
            let taken = try Rig.run(Rig.pushrig, ["check", "Scenarios/smoke.yaml", "--out", folder + "/check"])
            #expect(taken.code == 2 && taken.error.contains("holds a check already"))
        }
    }

    @Test("names the rule that a defect breaks, in the case that is about it")
    func defect() throws {
        try Rig.withFolder { folder in
            let relay = [
                "{{pushrig}}", "relay", "--dialect", "opencode", "--listen", "{{relay.listen}}", "--apns", "https://{{mock.apns}}",
                "--apns-ca", "{{mock.ca}}", "--key", "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}",
                "--topic", "{{mock.topic}}", "--storage", "{{run.dir}}/relay.sqlite", "--defect", "keeps-old-token",
            ]
            let (run, record) = try check(
                folder,
                [
                    "Scenarios/relays/opencode.yaml", "--only", "rotated-token", "--only", "strangers", "--out", folder + "/check",
                    "--seed", "4", "--set", "latenessBudget=5s", "--",
                ] + relay)
            #expect(run.code == 4, "\(run.out)\(run.error)")
            #expect(verdicts(record) == ["rotated-token": "broken", "strangers": "kept"])
            #expect(run.out.contains("new-token-used (R0.18): ") && run.out.contains("replay: pushrig run "))
        }
    }

    @Test("tells of a relay that never comes up, and begins no further case")
    func down() throws {
        try Rig.withFolder { folder in
            let (run, record) = try check(
                folder,
                [
                    "Scenarios/relays/opencode.yaml", "--lanes", "1", "--only", "strangers", "--only", "goodbye", "--out",
                    folder + "/check", "--", "/bin/false",
                ])
            #expect(run.code == 1, "\(run.out)\(run.error)")
            let verdicts = verdicts(record)
            #expect(verdicts["goodbye"] == "could not run" && verdicts["strangers"] == "not exercised", "\(verdicts)")
            #expect(run.out.contains("not asked: the first case could not run"), "\(run.out)")
        }
    }

    @Test("is proven: a defect is convicted by its own rule, in a case that is about it")
    func prove() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "prove", "Scenarios/conformance/environments.yaml", "--out", folder + "/prove", "--only", "keeps-old-token",
                    "--only", "ignores-unregister",
                ], seconds: 280)
            #expect(run.code == 0 && run.out.contains("defects: 2 of 2 proven"), "\(run.out)\(run.error)")
            let map = try String(contentsOfFile: folder + "/prove/conformance.md", encoding: .utf8)
            let row = map.split(separator: "\n").first { $0.hasPrefix("| `keeps-old-token` | R0.18 | `new-token-used` |") }
            #expect(row?.contains(" `rotated-token` ") == true, "\(map)")
        }
        let wrong = try Rig.run(Rig.pushrig, ["prove", "Scenarios/conformance/environments.yaml", "--only", "keeps-old-tokens"])
        #expect(wrong.code == 2 && wrong.error.contains("has no defect `keeps-old-tokens`"), "\(wrong.error)")
        let foreign = try Rig.run("env", ["SIGNED_RELAY_KEY=any", Rig.pushrig, "prove", "Tests/SignedRelay/scenario.yaml"])
        #expect(foreign.code == 2 && foreign.error.contains("does not launch the reference relay"), "\(foreign.error)")
    }

    @Test("is proven by scenarios, too: each passes as it is, and fails with each defect that it names")
    func proveFiles() throws {
        let bugs = ["Scenarios/token-bugs/changed-row.yaml", "Scenarios/token-bugs/expired-token.yaml"]
        try Rig.withFolder { folder in
            let run = try Rig.run(Rig.pushrig, ["prove"] + bugs + ["--out", folder + "/prove"], seconds: 280)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect(run.out.contains("honest: 2 of 2 cases kept\ndefects: 2 of 2 proven"), "\(run.out)\(run.error)")
            let text = """
                extends: \(Rig.root)/\(bugs[0])
                name: spared
                convicts: [forgets-start-token]
                """
            try text.write(toFile: folder + "/spared.yaml", atomically: true, encoding: .utf8)
            let spared = try Rig.run(Rig.pushrig, ["prove", folder + "/spared.yaml", "--out", folder + "/spared"], seconds: 280)
            #expect(spared.code == 4 && spared.out.contains("missed: forgets-start-token"), "\(spared.out)\(spared.error)")
            try text.replacing("forgets", with: "forget").write(toFile: folder + "/wrong.yaml", atomically: true, encoding: .utf8)
            let wrong = try Rig.run(Rig.pushrig, ["prove", folder + "/wrong.yaml"])
            #expect(
                wrong.code == 2 && wrong.error.contains("wrong.yaml:3:12: the reference relay has no defect `forget-start-token`")
                    && wrong.error.contains("forgets-start-token"), "\(wrong.error)")
        }
        let mixed = try Rig.run(Rig.pushrig, ["prove", bugs[0], "Scenarios/smoke.yaml"])
        #expect(mixed.code == 2 && mixed.error.contains("Scenarios/smoke.yaml names no defect that it convicts"), "\(mixed.error)")
    }

    @Test("lists what it would ask, and tells mistakes in one line", arguments: [
        (["Scenarios/smoke.yaml", "--list"], 0, "key-of-other-host: "),
        (["Scenarios/smoke.yaml", "--list", "--only", "R0.31"], 0, "bad-requests: "),
        (["Scenarios/relays/opencode.yaml"], 2, "is a profile, and does not say where the relay is"),
        (["Scenarios/relays/opencode.yaml", "--relay", "http://127.0.0.1:1"], 2, "has to find the mock where it looks for APNs"),
        (["Scenarios/relays/opencode.yaml", "--relay", "127.0.0.1:1", "--mock-address", "127.0.0.1:2"], 2, "--relay is no URL"),
        (["Scenarios/smoke.yaml", "--relay", "http://127.0.0.1:1"], 2, "says itself how the relay is reached"),
        (["Scenarios/smoke.yaml", "--only", "goodby"], 2, "did you mean"),
        (["Scenarios/smoke.yaml", "--stepped"], 2, "does not say that the relay can take part in a clock that is stepped"),
        (["Scenarios/check/opencode.yaml", "--list", "--only", "aged"], 0, "aged (stepped): "),
        (["Scenarios/smoke.yaml", "--list", "--only", "aged"], 0, "aged (--slow, 1"),
        (["Scenarios/check/opencode.yaml", "--list", "--only", "dismissed-card"], 0, "dismissed-card (stepped): "),
        (["Scenarios/smoke.yaml", "--only", "R4.1"], 2, "no case puts `R4.1` to the test"),
        (["Scenarios/smoke.yaml", "--only", "strangers", "--only", "R0.28"], 2, "no case puts `R0.28` to the test"),
        (["Scenarios/smoke.yaml", "--only", "strangers", "--skip", "strangers"], 2, "no case is left"),
        (["nowhere.yaml"], 2, "there is no file `nowhere.yaml`"),
        ([], 2, "check needs a profile or a scenario"),
    ] as [([String], Int32, String)])
    func usage(arguments: [String], code: Int32, says: String) throws {
        let run = try Rig.run(Rig.pushrig, ["check"] + arguments)
        #expect(run.code == code && (run.out + run.error).contains(says), "\(run.out)\(run.error)")
        if code == 2 { #expect(run.error.split(separator: "\n").count == 1, "\(run.error)") }
    }
}
