// One thread's loop: wait, dispatch what is ready, run due timers, read the mail, then end the turn. Confined to its
// thread; only letters come in from outside, through a Mailbox.

package import Basics

/// Told at the end of a turn in which it asked for it: the place for one write per turn.
package protocol TurnEndHandler: AnyObject {
    func turnEnded()
}

package final class EventLoop {
    package let time = SystemTime()
    /// The time of this turn, read once after waking.
    package private(set) var now: Instant
    private let poller: Poller
    private let timers: TimerHeap
    let mailbox: Mailbox
    private var endings: [any TurnEndHandler] = []
    private var endingClosures: [() -> Void] = []
    private var isStopped = false
    private let timerBell = TimerHandler()
    private let mailBell = MailboxHandler()

    /// The failure says which descriptor could not be made.
    package init() throws(Failure) {
        now = time.now()
        poller = try Poller()
        timers = try TimerHeap()
        mailbox = try Mailbox()
        timerBell.timers = timers
        mailBell.mailbox = mailbox
        _ = poller.register(timers.descriptorNumber, for: .read, timerBell)
        _ = poller.register(mailbox.bell, for: .read, mailBell)
    }

    /// Watches a descriptor, level-triggered. The loop keeps `handler` alive until `deregister`.
    package func register(_ descriptor: Int32, for interest: Readiness, _ handler: any ReadinessHandler) -> Ticket {
        poller.register(descriptor, for: interest, handler)
    }

    package func change(_ ticket: Ticket, to interest: Readiness) { poller.change(ticket, to: interest) }

    /// Must be called before the descriptor is closed.
    package func deregister(_ ticket: Ticket) { poller.deregister(ticket) }

    package func after(_ delay: Interval, _ action: @escaping () -> Void) -> LoopTimer {
        at(time.now() + delay, action)
    }

    package func at(_ instant: Instant, _ action: @escaping () -> Void) -> LoopTimer {
        timers.add(at: instant, action)
    }

    /// Runs `action` once, at the end of this turn.
    package func atEndOfTurn(_ action: @escaping () -> Void) { endingClosures.append(action) }

    /// Calls `handler.turnEnded()` at the end of this turn. Asking twice means being called twice.
    package func atEndOfTurn(_ handler: any TurnEndHandler) { endings.append(handler) }

    /// Leaves `run` after this turn.
    package func stop() { isStopped = true }

    package func run() {
        endTurn()
        timers.runDue(at: time.now())
        endTurn()
        while !isStopped { waitAndServe() }
        letGo()
    }

    /// The end of a loop: timers that are not due yet and handlers of open descriptors may hold whoever holds the loop,
    /// and nobody of them would ever go. Handlers are told, and what they ask for at the end of a turn is done.
    package func letGo() {
        poller.forgetAll()
        endTurn()
        timers.forgetAll()
    }

    /// One turn without waiting: for whoever turns a loop by hand on its own thread.
    package func turn() {
        mailbox.post {}
        waitAndServe()
    }

    private func waitAndServe() {
        poller.wait({ handler, readiness in handler.ready(readiness) }, woken: { now = time.now() })
        timers.runDue(at: now)
        mailbox.deliver()
        endTurn()
        timers.runDue(at: now)
        endTurn()
    }

    /// Endings may ask for further endings; they run in the same turn.
    private func endTurn() {
        while !endingClosures.isEmpty || !endings.isEmpty {
            let closures = endingClosures
            endingClosures = []
            for closure in closures { closure() }
            var index = 0
            while index < endings.count {
                endings[index].turnEnded()
                index += 1
            }
            endings.removeAll(keepingCapacity: true)
        }
    }

    private final class TimerHandler: ReadinessHandler {
        var timers: TimerHeap?
        func ready(_ readiness: Readiness) { timers?.acknowledge() }
    }

    private final class MailboxHandler: ReadinessHandler {
        var mailbox: Mailbox?
        func ready(_ readiness: Readiness) { mailbox?.silence() }
    }
}
