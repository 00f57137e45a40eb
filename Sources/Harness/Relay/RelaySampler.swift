// What the relay's processes use, read from /proc on a thread of its own: a relay may have ten thousand descriptors.

import Basics
import CLinux
import EventLoop
import Glibc
import Journal
import OperatingSystem

/// Confined to the thread that runs the harness, which never waits for a sample.
final class RelaySampler {
    private let thread: LoopThread<ProcessTree>
    private let question = Question<RelaySample?>()

    init() throws(Failure) {
        do { thread = try LoopThread(name: "sampler") { _ in ProcessTree() } } catch {
            throw error as? Failure ?? Failure(.run, "cannot watch the relay: \(error)")
        }
    }

    deinit { thread.stop() }

    /// The sample that was last asked for, once; asks for the next one when no question is open. `keeper`: the process
    /// below which the relay's are, itself left out.
    func poll(below keeper: pid_t) -> RelaySample? {
        let answer = question.poll { answer in
            thread.post { answer($0.sample(below: keeper)) }
        }
        return answer ?? nil
    }
}

/// Looks at a process's descendants. Confined to the sampler's thread: it remembers what threads had waited.
final class ProcessTree {
    private var relayWaits = ThreadWaits()
    private var rigWaits = ThreadWaits()
    private let page = Int64(sysconf(Int32(_SC_PAGESIZE)))
    private let tick = 1_000_000_000 / max(1, Int64(sysconf(Int32(_SC_CLK_TCK))))

    /// Their sums; nil when there is none.
    func sample(below root: pid_t) -> RelaySample? {
        var sum = RelaySample(cpu: .zero, residentBytes: 0, descriptors: 0, sockets: 0)
        var waiting = children(of: root)
        var seen: Set<pid_t> = []
        while let process = waiting.popLast() {
            // A process may come and go while we look.
            guard seen.insert(process).inserted, let fields = fields(of: process) else { continue }
            waiting += children(of: process)
            // proc(5): after the name, state is field 3; utime, stime and those of its dead children 14 to 17; rss 24.
            let ticks = (11...14).reduce(Int64(0)) { $0 + (Int64(fields[$1]) ?? 0) }
            sum.cpu = sum.cpu + Interval(nanoseconds: ticks * tick)
            sum.residentBytes += (Int64(fields[21]) ?? 0) * page
            let folder = "/proc/\(process)/fd/"
            for name in (try? FileSystem.names(in: folder)) ?? [] {
                sum.descriptors += 1
                if FileSystem.destination(of: folder + name)?.hasPrefix("socket:") == true { sum.sockets += 1 }
            }
        }
        guard !seen.isEmpty else { return nil }
        sum.relayWaited = relayWaits.longest(of: seen)
        sum.rigWaited = rigWaits.longest(of: [getpid()])
        return sum
    }

    /// What stands behind the name in `stat`; nil for a process that is gone or a zombie.
    private func fields(of process: pid_t) -> [Substring]? {
        guard let text = FileSystem.text(of: "/proc/\(process)/stat"), let close = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: close)...].split(separator: " ")
        return fields.count > 21 && fields[0] != "Z" ? fields : nil
    }

    private func children(of process: pid_t) -> [pid_t] {
        ((try? FileSystem.names(in: "/proc/\(process)/task")) ?? []).flatMap { thread in
            (FileSystem.text(of: "/proc/\(process)/task/\(thread)/children") ?? "").split(separator: " ")
                .compactMap { pid_t($0) }
        }
    }
}

/// How long threads were ready to run and had no processor: the second number of /proc/PID/task/TID/schedstat, in nanoseconds
/// since the thread's start (the kernel's Documentation/scheduler/sched-stats).
private struct ThreadWaits {
    private var known: [Substring: Int64]?

    /// The longest of one thread since the look before; zero at the first look, and where the system does not tell.
    mutating func longest(of processes: Set<pid_t>) -> Interval {
        var seen: [Substring: Int64] = [:]
        var longest: Int64 = 0
        for process in processes {
            let folder = "/proc/\(process)/task"
            for thread in (try? FileSystem.names(in: folder)) ?? [] {
                let numbers = FileSystem.text(of: "\(folder)/\(thread)/schedstat")?.split(separator: " ") ?? []
                guard numbers.count > 1, let waited = Int64(numbers[1]) else { continue }
                seen[thread[...]] = waited
                if let known { longest = max(longest, waited - (known[thread[...]] ?? 0)) }
            }
        }
        known = seen
        return Interval(nanoseconds: longest)
    }
}
