// Gates: what they compare, with what.

import Basics
import Scenarios
import Testing

@Suite("A gate")
struct GateTests {
    @Test(
        "is read into measure, comparison and threshold",
        arguments: [
            ("delivery.p99 < 2s", GateMeasure.latency(.delivery, kind: nil, .p99), GateComparison.less, 2e9),
            ("delivery.complete.p999<=1.5ms", .latency(.delivery, kind: "complete", .p999), .lessOrEqual, 1.5e6),
            ("complete.delivery.mean > 0", .latency(.delivery, kind: "complete", .mean), .greater, 0),
            ("answer.max < 1m", .latency(.answer, kind: nil, .max), .less, 60e9),
            ("lateness.p50 < 150us", .latency(.lateness, kind: nil, .p50), .less, 150e3),
            ("delivery.count >= 1000", .latency(.delivery, kind: nil, .count), .greaterOrEqual, 1000),
            ("lost == 0", .deliveries(.lost, kind: nil, isRate: false), .equal, 0),
            ("duplicated.count != 1", .deliveries(.duplicated, kind: nil, isRate: false), .notEqual, 1),
            ("late.rate <= 1%", .deliveries(.late, kind: nil, isRate: true), .lessOrEqual, 0.01),
            ("complete.late.rate <= 0.25", .deliveries(.late, kind: "complete", isRate: true), .lessOrEqual, 0.25),
            (
                "Superseded.complete >= 2", .deliveries(.superseded, kind: "complete", isRate: false),
                .greaterOrEqual, 2
            ),
            ("events.rate >= 300/s", .eventRate, .greaterOrEqual, 300),
            ("pushes.rate >= 0.5", .pushRate, .greaterOrEqual, 0.5),
            ("lastState.missing == 0", .lastStateMissing, .equal, 0),
            ("dead.pushesAfter <= 5", .deadPushesAfter, .lessOrEqual, 5),
            ("errors.rate < 0.1%", .errorRate, .less, 0.001),
            ("sessions.peak >= 2000", .peakSessions, .greaterOrEqual, 2000),
        ])
    func reads(text: String, measure: GateMeasure, comparison: GateComparison, threshold: Double) throws {
        let gate = try Gate(parsing: text, kinds: ["complete"])
        #expect(gate.measure == measure)
        #expect(gate.comparison == comparison)
        #expect(gate.threshold == threshold)
        #expect(gate.text == text)
    }

    @Test("on a percentile that is not kept is told which there are", arguments: ["delivery.p98", "delivery.complete.p75"])
    func percentile(metric: String) {
        #expect { try Gate(parsing: "\(metric) < 1s", kinds: ["complete"]) } throws: { error in
            let word = metric.split(separator: ".").last!
            return "\(error)".contains("there is no statistic `\(word)` (known: p50, p90, p95, p99")
        }
    }

    @Test("takes any call's name when it is not told which there are")
    func anyKind() throws {
        #expect(
            try Gate(parsing: "delivery.whatever.p50 < 1s").measure == .latency(.delivery, kind: "whatever", .p50))
    }

    @Test(
        "holds or not",
        arguments: zip(
            GateComparison.allCases,
            [
                [true, true, false], [false, true, true], [false, true, false],
                [true, false, true], [true, false, false], [false, false, true],
            ]))
    func holds(comparison: GateComparison, expected: [Bool]) {
        #expect([1.0, 2, 3].map { comparison.holds($0, 2) } == expected)
    }
}
