// Mistakes of ours stop the process: what a caller has to keep to.

import Basics
import EventLoop
import Net
@testable import Planning
import PlanKnobs
import Scenarios
import Testing

@testable import LoadGenerator

struct MistakeTests {
    @Test func `a workload without a script`() async {
        await #expect(processExitsWith: .failure) {
            var scenario = Knobs.scenario()
            scenario.workload.scripts = []
            _ = Workload(scenario, seed: Seed(1), run: 1)
        }
    }

    @Test func `a load without loops, connections or window`() async {
        await #expect(processExitsWith: .failure) { try make(connections: 0) }
        await #expect(processExitsWith: .failure) { try make(window: 0) }
        await #expect(processExitsWith: .failure) { try make(loops: 0) }
    }

    @Test(.timeLimit(.minutes(10))) func `a bench without streams or connections`() async {
        await #expect(processExitsWith: .failure) { try bench { $0.streams = 0 } }
        await #expect(processExitsWith: .failure) { try bench { $0.connections = 0 } }
    }
}

private let nobody = Origin(isTLS: false, host: "127.0.0.1", port: 1)

private func make(loops: Int = 1, connections: Int = 1, window: Int = 1) throws {
    _ = try LoadService(
        plan: Knobs.plan(), target: TargetPolicy.check(nobody), connections: connections,
        journalDirectory: "/tmp/pushrig-no-load", loops: loops, window: window)
}

private func bench(_ turn: (inout BenchOptions) -> Void) throws {
    var options = BenchOptions(target: nobody)
    turn(&options)
    _ = try Bench.run(options)
}
