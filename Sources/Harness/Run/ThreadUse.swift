// How much of a processor each thread of ours used: one that had none to spare was the limit, whatever the relay could do.

import Basics
import OperatingSystem

/// Processor time by thread at one instant: the first number of /proc/self/task/TID/schedstat, in nanoseconds (the kernel's
/// Documentation/scheduler/sched-stats).
struct ThreadUse {
    private let at: Instant
    private var used: [String: Int64] = [:]

    /// Shorter loads say little: their threads come up and go.
    private static let shortest = Interval.seconds(5)

    init(at now: Instant) {
        at = now
        let folder = "/proc/self/task"
        for thread in (try? FileSystem.names(in: folder)) ?? [] {
            let numbers = FileSystem.text(of: "\(folder)/\(thread)/schedstat")?.split(separator: " ") ?? []
            if let time = numbers.first.flatMap({ Int64($0) }) { used[thread] = time }
        }
    }

    /// Thousandths of a processor that the busiest thread used since `earlier`; 0 where that is too short ago, or the system
    /// does not tell.
    func busiest(since earlier: ThreadUse) -> Int {
        let elapsed = at - earlier.at
        guard elapsed >= Self.shortest else { return 0 }
        let most = used.map { $0.value - (earlier.used[$0.key] ?? 0) }.max() ?? 0
        return Int(most * 1_000 / elapsed.nanoseconds)
    }
}
