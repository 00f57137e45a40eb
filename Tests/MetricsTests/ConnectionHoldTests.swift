// States that come late because a fault of ours met the relay's connections.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A state that a connection's trouble held up")
struct ConnectionHoldTests {
    /// Called for at `planned` and due three seconds later, it comes at `arrives`; each firing meets a connection, at those
    /// milliseconds.
    private func outcome(
        planned: Int64, arrives: Int64, firings: [Int64], _ turn: (inout Story) -> Void = { _ in }
    ) -> DeliveryClass? {
        var story = Story()
        story.circumstances.faults = [.init(rule: 4, label: "refused", windows: [])]
        story.circumstances.connectionFirings = firings.map { (at: instant($0), rule: 4) }
        story.call(1, at: planned)
        story.expect(1, at: planned, deadline: 3_000)
        story.push(1, at: arrives)
        turn(&story)
        return story.joined.deliveries[0].outcome
    }

    /// Tried again after one second, two, four.
    private static let growing: [Int64] = [100_000, 101_000, 103_000, 107_000]

    @Test("is late by our doing, whenever in that trouble it was called for", arguments: [
        100_000, 101_500, 103_500, 106_500,
    ] as [Int64])
    func held(planned: Int64) {
        #expect(outcome(planned: planned, arrives: 110_200, firings: Self.growing) == .excused)
    }

    @Test("has as long as the trouble lasted, two seconds and its deadline behind the last of it")
    func bounded() {
        func at(_ arrives: Int64) -> DeliveryClass? { outcome(planned: 103_500, arrives: arrives, firings: Self.growing) }
        #expect(at(119_000) == .excused && at(119_001) == .late)
        func once(_ arrives: Int64) -> DeliveryClass? { outcome(planned: 103_500, arrives: arrives, firings: [104_000]) }
        #expect(once(109_000) == .excused && once(109_001) == .late)
    }

    @Test("is the relay's own doing where it should have left before, or the trouble was over")
    func own() {
        #expect(outcome(planned: 98_900, arrives: 110_200, firings: Self.growing) == .late, "it had a second")
        #expect(outcome(planned: 99_100, arrives: 110_200, firings: Self.growing) == .excused)
        #expect(outcome(planned: 107_100, arrives: 110_200, firings: Self.growing) == .late)
        #expect(outcome(planned: 103_500, arrives: 106_400, firings: Self.growing) == .delivered)
    }

    @Test("is not excused by connections that go now and then, each of which is a trouble of its own")
    func now() {
        let firings = stride(from: Int64(0), to: 200_000, by: 5_000).map { $0 }
        func late(_ planned: Int64) -> Bool { outcome(planned: planned, arrives: planned + 4_000, firings: firings) == .late }
        #expect(late(101_000) && late(103_500) && !late(104_500))
    }

    @Test("is told under the fault's name")
    func name() {
        var story = Story()
        story.circumstances.faults = [.init(rule: 4, label: "refused", windows: [])]
        story.circumstances.connectionFirings = [(at: instant(1_000), rule: 4)]
        story.call(1)
        story.expect(1)
        story.push(1, at: 2_000)
        #expect(story.joined.deliveries[0].excuse == "refused" && story.classes == "excused 1")
    }
}
