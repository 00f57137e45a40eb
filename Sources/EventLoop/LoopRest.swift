// How long a loop had nothing to do: all its other time it worked, or waited for a processor, a page or a disk.

package import Basics
import Synchronization

/// Kept by one loop, read from any thread.
final class LoopRest: Sendable {
    private let total = Atomic<Int64>(0)
    /// Since when it waits, in nanoseconds; 0: it does not.
    private let since = Atomic<Int64>(0)

    func begin(at now: Instant) { since.store(now.nanoseconds, ordering: .relaxed) }

    func end(at now: Instant) {
        let begun = since.exchange(0, ordering: .relaxed)
        guard begun > 0 else { return }
        total.store(total.load(ordering: .relaxed) + (now.nanoseconds - begun), ordering: .relaxed)
    }

    /// Of one loop's life by then. What ends at this very moment may be missing, or be counted twice.
    func total(by now: Instant) -> Interval {
        let begun = since.load(ordering: .relaxed)
        return .nanoseconds(total.load(ordering: .relaxed) + (begun > 0 ? max(0, now.nanoseconds - begun) : 0))
    }
}

extension LoopThread {
    /// How long its loop has waited for something to do, by that instant of the host's clock.
    package func rested(by now: Instant) -> Interval { rest.total(by: now) }
}
