// SIGINT and SIGTERM as values: blocked in every thread, taken by the one that waits.

package import Basics
import CLinux
import Glibc

/// Must be made before any other thread starts, so that all inherit the mask.
package struct Signals: Sendable {
    private let set: sigset_t

    /// Blocks SIGINT and SIGTERM; a broken pipe and a file grown too large become errors of the write.
    package init() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        self.set = set
    }

    /// Sleeps until a signal comes or the time is up; true for a signal.
    package func wait(atMost limit: Interval) -> Bool {
        var set = set
        let nanoseconds = max(0, limit.nanoseconds)
        var timeout = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        return sigtimedwait(&set, nil, &timeout) > 0
    }

    /// Ends this process's own wait, as SIGTERM from outside would.
    static func raiseTermination() { kill(getpid(), SIGTERM) }

    /// Sleeps until a signal comes.
    package func wait() {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
    }
}
