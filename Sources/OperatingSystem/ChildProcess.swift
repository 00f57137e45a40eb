// A child that has our terminal, our standard streams and our process group, and what it leaves behind.

import CLinux
import Glibc

package enum ChildProcess {
    /// Starts `program` (a path) with these words and this environment, and no more: signals are unblocked, and those that a
    /// program of ours ignores are heard again. Gives its process, or throws the errno.
    package static func spawn(
        _ program: String, _ words: [String], environment: [(name: String, value: String)]
    ) throws(FileError) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var usual = sigset_t()
        sigemptyset(&usual)
        for number in [SIGPIPE, SIGXFSZ] { sigaddset(&usual, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0.name + "=" + $0.value) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var child: pid_t = 0
        let reason = posix_spawn(&child, program, nil, &attributes, &argv, &envp)
        guard reason == 0 else { throw FileError(reason, program) }
        return child
    }

    /// Becomes `words[0]`, looked up in `PATH`; returns only when that cannot be, with the errno.
    package static func become(_ words: [String]) -> Int32 {
        var argv = words.map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        execvp(words[0], &argv)
        return errno
    }

    /// This process is killed when its parent ends; false when that has happened already.
    package static func dies(with parent: Int32) -> Bool { pushrig_die_with(parent) != 0 }

    /// What our descendants leave behind becomes our child.
    package static func adoptOrphans() { _ = pushrig_adopt_orphans() }

    /// One child that has ended, with its wait status; nil: none has ended by now.
    package static func reap() -> (child: Int32, status: Int32)? {
        var status: Int32 = 0
        let child = waitpid(-1, &status, WNOHANG)
        return child > 0 ? (child, status) : nil
    }

    /// Those that there are now, ours and adopted.
    package static var all: [Int32] {
        guard let threads = try? FileSystem.names(in: "/proc/self/task") else { return [] }
        return threads.flatMap { thread -> [Int32] in
            guard let text = try? FileSystem.read("/proc/self/task/\(thread)/children", limit: 1 << 20) else { return [] }
            return String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// As a shell tells it: the exit code, or 128 and the signal that ended it.
    package static func code(of status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
