// Relays that are none: neither `check` nor `run` finds one right, and each says what it lacks, in bounded time.

import Basics
import Foundation
import Testing

@Suite("Relays that are none")
struct OddRelayTests {
    /// What each does, and the rule of which it is convicted.
    private static let modes = [
        ("ok", "accepted-is-pushed"), ("echo", "accepted-is-pushed"), ("hang", "relay-serves"), ("garbage", "states-delivered"),
        ("dies", "relay-serves"), ("crowds", "stream-limit-obeyed"),
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

    @Test("One that answers nothing is not called to the end of the plan, which is said, also when it is judged again")
    func silent() throws {
        try Rig.withFolder { folder in
            let words = Self.launch("hang").map { JSONValue.string($0).text }.joined(separator: ", ")
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", "Scenarios/conformance/starts.yaml", "--quiet", "--out", folder + "/run", "--set", "latenessBudget=5s",
                    "--set", "relay.launch=[\(words)]", "--set", "workload.requestTimeout=1s",
                ])
            let again = try Rig.run(Rig.pushrig, ["judge", folder + "/run"])
            for output in [run, again] {
                #expect(output.code == 4 && output.out.contains("relay-serves"), "\(output.out)\(output.error)")
                let lines = output.out.split(separator: "\n")
                for line in [lines.first, lines.first { $0.hasPrefix("  - ") }] {
                    #expect(line?.contains("the relay answered no call for 3") == true, "\(output.out)")
                }
            }
            let load = try Rig.json(folder + "/run/run.json")["load"]
            #expect(load?["answered"]?.int == 0 && load?["sent"]?.int ?? 0 > 0, "\(String(describing: load))")
        }
    }

    @Test("One that hangs on a third of its calls is called to the end of the plan")
    func halting() throws {
        try Rig.withFolder { folder in
            let words = Self.launch("halts").map { JSONValue.string($0).text }.joined(separator: ", ")
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", "Scenarios/conformance/starts.yaml", "--quiet", "--out", folder + "/run", "--set", "latenessBudget=5s",
                    "--set", "relay.launch=[\(words)]", "--set", "workload.maxSessions=6", "--set", "workload.requestTimeout=1s",
                ])
            #expect(run.code == 4 && run.out.contains("relay-serves"), "\(run.out)\(run.error)")
            #expect(!run.out.contains("was not sent"), "\(run.out)")
        }
    }

    /// `check` of a profile with the relay at that address, in a mode, that runs already.
    private static func standing(_ mode: String, _ arguments: [String], _ look: (Rig.Output, JSONValue) throws -> Void) throws {
        try Rig.withFolder { folder in
            let state = folder + "/state"
            let mock = try MockProcess(folder: state)
            let free = try Rig.run("/usr/bin/python3", ["-c", "import socket as s; x = s.create_server(('127.0.0.1', 0)); print(x.getsockname()[1])"])
            let address = "127.0.0.1:" + free.out.filter(\.isNumber)
            let relay = Process()
            relay.executableURL = URL(filePath: "/usr/bin/python3")
            relay.arguments = [Rig.root + "/Tests/OddRelays/relay.py", "--listen", address, "--mode", mode]
            relay.standardError = FileHandle.nullDevice
            try relay.run()
            defer {
                // A child of ours may have been born with SIGTERM blocked.
                kill(relay.processIdentifier, SIGKILL)
                relay.waitUntilExit()
                mock.process.terminate()
                mock.process.waitUntilExit()
            }
            #expect(try Rig.wait(seconds: 20) { try Rig.run("curl", ["-sf", "http://\(address)/health"]).code == 0 })
            let words = [
                "check", "Scenarios/relays/opencode.yaml", "--relay", "http://" + address, "--mock", state, "--seed", "4", "--set",
                "latenessBudget=5s", "--out", folder + "/check",
            ]
            let run = try Rig.run(Rig.pushrig, words + arguments, seconds: 300)
            try look(run, try Rig.json(folder + "/check/check.json"))
        }
    }

    @Test("One that runs already and dies is convicted, and what comes behind is not asked")
    func gone() throws {
        let cases = ["strangers", "goodbye", "two-phones", "lifecycle"].flatMap { ["--only", $0] }
        try Self.standing("dies", cases + ["--set", "relay.ready.timeout=2s"]) { run, record in
            #expect(run.code == 4 && run.out.contains("relay-serves"), "\(run.out)\(run.error)")
            let verdicts = record["cases"]?.array?.compactMap { $0["verdict"]?.string } ?? []
            #expect(verdicts.count == 4 && verdicts.count { $0 == "broken" } == 1 && verdicts.count { $0 == "not exercised" } == 3)
            #expect(run.out.contains("the relay had been there, and is gone") && run.out.contains("the relay was gone"), "\(run.out)")
        }
    }

    @Test("One that runs already and answers no call is asked three cases and no more")
    func mute() throws {
        let cases = ["strangers", "goodbye", "two-phones", "lifecycle", "dismissed-card"].flatMap { ["--only", $0] }
        try Self.standing("hang", cases + ["--set", "workload.requestTimeout=1s"]) { run, record in
            #expect(run.code == 4, "\(run.out)\(run.error)")
            let verdicts = record["cases"]?.array?.compactMap { $0["verdict"]?.string } ?? []
            #expect(verdicts.count { $0 == "broken" } == 3 && verdicts.count { $0 == "not exercised" } == 2, "\(verdicts)")
            #expect(run.out.contains("the relay answered no call of 3 cases"), "\(run.out)")
        }
    }

    @Test("One that runs already has its provider token called expired once, and may not be called where nobody allowed it")
    func once() throws {
        let list = ["check", "Scenarios/relays/opencode.yaml", "--list", "--mock-address", "127.0.0.1:1", "--mock-state", "none"]
        let told = try Rig.run(Rig.pushrig, list + ["--relay", "http://127.0.0.1:1"])
        #expect(told.code == 0 && told.out.contains("the relay signs anew for it, as for `"), "\(told.out)")
        let alone = try Rig.run(Rig.pushrig, list + ["--relay", "http://127.0.0.1:1", "--only", "expired-credential"])
        #expect(alone.code == 0 && !alone.out.contains("signs anew for it"), "\(alone.out)")
        let far = try Rig.run(Rig.pushrig, list.filter { $0 != "--list" } + ["--relay", "http://192.0.2.1:1", "--out", "/nowhere/at/all"])
        #expect(far.code == 2 && far.error.contains("--allow-host 192.0.2.1"), "\(far.error)")
        #expect(far.error.split(separator: "\n").count == 1, "\(far.error)")
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
