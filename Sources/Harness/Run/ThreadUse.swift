// How much time each thread of ours had to spare: one that had none was the limit, whatever the relay could do.

import Basics
import OperatingSystem

/// How busy our threads were by one instant. Of each loop that carries the load or answers pushes it is known how long it had
/// nothing to do: it may as well have waited for a disk. Of every thread the system tells how long it ran or was ready to: the
/// first two numbers of /proc/self/task/TID/schedstat, in nanoseconds (the kernel's Documentation/scheduler/sched-stats). On a
/// machine whose processors are taken a thread that waits for one has as little to spare as one that has it.
struct ThreadUse {
    private let at: Instant
    private var used: [String: Int64] = [:]
    private let rested: [Interval]

    /// Shorter loads say little: their threads come up and go.
    private static let shortest = Interval.seconds(5)

    /// `rested`: of each loop, in an order that stays.
    init(at now: Instant, rested: [Interval] = []) {
        at = now
        self.rested = rested
        let folder = "/proc/self/task"
        for thread in (try? FileSystem.names(in: folder)) ?? [] {
            let numbers = FileSystem.text(of: "\(folder)/\(thread)/schedstat")?.split(separator: " ") ?? []
            guard numbers.count > 1, let ran = Int64(numbers[0]), let waited = Int64(numbers[1]) else { continue }
            used[thread] = ran + waited
        }
    }

    /// Thousandths of the time since `earlier` in which the busiest thread had something to do; 0 where that is too short ago,
    /// or nobody tells.
    func busiest(since earlier: ThreadUse) -> Int {
        let elapsed = at - earlier.at
        guard elapsed >= Self.shortest else { return 0 }
        let loops = zip(rested, earlier.rested).map { (elapsed - ($0 - $1)).nanoseconds }
        let most = max(used.map { $0.value - (earlier.used[$0.key] ?? 0) }.max() ?? 0, loops.max() ?? 0)
        return Int(most * 1_000 / elapsed.nanoseconds)
    }
}
