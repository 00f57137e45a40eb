// When a relay counts as warm.

import Basics
import Metrics
import Scenarios
import Testing

@testable import Harness

@Suite("A warm-up that waits")
struct WarmUpWatchTests {
    /// Second by second so many deliveries of so many milliseconds; the second at which the relay is warm, if any.
    private func warm(_ gate: String, _ milliseconds: [Int64], each: Int64 = 100) throws -> Int? {
        var watch = WarmUpWatch(try Gate(parsing: gate))
        var known = Correlation()
        for (second, latency) in milliseconds.enumerated() {
            known.delivery.record(latency * 1_000_000, count: each)
            known.answer.record(latency * 2_000_000, count: each)
            if watch.isWarm(known, at: Instant(nanoseconds: Int64(second) * 1_000_000_000)) { return second }
        }
        return nil
    }

    @Test("is over when the gate held over the five seconds just gone by, whatever came before")
    func window() throws {
        #expect(try warm("delivery.p99 < 1s", Array(repeating: 10, count: 9)) == 5)
        #expect(try warm("delivery.p99 < 1s", [3_000, 3_000, 3_000] + Array(repeating: 10, count: 9)) == 7)
        // What is slow once in five seconds is a fifth of them.
        #expect(try warm("delivery.p99 < 1s", (0..<20).map { $0 % 4 == 0 ? 3_000 : 10 }) == nil)
        #expect(try warm("answer.p50 < 15ms", Array(repeating: 10, count: 9)) == nil, "answers took 20 ms")
    }

    @Test("asks all of few values, and tells nothing of none")
    func few() throws {
        #expect(try warm("delivery.p99 < 1s", Array(repeating: 10, count: 9), each: 3) == 5)
        #expect(try warm("delivery.p99 < 1s", (0..<20).map { $0 % 4 == 0 ? 3_000 : 10 }, each: 3) == nil)
        #expect(try warm("delivery.p99 < 1s", Array(repeating: 10, count: 9), each: 0) == nil)
    }
}
