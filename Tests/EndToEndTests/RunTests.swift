import Basics
import Foundation
import Net
import Testing

@Suite("pushrig run", .serialized)
struct RunTests {
    private let smoke = "Scenarios/smoke.yaml"
    /// How late our own events leave is a matter of the machine, and not of these tests.
    private let judged = ["--set", "latenessBudget=5s"]

    @Test("passes an honest relay, writes every file, and the page needs no network")
    func passes() throws {
        try Rig.withFolder { folder in
            let out = folder + "/run"
            let run = try Rig.run(Rig.pushrig, ["run", smoke, "--out", out] + judged)
            #expect(run.code == 0, "\(run.out)\n\(run.error)")
            for name in ["run.json", "report.html", "junit.xml", "summary.md", "latency.hlog", "scenario.yaml"] {
                let size = try FileManager.default.attributesOfItem(atPath: out + "/" + name)[.size] as? Int
                #expect((size ?? 0) > 100, "\(name)")
            }
            let record = try Rig.json(out + "/run.json")
            #expect(record["exit"]?["word"]?.string == "passed")
            #expect(try #require(record["correlation"]?["totals"]?["delivered"]?.int) > 100)
            #expect(record["correlation"]?["lastState"]?["missingCount"]?.int == 0)
            #expect(try #require(record["correlation"]?["deadTokens"]?["died"]?.int) > 0)
            let page = try String(contentsOfFile: out + "/report.html", encoding: .utf8)
            #expect(!page.contains("src=\"http") && !page.contains("href=\"http"))
            #expect(run.out.contains("--seed 1"))
            let again = try Rig.run(Rig.pushrig, ["report", out, "--out", folder + "/again"])
            #expect(again.code == 0)
            let second = try String(contentsOfFile: folder + "/again/report.html", encoding: .utf8)
            let lines = zip(page.split(separator: ">"), second.split(separator: ">")).first { $0 != $1 }
            #expect(second == page, "\(lines.map { "\($0.0) != \($0.1)" } ?? "")")
        }
    }

    @Test("a gate that does not hold makes it exit 3")
    func gate() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig, ["run", smoke, "--out", folder + "/run", "--gate", "delivery.p99<1us", "--quiet"] + judged)
            #expect(run.code == 3, "\(run.out)\n\(run.error)")
            #expect(run.out.contains("delivery.p99<1us"))
        }
    }

    @Test("a relay that stops answering for good is never green")
    func silentRelay() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                ["run", smoke, "--out", folder + "/run", "--set", "relay.restarts=[{at: 3s, signal: KILL, down: 10m}]"])
            #expect([3, 4, 5].contains(run.code), "\(run.code)\n\(run.out)\n\(run.error)")
            let record = try Rig.json(folder + "/run/run.json")
            #expect(record["exit"]?["code"]?.int == Int64(run.code))
            #expect(try #require(record["correlation"]?["failed"]?.int) > 0)
            // The outage that lasted to the end is drawn as well.
            #expect(record["bands"]?.array?.contains { $0["kind"]?.string == "restart" } == true)
        }
    }

    @Test("a relay restarted mid-run keeps its registrations; the gap is in the report and the run is judged")
    func restart() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                ["run", smoke, "--out", folder + "/run", "--set", "relay.restarts=[{at: 5s, signal: KILL, down: 1s}]"]
                    + judged)
            #expect([0, 3, 4, 5].contains(run.code), "\(run.code)\n\(run.out)\n\(run.error)")
            let record = try Rig.json(folder + "/run/run.json")
            let bands = try #require(record["bands"]?.array)
            let outage = try #require(bands.first { $0["kind"]?.string == "restart" })
            #expect(outage["startNanoseconds"]!.int! >= 5_000_000_000)
            // Sessions registered before the restart end after it: their last states arrive all the same.
            #expect(try #require(record["correlation"]?["lastState"]?["delivered"]?.int) > 20)
            let correlation = try #require(record["correlation"])
            let gap =
                (correlation["failed"]?.int ?? 0) + (correlation["totals"]?["lost"]?.int ?? 0)
                + (correlation["totals"]?["late"]?.int ?? 0)
            #expect(gap > 0)
        }
    }

    @Test("a relay that never becomes ready is told, with a report all the same")
    func neverReady() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", smoke, "--out", folder + "/run", "--set", "relay.launch=[sleep, '30']", "--set",
                    "relay.ready.timeout=500ms", "--quiet",
                ])
            #expect(run.code == 1)
            #expect(run.out.contains("did not answer"))
            #expect(FileManager.default.fileExists(atPath: folder + "/run/report.html"))
        }
    }

    @Test("a relay that dies by itself is told, with its last words")
    func dies() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", smoke, "--out", folder + "/run", "--set",
                    "relay.launch=[sh, -c, 'echo no database; exit 7']",
                    "--quiet",
                ])
            #expect(run.code == 1)
            #expect(run.out.contains("exited with code 7"))
            #expect(run.out.contains("no database"))
        }
    }

    @Test("colours are for a terminal: none in a file, though the panel has one", arguments: [false, true])
    func colours(onTerminal: Bool) throws {
        try Rig.withFolder { folder in
            // The stream that is not asked about goes the other way.
            let shell = "'env -u NO_COLOR TERM=xterm \"$@\" \(onTerminal ? 2 : 1)> \(folder)/file', 'sh'"
            let run = try Rig.run(
                "python3",
                [
                    "-c", "import pty, sys; pty.spawn(['sh', '-c', \(shell)] + sys.argv[1:])", Rig.pushrig, "run", smoke,
                    "--out", folder + "/run", "--quiet", "--set", "relay.launch=[sh, -c, 'exit 7']",
                ])
            let text = onTerminal ? run.out : try String(contentsOfFile: folder + "/file", encoding: .utf8)
            #expect(text.contains("exited with code 7") && text.contains("\u{1B}[") == onTerminal, "\(text)\(run.error)")
        }
    }

    @Test("a run's mock listens where it was free, so that runs do not meet")
    func ports() throws {
        try Rig.withFolder { folder in
            let launch = "relay.launch=[sh, -c, 'cat {{run.dir}}/mock/mock.json; exit 7']"
            _ = try Rig.run(Rig.pushrig, ["run", smoke, "--out", folder, "--quiet", "--set", launch])
            let mock = try Rig.json(folder + "/relay.log")
            for name in ["apns", "admin"] {
                let port = try #require(mock[name]?.string?.split(separator: ":").last.flatMap { UInt16($0) })
                #expect(port >= 1_024, "\(name)")
            }
        }
    }

    @Test("the same seed gives the same plan, another seed another")
    func plan() throws {
        func digest(_ seed: String) throws -> Substring {
            let run = try Rig.run(Rig.pushrig, ["run", "Scenarios/quickstart.yaml", "--dry-run", "--seed", seed])
            #expect(run.code == 0)
            return try #require(run.out.split(separator: "\n").first { $0.hasPrefix("digest") })
        }
        #expect(try digest("7") == digest("7"))
        #expect(try digest("7") != digest("8"))
    }

    @Test(
        "a mistake of the user is one line with the fix, and exit code 2",
        arguments: [
            (["run"], "SCENARIO is missing"),
            (["run", "nowhere.yaml"], "nowhere.yaml"),
            (["run", "Scenarios/smoke.yaml", "--sed", "1"], "did you mean `--seed`?"),
            (["run", "Scenarios/smoke.yaml", "--gate", "delivry.p99<1ms"], "delivry.p99"),
            (["run", "Scenarios/smoke.yaml", "--set", "workload.maxSesions=1"], "maxSessions"),
            (["rum"], "did you mean `run`?"),
            (["mock", "--apns", "here"], "127.0.0.1:2197"),
            (["relay", "--dialect", "opencod"], "opencode"),
            (["bench", "https://api.push.apple.com"], "apple"),
            (["bench", "https://127.0.0.1:2197", "--requests", "1", "--duration", "1s"], "give one of them"),
            (["bench", "https://127.0.0.1:2197", "--body-bytes", "28"], "29"),
            (["explain", "BadDevicToken"], "BadDeviceToken"),
        ])
    func usage(arguments: [String], expected: String) throws {
        let run = try Rig.run(Rig.pushrig, arguments)
        #expect(run.code == 2, "\(run.error)")
        #expect(run.error.contains(expected), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
        #expect(run.out.isEmpty)
    }

    @Test("a mock whose address of channel management is taken by default takes another, and says so in its ready line")
    func busyChannels() throws {
        try Rig.withFolder { folder in
            // Somebody has it: we, or another mock on this machine.
            let other = try? ListeningSocket(SocketAddress(host: "127.0.0.1", port: 2196))
            let port = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0)).boundAddress.port
            let mock = try Rig.run(
                "timeout",
                ["-s", "TERM", "2", Rig.pushrig, "mock", "--state", folder + "/state", "--apns", "127.0.0.1:\(port)", "--admin", "127.0.0.1:0"])
            #expect(mock.out.hasPrefix(#"{"ready":true"#), "\(mock.error)")
            #expect(!mock.out.contains("127.0.0.1:2196"))
            withExtendedLifetime(other) {}
        }
    }

    @Test("a busy port is told in one line")
    func busyPort() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(folder: folder + "/state")
            let run = try Rig.run(
                Rig.pushrig, ["mock", "--state", folder + "/other", "--apns", mock.address.description])
            #expect(run.code == 1)
            #expect(run.error.contains("cannot listen on \(mock.address)"))
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }
}
