// How much time each thread of ours had to spare: one that had none was the limit, whatever the relay could do.

import Basics
import OperatingSystem

/// How long each thread ran or was ready to, by one instant: the first two numbers of /proc/self/task/TID/schedstat, in
/// nanoseconds (the kernel's Documentation/scheduler/sched-stats). On a machine whose processors are taken a thread that waits
/// for one has as little to spare as one that has it.
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
            guard numbers.count > 1, let ran = Int64(numbers[0]), let waited = Int64(numbers[1]) else { continue }
            used[thread] = ran + waited
        }
    }

    /// Thousandths of the time since `earlier` in which the busiest thread ran or was ready to; 0 where that is too short ago,
    /// or the system does not tell.
    func busiest(since earlier: ThreadUse) -> Int {
        let elapsed = at - earlier.at
        guard elapsed >= Self.shortest else { return 0 }
        let most = used.map { $0.value - (earlier.used[$0.key] ?? 0) }.max() ?? 0
        return Int(most * 1_000 / elapsed.nanoseconds)
    }
}
