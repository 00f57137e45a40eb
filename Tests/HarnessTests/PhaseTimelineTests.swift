// The phases of a run.

import Basics
import Testing

@testable import Harness

@Suite struct `The timeline of phases` {
    private let origin = Instant(nanoseconds: 1_000)

    /// Names of the phases that begin, with the seconds after the origin.
    private func step(_ timeline: inout PhaseTimeline, _ seconds: Double, loadEnded: Double? = nil) -> [String] {
        let ended = loadEnded.map { origin + .seconds($0) }
        return timeline.begun(at: origin + .seconds(seconds), origin: origin, loadEnded: ended)
            .map { "\($0.name) \(($0.at - origin).seconds)" }
    }

    @Test func `begin when they are due, at the instant at which they were due`() {
        var timeline = PhaseTimeline(warmUp: .seconds(2))
        #expect(step(&timeline, -0.1).isEmpty && timeline.current == "" && timeline.next == .zero)
        #expect(step(&timeline, 0.05) == ["warm-up 0.0"] && timeline.next == .seconds(2))
        #expect(step(&timeline, 1.9).isEmpty && timeline.current == "warm-up")
        #expect(step(&timeline, 2.1) == ["measure 2.0"] && timeline.next == nil)
        #expect(step(&timeline, 9, loadEnded: 8.9) == ["drain 8.9"])
        #expect(step(&timeline, 10, loadEnded: 8.9).isEmpty && timeline.current == "drain")
    }

    @Test func `have no warm-up unless it is asked for`() {
        var timeline = PhaseTimeline(warmUp: .zero)
        #expect(step(&timeline, 0) == ["measure 0.0"])
    }

    @Test func `measure sooner where the warm-up is over, and never later`() {
        var timeline = PhaseTimeline(warmUp: .seconds(5))
        timeline.measure(at: .seconds(1))
        #expect(step(&timeline, 0) == ["warm-up 0.0"], "before the warm-up nothing ends it")
        timeline.measure(at: .seconds(3))
        #expect(step(&timeline, 2.9).isEmpty && step(&timeline, 3.1) == ["measure 3.0"])
        timeline.measure(at: .seconds(4))
        #expect(step(&timeline, 9) == [])
        var late = PhaseTimeline(warmUp: .seconds(5))
        _ = step(&late, 0)
        late.measure(at: .seconds(6))
        #expect(step(&late, 6) == ["measure 5.0"])
    }

    @Test func `drain after a load that ended in the warm-up, measured or not`() {
        var timeline = PhaseTimeline(warmUp: .seconds(5))
        #expect(step(&timeline, 0) == ["warm-up 0.0"])
        #expect(step(&timeline, 3, loadEnded: 2.5) == ["measure 2.5", "drain 2.5"])
        #expect(step(&timeline, 6, loadEnded: 2.5).isEmpty)
    }
}
