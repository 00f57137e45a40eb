// What happened in a run, gathered while it goes on, for the judge of the same process.

import Basics
import LoadGenerator
import MockServer
import Reports

/// Confined to the run's thread.
final class RunHistory {
    let startedAt: WallTime
    var origin: Instant
    var phases: [RunRecord.Phase] = []
    var faults: [GivenFault] = []
    var outages: [(start: Instant, end: Instant)] = []
    var mock = MockStatistics()
    var tokenCount = 0
    var load = LoadSnapshot()
    var failure: Failure?
    var isInterrupted = false

    init(startedAt: WallTime, origin: Instant) {
        self.startedAt = startedAt
        self.origin = origin
    }
}
