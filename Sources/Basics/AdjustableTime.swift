// Wall time that can be set and sped up while it is read. Reading takes no lock: the three numbers that make up the
// time are read between two looks at a counter, and again if that has moved.

import Synchronization

/// Another source's time. `now()` is the base's; `wall()` runs `scale` times as fast, from wherever it was set last.
package final class AdjustableTime: TimeSource {
    private let base: any TimeSource
    /// Odd while the numbers change.
    private let version = Atomic<UInt64>(0)
    private let baseOrigin: Atomic<Int64>
    private let wallOrigin: Atomic<Int64>
    private let scaleBits = Atomic<UInt64>(1.0.bitPattern)
    private let setting = Mutex(())

    package init(base: any TimeSource) {
        self.base = base
        let wall = base.wall().nanoseconds
        baseOrigin = Atomic(wall)
        wallOrigin = Atomic(wall)
    }

    package func now() -> Instant { base.now() }
    package func wall() -> WallTime { wall(at: base.wall()) }

    /// How many times as fast as the base it runs.
    package var scale: Double { Double(bitPattern: scaleBits.load(ordering: .relaxed)) }

    /// How far it is from the base now.
    package var offset: Interval {
        let base = base.wall()
        return wall(at: base) - base
    }

    /// Goes on from `wall` (nil: from where it is), `scale` times as fast as the base (nil: as before; within
    /// `ClockBounds`). At the end of the year 2261 it stands still.
    package func set(wall: WallTime? = nil, scale: Double? = nil) {
        precondition(scale.map(ClockBounds.admits) ?? true, "a clock's scale is within its bounds")
        setting.withLock { _ in
            let base = base.wall()
            let start = wall ?? self.wall(at: base)
            version.add(1, ordering: .sequentiallyConsistent)
            baseOrigin.store(base.nanoseconds, ordering: .sequentiallyConsistent)
            wallOrigin.store(start.nanoseconds, ordering: .sequentiallyConsistent)
            if let scale { scaleBits.store(scale.bitPattern, ordering: .sequentiallyConsistent) }
            version.add(1, ordering: .sequentiallyConsistent)
        }
    }

    private func wall(at base: WallTime) -> WallTime {
        while true {
            let before = version.load(ordering: .sequentiallyConsistent)
            let origin = baseOrigin.load(ordering: .sequentiallyConsistent)
            let start = wallOrigin.load(ordering: .sequentiallyConsistent)
            let scale = Double(bitPattern: scaleBits.load(ordering: .sequentiallyConsistent))
            guard before & 1 == 0, version.load(ordering: .sequentiallyConsistent) == before else { continue }
            let elapsed = base - WallTime(nanoseconds: origin)
            // A clock that is not sped up keeps every nanosecond.
            return WallTime(nanoseconds: start) + (scale == 1 ? elapsed : elapsed * scale)
        }
    }
}
