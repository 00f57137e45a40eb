// Latency over time: percentiles of intervals that grow with the run.

import Basics
import Testing

@testable import Metrics

@Suite("Latency over time")
struct LatencyCourseTests {
    @Test("tells the percentiles of each second, never too low and at most a sixty-fourth too high")
    func accuracy() {
        for scale in [Int64(1), 37, 1_000, 50_000, 3_000_000, 900_000_000] {
            var builder = LatencyCourseBuilder()
            for value in 1...Int64(1_000) { builder.add(answer: .nanoseconds(value * scale), second: 3) }
            let rows = builder.course.answer
            #expect(rows.count == 4 && rows[0] == LatencyCourse.Row() && rows[3].count == 1_000)
            for (found, exact) in [(rows[3].p50, 500 * scale), (rows[3].p99, 990 * scale)] {
                #expect(found >= exact && Double(found) <= Double(exact) * (1 + 1 / 64.0) + 1_000, "\(found) for \(exact)")
            }
        }
    }

    @Test("is that of the values alone: the same as of a histogram, as far as its buckets go")
    func oracle() {
        var chance = Seed(5).generator()
        var (builder, histogram) = (LatencyCourseBuilder(), Histogram())
        for _ in 0..<20_000 {
            let value = Int64(40_000_000 * (1 - 4 * chance.unit() * chance.unit()).magnitude)
            builder.add(delivery: .nanoseconds(value), second: 0)
            histogram.record(value)
        }
        let row = builder.course.delivery[0]
        for (found, percentile) in [(row.p50, 50.0), (row.p99, 99)] {
            let exact = Double(histogram.value(at: percentile))
            #expect(abs(Double(found) - exact) <= exact / 64 + 1_000)
        }
    }

    @Test("keeps each value when intervals become one, and never has more of them than it may")
    func widening() {
        var builder = LatencyCourseBuilder()
        for second in 0..<5_000 {
            builder.add(delivery: .milliseconds(second % 2 == 0 ? 10 : 500), second: second)
            if second < 100 { builder.add(lateness: .nanoseconds(50_000), second: second) }
        }
        let course = builder.course
        #expect(course.seconds == 16 && course.delivery.count == 313 && course.delivery.count <= LatencyCourseBuilder.mostIntervals)
        #expect(course.delivery.reduce(0) { $0 + $1.count } == 5_000 && course.lateness.reduce(0) { $0 + $1.count } == 100)
        let row = course.delivery[7]
        #expect(row.count == 16 && row.p50 < 11_000_000 && row.p99 > 490_000_000)
        // What comes for an earlier second still finds its place.
        builder.add(delivery: .seconds(3), second: 0)
        #expect(builder.course.delivery[0].count == 17)
    }

    @Test("of a week is as long as of an hour")
    func week() {
        var builder = LatencyCourseBuilder()
        builder.add(answer: .zero, second: 7 * 86_400 - 1)
        #expect(builder.course.seconds == 2_048 && builder.course.answer.count == 296)
        #expect(builder.course.answer.last == LatencyCourse.Row(count: 1, p50: 1_000, p99: 1_000))
    }

    @Test("is what the correlator saw, by the instant at which calls were planned")
    func correlator() {
        var correlator = Correlator(kinds: ["progress"], origin: instant(0), measuredFrom: instant(1_500))
        for second in Int64(0)..<3 {
            var call = SeenCall(session: 1, step: UInt32(second), kind: 0, plannedAt: instant(second * 1_000))
            call.state = .sent
            call.sentAt = instant(second * 1_000)
            call.answeredAt = instant(second * 1_000 + 2_000)
            call.status = 200
            call.wasTaken = true
            call.lateness = .milliseconds(1)
            correlator.observe(call, answer: "")
        }
        let course = correlator.finish().course
        #expect(course.answer.map(\.count) == [1, 1, 1] && course.lateness.map(\.count) == [1, 1, 1])
        #expect(course.answer.allSatisfy { 2_000_000_000...2_040_000_000 ~= $0.p50 } && course.delivery.isEmpty)
    }
}
