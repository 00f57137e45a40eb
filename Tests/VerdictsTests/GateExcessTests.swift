// When a gate can hold no more: exactly when nothing that may still come makes the judge say that it holds.

import Basics
import Journal
import Metrics
import Scenarios
import Testing

@testable import Verdicts

@Suite("A gate that can hold no more")
struct GateExcessTests {
    private let whole = GateWhole(events: 1_000, pushes: ["permission": 400, "complete": 600])

    private func gate(_ text: String) throws -> Gate { try Gate(parsing: text, kinds: ["permission", "complete"]) }

    private func excess(_ text: String, _ turn: (inout Correlation) -> Void, samples: [RelaySample] = []) throws -> String? {
        var correlation = Correlation()
        turn(&correlation)
        return try gate(text).excess(correlation, samples: samples, of: whole)
    }

    /// All that may still come comes, and is as good as can be.
    private func holdsInTheEnd(_ gate: Gate, _ slow: Int64, of most: Int64) -> Bool? {
        var correlation = Correlation()
        correlation.answer.record(5_000_000_000, count: slow)
        correlation.answer.record(1_000_000, count: most - slow)
        return gate.result(Measure(correlation: correlation, seconds: 1, realSeconds: 1, samples: [], slope: nil)).passed
    }

    @Test("is one that fails even where all that is still to come is good, and no other", arguments: [50.0, 90, 95, 99, 99.9])
    func exact(percentile: Double) throws {
        let word = percentile == 99.9 ? "p999" : "p\(Int(percentile))"
        let gate = try gate("answer.\(word) < 1s")
        for most in [Int64(1_100), 1_101, 1_199, 5_000] {
            var first: Int64?
            for slow in 0...most / 2 + 2 {
                var correlation = Correlation()
                correlation.answer.record(5_000_000_000, count: slow)
                // So many that the judge tells the percentile at all.
                correlation.answer.record(1_000_000, count: min(most - slow, Int64((100 / (100 - percentile)).rounded(.up)) + 1))
                let words = gate.excess(correlation, samples: [], of: GateWhole(events: Int(most), pushes: [:]))
                if words != nil {
                    first = slow
                    break
                }
            }
            let bound = try #require(first, "\(word) of \(most)")
            #expect(holdsInTheEnd(gate, bound, of: most) == false, "\(word) of \(most): \(bound)")
            #expect(holdsInTheEnd(gate, bound - 1, of: most) == true, "\(word) of \(most): \(bound - 1)")
        }
    }

    @Test("is none while the judge would not tell the percentile")
    func few() throws {
        #expect(try excess("answer.p99 < 1s") { $0.answer.record(5_000_000_000, count: 99) } == nil)
        let words = try excess("answer.p99 < 1s") { $0.answer.record(5_000_000_000, count: 100) }
        #expect(words == "100 of at most 1,000 are beyond it, and 10 may be")
        #expect(try excess("answer.max < 1s") { $0.answer.record(900_000_000, count: 100) } == nil)
        #expect(try excess("answer.max < 1s") { $0.answer.record(5_000_000_000) } == "5 s was measured")
    }

    @Test("counts the pushes that there can be, of a call or of all")
    func deliveries() throws {
        let late: (inout Correlation) -> Void = { c in
            c.delivery.record(5_000_000_000, count: 10)
            c.delivery.record(1_000_000, count: 200)
            c.deliveryByKind["complete"] = c.delivery
        }
        #expect(try excess("delivery.p99 < 1s", late) == nil)
        #expect(try excess("delivery.complete.p99 < 1s", late) == "10 of at most 600 are beyond it, and 6 may be")
        #expect(try excess("delivery.permission.p99 < 1s", late) == nil)
    }

    @Test("is on a share where so many have failed that no later success helps")
    func shares() throws {
        #expect(try excess("errors.rate <= 1%") { ($0.failed, $0.dropped, $0.events) = (9, 1, 10) } == nil)
        let words = try excess("errors.rate <= 1%") { ($0.failed, $0.dropped, $0.events) = (10, 1, 11) }
        #expect(words == "11 of at most 1,000 are beyond it, and 10 may be")
        #expect(try excess("errors.rate < 1%") { ($0.failed, $0.events) = (10, 11) } != nil)
        #expect(try excess("errors.rate == 0") { ($0.failed, $0.events) = (1, 11) } != nil)
        #expect(try excess("errors.rate == 0") { $0.events = 11 } == nil)
        // Nobody can know that there will not be more.
        #expect(try excess("errors.rate >= 50%") { $0.events = 900 } == nil)
    }

    @Test("is on the relay's process where its greatest is too great")
    func relay() throws {
        let sample = RelaySample(cpu: .zero, residentBytes: 300_000_000, descriptors: 12, sockets: 1)
        #expect(try excess("relay.rss.max < 200MB", { _ in }, samples: [sample])?.contains("was measured") == true)
        #expect(try excess("relay.rss.max < 400MB", { _ in }, samples: [sample]) == nil)
        #expect(try excess("relay.fds.max <= 12", { _ in }, samples: [sample]) == nil)
        #expect(try excess("relay.fds.max < 12", { _ in }, samples: [sample]) != nil)
        #expect(try excess("relay.fds.max < 12", { _ in }) == nil)
        // What only the whole tells.
        for text in ["lost == 0", "staleness.p99 < 1ms", "backlog.slope < 0.01", "events.rate < 1", "relay.cpu < 0.1"] {
            #expect(try excess(text, { $0.events = 1_000 }, samples: [sample]) == nil)
        }
    }

    @Test("so far comes to what the judge would say, or to nothing")
    func soFar() throws {
        var correlation = Correlation()
        correlation.answer.record(2_000_000_000, count: 200)
        let result = try gate("answer.p99 < 1s").soFar(correlation, samples: [])
        #expect(result?.passed == false && result?.valueText.hasPrefix("2") == true)
        #expect(try gate("lost == 0").soFar(correlation, samples: []) == nil)
        #expect(try gate("staleness.p99 < 1s").soFar(correlation, samples: []) == nil)
        #expect(try gate("delivery.p99 < 1s").soFar(correlation, samples: [])?.passed == nil)
    }

    // MARK: The judge

    private func run(_ code: (RunRecord) -> Void, gates: [String]) throws {
        let end = EarlyEndNote(gate: gates[0], reason: "3 of at most 9 are beyond it, and 0 may be")
        let record = try judge(
            smallScenario, extras: {
                $0.notes = [(at: SyntheticRun.origin + .seconds(10), note: .endedEarly(end))]
                $0.plan = { $0.gates = gates }
            })
        #expect(record.earlyEnd == RunRecord.EarlyEnd(at: .seconds(10), gate: gates[0], reason: end.reason))
        #expect(try RunRecord(json: record.json).earlyEnd == record.earlyEnd)
        code(record)
    }

    @Test("that ended a load stands in the verdict with its instant; a run that was ended so never passes")
    func judged() throws {
        let words = "the load was ended at +10s, because the gate answer.max < 1us could hold no more: "
            + "3 of at most 9 are beyond it, and 0 may be"
        try run({ record in
            #expect(record.exit.code == 3 && record.exit.reasons.contains(words), "\(record.exit.reasons)")
        }, gates: ["answer.max < 1us"])
        try run({ record in
            #expect(record.exit.code == 5 && record.exit.reasons.contains { $0.hasPrefix("the load was ended at +10s") })
        }, gates: ["answer.max < 1h"])
    }
}
