// One thread's loop: wait, dispatch what is ready, run due timers, read the mail, then end the turn. Confined to its
// thread; only letters come in from outside, through a Mailbox.

package import Basics

/// Told at the end of a turn in which it asked for it: the place for one write per turn.
package protocol TurnEndHandler: AnyObject {
    func turnEnded()
}

package final class EventLoop {
    /// The host's: what concerns sockets goes by it.
    package let time = SystemTime()
    /// The run's, by which the work goes; nil where there is none but the host's.
    package let clock: RunClock?
    /// The time of this turn, read once after waking.
    package private(set) var now: Instant
    private let poller: Poller
    private let timers: TimerHeap
    /// Timers on the run's clock.
    private let clockTimers: TimerHeap?
    private let follower: ClockFollower?
    let mailbox: Mailbox
    let rest = LoopRest()
    private var endings: [any TurnEndHandler] = []
    private var endingClosures: [() -> Void] = []
    private var isStopped = false
    private let timerBell = TimerHandler()
    private let clockBell = TimerHandler()
    private let mailBell = MailboxHandler()

    /// The failure says which descriptor could not be made.
    package init(clock: RunClock? = nil, rank: ClockFollower.Rank? = .mock) throws(Failure) {
        self.clock = clock
        now = time.now()
        poller = try Poller()
        timers = try TimerHeap()
        clockTimers = clock == nil ? nil : try TimerHeap()
        let mailbox = try Mailbox()
        self.mailbox = mailbox
        if clock != nil, let rank {
            follower = ClockFollower(rank: rank, hasLetters: { mailbox.hasLetters }, wake: { mailbox.post {} })
        } else {
            follower = nil
        }
        timerBell.timers = timers
        mailBell.mailbox = mailbox
        _ = poller.register(timers.descriptorNumber, for: .read, timerBell)
        _ = poller.register(mailbox.bell, for: .read, mailBell)
        if let clockTimers {
            clockBell.timers = clockTimers
            _ = poller.register(clockTimers.descriptorNumber, for: .read, clockBell)
        }
        if let follower {
            follower.begin()
            clock?.add(follower)
        }
    }

    // MARK: - The run's clock

    /// Now on the run's clock: what rules, faults and devices go by.
    package var moment: Instant {
        guard let clock, !clock.isPlain else { return now }
        return clock.now()
    }

    /// The same, looked up anew.
    package func clockNow() -> Instant { clock?.now() ?? time.now() }

    /// What is for this instant of the run's clock or an earlier one is to be done.
    package var due: Instant {
        guard let clock, !clock.isPlain else { return now }
        return clock.due
    }

    /// For what is put on record of this turn.
    package var noted: Instant {
        guard let clock, !clock.isPlain else { return now }
        return clock.stamp()
    }

    /// The same, looked up anew.
    package func stamp() -> Instant {
        guard let clock, !clock.isPlain else { return time.now() }
        return clock.stamp()
    }

    /// What is put on record for an instant of the host's that was looked up just now.
    package func stamp(for real: Instant) -> Instant {
        guard let clock, !clock.isPlain else { return real }
        return clock.stamp()
    }

    /// For a journal of what happens on this loop.
    package var recordTime: any TimeSource { clock ?? time }

    /// Runs `action` when so much of the run's time has passed.
    package func onClock(after delay: Interval, _ action: @escaping () -> Void) -> LoopTimer {
        guard let clock, let clockTimers else { return after(delay, action) }
        return clockTimers.add(at: clock.now() + delay, action)
    }

    /// The next timer on the run's clock.
    package var nextOnClock: Instant? { clockTimers?.next }

    /// The run's clock stands, and work on this loop takes none of its time.
    package var isStepped: Bool { clock?.isStepped ?? false }

    /// Runs `action` when the run's clock shows `instant`.
    package func onClock(at instant: Instant, _ action: @escaping () -> Void) -> LoopTimer {
        (clockTimers ?? timers).add(at: instant, action)
    }

    // MARK: - Descriptors and timers

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
        runDueOnClock()
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
        clockTimers?.forgetAll()
        if let follower { clock?.remove(follower) }
    }

    /// One turn without waiting: for whoever turns a loop by hand on its own thread.
    package func turn() {
        mailbox.post {}
        waitAndServe()
    }

    private func waitAndServe() {
        let follower = follower
        if let follower {
            follower.rest(until: clockTimers?.next)
            clock?.ring()
        }
        rest.begin(at: time.now())
        poller.wait({ handler, readiness in handler.ready(readiness) }) {
            now = time.now()
            rest.end(at: now)
            follower?.begin()
        }
        timers.runDue(at: now)
        runDueOnClock()
        mailbox.deliver()
        endTurn()
        timers.runDue(at: now)
        runDueOnClock()
        endTurn()
    }

    private func runDueOnClock() {
        guard let clock, let clockTimers else { return }
        clockTimers.runDue(at: due) { clock.base(of: $0) }
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
