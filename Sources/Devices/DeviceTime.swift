// The time of devices, which never goes back: what has ended, expired or been told dead by a clock that is then set back
// stays so.

package import Basics
import Synchronization

/// The clock's time, but not before the latest time from which it was set back. Safe to use from any thread.
package final class DeviceTime: Sendable {
    private let earliest = Atomic<Int64>(.min)

    package init() {}

    /// What it is on the devices when the clock shows `wall`.
    func at(_ wall: WallTime) -> WallTime {
        max(wall, WallTime(nanoseconds: earliest.load(ordering: .relaxed)))
    }

    /// The clock is about to be set to `wall`, from `former`.
    package func clockIsSet(to wall: WallTime, from former: WallTime) {
        guard wall < former else { return }
        _ = earliest.max(former.nanoseconds, ordering: .sequentiallyConsistent)
    }

    /// Nothing is known any more of what happened.
    func reset() { earliest.store(.min, ordering: .sequentiallyConsistent) }
}
