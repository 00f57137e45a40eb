// SIGINT, SIGTERM and SIGHUP: until somebody attends to them they end the process, from then on they are values, blocked in
// every thread and taken by the one that waits.

package import Basics
import CLinux
import Glibc

/// Must be made, and attended to, before any other thread starts, so that all inherit the mask.
package struct Signals: Sendable {
    private let set: sigset_t

    /// SIGINT, SIGTERM and SIGHUP (but not one that `nohup` has us ignore) end the process with our code; a broken pipe and a
    /// file grown too large become errors of the write.
    package init() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || pushrig_ignores(SIGHUP) == 0 {
            sigaddset(&set, number)
            signal(number) { _ in _exit(ExitCode.interrupted.rawValue) }
        }
        // Whoever started us may have them blocked.
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        self.set = set
    }

    /// From now on they wait for whoever waits for them: what has begun is to be ended in order. Idempotent.
    package func attend() {
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Sleeps until a signal comes or the time is up; true for a signal.
    package func wait(atMost limit: Interval) -> Bool {
        attend()
        var set = set
        let nanoseconds = max(0, limit.nanoseconds)
        var timeout = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        return sigtimedwait(&set, nil, &timeout) > 0
    }

    /// Ends this process's own wait, as SIGTERM from outside would.
    static func raiseTermination() { kill(getpid(), SIGTERM) }

    /// Sleeps until a signal comes.
    package func wait() {
        attend()
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
    }

    /// From now on a signal ends the process at once, whatever it is doing: whoever presses Ctrl-C again means it.
    package func endAtNext() {
        final class Watch: Sendable {
            let signals: Signals
            init(_ signals: Signals) { self.signals = signals }
        }
        var thread = pthread_t()
        let watch = Unmanaged.passRetained(Watch(self))
        let result = pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<Watch>.fromOpaque(pointer!).takeUnretainedValue().signals.wait()
                Console.error("\npushrig: ended at once\n")
                _exit(ExitCode.interrupted.rawValue)
            }, watch.toOpaque())
        if result == 0 { pthread_detach(thread) }
    }
}
