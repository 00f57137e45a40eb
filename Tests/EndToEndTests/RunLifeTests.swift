import Basics
import Foundation
import Journal
import Testing

@Suite("A run's life, on record", .serialized)
struct RunLifeTests {
    /// Notes of the run, in order.
    func notes(_ folder: String) throws -> [RunNote] {
        var notes: [RunNote] = []
        _ = try JournalReader(directory: folder + "/journal").forEach(since: nil) { entry in
            if case .note(let note) = entry, let run = note.run { notes.append(run) }
            return true
        }
        return notes
    }

    /// In a word or two each, without samples.
    func words(_ notes: [RunNote]) -> [String] {
        notes.compactMap { note in
            switch note {
            case .plan: "plan"
            case .phase(let name): name
            case .faultGiven(let fault): "fault \(fault.number) \(fault.label)"
            case .faultTaken(let number): "fault \(number) taken"
            case .relayStarted(let restart, _): "started \(restart)"
            case .relayReady(let restart): "ready \(restart)"
            case .relayStopping(let signal): signal
            case .relayExited(let exit): exit.how + (exit.wasAsked ? ", asked" : "")
            case .relayMute: "mute"
            case .endedEarly: "ended early"
            case .clockOffset: "clocks"
            case .void: "void"
            case .relaySample: nil
            case .totals: "totals"
            case .finished: "finished"
            }
        }
    }

    /// A small load on the reference relay, over in three seconds.
    let small = [
        "run", "Scenarios/smoke.yaml", "--quiet", "--set", "workload.arrivals=[{rate: 30, for: 1s}]", "--set",
        "workload.pace=100", "--set", "phases.drain=1s", "--set", "exercises=[]", "--set",
        "faults=[{at: 500ms, match: {pushType: liveactivity, tokenFraction: 0.1}, action: {respond: {reason: Unregistered}}}]",
        "--set", "latenessBudget=5s",
    ]

    /// Starts `pushrig`, and calls `body` when the journal holds a note that `isThere` knows.
    func start(
        _ arguments: [String], folder: String, when isThere: (RunNote) -> Bool, _ body: (Process) throws -> Void
    ) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: Rig.pushrig)
        process.arguments = arguments + ["--out", folder]
        process.currentDirectoryURL = URL(filePath: Rig.root)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(Rig.wait { (try? notes(folder).contains(where: isThere)) ?? false })
        try body(process)
        Rig.wait { !process.isRunning }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test("everything that happens is a note, in order, with the whole scenario and all counts")
    func record() throws {
        try Rig.withFolder { folder in
            let restart = "relay.restarts=[{at: 1s, signal: TERM, down: 200ms}]"
            let run = try Rig.run(Rig.pushrig, small + ["--out", folder + "/run", "--gate", "lost < 100000", "--set", restart])
            let notes = try notes(folder + "/run")
            // The drain may begin while the relay is down.
            #expect(words(notes).contains("drain"))
            #expect(
                words(notes).filter { $0 != "drain" } == [
                    "plan", "started 0", "ready 0", "measure", "fault 0 410 Unregistered", "TERM",
                    "exited with code 0, asked", "started 1", "ready 1", "stop", "TERM",
                    "exited with code 0, asked", "fault 0 taken", "totals", "finished",
                ], "\(run.error)")
            guard case .plan(let plan)? = notes.first else { return }
            #expect(plan.files.map(\.path).contains { $0.hasSuffix("relays/opencode.yaml") } && plan.files.count >= 3)
            #expect(plan.files.first?.text == (try String(contentsOfFile: Rig.root + "/Scenarios/smoke.yaml", encoding: .utf8)))
            #expect(plan.overrides.last?.first == "relay.restarts" && plan.gates == ["lost < 100000"] && plan.seed == 1)
            #expect(notes.contains { if case .relaySample(let sample) = $0 { sample.residentBytes > 1 << 20 } else { false } })
            let totals = notes.compactMap { if case .totals(let totals) = $0 { totals } else { nil } }
            #expect(totals.first.map { $0.sent > 200 && $0.pushes > 30 && $0.firings.count == 1 && $0.tokens > 30 && $0.journalBytes > 1_000 } == true)
        }
    }

    @Test("a run that is killed can be read up to there, and nothing of its relay outlives it", arguments: [false, true])
    func killed(behindAShell: Bool) throws {
        try Rig.withFolder { folder in
            var arguments = small
            if behindAShell {
                let words = try String(contentsOfFile: Rig.root + "/Scenarios/smoke.yaml", encoding: .utf8)
                    .split(separator: "\n").filter { $0.hasPrefix("    - ") && !$0.contains("{ ") }.map { $0.dropFirst(6) }
                let command = words.map { $0.filter { $0 != "\"" } }.joined(separator: " ")
                arguments += ["--set", "relay.launch=[sh, -c, \"\(command); true\"]"]
            }
            var relay = ""
            let code = try start(arguments, folder: folder + "/run", when: { $0 == .phase("measure") }) { process in
                relay = try Rig.run("pgrep", ["-f", "relay.*" + folder + "/run/relay.sqlite"]).out
                usleep(1_200_000)
                kill(process.processIdentifier, SIGKILL)
            }
            #expect(code == SIGKILL && !relay.isEmpty)
            let found = words(try notes(folder + "/run"))
            #expect(found.prefix(4) == ["plan", "started 0", "ready 0", "measure"] && !found.contains("finished"), "\(found)")
            #expect(try Rig.wait { try Rig.run("pgrep", ["-f", folder + "/run/relay.sqlite"]).code == 1 })
        }
    }

    @Test("SIGINT, SIGTERM and SIGHUP end a run in order, with 130", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: Int32) throws {
        try Rig.withFolder { folder in
            let code = try start(small, folder: folder + "/run", when: { $0 == .phase("measure") }) { process in
                kill(process.processIdentifier, signal)
            }
            #expect(code == 130)
            let notes = try notes(folder + "/run")
            #expect(notes.last == .finished(FinishNote(isInterrupted: true)))
            #expect(FileManager.default.fileExists(atPath: folder + "/run/report.html"))
        }
    }

    @Test("a second signal ends it at once: all killed, no `finished`")
    func twice() throws {
        try Rig.withFolder { folder in
            let deaf = ["--set", "relay.launch=[sh, -c, \"trap '' TERM; python3 -m http.server --bind 127.0.0.1 {{relay.port}} "
                + "--directory {{run.dir}}; sleep 1000\"]", "--set", "relay.ready.path=/", "--set", "relay.stop.grace=60s"]
            let code = try start(small + deaf, folder: folder + "/run", when: { $0 == .phase("measure") }) { process in
                kill(process.processIdentifier, SIGINT)
                let isTold = try Rig.wait { try words(notes(folder + "/run")).contains("TERM") }
                #expect(isTold)
                kill(process.processIdentifier, SIGINT)
            }
            #expect(code == 130)
            #expect(words(try notes(folder + "/run")).last != "finished")
            #expect(try Rig.wait { try Rig.run("pgrep", ["-f", "directory " + folder]).code == 1 })
        }
    }

    @Test("faults come on time whatever a relay does that will not end")
    func onTime() throws {
        try Rig.withFolder { folder in
            let script = "trap '' TERM; python3 -m http.server --bind 127.0.0.1 {{relay.port}} --directory {{run.dir}} & "
                + "while :; do sleep 0.05; done"
            _ = try Rig.run(
                Rig.pushrig,
                small + [
                    "--out", folder + "/run", "--set", "relay.launch=[sh, -c, \"\(script)\"]", "--set", "relay.ready.path=/",
                    "--set", "relay.stop.grace=3s", "--set", "relay.restarts=[{at: 100ms, signal: TERM, down: 100ms}]",
                ])
            var origin: Instant?
            var given: Instant?
            var killed: Instant?
            _ = try JournalReader(directory: folder + "/run/journal").forEach(since: nil) { entry in
                guard case .note(let note) = entry, let run = note.run else { return true }
                if case .phase = run { origin = origin ?? note.at }
                if case .faultGiven = run { given = note.at }
                if case .relayExited = run { killed = killed ?? note.at }
                return true
            }
            let (begin, fault, end) = (try #require(origin), try #require(given), try #require(killed))
            #expect(fault - begin >= .milliseconds(500) && fault < end && end - begin >= .seconds(3))
        }
    }

    @Test("a relay that ends by itself under load is no failure of ours: the run goes to its end")
    func dies() throws {
        try Rig.withFolder { folder in
            let script = "timeout 3 python3 -m http.server --bind 127.0.0.1 {{relay.port}} --directory {{run.dir}}"
            let run = try Rig.run(
                Rig.pushrig,
                small + [
                    "--out", folder + "/run", "--set", "relay.launch=[sh, -c, \"\(script)\"]", "--set", "relay.ready.path=/",
                    "--set", "workload.arrivals=[{rate: 10, for: 5s}]",
                ])
            #expect(run.code != 1, "\(run.out)")
            let found = words(try notes(folder + "/run"))
            #expect(found.contains("exited with code 124") && found.last == "finished")
            let at = { (word: String) in found.firstIndex(of: word) ?? -1 }
            #expect(at("exited with code 124") < at("drain") && at("drain") < at("stop"))
        }
    }

    @Test("a relay that is never ready: nothing was judged, and the record says so")
    func neverReady() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig, small + ["--out", folder + "/run", "--set", "relay.launch=[sh, -c, 'echo no database; exit 7']"])
            #expect(run.code == 1)
            let notes = try notes(folder + "/run")
            guard case .finished(let finish)? = notes.last else { return }
            #expect(finish.wasNeverReady && finish.trouble?.contains("no database") == true)
            #expect(words(notes).prefix(3) == ["plan", "started 0", "exited with code 7"])
        }
    }

    @Test("with `tokens: registered` the mock knows the tokens of the sessions, and no others")
    func registered() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(Rig.pushrig, small + [
                "--out", folder + "/run", "--set", "mock.tokens=registered", "--set", "faults=[]", "--set", "gates=[lost == 0]",
                "--set", "workload.scripts=[{script: sessions/S0-happy.yaml}]",
            ])
            #expect(run.code == 0, "\(run.out)")
            let record = try Rig.json(folder + "/run/run.json")
            #expect(try #require(record["correlation"]?["totals"]?["delivered"]?.int) > 30)
            #expect(record["mock"]?["tokens"]?.int == 90)
        }
    }
}
