// Shards of a run, by the real program: with worlds of their own on clocks that are stepped, and with one mock and one relay.

import Basics
import Foundation
import Journal
import Testing

@Suite("Shards", .serialized)
struct ShardTests {
    private let stepped = "Tests/Shards/stepped.yaml"
    private let start = ["--start-at", "2026-11-20T10:00:00Z", "--quiet"]

    private func shard(_ index: Int, of count: Int, to folder: String, _ more: [String] = []) throws -> Rig.Output {
        try Rig.run(Rig.pushrig, ["run", stepped, "--shard", "\(index)/\(count)", "--out", folder] + start + more)
    }

    private func merge(_ folders: [String], to folder: String) throws -> Rig.Output {
        try Rig.run(Rig.pushrig, ["merge"] + folders + ["--out", folder])
    }

    @Test("four of them come to what the run in one piece does, and to nothing where one is missing, double or changed")
    func four() throws {
        try Rig.withFolder { folder in
            let whole = try Rig.run(Rig.pushrig, ["run", stepped, "--out", folder + "/one"] + start)
            #expect(whole.code == 0, "\(whole.out)\(whole.error)")
            let folders = (0..<4).map { "\(folder)/\($0)" }
            for (index, place) in folders.enumerated() {
                let run = try shard(index, of: 4, to: place)
                #expect(run.code == 0, "\(run.out)\(run.error)")
            }
            let merged = try merge(folders.reversed(), to: folder + "/all")
            #expect(merged.code == 0 && merged.error == "", "\(merged.out)\(merged.error)")
            let same = try Rig.run(
                "python3", ["Tests/Cluster/compare.py", folder + "/one/run.json", folder + "/all/run.json"])
            #expect(same.code == 0, "\(same.out)\(same.error)")
            // It is a run folder like any other.
            #expect(try Rig.run(Rig.pushrig, ["judge", folder + "/all"]).code == 0)
            #expect(try Rig.run(Rig.pushrig, ["judge", folder + "/all", "--gate", "delivery.max < 1ms"]).code == 3)
            let history = try Rig.run(Rig.pushrig, ["journal", folder + "/all", "--session", "5"])
            #expect(history.code == 0 && history.out.contains("session 5"), "\(history.out)\(history.error)")
            #expect(try Rig.run(Rig.pushrig, ["report", folder + "/all", "--out", folder + "/page"]).code == 0)
            #expect(try merge(folders, to: folder + "/all").code == 2)

            let missing = try merge(Array(folders.dropLast()), to: folder + "/missing")
            #expect(missing.code == 5 && missing.error == "pushrig: shard 3 of 4 is missing\n", "\(missing.out)\(missing.error)")
            // Nothing is said to be lost of those whose calls nobody knows.
            #expect(missing.out.contains("gate  passed     lost == 0") && missing.out.contains("  - shard 3 of 4 is missing"))
            #expect(try Rig.run(Rig.pushrig, ["judge", folder + "/missing"]).code == 5)
            try FileManager.default.copyItem(atPath: folders[1], toPath: folder + "/again")
            let double = try merge(folders + [folder + "/again"], to: folder + "/double")
            #expect(double.code == 5 && double.error.contains("shard 1 is there 2 times"), "\(double.error)")
            let other = try shard(3, of: 4, to: folder + "/other", ["--run-id", "yesterday"])
            #expect(other.code == 0)
            let stale = try merge(folders.dropLast() + [folder + "/other"], to: folder + "/stale")
            #expect(stale.code == 5 && stale.error.contains("other is mixed in: it has another run id"), "\(stale.error)")
            let again = try shard(0, of: 4, to: folders[0])
            #expect(again.code == 5 && again.error.contains("was tried in"), "\(again.error)")
            #expect(try merge(folders, to: folder + "/still").code == 0, "a second attempt that did nothing spoils nothing")
        }
    }

    @Test("a broken must is told where a shard is missing as well")
    func broken() throws {
        try Rig.withFolder { folder in
            // A known break that has healed fails a run like one that is new.
            let run = try shard(0, of: 2, to: folder + "/0", ["--known-failing", "alerts-only-where-due"])
            #expect(run.code == 4, "\(run.out)\(run.error)")
            let merged = try merge([folder + "/0"], to: folder + "/all")
            #expect(merged.code == 5, "\(merged.out)\(merged.error)")
            #expect(merged.out.contains("proven all the same: alerts-only-where-due is kept again"), "\(merged.out)")
        }
    }

    @Test("what cannot be is told in one line")
    func wrong() throws {
        func told(_ words: [String]) throws -> String {
            let run = try Rig.run(Rig.pushrig, words)
            #expect(run.code == 2 && run.error.split(separator: "\n").count == 1, "\(run.code) \(run.error)")
            return run.error
        }
        let mock = ["--mock", "http://127.0.0.1:1"]
        #expect(try told(["run", stepped] + mock).contains("is for shards"))
        #expect(try told(["run", stepped, "--shard", "0/2"] + mock).contains("wants a clock that is stepped"))
        #expect(try told(["run", "Scenarios/smoke.yaml", "--shard", "0/2"] + mock).contains("wants faults"))
        #expect(try told(["run", stepped, "--shard", "0/2", "--barrier", "/tmp/b"]).contains("wait for nobody"))
        #expect(try told(["run", stepped, "--shard", "auto"]).contains("finds none of JOB_COMPLETION_INDEX"))
        #expect(try told(["merge"]).contains("DIR is missing"))
        #expect(try told(["merge", "Scenarios"]).contains("holds no journal"))
        try Rig.withFolder { folder in
            let text = try String(contentsOfFile: Rig.root + "/Tests/Shards/shared.yaml", encoding: .utf8)
            let seedless = text.replacing("seed: 11\n", with: "").replacing("../..", with: Rig.root)
            try seedless.write(toFile: folder + "/s.yaml", atomically: false, encoding: .utf8)
            #expect(try told(["run", folder + "/s.yaml", "--shard", "0/2", "--dry-run"]).contains("shards of one run need one seed"))
            #expect(try Rig.run(Rig.pushrig, ["run", folder + "/s.yaml", "--shard", "0/2", "--dry-run", "--seed", "3"]).code == 0)
        }
    }
}

/// One mock and one relay that are up.
private final class Field {
    let mock: MockProcess
    let relay = Process()
    let folder: String
    let url: String

    init(_ folder: String) throws {
        self.folder = folder
        let topic = "com.anomalyco.mobilevoice"
        mock = try MockProcess(folder: folder + "/mock", arguments: ["--topic", topic])
        let ready = Pipe()
        relay.executableURL = URL(filePath: Rig.pushrig)
        let port = try Rig.freePort()
        url = "http://127.0.0.1:\(port)"
        func word(_ name: String) throws -> String { try #require(mock.ready[name]?.string) }
        relay.arguments = [
            "relay", "--dialect", "opencode", "--listen", "127.0.0.1:\(port)", "--apns", "https://" + (try word("apns")),
            "--apns-ca", try word("ca"), "--key", try word("apnsKey"), "--key-id", try word("keyId"), "--team-id",
            try word("teamId"), "--topic", topic, "--storage", folder + "/relay.sqlite", "--throttle", "1s",
        ]
        relay.standardOutput = ready
        try relay.run()
    }

    deinit {
        if relay.isRunning { relay.terminate() }
        relay.waitUntilExit()
    }

    /// Starts a shard; its clock is off by `shift`.
    func shard(
        _ index: Int, of count: Int, shift: String = "0s", wait: String = "20s", to name: String? = nil, lateStart: String? = nil
    ) throws -> Process {
        let admin = try #require(mock.ready["admin"]?.string)
        let process = Process()
        process.executableURL = URL(filePath: Rig.pushrig)
        process.currentDirectoryURL = URL(filePath: Rig.root)
        process.environment = ProcessInfo.processInfo.environment.merging(["PUSHRIG_TEST_CLOCK": shift]) { $1 }
        process.arguments = [
            "run", "Tests/Shards/shared.yaml", "--shard", "\(index)/\(count)", "--run-id", "r", "--mock", admin, "--set",
            "relay.url=" + url, "--quiet", "--out", folder + "/" + (name ?? "\(index)"),
        ] + (lateStart.map { ["--start-at", $0] } ?? ["--barrier", admin, "--barrier-wait", wait])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    func merge(_ folders: [String], to name: String = "all") throws -> Rig.Output {
        try Rig.run(Rig.pushrig, ["merge"] + folders.map { folder + "/" + $0 } + ["--out", folder + "/" + name])
    }

    /// Whether the shard's journal has come to that phase.
    func hasBegun(_ phase: String, _ index: Int) -> Bool {
        guard let reader = try? JournalReader(directory: "\(folder)/\(index)/journal") else { return false }
        var found = false
        _ = try? reader.forEach(since: nil) { entry in
            if case .note(let note) = entry, case .phase(phase) = note.run { found = true }
            return !found
        }
        return found
    }
}

@Suite("Shards of one mock and one relay", .serialized)
struct SharedShardTests {
    @Test("are one run on the mock's clock, however far off their own are")
    func clocks() throws {
        try Rig.withFolder { folder in
            let field = try Field(folder)
            let shards = try ["-3s", "0s", "3s"].enumerated().map { try field.shard($0.offset, of: 3, shift: $0.element) }
            for shard in shards { shard.waitUntilExit() }
            #expect(shards.map(\.terminationStatus) == [0, 0, 0])
            let merged = try field.merge(["0", "1", "2", "mock"])
            #expect(merged.code == 0, "\(merged.out)\(merged.error)")
            let record = try Rig.json(folder + "/all/run.json")
            #expect(record["correlation"]?["totals"]?["lost"] == nil)
            #expect(try #require(record["correlation"]?["totals"]?["delivered"]?.int) >= 40)
            let slowest = try #require(record["correlation"]?["delivery"]?["maxNanoseconds"]?.int)
            #expect(slowest < 2_000_000_000, "three seconds of difference would show")
            let clocks = record["soundness"]?.array?.first { $0["name"] == "the machines' clocks agree" }
            #expect(clocks?["passed"] == true && clocks?["detail"]?.string?.contains("good to ±") == true)
            // A gate whose margin is smaller than that decides nothing.
            let near = try Rig.run(Rig.pushrig, ["judge", folder + "/all", "--gate", "delivery.max <= \(slowest / 1_000)us"])
            #expect(near.code == 5 && near.out.contains("the clocks of the machines agree within"), "\(near.out)\(near.error)")

            let alone = try field.merge(["0", "1", "2"], to: "no-mock")
            #expect(alone.code == 5 && alone.error.contains("the journal of the mock at http"), "\(alone.error)")
            #expect(!alone.out.contains("proven all the same"), "\(alone.out)")
            for (name, start) in [("late", "2026-01-01T00:00:00Z"), ("double", nil)] {
                let void = try field.shard(1, of: 3, to: name, lateStart: start)
                void.waitUntilExit()
                #expect(void.terminationStatus == 5)
                let merged = try field.merge(["0", name, "2", "mock"], to: "with-" + name)
                #expect(merged.code == 5, "\(merged.out)\(merged.error)")
                let says = start == nil ? "is at the barrier already" : "shard 1 came late: it was to begin"
                #expect(merged.error.contains(says) && merged.error.split(separator: "\n").count == 1, "\(merged.error)")
                // What its namesake sent is nobody's, and not held against the relay.
                #expect(merged.out.contains("gate  passed     unexpected == 0"), "\(merged.out)")
            }
        }
    }

    @Test("void the run where one is killed", arguments: ["start", "measure", "drain"])
    func killed(phase: String) throws {
        try Rig.withFolder { folder in
            let field = try Field(folder)
            let victim = try field.shard(1, of: 2)
            if phase == "start" {
                #expect(Rig.wait { FileManager.default.fileExists(atPath: folder + "/1/journal/run.journal") })
                kill(victim.processIdentifier, SIGKILL)
            }
            let other = try field.shard(0, of: 2, wait: phase == "start" ? "1s" : "20s")
            if phase != "start" {
                #expect(Rig.wait { field.hasBegun(phase, 1) })
                kill(victim.processIdentifier, SIGKILL)
            }
            for process in [victim, other] { process.waitUntilExit() }
            let merged = try field.merge(["0", "1", "mock"])
            #expect(merged.code == 5, "\(merged.out)\(merged.error)")
            // Who is killed before it has come to the barrier is one that the other waited for in vain.
            let neverCame = phase == "start" && merged.error.contains("waited 1s for the others: 1 of 2 came, not 1")
            #expect(merged.error.contains("was killed in its phase `\(phase)`") || neverCame, "\(merged.error)")
            #expect(phase == "start" || other.terminationStatus == 0)
            #expect(!merged.out.contains("proven all the same"), "\(merged.out)")
        }
    }
}
