// The clock by which a shard's journal is kept, in wall time: read once, and from then on by the monotonic clock alone, as
// the journal's files do it. So a host whose wall clock is set meanwhile changes nothing.

import Basics
import EventLoop
import Glibc

struct HostClock: Sendable {
    /// The host's clock, or one that is off by what a test says.
    let time: any TimeSource
    private let instant: Instant
    private let start: WallTime

    /// The word of the environment by which a test has this process believe in another wall clock: a duration such as `3s` or
    /// `-3s`.
    static let shiftName = "PUSHRIG_TEST_CLOCK"

    init(_ time: any TimeSource = HostClock.given) {
        self.time = time
        (instant, start) = time.moment()
    }

    func wall() -> WallTime { wall(at: time.now()) }
    func wall(at instant: Instant) -> WallTime { start + (instant - self.instant) }

    static var given: any TimeSource {
        let text = getenv(shiftName).map { String(cString: $0) } ?? ""
        let isBack = text.hasPrefix("-")
        guard let shift = Interval(parsing: isBack ? String(text.dropFirst()) : text) else { return SystemTime() }
        return ShiftedTime(shift: isBack ? .zero - shift : shift)
    }
}

/// The host's clock with its wall time moved.
struct ShiftedTime: TimeSource {
    let shift: Interval

    func now() -> Instant { SystemTime().now() }
    func wall() -> WallTime { SystemTime().wall() + shift }
}
