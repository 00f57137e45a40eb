// One loop's share of the load: one timer for whatever is due next, never a wait for an answer. Confined to its loop.

import Basics
import EventLoop
import Journal
import Metrics
import Net
import Scenarios
import Synchronization

/// What a loop needs to be made.
struct LoadLoopSettings: Sendable {
    var plan: Plan
    var target: CheckedOrigin
    var client: ClientConfiguration
    /// This loop takes the sessions `index`, `index + stride`, … of the shard.
    var index: Int
    var stride: Int
    /// Unanswered events at once.
    var window: Int
    var journalDirectory: String
}

/// The last published state of a loop.
final class Published: Sendable {
    let snapshot: Mutex<LoadSnapshot>
    init(_ snapshot: LoadSnapshot) { self.snapshot = Mutex(snapshot) }
}

final class LoadLoop: TurnEndHandler {
    let loop: EventLoop
    private let settings: LoadLoopSettings
    private let workload: Workload
    let driver: RelayDriver
    private var lanes: Lanes
    private let journal: JournalWriter
    private let published: Published
    var snapshot = LoadSnapshot()
    var sessions: SessionTable
    /// Sessions with waiting events whose turn has come in this turn of the loop.
    private var released: [UInt32] = []
    /// Position of the next session to begin, in the shard, and when it begins; nil when all have begun.
    private var nextSession: Int
    private var nextArrival: Interval?
    var window: Window
    private var origin = Instant(nanoseconds: 0)
    private var timer: LoopTimer?
    private var isRunning = false
    private var isTurnEndPending = false
    private lazy var tickAction: () -> Void = { [unowned self] in tick() }
    private lazy var publishAction: () -> Void = { [unowned self] in publishAgain() }

    /// Events sent before the loop looks at its sockets again.
    private static let eventsPerTurn = 256
    private static let publishInterval = Interval.milliseconds(200)

    init(_ settings: LoadLoopSettings, loop: EventLoop, published: Published) throws {
        self.loop = loop
        self.settings = settings
        self.published = published
        workload = settings.plan.workload
        driver = RelayDriver(workload)
        lanes = try Lanes(
            loop: loop, target: settings.target, client: settings.client, order: workload.profile.order)
        journal = try JournalWriter(
            directory: settings.journalDirectory, name: "load-\(settings.index)", time: loop.recordTime)
        nextSession = settings.index
        window = Window(limit: min(settings.window, Int(UInt16.max)))
        let share = (settings.plan.sessionCount - settings.index + settings.stride - 1) / settings.stride
        sessions = SessionTable(capacity: min(max(0, share), 1 << 21), order: workload.profile.order)
        snapshot.sessionsPlanned = max(0, share)
        nextArrival = share > 0 ? settings.plan.start(of: nextSession) : nil
        let kinds = JSONValue.array(settings.plan.kinds.map { .string($0) })
        journal.append(note: .kinds, text: kinds.text, at: loop.stamp())
        _ = journal.commit()
    }

    func start(at origin: Instant) {
        guard !isRunning, !snapshot.isDone else { return }
        self.origin = origin
        isRunning = true
        publishAgain()
        timer = loop.onClock(at: origin, tickAction)
    }

    // MARK: - Sending

    /// Sends what is due, at most `eventsPerTurn`, and arms the timer for what is next.
    private func tick() {
        guard isRunning else { return }
        var budget = Self.eventsPerTurn
        while budget > 0, let due = nextDue {
            guard origin + due.at <= loop.clockNow() else { break }
            if due.isArrival { beginSession() } else { takeDue() }
            budget -= 1
        }
        if let due = nextDue {
            timer = loop.onClock(at: origin + due.at, tickAction)
        } else {
            timer = nil
            finishIfDone()
        }
    }

    private var nextDue: (at: Interval, isArrival: Bool)? {
        guard let event = sessions.nextDue else { return nextArrival.map { ($0, true) } }
        guard let arrival = nextArrival, arrival <= event else { return (event, false) }
        return (arrival, true)
    }

    private func beginSession() {
        let plan = settings.plan
        sessions.begin(plan.cursor(nextSession), workload)
        snapshot.sessionsBegun += 1
        nextSession += settings.stride
        nextArrival = nextSession < plan.sessionCount ? plan.start(of: nextSession) : nil
    }

    private func takeDue() {
        snapshot.planned += 1
        guard let due = sessions.takeDue(workload) else { return }
        send(due)
    }

    private func send(_ due: DueEvent) {
        let plannedAt = origin + due.event.at
        let releasedAt = max(plannedAt, due.freeAt)
        guard let flight = window.take({ Flight(self) }) else { return drop(due, releasedAt: releasedAt) }
        flight.row = due.row
        flight.event = due.event
        flight.plannedAt = plannedAt
        flight.releasedAt = releasedAt
        flight.dispatchedAt = loop.stamp()
        sessions.sent(due.row)
        if loop.isStepped { loop.clock?.calls.begin() }
        if due.isOverlapping { snapshot.overlapped += 1 }
        driver.render(due.event, script: due.script, into: flight.request)
        lanes.pool(for: due.event.session).send(flight.request, completion: flight.completion)
    }

    private func drop(_ due: DueEvent, releasedAt: Instant) {
        let now = loop.stamp()
        snapshot.count(.dropped)
        write(
            EventDraft(
                session: due.event.session, step: due.event.step, kind: UInt16(due.event.call),
                plannedAt: origin + due.event.at, failure: EventFailure.dropped.rawValue,
                lateness: max(.zero, now - releasedAt)))
        settled(due.row, wasSent: false, at: now)
    }

    /// An event is over. The next of its session leaves at the end of this turn, when the connections that this turn's
    /// answers have freed are to be had again.
    func settled(_ row: UInt32, wasSent: Bool, at now: Instant) {
        guard sessions.settled(row, wasSent: wasSent, at: now) else { return }
        released.append(row)
        requestTurnEnd()
    }

    private func sendReleased() {
        var index = 0
        while index < released.count, isRunning {
            send(sessions.takeWaiting(released[index], workload))
            index += 1
        }
        released.removeAll(keepingCapacity: true)
    }

    // MARK: - Record and end

    func write(_ draft: EventDraft) {
        guard snapshot.journalFailure == nil else { return }
        journal.append(event: draft)
        requestTurnEnd()
    }

    private func requestTurnEnd() {
        guard !isTurnEndPending else { return }
        isTurnEndPending = true
        loop.atEndOfTurn(self as any TurnEndHandler)
    }

    /// Sends what may leave now, and makes one write for all that was learnt in this turn.
    func turnEnded() {
        guard isTurnEndPending else { return }
        sendReleased()
        isTurnEndPending = false
        guard !journal.commit() else { return }
        snapshot.journalFailure = journal.failure ?? Failure(.run, "the load journal cannot be written")
        stop()
    }

    func finishIfDone() {
        guard isRunning, timer == nil, sessions.active == 0, nextArrival == nil, window.inFlight == 0 else { return }
        isRunning = false
        turnEnded()
        snapshot.isDone = true
        // Whoever waits for the end must not find that hours have passed since; it releases the clock.
        if loop.isStepped { loop.clock?.hold() }
        publish()
    }

    /// Sends nothing more; what is under way ends as the pool's closing says. Idempotent.
    func stop() {
        timer?.cancel()
        timer = nil
        isRunning = false
        lanes.close()
        window.close()
        turnEnded()
        snapshot.isDone = true
        publish()
    }

    private func publish() {
        snapshot.inFlight = window.inFlight
        snapshot.activeSessions = sessions.active
        snapshot.peakSessions = sessions.peak
        snapshot.waiting = sessions.waiting
        let statistics = lanes.statistics
        snapshot.connections = statistics.connectionsOpened
        snapshot.sentTwice = statistics.sentTwice
        snapshot.sentAgainUnprocessed = statistics.sentAgainUnprocessed
        snapshot.strayAnswers = statistics.strayAnswers
        published.snapshot.withLock { $0 = snapshot }
    }

    private func publishAgain() {
        guard isRunning else { return }
        publish()
        _ = loop.after(Self.publishInterval, publishAction)
    }
}
