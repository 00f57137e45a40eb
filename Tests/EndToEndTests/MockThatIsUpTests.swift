// A relay elsewhere and a mock that is up: `--mock`, `--print-env`, and the page that tells of both.

import Basics
import Foundation
import Net
import Testing
import YAML

@Suite("A mock that is up", .serialized)
struct MockThatIsUpTests {
    @Test("has its place taken by the cases of a check, for a relay in another network namespace, and comes back")
    func apart() throws {
        try Rig.withFolder { folder in
            let cases = ["strangers", "rotated-token", "goodbye"]
            let run = try Rig.run(
                "Tests/Apart/relay",
                [Rig.pushrig, folder, "--set", "latenessBudget=5s", "--seed", "4"] + cases.flatMap { ["--only", $0] },
                seconds: 200)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect(run.out.contains("3 cases: 3 kept") && run.out.contains("afterwards: 403"), "\(run.out)\(run.error)")
            let record = try Rig.json(folder + "/check/rotated-token/run.json")
            #expect(record["replayCommand"]?.string?.contains(" --mock ") == true)
            #expect(record["correlation"]?["pushes"]?.int ?? 0 > 2)
            #expect(!FileManager.default.fileExists(atPath: folder + "/check/rotated-token/mock/ca.pem"))
        }
    }

    @Test("is told where it is missing, and where it does not fit")
    func wrong() throws {
        try Rig.withFolder { folder in
            let scenario = ["Scenarios/smoke.yaml", "--mock", folder + "/state"]
            for verb in ["run", "check"] {
                let run = try Rig.run(Rig.pushrig, [verb] + scenario)
                #expect(run.code == 2 && run.error.contains("no mock is up on \(folder)/state (start it: pushrig mock"))
                #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
            }
            let mock = try MockProcess(folder: folder + "/state")
            let both = try Rig.run(Rig.pushrig, ["run", "Scenarios/conformance/environments.yaml"] + scenario.dropFirst())
            #expect(both.code == 2 && both.error.contains("plays production alone"), "\(both.error)")
            let twice = try Rig.run(Rig.pushrig, ["check"] + scenario + ["--mock-state", "x"])
            #expect(twice.code == 2 && twice.error.contains("leave --mock-address and --mock-state out"), "\(twice.error)")
            withExtendedLifetime(mock) {}
        }
    }

    @Test("comes back when the run that has its place was killed")
    func killed() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state")
            let process = Process()
            process.executableURL = URL(filePath: Rig.pushrig)
            process.currentDirectoryURL = URL(filePath: Rig.root)
            process.arguments = [
                "run", "Scenarios/smoke.yaml", "--quiet", "--mock", folder + "/state", "--out", folder + "/run",
            ]
            try process.run()
            #expect(Rig.wait { FileManager.default.fileExists(atPath: folder + "/run/relay.log") })
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            var arguments = ["-s", "--http2", "--cacert", mock.ca, "-d", #"{"aps":{"alert":"hello"}}"#]
            for (name, value) in mock.headers { arguments += ["-H", "\(name): \(value)"] }
            #expect(try Rig.wait { try Rig.run("curl", arguments + ["-o", "/dev/null", mock.url]).code == 0 })
            #expect(Rig.wait { (try? mock.journaled()) == [200: 1] })
        }
    }

    @Test("is told of in variables, before it is up as well", arguments: [
        ("sh", "export APNS_URL=https://127.0.0.1:2197\n"), ("docker", "APNS_URL=https://127.0.0.1:2197\n"),
        ("json", #"{"APNS_URL":"https://127.0.0.1:2197","#),
    ])
    func variables(format: String, start: String) throws {
        try Rig.withFolder { folder in
            let state = folder + "/it's state"
            let words = ["mock", "--state", state, "--apns", "127.0.0.1:2197", "--print-env", "--format", format]
            let told = try Rig.run(Rig.pushrig, words)
            #expect(told.code == 0 && told.out.hasPrefix(start), "\(told.out)\(told.error)")
            #expect(FileManager.default.fileExists(atPath: state + "/ca.pem"))
            guard format == "sh" else { return }
            let script = told.out + "test -f \"$APNS_CA_FILE\" && test -f \"$APNS_KEY_FILE\" && printf %s \"$APNS_KEY_TEXT\" | cmp -s - \"$APNS_KEY_FILE\" && echo $APNS_TOPIC"
            #expect(try Rig.run("sh", ["-c", script]).out == "com.example.app\n")
            let mock = try MockProcess(folder: state)
            let asked = try Rig.run(Rig.pushrig, words)
            #expect(asked.out.contains("APNS_PORT=\(mock.address.port)\n"), "where it is, not where it would be: \(asked.out)")
        }
    }

    @Test("plays FCM at its usual address where none is named, and leaves out what nobody knows yet")
    func usualFCM() throws {
        try Rig.withFolder { folder in
            func told(_ words: [String]) throws -> (code: Int32, out: String, error: String) {
                let run = try Rig.run(Rig.pushrig, ["mock", "--state", folder + "/state", "--print-env"] + words)
                return (run.code, run.out, run.error)
            }
            for words in [["--fcm"], ["--fcm", "--format", "docker"], ["--fcm=127.0.0.1:2198"], ["--fcm", "127.0.0.1:2198"]] {
                let run = try told(words)
                #expect(run.code == 0 && run.out.contains("FCM_URL=https://127.0.0.1:2198\n"), "\(run.out)\(run.error)")
            }
            let free = try told(["--fcm", "127.0.0.1:0"])
            #expect(free.code == 0 && free.error.contains("FCM_URL and FCM_TOKEN_URI are left out"), "\(free.error)")
            #expect(!free.out.contains("FCM_URL") && free.out.contains("FCM_PROJECT=") && free.out.contains("APNS_URL="))
        }
    }

    @Test("has no variables that nobody could use", arguments: [
        (["--apns", "127.0.0.1:0"], "port 0 is any port"), (["--apns", "0.0.0.0:2197"], "add --name NAME"),
    ])
    func unusable(words: [String], says: String) throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(Rig.pushrig, ["mock", "--state", folder + "/state", "--print-env"] + words)
            #expect(run.code == 2 && run.error.contains(says) && run.out == "", "\(run.out)\(run.error)")
        }
    }

    @Test("docs/staging.compose.yaml: each pushrig command has words that its --help tells")
    func compose() throws {
        let path = Rig.root + "/docs/staging.compose.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let services = try #require(try YAMLNode.parse(text: text, file: path).json["services"]?.object)
        var seen: Set<String> = []
        for name in services.keys {
            let words = services[name]?["command"]?.array?.compactMap(\.string) ?? []
            guard words.first == "pushrig", words.count > 1 else { continue }
            seen.insert(words[1])
            let help = try Rig.run(Rig.pushrig, [words[1], "--help"])
            #expect(help.code == 0)
            for word in words where word.hasPrefix("--") { #expect(help.out.contains("\n  \(word) "), "\(name): \(word)") }
        }
        #expect(seen == ["mock", "check"])
        #expect(text.contains("NOT RUN"))
    }
}
