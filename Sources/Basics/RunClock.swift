// The one clock of a run: that of mock, load and whoever follows them. It is the host's, or runs so many times as fast, or
// stands still until it is told to go on. Reading takes no lock: the numbers that make up the time are read between two
// looks at a counter, and again if that has moved.

import Synchronization

package final class RunClock: TimeSource {
    package enum Mode: Hashable, Sendable {
        /// So many times as fast as the host's; within `ClockBounds`.
        case running(Double)
        /// It moves only when it is told to.
        case stepped
    }

    private let base: any TimeSource
    /// Odd while the numbers change.
    private let version = Atomic<UInt64>(0)
    private let baseOrigin: Atomic<Int64>
    private let origin: Atomic<Int64>
    private let wallOrigin: Atomic<Int64>
    /// 0: it stands.
    private let scaleBits: Atomic<UInt64>
    private let plain: Atomic<Bool>
    /// What was noted last while it stands.
    private let noted: Atomic<Int64>
    /// Beyond this nothing is due, although it shows more: not everybody has heard of its last step.
    private let bound = Atomic<Int64>(.max)
    private let setting = Mutex(())
    private let followers = Mutex<[ClockFollower]>([])
    /// When it began to count.
    private let beginning: Instant
    private let holds = Atomic<Int64>(0)
    private let limit = Atomic<Int64>(.max)
    private let bell = Mutex<Bell?>(nil)
    /// Calls of the load to the relay, and pushes of the relay to the mock, while it stands.
    package let calls = ClockCounter()
    package let pushes = ClockCounter()

    /// `wall`: what it shows at the beginning; nil: what its base does.
    package init(base: any TimeSource, mode: Mode = .running(1), wall given: WallTime? = nil) {
        self.base = base
        let moment = base.moment()
        beginning = moment.instant
        let (now, wall) = (beginning.nanoseconds, (given ?? moment.wall).nanoseconds)
        baseOrigin = Atomic(now)
        origin = Atomic(now)
        wallOrigin = Atomic(wall)
        noted = Atomic(now)
        scaleBits = Atomic(Self.bits(of: mode))
        plain = Atomic(mode == .running(1) && given == nil)
    }

    private static func bits(of mode: Mode) -> UInt64 {
        switch mode {
        case .stepped: return 0.0.bitPattern
        case .running(let scale):
            precondition(ClockBounds.admits(scale: scale), "a clock's scale is within its bounds")
            return scale.bitPattern
        }
    }

    /// It is the host's clock and was never anything else.
    package var isPlain: Bool { plain.load(ordering: .relaxed) }
    package var isStepped: Bool { mode == .stepped }
    package var mode: Mode {
        let scale = Double(bitPattern: scaleBits.load(ordering: .relaxed))
        return scale == 0 ? .stepped : .running(scale)
    }

    /// Exact: while it stands, every reader sees the same instant.
    package func now() -> Instant { isPlain ? base.now() : read().now }
    package func wall() -> WallTime { isPlain ? base.wall() : read().wall }

    /// For what is put on record: as `now`, but while the clock stands each instant is a nanosecond later than the one
    /// before, so that the record tells what came first.
    package func stamp() -> Instant {
        guard isStepped else { return now() }
        return Instant(nanoseconds: noted.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue)
    }

    /// When, on the base's clock, this one shows `instant`; the distant future while it stands.
    package func base(of instant: Instant) -> Instant {
        if isPlain { return instant }
        let (now, _, scale, baseNow) = read()
        guard scale != 0 else { return .distantFuture }
        let rest = instant - now
        return baseNow + (scale == 1 ? rest : rest * (1 / scale))
    }

    /// How long so much of the host's time is here; itself while the clock stands.
    package func span(ofReal interval: Interval) -> Interval {
        guard case .running(let scale) = mode, scale != 1 else { return interval }
        return interval * scale
    }

    /// How long so much of its time takes; zero while it stands.
    package func real(_ interval: Interval) -> Interval {
        switch mode {
        case .stepped: .zero
        case .running(let scale): scale == 1 ? interval : interval * (1 / scale)
        }
    }

    /// Goes on from where it is in another way.
    package func set(_ mode: Mode) {
        let bits = Self.bits(of: mode)
        setting.withLock { _ in
            let (now, shown, _, baseNow) = read()
            // Behind all that was noted while it stood.
            let start = max(now, Instant(nanoseconds: isStepped ? noted.load(ordering: .sequentiallyConsistent) : .min))
            let wall = isPlain ? base.wall() : shown + (start - now)
            change {
                baseOrigin.store(baseNow.nanoseconds, ordering: .sequentiallyConsistent)
                origin.store(start.nanoseconds, ordering: .sequentiallyConsistent)
                wallOrigin.store(wall.nanoseconds, ordering: .sequentiallyConsistent)
                noted.store(start.nanoseconds, ordering: .sequentiallyConsistent)
                scaleBits.store(bits, ordering: .sequentiallyConsistent)
                bound.store(.max, ordering: .sequentiallyConsistent)
                plain.store(false, ordering: .sequentiallyConsistent)
            }
        }
        wakeAll()
        tell()
    }

    /// Moves a clock that stands to `instant`; never back, and not one that runs. Whoever follows it is woken by
    /// `wake`. Not `isHeard`: what that makes due waits for `everybodyHasHeard`.
    package func step(to instant: Instant, isHeard: Bool = true) {
        setting.withLock { _ in
            let (now, wall, scale, _) = read()
            guard scale == 0, instant > now else { return }
            let due = isHeard ? .distantFuture : due
            change {
                bound.store(due.nanoseconds, ordering: .sequentiallyConsistent)
                origin.store(instant.nanoseconds, ordering: .sequentiallyConsistent)
                wallOrigin.store((wall + (instant - now)).nanoseconds, ordering: .sequentiallyConsistent)
                _ = noted.max(instant.nanoseconds, ordering: .sequentiallyConsistent)
            }
        }
    }

    /// What is for this instant or an earlier one is to be done: now, but for a step that somebody has yet to hear of.
    package var due: Instant { min(now(), Instant(nanoseconds: bound.load(ordering: .sequentiallyConsistent))) }

    package func everybodyHasHeard() { bound.store(.max, ordering: .sequentiallyConsistent) }

    private func change(_ body: () -> Void) {
        version.add(1, ordering: .sequentiallyConsistent)
        body()
        version.add(1, ordering: .sequentiallyConsistent)
    }

    private func read() -> (now: Instant, wall: WallTime, scale: Double, base: Instant) {
        while true {
            let before = version.load(ordering: .sequentiallyConsistent)
            let baseStart = Instant(nanoseconds: baseOrigin.load(ordering: .sequentiallyConsistent))
            let start = Instant(nanoseconds: origin.load(ordering: .sequentiallyConsistent))
            let wall = WallTime(nanoseconds: wallOrigin.load(ordering: .sequentiallyConsistent))
            let scale = Double(bitPattern: scaleBits.load(ordering: .sequentiallyConsistent))
            let base = base.now()
            guard before & 1 == 0, version.load(ordering: .sequentiallyConsistent) == before else { continue }
            let gone = base - baseStart
            // A clock that is not sped up keeps every nanosecond.
            let elapsed = scale == 0 ? .zero : scale == 1 ? gone : gone * scale
            return (start + elapsed, wall + elapsed, scale, base)
        }
    }

    // MARK: While it stands

    /// Whole microseconds since it began.
    package var elapsedMicroseconds: Int64 { microseconds(at: now()) }

    /// The same at another instant.
    package func microseconds(at instant: Instant) -> Int64 { (instant - beginning).nanoseconds / 1_000 }

    /// When it will show so many.
    package func instant(microseconds: Int64) -> Instant { beginning + .microseconds(microseconds) }

    /// It does not go on by itself beyond this.
    package var goal: Instant {
        get { Instant(nanoseconds: limit.load(ordering: .sequentiallyConsistent)) }
        set { limit.store(newValue.nanoseconds, ordering: .sequentiallyConsistent) }
    }

    /// It does not go on until it is released as often: somebody has something to do that takes none of its time.
    package func hold() { holds.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    package func release() {
        holds.wrappingAdd(-1, ordering: .sequentiallyConsistent)
        ring()
    }
    package var isHeld: Bool { holds.load(ordering: .sequentiallyConsistent) > 0 }

    /// Who is told each time that a follower comes to rest while the clock stands, and when it is set to go in another way.
    package func onRest(_ listener: @escaping @Sendable () -> Void) { bell.withLock { $0 = Bell(ring: listener) } }
    package func ring() { if isStepped { tell() } }
    private func tell() { bell.withLock { $0 }?.ring() }

    /// A function in a mutex is wrapped once more each time that the mutex is locked, unless something stands around it.
    private struct Bell { let ring: @Sendable () -> Void }

    // MARK: Who follows it

    package func add(_ follower: ClockFollower) { followers.withLock { $0.append(follower) } }
    package func remove(_ follower: ClockFollower) { followers.withLock { $0.removeAll { $0 === follower } } }
    package var everyFollower: [ClockFollower] { followers.withLock { $0 } }
    package func wakeAll() { for follower in everyFollower { follower.wake() } }
}
