// How long relay and rig were ready to run and did not, by samples of their processes, and what that leaves of a verdict.

package import Basics
import Conformance
package import Journal

/// The longest that a thread of the relay, or of ours, waited for a processor between two samples, which are a second apart.
package struct ProcessorWaits: Hashable, Sendable {
    package private(set) var relay = Interval.zero
    package private(set) var rig = Interval.zero

    /// A relay that uses so much of a processor of its own waits for itself.
    private static let busy = 0.8
    /// Of a second of the host's clock, while the run's clock goes by it: what blame for lateness can bear.
    private static let longest = Interval.milliseconds(250)
    /// So many times that is a relay which hardly ran.
    private static let starvation = 2.0

    package init() {}

    /// Two samples, one behind the other. `seconds` of the host's clock lie between them.
    package mutating func add(_ sample: RelaySample, behind last: RelaySample, seconds: Double) {
        rig = max(rig, sample.rigWaited)
        guard (sample.cpu - last.cpu).seconds <= Self.busy * seconds else { return }
        relay = max(relay, sample.relayWaited)
    }

    /// What blame may not rest on, at that pace of the clock. A relay that hardly ran does not come to what it would do, and
    /// gives up what is answered in time.
    func costs(pace: Double = 1) -> Rule.Basis {
        let (late, starved) = Self.allowed(pace)
        return relay > starved ? [.timing, .absence, .running] : max(relay, rig) > late ? .timing : []
    }

    /// In words; with what was allowed where `isInDoubt`.
    func words(isInDoubt: Bool, pace: Double = 1) -> String {
        let (late, starved) = Self.allowed(pace)
        return "within a second a thread of the relay was kept waiting for a processor for \(relay) at most, and one of ours "
            + "for \(rig)" + (isInDoubt ? "; \(late) is what blame for lateness can bear, "
                + "\(starved) of the relay's what blame for something missing can" : "")
    }

    private static func allowed(_ pace: Double) -> (late: Interval, starved: Interval) {
        let late = Interval.seconds(longest.seconds / pace)
        return (late, late * starvation)
    }
}
