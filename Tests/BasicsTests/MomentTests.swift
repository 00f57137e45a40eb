// One moment on two clocks, read on a machine that puts the reader aside.

import Basics
import Synchronization
import Testing

@Suite("A moment on both clocks")
struct MomentTests {
    /// Real and wall time go alike; the first readings of the wall come only after the reader was put aside for a while.
    private final class BusyHost: TimeSource {
        private let elapsed = Atomic<Int64>(0)
        private let absences: Atomic<Int>
        static let ahead: Int64 = 1_000_000_000_000

        init(absences: Int) { self.absences = Atomic(absences) }

        func now() -> Instant { Instant(nanoseconds: elapsed.add(500, ordering: .relaxed).newValue) }

        func wall() -> WallTime {
            let isAbsent = absences.subtract(1, ordering: .relaxed).newValue >= 0
            let time = elapsed.add(isAbsent ? 4_000_000 : 500, ordering: .relaxed).newValue
            return WallTime(nanoseconds: time + Self.ahead)
        }

        func offBy(_ moment: (instant: Instant, wall: WallTime)) -> Int64 {
            abs(moment.wall.nanoseconds - Self.ahead - moment.instant.nanoseconds)
        }
    }

    @Test("is read again where the reader was put aside between the clocks", arguments: [0, 1, 9])
    func again(absences: Int) {
        let host = BusyHost(absences: absences)
        #expect(host.offBy(host.moment()) <= 1_000)
    }

    @Test("is the closest there was where the reader is put aside each time")
    func closest() {
        let host = BusyHost(absences: .max)
        #expect(1_000_000...4_000_000 ~= host.offBy(host.moment()))
        #expect(host.now().nanoseconds < 10 * 4_100_000, "ten readings at most")
    }
}
