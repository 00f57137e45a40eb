// What the sessions of a scenario are like on average: the one place in which events become sessions.

import Basics
package import Scenarios

/// Means over the scripts by their weights, from some sessions of each. A function of the scripts alone: the same for every
/// seed, and whatever `arrivals` and `stopAfter` say. `pace` divides lengths, and leaves the events of a session as many as
/// they are.
package struct SessionMix: Sendable {
    /// Planned ones, without those of reactions; 0 where no script ever calls.
    package private(set) var eventsPerSession = 0.0
    /// Seconds from a session's beginning to its last event: on average, and at most.
    package private(set) var meanLength = 0.0
    package private(set) var longest = 0.0

    /// Played of each script; of those with a great many events fewer.
    private static let sessions: UInt32 = 400
    private static let mostEvents = 200_000

    package init(_ scenario: Scenario) {
        var scenario = scenario
        scenario.workload.arrivals = []
        scenario.workload.stopAfter = nil
        let workload = Workload(scenario, seed: Seed(0).child("mix"), run: 1)
        let weights = scenario.workload.scripts.map(\.weight)
        let total = weights.reduce(0, +)
        for (script, weight) in weights.enumerated() {
            var (events, length, sessions) = (0, 0.0, UInt32(0))
            while sessions < Self.sessions, events < Self.mostEvents {
                var cursor = SessionCursor(session: sessions, script: UInt16(script), workload: workload)
                var last = 0.0
                while let event = cursor.next(workload) {
                    events += 1
                    last = event.at.seconds
                }
                length += last
                longest = max(longest, last)
                sessions += 1
            }
            eventsPerSession += Double(events) / Double(sessions) * weight / total
            meanLength += length / Double(sessions) * weight / total
        }
    }
}
