// The real clocks of this host: the only place that reads them.

package import Basics
import CLinux
import Glibc

/// CLOCK_MONOTONIC for instants, CLOCK_REALTIME for wall time.
package struct SystemTime: TimeSource {
    package init() {}

    package func now() -> Instant { Instant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }
    package func wall() -> WallTime { WallTime(nanoseconds: Self.read(CLOCK_REALTIME)) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
