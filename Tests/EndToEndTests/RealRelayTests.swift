// Software from PyPI, unchanged, asked by `pushrig check` (Tests/RealRelays, docs/real-relays.md).

import Basics
import Foundation
import Testing

@Suite("Real relays", .serialized)
struct RealRelayTests {
    private static let python = Rig.root + "/.build/real-relays/bin/python"

    @Test("are installed as Tests/RealRelays/requirements.txt says; script/setup --tests does it")
    func installed() throws {
        let list = try String(contentsOfFile: Rig.root + "/Tests/RealRelays/requirements.txt", encoding: .utf8)
        let wanted = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0).lowercased() }
        let run = try Rig.run(Self.python, ["-m", "pip", "freeze"], seconds: 60)
        #expect(run.code == 0, "\(run.error)")
        let there = run.out.split(separator: "\n").map { String($0).lowercased() }
        #expect(there.sorted() == wanted.sorted())
    }

    @Test("are green but for what is known of them, and that is found", arguments: [
        ("aioapns", ["rotated-token", "goaway"], ["provider-token-reused"]),
        (
            "django", ["lifecycle", "outage", "refused-streams"],
            ["provider-token-reused", "connections-reused", "goaway-obeyed", "states-delivered"]
        ),
        ("pyapns-client", ["expired-device-token", "too-many-requests"], ["dead-device-token-dropped", "connections-reused"]),
        ("fcm-django", ["dead-registration", "unavailable"], ["failure-awaited"]),
    ])
    func check(name: String, cases: [String], known: [String]) throws {
        try Rig.withFolder { folder in
            let state = folder + "/state"
            let told = try Rig.run(Rig.pushrig, ["mock", "--state", state, "--print-env", "--format", "json"])
            let settings = try JSONValue(parsing: told.out)
            let free = try Rig.run("/usr/bin/python3", ["-c", "import socket as s; x = s.create_server(('127.0.0.1', 0)); print(x.getsockname()[1])"])
            let address = "127.0.0.1:" + free.out.filter(\.isNumber)
            let relay = Process()
            relay.executableURL = URL(filePath: Rig.pushrig)
            relay.currentDirectoryURL = URL(filePath: Rig.root)
            relay.arguments = [
                "exec", "--state", state, "--quiet", "--", Self.python, "Tests/RealRelays/\(name)/relay.py", address,
            ]
            var environment = ProcessInfo.processInfo.environment
            for key in ["APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC"] { environment[key] = settings[key]?.string }
            environment["RELAY_DATABASE"] = folder + "/relay.sqlite"
            relay.environment = environment
            _ = FileManager.default.createFile(atPath: folder + "/relay.log", contents: nil)
            relay.standardError = FileHandle(forWritingAtPath: folder + "/relay.log")
            relay.standardOutput = FileHandle.nullDevice
            try relay.run()
            defer {
                relay.terminate()
                relay.waitUntilExit()
            }
            let isReady = try Rig.wait(seconds: 60) { try Rig.run("curl", ["-sf", "http://\(address)/health"]).code == 0 }
            #expect(isReady, "\((try? String(contentsOfFile: folder + "/relay.log", encoding: .utf8)) ?? "")")
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "check", "Tests/RealRelays/\(name)/profile.yaml", "--relay", "http://" + address, "--mock", state, "--seed", "4",
                    "--set", "relay.ready.path=/health", "--set", "latenessBudget=5s", "--out", folder + "/check",
                ] + cases.flatMap { ["--only", $0] }, seconds: 400)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            for rule in known { #expect(run.out.contains(rule), "\(rule): \(run.out)") }
        }
    }
}
