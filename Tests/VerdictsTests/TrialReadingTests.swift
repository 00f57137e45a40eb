// Whether a trial counts, and what it says of a goal.

import Basics
import Capacity
import Journal
import Conformance
import Metrics
import Scenarios
import Testing

@testable import Verdicts

@Suite("A trial")
struct TrialReadingTests {
    /// A thousand deliveries, so many of them above a second.
    private func record(slow: Int = 0, of count: Int = 1_000, _ turn: (inout RunRecord) -> Void = { _ in }) throws -> RunRecord {
        var correlation = Correlation()
        correlation.delivery.record(5_000_000, count: Int64(count - slow))
        correlation.delivery.record(3_000_000_000, count: Int64(slow))
        (correlation.events, correlation.expected) = (count, count)
        var record = RunRecord(
            name: "n", scenarioPath: "s", scenarioText: "", profile: "p", seed: 1, run: 1, command: "", replayCommand: "",
            planDigest: "", machine: Machine(), commit: "", toolVersion: "", startedAt: WallTime(seconds: 0),
            duration: .seconds(10), phases: [], bands: [],
            load: .init(
                sessions: 1, planned: Int64(count), sent: Int64(count), answered: Int64(count), failed: 0, dropped: 0, connections: 1),
            mock: .init(connections: 1, pushes: 1, byStatus: [:], tokens: 1, faultsFired: 0, journalBytes: 0), soundness: [],
            correlation: correlation, gates: [], verdicts: [], exit: .init(code: 0, word: "passed", reasons: []))
        let gate = try Gate(parsing: "delivery.p99 < 1s")
        record.gates = [gate.result(Measure(correlation: correlation, seconds: 10, realSeconds: 10, samples: []))]
        turn(&record)
        return record
    }

    private func reading(_ record: RunRecord, demandsMusts: Bool = false) throws -> TrialReading {
        TrialReading(record, goals: [[try Gate(parsing: "delivery.p99 < 1s")]], common: [], demandsMusts: demandsMusts)
    }

    @Test("holds where chance cannot have hidden that it does not, fails in the mirror case, else tells nothing", arguments: [
        (0, .good), (4, .good), (8, .undecided), (12, .undecided), (20, .bad), (500, .bad),
    ] as [(Int, TrialWord)])
    func percentiles(slow: Int, word: TrialWord) throws {
        let found = try reading(try record(slow: slow))
        #expect(found.void == nil && found.words == [word], "\(found.words)")
        #expect(found.reasons.isEmpty == (word == .good))
        #expect((found.reasons.first?.contains("too little data to tell") ?? false) == (word == .undecided))
    }

    @Test("tells nothing with too few samples, and nothing of a gate that the run does not have")
    func lacking() throws {
        #expect(try reading(try record(of: 100)).words == [.undecided])
        #expect(try reading(try record { $0.gates = [] }).words == [.undecided])
    }

    @Test("is void where the rig was the limit, and not for what the relay left open")
    func voids() throws {
        for name in ["our lateness", "our queues", "the history is whole", "processors to spare"] {
            let spoilt = try record { $0.soundness = [.init(name: name, passed: false, detail: "d")] }
            #expect(try reading(spoilt).void == "\(name): d")
        }
        for name in [Soundness.steadiness, "every deadline has passed"] {
            #expect(try reading(try record { $0.soundness = [.init(name: name, passed: false, detail: "d")] }).void == nil)
        }
        #expect(try reading(try record { $0.load.sent = 998 }).void == "998 of 1000 planned events were offered")
        #expect(try reading(try record { $0.load.sent = 999 }).void == nil)
        #expect(try reading(try record { $0.load.busiestThread = 900 }).void == "a thread of ours was busy for 90 % of the load")
        #expect(try reading(try record { $0.load.busiestThread = 899 }).void == nil)
        #expect(try reading(try record { $0.exit.code = 1 }).void != nil)
        #expect(try reading(try record { $0.soundness = [.init(name: "our queues", passed: false, detail: "")] }).words.isEmpty)
    }

    @Test("asks for every must where it confirms")
    func musts() throws {
        let broken = try record { $0.proof.broken = ["one-start"] }
        #expect(try reading(broken).words == [.good])
        let confirmed = try reading(broken, demandsMusts: true)
        #expect(confirmed.words == [.bad] && confirmed.reasons == ["one-start is broken"])
    }

    /// What never came would have been the oldest.
    @Test("tells no slope where many never came, unless a gate allows as many", arguments: [(0.01, false), (0.05, true)])
    func missing(mayMiss: Double, isGood: Bool) throws {
        let slope = try Gate(parsing: "backlog.slope < 0.01")
        let found = TrialReading(
            try record { record in
                record.correlation.expected = 1_000
                record.correlation.totals[.lost] = 20
                var ages = DeliveryAges()
                for second in 0..<10 { ages.add(microseconds: 100, count: 10, kind: 0, second: second) }
                record.gates = [
                    slope.result(
                        Measure(
                            correlation: record.correlation, seconds: 10, realSeconds: 10, samples: [],
                            slope: BacklogSlope(ages, in: 0..<10), mayMiss: mayMiss))
                ]
            }, goals: [[slope]], common: [])
        #expect(found.words == [isGood ? .good : .undecided], "\(found.reasons)")
        #expect(found.reasons.allSatisfy { $0.hasSuffix(": too many pushes never came to tell") } && found.reasons.isEmpty == isGood)
    }

    /// By how long a thread of the relay waited within a second, and whether the gate that was missed is one on time.
    @Test("is void where the relay was kept from a processor and a goal was missed", arguments: [
        (200, 500, true, false), (300, 500, true, true), (300, 0, true, false), (300, 500, false, false), (600, 500, false, true),
    ])
    func starved(milliseconds: Int, slow: Int, isOfTime: Bool, isVoid: Bool) throws {
        func sample(_ waited: Int) -> RelaySample {
            RelaySample(
                cpu: .milliseconds(100), residentBytes: 1, descriptors: 1, sockets: 1, relayWaited: .milliseconds(Int64(waited)))
        }
        var waits = ProcessorWaits()
        waits.add(sample(milliseconds), behind: sample(0), seconds: 1)
        let gate = try Gate(parsing: isOfTime ? "delivery.p99 < 1s" : "lost.rate < 1%")
        let record = try record(slow: slow) { record in
            (record.correlation.expected, record.correlation.totals) = (1_000, [.lost: slow, .delivered: 1_000 - slow])
            let measure = Measure(correlation: record.correlation, seconds: 10, realSeconds: 10, samples: [])
            record.gates = [gate.result(measure)]
        }
        let found = TrialReading(record, goals: [[gate]], common: [], waits: waits)
        #expect((found.void?.hasPrefix("processors to spare: within a second") ?? false) == isVoid, "\(found.void ?? "")")
        #expect(found.words == (isVoid ? [] : [slow > 0 ? .bad : .good]), "\(found.words)")
    }

    @Test("what all goals ask for fails all of them")
    func common() throws {
        let slope = try Gate(parsing: "backlog.slope < 0.01")
        var record = try record()
        var ages = DeliveryAges()
        for second in 0..<10 { ages.add(microseconds: second * 500_000, count: 10, kind: 0, second: second) }
        let measure = Measure(
            correlation: record.correlation, seconds: 10, realSeconds: 10, samples: [], slope: BacklogSlope(ages, in: 0..<10))
        record.gates.append(slope.result(measure))
        let goal = [try Gate(parsing: "delivery.p99 < 1s")]
        let found = TrialReading(record, goals: [goal, goal], common: [slope])
        #expect(found.words == [.bad, .bad] && found.reasons == ["backlog.slope < 0.01, measured 50 ms a second"])
        #expect(found.figures.slope == 0.05)
    }
}
