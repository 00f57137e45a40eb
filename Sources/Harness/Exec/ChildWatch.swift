// A program of the user's in the foreground: hears the signals that are sent to us, and leaves nothing behind.

import Basics
import CLinux
import EventLoop
import Glibc
import OperatingSystem

/// Made before any thread is, so that all leave these signals to it.
struct ChildWatch {
    private let set: sigset_t
    /// What is told to the program as well.
    private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]
    /// What is left behind has so long to end by itself.
    private static let grace = Interval.seconds(2)

    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in Self.forwarded + [SIGCHLD] { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        self.set = set
        ChildProcess.adoptOrphans()
    }

    /// Waits until the program has ended, and ends what it has left behind. Gives its code as a shell would. Meanwhile runs
    /// may have the mock's place; when that cannot come back the program is told to end, and `failed` why.
    func wait(for child: pid_t, lending lender: MockLender?, failed: (Failure) -> Void) -> Int32 {
        var lender = lender
        var code: Int32?
        while code == nil {
            do throws(Failure) { try lender?.look() } catch {
                failed(error)
                lender = nil
                kill(child, SIGTERM)
            }
            let signal = next(lender?.pace)
            if signal.number == SIGCHLD {
                while let ended = ChildProcess.reap() {
                    if ended.child == child { code = ChildProcess.code(of: ended.status) }
                }
            } else if signal.number > 0, !signal.isOfTerminal {
                kill(child, signal.number)
            }
        }
        endRest()
        return code!
    }

    /// A key pressed at the terminal is heard by all who stand in its foreground, the program among them.
    private func next(_ limit: Interval?) -> (number: Int32, isOfTerminal: Bool) {
        var set = set
        var about = siginfo_t()
        var time = timespec(tv_sec: 0, tv_nsec: Int(limit?.nanoseconds ?? 0))
        let number = limit == nil ? sigwaitinfo(&set, &about) : sigtimedwait(&set, &about, &time)
        return (number, about.si_code == 0x80)
    }

    /// Daemons of the program: their names lead to a mock that ends now.
    private func endRest() {
        let time = SystemTime()
        let deadline = time.now() + Self.grace
        // What SIGKILL does not end hangs in the kernel.
        let last = deadline + Self.grace
        var isAsked: Set<pid_t> = []
        while case let rest = ChildProcess.all, !rest.isEmpty, time.now() < last {
            for child in rest {
                if time.now() >= deadline { kill(child, SIGKILL) }
                if isAsked.insert(child).inserted { kill(child, SIGTERM) }
            }
            _ = next(.milliseconds(10))
            while ChildProcess.reap() != nil {}
        }
        while ChildProcess.reap() != nil {}
    }
}
