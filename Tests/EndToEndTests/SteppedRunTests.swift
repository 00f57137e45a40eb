import Basics
import Testing

@Suite("a run on a clock that is stepped", .serialized)
struct SteppedRunTests {
    private let scenario = "Scenarios/long/S0-8h.yaml"

    /// The relay leaves it to the phone to end an activity, and the question comes then.
    private func endedByPhone(askAt: String) -> [String] {
        [
            "relay.launch[23]=9h", "relay.with={ activities: {} }", "exercises=[throttle-respected, states-in-time]",
            "workload.scripts=[{ script: ../sessions/S0-8h.yaml, with: { askAt: \(askAt) } }]",
        ].flatMap { ["--set", $0] }
    }

    @Test("eight hours of a session take seconds, and the relay ends what grows too old")
    func eightHours() throws {
        try Rig.withFolder { folder in
            let time = ContinuousClock()
            let began = time.now
            let run = try Rig.run(Rig.pushrig, ["run", scenario, "--out", folder + "/run", "--quiet"])
            #expect(run.code == 0, "\(run.out)\n\(run.error)")
            #expect(time.now - began < .seconds(60))
            let record = try Rig.json(folder + "/run/run.json")
            #expect(try #require(record["durationNanoseconds"]?.int) > 8 * 3_600_000_000_000)
            #expect(try #require(record["correlation"]?["totals"]?["delivered"]?.int) > 470)
            let ended = record["verdicts"]?.array?.first { $0["id"]?.string == "aged-activity-ended" }
            #expect(ended?["verdict"]?.string == "kept")
            // Nobody was late who did not wait on purpose.
            #expect(try #require(record["correlation"]?["lateness"]?["maxNanoseconds"]?.int) < 1_000_000)
        }
    }

    @Test("the last millisecond of an activity's life is its own")
    func lastMillisecond() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig, ["run", scenario, "--out", folder + "/run", "--quiet"] + endedByPhone(askAt: "8h0.999s"))
            #expect(run.code == 0, "\(run.out)\n\(run.error)")
        }
    }

    @Test("a millisecond later the phone shows nothing any more")
    func tooLate() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig, ["run", scenario, "--out", folder + "/run", "--quiet"] + endedByPhone(askAt: "8h1s"))
            #expect(run.code == 4, "\(run.out)\n\(run.error)")
            let record = try Rig.json(folder + "/run/run.json")
            let outcomes = record["correlation"]?["outcomes"]
            #expect(outcomes?["ignored-ended"]?.int ?? 0 >= 1, "\(outcomes?.text ?? "")")
        }
    }

    @Test("a relay that takes no part is told in one line")
    func noPart() throws {
        try Rig.withFolder { folder in
            let run = try Rig.run(
                Rig.pushrig,
                [
                    "run", "Scenarios/smoke.yaml", "--out", folder + "/run", "--quiet", "--stepped", "--set",
                    "relay.environment={ CLOCK: '{{mock.clock}}' }",
                ])
            #expect(run.code == 1, "\(run.out)\n\(run.error)")
            #expect((run.out + run.error).contains("does not take part in the clock"))
        }
    }
}
