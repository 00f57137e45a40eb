import Basics
import Conformance
import Journal
import Testing

@testable import Verdicts

private func at(_ seconds: Double) -> Instant { SyntheticRun.origin + .seconds(seconds) }

/// A machine that has other things to do makes relay and rig late.
@Suite("Processors to spare") struct ProcessorsTests {
    /// The relay has used so much of a processor from the first to the second sample, a second later, and so long did a thread
    /// wait.
    struct Second {
        var used = 0.1
        var relay = 0.0
        var rig = 0.0
        var from = 1.0
    }

    private func run(_ second: Second, gate: String? = nil, slowly: Bool = false, missing: Bool = false, scale: Int = 1) throws -> RunRecord {
        var options = JudgeOptions()
        if let gate { options.gates = [gate] }
        return try judge(
            smallScenario + "\nclockScale: \(scale)\n", options: options,
            extras: { extras in
                extras.notes = [
                    (at(second.from), .relaySample(RelaySample(cpu: .seconds(5), residentBytes: 1, descriptors: 1, sockets: 1))),
                    (
                        at(second.from + Double(scale)),
                        .relaySample(
                            RelaySample(
                                cpu: .seconds(5 + second.used), residentBytes: 1, descriptors: 1, sockets: 1,
                                relayWaited: .seconds(second.relay), rigWaited: .seconds(second.rig)))
                    ),
                ]
            },
            spoil: { sendings, _ in
                if missing, !sendings.isEmpty { sendings.removeFirst() }
                if slowly, !sendings.isEmpty { sendings[sendings.count - 1].at = sendings[sendings.count - 1].at + .seconds(9) }
            })
    }

    private static let seconds: [(second: Second, code: Int32)] = [
        (Second(relay: 0.26), 5), (Second(rig: 0.26), 5), (Second(relay: 0.24, rig: 0.24), 4), (Second(), 4),
        // It kept itself from them.
        (Second(used: 0.81, relay: 0.9), 4), (Second(used: 0.79, relay: 0.9), 5), (Second(used: 0.81, rig: 0.3), 5),
        // Before the plan's start.
        (Second(relay: 0.5, rig: 0.5, from: -1.5), 4),
    ]

    @Test("blame that rests on time is not proven where a thread was kept from them", arguments: seconds)
    func blame(second: Second, code: Int32) throws {
        let record = try run(second, slowly: true)
        #expect(record.exit.code == code, "\(record.exit.reasons)")
        #expect(record.exit.reasons.contains { $0.contains("not sound: processors to spare: ") } == (code == 5))
    }

    private static let starvations: [(second: Second, code: Int32)] = [
        (Second(relay: 0.51), 5), (Second(relay: 0.24, rig: 0.24), 4), (Second(used: 0.81, relay: 0.9), 4),
    ]

    @Test("blame for what did not come is not proven where the relay hardly ran", arguments: starvations)
    func starved(second: Second, code: Int32) throws {
        let record = try run(second, missing: true)
        #expect(record.exit.code == code, "\(record.exit.reasons)")
        #expect(record.verdicts.contains { $0.basis.contains(.absence) && $0.standing == .broken })
    }

    @Test("a gate on time likewise, and one on anything else is held to", arguments: [
        ("delivery.p99 < 1ns", Int32(5)), ("late == 7", 5), ("pushes.rate > 1000000", 5), ("delivered == 7", 3),
        ("sessions.peak > 999", 3),
    ])
    func gates(gate: String, code: Int32) throws {
        #expect(try run(Second(rig: 0.3), gate: gate).exit.code == code)
        #expect(try run(Second(), gate: gate).exit.code == 3)
    }

    @Test("what is kept in spite of it is kept")
    func kept() throws {
        let record = try run(Second(relay: 0.9, rig: 0.9))
        #expect(record.exit.code == 0, "\(record.exit.reasons)")
        #expect(record.soundness.contains { $0.name == "processors to spare" && $0.passed && $0.detail.contains("900ms") })
    }

    @Test("a faster clock makes each wait longer")
    func scaled() throws {
        #expect(try run(Second(rig: 0.03), gate: "delivery.p99 < 1ns", scale: 10).exit.code == 5)
        #expect(try run(Second(rig: 0.02), gate: "delivery.p99 < 1ns", scale: 10).exit.code == 3)
    }
}
