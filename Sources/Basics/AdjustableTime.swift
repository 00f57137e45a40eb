// Wall time that can be set while it is read, without a lock: another source's, and how far it is ahead.

import Synchronization

/// Another source's time. `now()` is the base's; `wall()` is the base's too, from wherever it was set last.
package final class AdjustableTime: TimeSource {
    private let base: any TimeSource
    private let shift: Atomic<Int64>

    /// `skew` ahead of its base; within `ClockBounds`.
    package init(base: any TimeSource, skew: Interval = .zero) {
        precondition(ClockBounds.admits(skew: skew), "a clock's skew is within its bounds")
        self.base = base
        shift = Atomic(skew.nanoseconds)
    }

    package func now() -> Instant { base.now() }
    package func wall() -> WallTime { base.wall() + offset }

    /// How far it is from the base.
    package var offset: Interval { Interval(nanoseconds: shift.load(ordering: .relaxed)) }

    /// How far it is ahead of the host's clock: exact as long as its base is that clock, since then nothing is read.
    package func ahead(of host: some TimeSource) -> Interval {
        if let base = base as? RunClock, base.isPlain { return offset }
        return wall() - host.wall()
    }

    /// Goes on from `wall`. At the end of the year 2261 it stands still.
    package func set(wall: WallTime) {
        shift.store((wall - base.wall()).nanoseconds, ordering: .relaxed)
    }
}
