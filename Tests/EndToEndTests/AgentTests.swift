// What runs beside people: agents over MCP, collectors of metrics, editors and containers.

import Basics
import Foundation
import Testing

@Suite("Machines that use the program", .serialized, .timeLimit(.minutes(10)))
struct AgentTests {
    private static let python = Rig.root + "/.build/agent-client/bin/python"

    @Test("the protocol's own client lists the tools, and starts mocks, runs, judges and explains by them")
    func agent() throws {
        try #require(FileManager.default.isExecutableFile(atPath: Self.python), "script/setup --tests makes it")
        try Rig.withFolder { folder in
            let tour = try Rig.run(Self.python, ["Tests/AgentClient/tour.py", Rig.pushrig, folder + "/run"])
            #expect(tour.code == 0, "\(tour.out)\(tour.error)")
            #expect(tour.out.split(separator: "\n").count == 12, "\(tour.out)")
        }
    }

    @Test("a wrong line is answered with an error of JSON-RPC, and the server goes on")
    func wrongLines() throws {
        try Rig.withFolder { folder in
            let lines = [
                "no json", "[]", #"{"jsonrpc":"2.0","id":1,"method":"nonsense"}"#, #"{"jsonrpc":"2.0","method":"nonsense"}"#,
                #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nonsense"}}"#,
                #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run","arguments":{"scenarios":"x"}}}"#,
                #"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"run","arguments":{"scenario":"--help"}}}"#,
                #"{"jsonrpc":"2.0","id":5,"method":"ping"}"#,
            ]
            try (lines.joined(separator: "\n") + "\n").write(toFile: folder + "/in", atomically: true, encoding: .utf8)
            let output = try Rig.run("bash", ["-c", "exec \"$0\" mcp < \"$1\"", Rig.pushrig, folder + "/in"])
            #expect(output.code == 0, "\(output.error)")
            let answers = try output.out.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(answers.map { $0["error"]?["code"]?.int } == [-32700, -32600, -32601, -32602, nil, nil, nil])
            #expect(answers[4]["result"]?["content"]?.array?.first?["text"]?.string?.contains("did you mean `scenario`?") == true)
            #expect(answers[5]["result"]?["isError"] == true, "an operand is no option")
            #expect(answers[6]["result"] == [:])
        }
    }

    @Test("a collector reads the metrics of a run by OpenTelemetry's own messages; one that is away is told")
    func collector() throws {
        try #require(FileManager.default.isExecutableFile(atPath: Self.python), "script/setup --tests makes it")
        try Rig.withFolder { folder in
            let collector = Process()
            collector.executableURL = URL(filePath: Self.python)
            collector.arguments = [Rig.root + "/Tests/AgentClient/collector.py"]
            let log = folder + "/collector.log"
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            collector.standardOutput = FileHandle(forWritingAtPath: log)
            try collector.run()
            defer {
                kill(collector.processIdentifier, SIGKILL)
                collector.waitUntilExit()
            }
            func lines() -> [Substring] { ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n") }
            #expect(Rig.wait { !lines().isEmpty })
            let port = try #require(lines().first)
            let run = ["run", "Scenarios/epilogue.yaml", "--quiet", "--seed", "3", "--otlp"]
            let good = try Rig.run(Rig.pushrig, run + ["http://127.0.0.1:\(port)", "--out", folder + "/run"])
            #expect(good.code == 0 && !good.error.contains("posts of metrics"), "\(good.error)")
            let last = try JSONValue(parsing: String(try #require(lines().last)))
            #expect(last["path"] == "/v1/metrics" && last["service"] == "pushrig")
            let record = try Rig.json(folder + "/run/run.json")
            let sent = last["metrics"]?["pushrig_calls_sent_total"]?.array
            #expect(sent?.first == "sum")
            #expect(sent?.last?.double == record["load"]?["sent"]?.double, "the last post has all of it")
            #expect(last["metrics"]?["pushrig_call_latency_seconds"]?.array?.first == "histogram")
            let lost = try Rig.run(Rig.pushrig, run + ["http://127.0.0.1:9", "--out", folder + "/lost"])
            #expect(lost.code == 0 && lost.error.contains("posts of metrics failed"), "\(lost.error)")
            let foreign = try Rig.run(Rig.pushrig, run + ["http://192.0.2.1:4318", "--out", folder + "/foreign"])
            #expect(foreign.code == 2 && foreign.error.contains("--allow-host"), "\(foreign.error)")
        }
    }

    @Test("lint tells each mistake with its place, what is hardly meant as a warning, and nothing of a good file")
    func lint() throws {
        try Rig.withFolder { folder in
            let bad = folder + "/bad.yaml"
            try "relay:\n  profile: relays/opencode.yaml\n  bogus: 1\nworkload:\n  arrivals: [{ rate: a, for: 4s }]\n".write(
                toFile: bad, atomically: true, encoding: .utf8)
            let text = try Rig.run(Rig.pushrig, ["lint", bad, "Scenarios/smoke.yaml"])
            #expect(text.code == 2)
            #expect(text.out.contains("\(bad):3:3: error: unknown key `bogus`"), "\(text.out)")
            #expect(text.out.split(separator: "\n").allSatisfy { $0.hasPrefix(bad) }, "\(text.out)")
            let json = try Rig.run(Rig.pushrig, ["lint", "--format", "json", bad])
            let remarks = try #require(try JSONValue(parsing: json.out).array)
            #expect(remarks.contains { $0["line"]?.int == 5 && $0["severity"] == "error" }, "\(json.out)")
            let doubtful = "Scenarios/relays/sendora.yaml"
            let warned = try Rig.run(Rig.pushrig, ["lint", doubtful])
            #expect(warned.code == 0 && warned.out.contains(": warning: "), "\(warned.out)")
            #expect(try Rig.run(Rig.pushrig, ["lint", "--strict", doubtful]).code == 2)
            #expect(try Rig.run(Rig.pushrig, ["lint", folder + "/absent.yaml"]).code == 2)
            let part = try Rig.run(Rig.pushrig, ["lint", "Scenarios/sessions/S0-happy.yaml"])
            #expect(part.code == 0 && part.out.contains(": note: only its YAML"), "\(part.out)")
        }
    }

    @Test("a mock's health is 0 while it is up, and 1 or 2 with a reason when it is not")
    func health() throws {
        try Rig.withFolder { folder in
            let state = folder + "/state"
            let mock = try MockProcess(folder: state)
            let up = try Rig.run(Rig.pushrig, ["mock", "--health", "--state", state])
            #expect(up.code == 0 && up.out.hasPrefix("healthy: http://127.0.0.1:"), "\(up.error)")
            let admin = try #require(mock.ready["admin"]?.string).dropFirst("http://".count)
            #expect(try Rig.run(Rig.pushrig, ["mock", "--health", "--admin", String(admin)]).code == 0)
            mock.kill9()
            #expect(try Rig.run(Rig.pushrig, ["mock", "--health", "--state", state]).code == 2)
            let down = try Rig.run(Rig.pushrig, ["mock", "--health", "--admin", String(admin)])
            #expect(down.code == 1 && down.error.contains("does not answer"), "\(down.error)")
        }
    }

    @Test("a program that was installed finds the scenarios that came with it, in any folder")
    func installed() throws {
        try Rig.withFolder { folder in
            let files = FileManager.default
            for path in ["/bin", "/share/pushrig", "/elsewhere"] {
                try files.createDirectory(atPath: folder + path, withIntermediateDirectories: true)
            }
            try files.copyItem(atPath: Rig.pushrig, toPath: folder + "/bin/pushrig")
            try files.copyItem(atPath: Rig.root + "/Scenarios", toPath: folder + "/share/pushrig/Scenarios")
            let plan = try Rig.run(
                "bash", ["-c", "cd \"$0/elsewhere\" && ../bin/pushrig run quickstart --dry-run", folder])
            #expect(plan.code == 0 && plan.out.contains("scenario   quickstart"), "\(plan.error)")
            try files.removeItem(atPath: folder + "/share")
            let lost = try Rig.run("bash", ["-c", "cd \"$0/elsewhere\" && ../bin/pushrig run quickstart --dry-run", folder])
            #expect(lost.code == 2 && lost.error.contains("there is no file `quickstart`"), "\(lost.error)")
        }
    }
}
