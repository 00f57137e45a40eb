// How long relay and rig were ready to run and did not, by samples of their processes.

package import Basics
package import Journal

/// The longest that a thread of the relay, or of ours, waited for a processor between two samples, which are a second apart.
package struct ProcessorWaits: Hashable, Sendable {
    package private(set) var relay = Interval.zero
    package private(set) var rig = Interval.zero

    /// A relay that uses so much of a processor of its own waits for itself.
    private static let busy = 0.8
    /// Of a second of the host's clock, while the run's clock goes by it: what blame for lateness can bear.
    static let longest = Interval.milliseconds(250)

    package init() {}

    /// Two samples, one behind the other. `seconds` of the host's clock lie between them.
    package mutating func add(_ sample: RelaySample, behind last: RelaySample, seconds: Double) {
        rig = max(rig, sample.rigWaited)
        guard (sample.cpu - last.cpu).seconds <= Self.busy * seconds else { return }
        relay = max(relay, sample.relayWaited)
    }

    /// In words, where it was more than blame for lateness can bear at that pace of the clock; else nil.
    package func doubt(pace: Double = 1) -> String? {
        let allowed = Interval.seconds(Self.longest.seconds / pace)
        return max(relay, rig) > allowed ? "\(words); \(allowed) is what blame for lateness can bear" : nil
    }

    package var words: String {
        "within a second a thread of the relay was kept waiting for a processor for \(relay) at most, and one of ours for "
            + "\(rig)"
    }
}
