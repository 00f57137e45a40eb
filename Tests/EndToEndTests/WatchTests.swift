// A run that is watched while it goes on, and one that a gate ends: the real program from outside.

import Basics
import Foundation
import Journal
import Testing

@Suite("A run that goes on", .serialized, .timeLimit(.minutes(10)))
struct RunWatchTests {
    private static let load = [
        "run", "Scenarios/smoke.yaml", "--plain", "--set", "workload.pace=20", "--set", "phases.drain=1s", "--set", "exercises=[]",
        "--set", "faults=[{at: 1s, match: {pushType: liveactivity, tokenFraction: 0.1}, action: {respond: {reason: Unregistered}}}]",
        "--set", "latenessBudget=5s", "--seed", "3",
    ]

    private func ask(_ port: String, _ path: String) -> String? {
        let output = try? Rig.run("curl", ["-s", "-f", "-m", "5", "http://127.0.0.1:\(port)\(path)"], seconds: 10)
        return output?.code == 0 ? output?.out : nil
    }

    private func value(_ name: String, _ page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap { Double($0) }
    }

    @Test("is seen with its calls, pushes and their latencies, and its port is gone when it is over")
    func watched() throws {
        try Rig.withFolder { folder in
            let process = Process()
            process.executableURL = URL(filePath: Rig.pushrig)
            process.arguments =
                Self.load + [
                    "--out", folder + "/run", "--watch", "0", "--set", "workload.arrivals=[{rate: 40, for: 4s}]", "--gate",
                    "answer.p99 < 1h",
                ]
            process.currentDirectoryURL = URL(filePath: Rig.root)
            process.standardOutput = FileHandle.nullDevice
            let pipe = Pipe()
            process.standardError = pipe
            try process.run()
            defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            var said = ""
            while !said.contains("/metrics)\n"), let byte = try pipe.fileHandleForReading.read(upToCount: 1) {
                said += String(decoding: byte, as: UTF8.self)
            }
            DispatchQueue.global().async { _ = try? pipe.fileHandleForReading.readToEnd() }
            let port = try #require(said.components(separatedBy: "http://127.0.0.1:").last?.split(separator: "/").first.map(String.init))
            var metrics = ""
            let isJoined = Rig.wait {
                guard let page = ask(port, "/metrics") else { return false }
                metrics = page
                return value("pushrig_delivery_latency_seconds_count", page) ?? 0 > 20
            }
            #expect(isJoined, "\(metrics.suffix(3_000))")
            let state = try JSONValue(parsing: try #require(ask(port, "/state")))
            #expect(state["run"]?["scenario"]?.string == "smoke" && state["run"]?["seed"] == "3")
            #expect(state["load"]?["answered"]?.int ?? 0 > 0 && state["mock"]?["pushes"]?.int ?? 0 > 20)
            #expect(state["whole"]?["delivery"]?["p50Nanoseconds"]?.int ?? 0 > 0)
            let gates = try #require(state["gates"]?.array)
            #expect(gates.contains { $0["text"] == "answer.p99 < 1h" && $0["word"] == "holds" }, "\(gates.map(\.text))")
            #expect(ask(port, "/")?.contains("<title>PushRig run</title>") == true)
            Rig.wait(seconds: 60) { !process.isRunning }
            #expect(process.terminationStatus == 0)
            #expect(ask(port, "/metrics") == nil)
            // What was seen is what the judge found: the joined pushes are among those that were expected.
            let record = try Rig.json(folder + "/run/run.json")
            #expect(record["correlation"]?["delivery"]?["count"]?.int ?? 0 > 20)
            #expect(record["correlation"]?["latencyCourse"]?["answer"]?["count"]?.array?.isEmpty == false)
            #expect(record["endedEarly"]?.isNull == true)
        }
    }

    /// Of a gate on time a busy machine makes a doubt.
    @Test(
        "ends as soon as a gate can hold no more, and the judge of its journal says the same",
        arguments: [("answer.p99 < 1us", "are beyond it, and", [3, 5]), ("relay.rss.max < 1MB", "was measured", [3])])
    func aborted(gate: String, reason: String, codes: [Int32]) throws {
        try Rig.withFolder { folder in
            let start = Date.now
            let run = try Rig.run(
                Rig.pushrig,
                Self.load + [
                    "--out", folder + "/run", "--quiet", "--set", "workload.arrivals=[{rate: 40, for: 60s}]", "--set",
                    "workload.maxSessions=10000", "--set",
                    "gates=[lost.rate < 100%, {gate: '\(gate)', abort: true}]",
                ])
            #expect(codes.contains(run.code), "\(run.out)\(run.error)")
            #expect(Date.now.timeIntervalSince(start) < 40)
            let record = try Rig.json(folder + "/run/run.json")
            let early = try #require(record["endedEarly"])
            #expect(early["gate"]?.string == gate && early["reason"]?.string?.contains(reason) == true)
            let at = try #require(early["atNanoseconds"]?.int)
            #expect(at > 0 && at < 50_000_000_000)
            let reasons = record["exit"]?["reasons"]?.array?.compactMap(\.string) ?? []
            #expect(reasons.contains { $0.hasPrefix("gate breached: \(gate)") }, "\(reasons)")
            #expect(reasons.contains { $0.hasPrefix("the load was ended at +") }, "\(reasons)")
            // What the relay was not told any more is nobody's fault, nor are faults and restarts that were still to come.
            #expect(!reasons.contains { $0.contains("never met anything") || $0.contains("is broken") }, "\(reasons)")
            let judged = try Rig.run(Rig.pushrig, ["judge", folder + "/run", "--format", "json"])
            #expect(judged.code == run.code)
            let again = try JSONValue(parsing: judged.out)
            #expect(again["exit"] == record["exit"] && again["endedEarly"] == early)
        }
    }

    /// A relay that answers is warm at once; one that is asked for what nobody can do never is.
    @Test("is measured from when the relay is warm, and where it never is that is said", arguments: [
        ("answer.p50 < 1s", true), ("answer.p50 < 1ns", false),
    ])
    func warm(until: String, isWarm: Bool) throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                Self.load + [
                    "--out", folder + "/run", "--quiet", "--set", "workload.arrivals=[{rate: 40, for: 12s}]", "--set",
                    "workload.maxSessions=10000", "--set", "gates=[answer.p99 < 1h]", "--set", "phases.warmUp=9s", "--set",
                    "phases.until='\(until)'",
                ])
            let record = try Rig.json(folder + "/run/run.json")
            let checks = record["soundness"]?.array ?? record["soundness"]?["checks"]?.array ?? []
            let check = try #require(checks.first { $0["name"] == "a warm relay" }, "\(run.out)\(run.error)")
            #expect(check["passed"] == .bool(isWarm) && (run.code == 0) == isWarm)
            let phases = try #require(record["phases"]?.array)
            let start = try #require(phases.first { $0["name"] == "measure" }?["startNanoseconds"]?.int)
            #expect(isWarm ? (5_000_000_000..<9_000_000_000).contains(start) : start == 9_000_000_000, "\(start)")
            // What was planned before is not measured.
            let all = try #require(record["load"]?["planned"]?.int)
            let measured = try #require(record["correlation"]?["answer"]?["count"]?.int)
            #expect(measured > 0 && measured < all)
            let judged = try Rig.run(Rig.pushrig, ["judge", folder + "/run", "--format", "json"])
            #expect(judged.code == run.code)
            #expect(try JSONValue(parsing: judged.out)["correlation"]?["answer"] == record["correlation"]?["answer"])
        }
    }

    @Test("is not begun where the gate cannot end it for certain, or the place is none")
    func refused() throws {
        let gates = ["--set", "gates=[{gate: 'lost == 0', abort: true}]", "--dry-run"]
        let lost = try Rig.run(Rig.pushrig, Self.load + gates)
        #expect(lost.code == 2 && lost.error.contains("the gate `lost == 0` cannot end a run early: `lost` is known only when the run is over"))
        let place = try Rig.run(Rig.pushrig, Self.load + ["--watch", "nowhere"])
        #expect(place.code == 2 && place.error.contains("--watch nowhere is no address to listen on"))
    }
}
