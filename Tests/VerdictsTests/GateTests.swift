// Gates against what was measured: what they divide by, and what is no data.

import Basics
import Journal
import Metrics
import Scenarios
import Testing

@testable import Verdicts

@Suite("A gate")
struct GateResultTests {
    private var measure: Measure {
        var c = Correlation()
        c.events = 200
        c.answered = 190
        c.failed = 6
        c.dropped = 4
        c.pushes = 95
        c.peakSessions = 12
        c.expected = 100
        c.totals = [.delivered: 90, .lost: 5, .late: 5, .duplicated: 900]
        c.classes = ["permission": [.delivered: 6, .lost: 2, .unexpected: 40]]
        c.delivery.record(20_000_000, count: 99)
        c.delivery.record(900_000_000)
        c.lastState.sessions = 10
        c.lastState.missingCount = 1
        return Measure(correlation: c, seconds: 10, realSeconds: 10, samples: [])
    }

    private func result(_ text: String, _ turn: (inout Measure) -> Void = { _ in }) throws -> RunRecord.GateResult {
        var measure = measure
        turn(&measure)
        return try Gate(parsing: text, kinds: ["permission", "complete"]).result(measure)
    }

    /// P8.
    @Test("on a share divides by expectations, not by what came besides")
    func rates() throws {
        #expect(try result("lost.rate < 1%").value == 0.05)
        #expect(try result("duplicated.rate < 1%").value == 9)
        #expect(try result("lost.permission.rate < 1%").value == 0.25)
        #expect(try result("lost == 0").value == 5)
        #expect(try result("lost.permission == 0").value == 2)
        #expect(try result("unexpected == 0").value == 0)
        #expect(try result("errors.rate < 1%").value == 0.05)
        #expect(try result("events.rate > 1").value == 19)
        #expect(try result("pushes.rate > 1").value == 9.5)
        #expect(try result("laststate.missing == 0").value == 1)
        #expect(try result("sessions.peak > 1").value == 12)
    }

    @Test("passes, is breached, or has no data")
    func outcome() throws {
        #expect(try result("lost <= 5").passed == true)
        #expect(try result("lost < 5").passed == false)
        #expect(try result("lost < 5").word == "breached")
        for text in [
            "lost.complete == 0", "dead.pushesafter == 0", "staleness.p99 < 1s", "delivery.complete.p50 < 1s", "relay.rss.max < 1",
            "relay.cpu < 1",
        ] {
            #expect(try result(text).passed == nil, "\(text)")
            #expect(try result(text).valueText == "no data")
        }
    }

    /// P6.
    @Test("on what never happened has no data")
    func noData() throws {
        #expect(try result("lost == 0") { $0.correlation.expected = 0 }.passed == nil)
        // Of such a call there were pushes, but none was expected.
        #expect(try result("lost.permission.rate < 1%") { $0.correlation.classes["permission"] = [.unexpected: 3] }.passed == nil)
        #expect(try result("laststate.missing == 0") { $0.correlation.lastState = LastState() }.passed == nil)
        #expect(try result("errors.rate < 1%") { $0.correlation.events = 0 }.passed == nil)
        #expect(try result("sessions.peak > 1") { $0.correlation.events = 0 }.passed == nil)
        #expect(try result("events.rate > 1") { $0.seconds = 0 }.passed == nil)
        #expect(try result("pushes.rate > 1") { $0.seconds = 0 }.passed == nil)
        #expect(try result("dead.pushesafter == 0") { $0.correlation.deadTokens.died = 1 }.passed == true)
        // A share of nothing, where pushes came that nobody expected.
        for text in ["lost.complete.rate < 1%", "unexpected.complete.rate < 1%", "lost.rate < 1%", "duplicated.rate < 1%"] {
            let share = try result(text) { measure in
                measure.correlation.classes["complete"] = [.unexpected: 3]
                measure.correlation.totals = [.unexpected: 3, .duplicated: 1]
            }
            #expect(share.passed == nil && share.valueText == "no data", "\(text)")
        }
        #expect(try result("unexpected == 0") { $0.correlation.totals = [.unexpected: 3] }.passed == false)
    }

    /// P8.
    @Test("on a percentile of too few samples holds only where the greatest does, and fails only where the least does")
    func fewSamples() throws {
        func few(_ text: String, _ count: Int64) throws -> Bool? {
            try result(text) { measure in
                measure.correlation.delivery = Histogram()
                measure.correlation.delivery.record(20_000_000, count: count - 1)
                measure.correlation.delivery.record(900_000_000)
            }.passed
        }
        #expect(try few("delivery.p99 < 1s", 4) == true)
        #expect(try few("delivery.p99 < 10ms", 4) == false)
        #expect(try few("delivery.p99 < 500ms", 4) == nil)
        #expect(try few("delivery.p99 < 500ms", 99) == nil)
        #expect(try few("delivery.p99 < 500ms", 100) == true)
        #expect(try few("delivery.p999 < 500ms", 999) == nil)
        #expect(try few("delivery.p999 < 500ms", 1_001) == true)
        #expect(try few("delivery.p50 < 500ms", 2) == true)
        #expect(try few("delivery.max < 500ms", 2) == false)
        #expect(try few("delivery.count == 2", 2) == true)
        #expect(try few("delivery.mean < 500ms", 2) == true)
    }

    @Test("on the relay's process reads its samples")
    func relay() throws {
        func sampled(_ text: String, events: Int = 200) throws -> RunRecord.GateResult {
            try result(text) { measure in
                measure.correlation.events = events
                measure.samples = (0..<8).map {
                    RelaySample(
                        cpu: .seconds(Double($0)), residentBytes: 1_000 + Int64($0) * 100, descriptors: 10 + $0 % 3, sockets: 1)
                }
            }
        }
        #expect(try sampled("relay.rss.max < 1700").value == 1_700)
        #expect(try sampled("relay.rss.max < 1700").passed == false)
        #expect(try sampled("relay.fds.max <= 12").passed == true)
        #expect(try sampled("relay.cpu < 1").value == 0.7)
        // The means of the last and the first two, over 200 events.
        #expect(try sampled("relay.rss.growth < 10").value == 3)
        #expect(try sampled("relay.rss.growth < 10", events: 0).value == nil)
        #expect(try result("relay.rss.growth < 10") { $0.samples = [.init(cpu: .zero, residentBytes: 1, descriptors: 1, sockets: 1)] }.value == nil)
        #expect(try result("relay.rss.growth < 10") { measure in
            measure.samples = (0..<4).map { .init(cpu: .zero, residentBytes: Int64(400 - $0), descriptors: 1, sockets: 1) }
        }.value == 0)
    }

    @Test("is read in its own unit", arguments: [
        ("delivery.p50 < 1s", "nanoseconds"), ("delivery.count > 1", "count"), ("lost < 1", "count"), ("lost.rate < 1%", "ratio"),
        ("events.rate > 1", "perSecond"), ("relay.rss.max < 1", "bytes"), ("relay.cpu < 1", "ratio"), ("relay.fds.max < 9", "count"),
        ("laststate.missing == 0", "count"), ("errors.rate < 1%", "ratio"),
    ] as [(String, String)])
    func units(text: String, unit: String) throws { #expect(try result(text).unit.rawValue == unit) }
}
