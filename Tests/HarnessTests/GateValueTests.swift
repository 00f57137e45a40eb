// What gates compare, over a correlation made by hand. Times are a few nanoseconds: there the histogram is exact.

import Basics
import Metrics
import Reports
import Scenarios
import Testing

@testable import Harness

private let sample: Correlation = {
    var sample = Correlation()
    sample.expected = 10
    sample.totals = [.delivered: 6, .superseded: 2, .late: 1, .lost: 1, .duplicated: 3]
    sample.classes = ["complete": [.delivered: 3, .lost: 1], "progress": [.delivered: 3, .superseded: 2, .late: 1]]
    for nanoseconds in [100, 200, 300] as [Int64] { sample.delivery.record(nanoseconds) }
    var complete = Histogram()
    complete.record(500)
    sample.deliveryByKind["complete"] = complete
    sample.answer.record(10)
    sample.lateness.record(20)
    sample.events = 20
    sample.answered = 8
    sample.failed = 1
    sample.dropped = 1
    sample.pushes = 12
    sample.lastState.sessions = 5
    sample.lastState.missingCount = 2
    sample.deadTokens.pushesAfterDeath = 4
    sample.peakSessions = 7
    return sample
}()

@Suite struct `A gate's value` {
    private static let values: [(gate: String, value: Double)] = [
        ("delivery.p50 < 1s", 200), ("delivery.max < 1s", 300), ("delivery.mean < 1s", 200), ("delivery.count > 1", 3),
        ("delivery.complete.p99 < 1s", 500), ("answer.p99 < 1s", 10), ("lateness.p99 < 1s", 20),
        ("delivered > 0", 6), ("lost == 0", 1), ("late == 0", 1), ("superseded == 0", 2), ("duplicated == 0", 3),
        ("reordered == 0", 0), ("complete.lost == 0", 1), ("complete.lost.rate == 0", 0.25),
        ("progress.superseded == 0", 2), ("events.rate > 1", 2), ("pushes.rate > 1", 3), ("laststate.missing == 0", 2),
        ("dead.pushesafter == 0", 4), ("errors.rate < 1%", 0.1), ("sessions.peak > 1", 7),
    ]

    @Test(arguments: values) func `is what was measured`(row: (gate: String, value: Double)) throws {
        #expect(try Gate(parsing: row.gate).measure.value(sample, loadSeconds: 4) == row.value)
    }

    @Test(arguments: values.map(\.gate).filter { !$0.contains(".rate > ") && $0 != "delivery.count > 1" })
    func `is nil when there was nothing to measure, and the gate has no result`(gate: String) throws {
        let result = try Gate(parsing: gate).result(Correlation(), loadSeconds: 4)
        #expect(result.value == nil && result.passed == nil)
    }

    @Test(arguments: ["events.rate > 1", "pushes.rate > 1"])
    func `is nil for a rate over no time, and 0 for one over nothing`(gate: String) throws {
        let measure = try Gate(parsing: gate).measure
        #expect(measure.value(sample, loadSeconds: 0) == nil)
        #expect(measure.value(Correlation(), loadSeconds: 4) == 0)
    }

    @Test(arguments: [
        ("lost == 1", true), ("lost == 0", false), ("lost != 0", true), ("delivery.p50 < 200ns", false),
        ("delivery.p50 <= 200ns", true), ("errors.rate < 10%", false), ("errors.rate <= 10%", true),
        ("events.rate >= 2/s", true), ("sessions.peak > 7", false),
    ])
    func `is held against the threshold`(gate: String, passes: Bool) throws {
        let result = try Gate(parsing: gate).result(sample, loadSeconds: 4)
        #expect(result.passed == passes)
        #expect(result.text == gate)
    }

    @Test func `has the unit of its metric`() throws {
        func unit(_ gate: String) throws -> String { "\(try Gate(parsing: gate).result(sample, loadSeconds: 4).unit)" }
        #expect(try unit("delivery.p99 < 1s") == "nanoseconds")
        #expect(try unit("delivery.count > 1") == "count")
        #expect(try unit("lost == 0") == "count")
        #expect(try unit("lost.rate == 0") == "ratio")
        #expect(try unit("events.rate > 1") == "perSecond")
    }
}
