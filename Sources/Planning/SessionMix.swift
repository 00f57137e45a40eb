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

    /// Played of each script: as many more as it takes until the error of the mean is small, since what one session in a
    /// hundred does may be most of the load. Bounded in sessions and events, for a session may have a million.
    private static let sampled: UInt32 = 400
    private static let mostSampled: UInt32 = 200_000
    private static let mostEvents = 4_000_000
    private static let wantedError = 0.005

    package init(_ scenario: Scenario) {
        var scenario = scenario
        scenario.workload.arrivals = []
        scenario.workload.stopAfter = nil
        let workload = Workload(scenario, seed: Seed(0).child("mix"), run: 1)
        let weights = scenario.workload.scripts.map(\.weight)
        let total = weights.reduce(0, +)
        for (script, weight) in weights.enumerated() {
            var (events, squares, length, sessions) = (0, 0.0, 0.0, UInt32(0))
            while sessions < Self.mostSampled, events < Self.mostEvents / weights.count {
                var cursor = SessionCursor(session: sessions, script: UInt16(script), workload: workload)
                var last = 0.0
                let before = events
                while let event = cursor.next(workload) {
                    events += 1
                    last = event.at.seconds
                }
                squares += Double(events - before) * Double(events - before)
                length += last
                // Of no more than those, so that a rare long session does not stretch every trial of a search.
                if sessions < Self.sampled { longest = max(longest, last) }
                sessions += 1
                if sessions % Self.sampled == 0, Self.isNear(events, squares, sessions) { break }
            }
            eventsPerSession += Double(events) / Double(sessions) * weight / total
            meanLength += length / Double(sessions) * weight / total
        }
    }

    /// Whether the standard error of the mean number of events is small beside it.
    private static func isNear(_ events: Int, _ squares: Double, _ sessions: UInt32) -> Bool {
        let count = Double(sessions)
        let mean = Double(events) / count
        return (max(0, squares / count - mean * mean) / count).squareRoot() <= mean * wantedError
    }
}
