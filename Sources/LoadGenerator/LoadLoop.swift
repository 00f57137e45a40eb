// One loop's share of the load: one timer for whatever is due next, never a wait for an answer. Confined to its loop.

import Basics
import EventLoop
import Journal
import Metrics
import Net
import Synchronization

/// What a loop needs to be made.
struct LoadLoopSettings: Sendable {
    var plan: Plan
    var target: Origin
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
    private let loop: EventLoop
    private let settings: LoadLoopSettings
    private let workload: Workload
    private let driver: RelayDriver
    private let pool: ClientPool
    private let journal: JournalWriter
    private let published: Published
    private var snapshot = LoadSnapshot()
    private var sessions: SessionTable
    /// Position of the next session to begin, in the shard, and when it begins; nil when all have begun.
    private var nextSession: Int
    private var nextArrival: Interval?
    private var window: Window
    private var origin = Instant(nanoseconds: 0)
    private var timer: LoopTimer?
    private var isRunning = false
    private var isCommitPending = false
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
        pool = try ClientPool(loop: loop, origin: settings.target, configuration: settings.client)
        journal = try JournalWriter(
            directory: settings.journalDirectory, name: "load-\(settings.index)", time: loop.time)
        nextSession = settings.index
        window = Window(limit: min(settings.window, Int(UInt16.max)))
        let share = (settings.plan.sessionCount - settings.index + settings.stride - 1) / settings.stride
        sessions = SessionTable(capacity: min(max(0, share), 1 << 21))
        snapshot.sessionsPlanned = max(0, share)
        nextArrival = share > 0 ? settings.plan.start(of: nextSession) : nil
        let kinds = JSONValue.array(settings.plan.kinds.map { .string($0) })
        journal.append(note: .kinds, text: kinds.text, at: loop.time.now())
        _ = journal.commit()
    }

    func start(at origin: Instant) {
        guard !isRunning, !snapshot.isDone else { return }
        self.origin = origin
        isRunning = true
        publishAgain()
        timer = loop.at(max(origin, loop.time.now()), tickAction)
    }

    /// Sends what is due, at most `eventsPerTurn`, and arms the timer for what is next.
    private func tick() {
        guard isRunning else { return }
        var budget = Self.eventsPerTurn
        while budget > 0, let due = nextDue {
            let now = loop.time.now()
            guard origin + due.at <= now else { break }
            if due.isArrival { beginSession() } else { send(at: now) }
            budget -= 1
        }
        if let due = nextDue {
            timer = loop.at(max(origin + due.at, loop.time.now()), tickAction)
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

    private func send(at now: Instant) {
        let due = sessions.takeDue(workload)
        snapshot.planned += 1
        let flight = window.take { Flight { [self] in landed($0, $1) } }
        guard let flight else { return drop(due.event, row: due.row) }
        flight.row = due.row
        flight.event = due.event
        flight.plannedAt = origin + due.event.at
        flight.dispatchedAt = now
        sessions.sent(due.row)
        snapshot.sent += 1
        if due.isOverlapping { snapshot.overlapped += 1 }
        snapshot.dispatchLateness.record((now - flight.plannedAt).nanoseconds)
        driver.render(due.event, script: due.script, into: flight.request)
        pool.send(flight.request, completion: flight.completion)
    }

    private func drop(_ event: PlannedEvent, row: UInt32) {
        snapshot.dropped += 1
        snapshot.failures[Int(EventFailure.dropped.rawValue)] += 1
        write(EventDraft(event, plannedAt: origin + event.at, failure: .dropped))
        sessions.settled(row, wasSent: false)
    }

    private func landed(_ flight: Flight, _ outcome: ClientOutcome) {
        var draft = EventDraft(flight.event, plannedAt: flight.plannedAt, sentAt: flight.dispatchedAt)
        switch outcome {
        case .response(let response): answered(flight, response, &draft)
        case .failed(let failure): failed(EventFailure(failure.kind), &draft)
        }
        write(draft)
        sessions.settled(flight.row, wasSent: true)
        window.giveBack(flight)
        if timer == nil { finishIfDone() }
    }

    private func answered(_ flight: Flight, _ response: ClientResponse, _ draft: inout EventDraft) {
        let status = response.status
        snapshot.answered += 1
        snapshot.answersByClass[100...599 ~= status ? status / 100 : 0] += 1
        draft.status = UInt16(clamping: status)
        draft.sentAt = max(flight.dispatchedAt, response.sentAt)
        draft.answeredAt = max(draft.sentAt, response.answeredAt)
        if !driver.expects(status, from: flight.event.call) {
            snapshot.unexpectedStatus += 1
            snapshot.failures[Int(EventFailure.unexpectedStatus.rawValue)] += 1
            draft.failure = EventFailure.unexpectedStatus.rawValue
        }
        snapshot.lateness.record((draft.sentAt - draft.plannedAt).nanoseconds)
        snapshot.answer.record((draft.answeredAt - draft.plannedAt).nanoseconds)
        snapshot.answerFromSent.record((draft.answeredAt - draft.sentAt).nanoseconds)
    }

    /// A full queue of the pool is our own limit, like the window: the event counts as dropped.
    private func failed(_ failure: EventFailure, _ draft: inout EventDraft) {
        snapshot.failures[Int(failure.rawValue)] += 1
        draft.failure = failure.rawValue
        if failure == .dropped {
            snapshot.sent -= 1
            snapshot.dropped += 1
            draft.sentAt = Instant(nanoseconds: 0)
        } else {
            snapshot.failed += 1
            snapshot.lateness.record((draft.sentAt - draft.plannedAt).nanoseconds)
        }
    }

    // MARK: - Record and end

    private func write(_ draft: EventDraft) {
        guard snapshot.journalFailure == nil else { return }
        journal.append(event: draft)
        guard !isCommitPending else { return }
        isCommitPending = true
        loop.atEndOfTurn(self as any TurnEndHandler)
    }

    /// One write for all that was learnt in this turn.
    func turnEnded() {
        guard isCommitPending else { return }
        isCommitPending = false
        guard !journal.commit() else { return }
        snapshot.journalFailure = journal.failure ?? Failure(.run, "the load journal cannot be written")
        stop()
    }

    private func finishIfDone() {
        guard isRunning, sessions.active == 0, nextArrival == nil, window.inFlight == 0 else { return }
        isRunning = false
        turnEnded()
        snapshot.isDone = true
        publish()
    }

    /// Sends nothing more; what is under way ends as the pool's closing says. Idempotent.
    func stop() {
        timer?.cancel()
        timer = nil
        isRunning = false
        pool.close()
        window.close()
        if isCommitPending { turnEnded() }
        snapshot.isDone = true
        publish()
    }

    private func publish() {
        snapshot.inFlight = window.inFlight
        snapshot.activeSessions = sessions.active
        snapshot.peakSessions = sessions.peak
        published.snapshot.withLock { $0 = snapshot }
    }

    private func publishAgain() {
        guard isRunning else { return }
        publish()
        _ = loop.after(Self.publishInterval, publishAction)
    }
}

extension EventDraft {
    fileprivate init(
        _ event: PlannedEvent, plannedAt: Instant, sentAt: Instant = Instant(nanoseconds: 0),
        failure: EventFailure = .none
    ) {
        self.init(
            session: event.session, step: event.step, kind: UInt16(event.call), plannedAt: plannedAt, sentAt: sentAt,
            failure: failure.rawValue)
    }
}

extension EventFailure {
    init(_ kind: ClientFailure.Kind) {
        self =
            switch kind {
            case .connect: .connect
            case .tls: .tls
            case .timeout: .timeout
            case .refused: .refused
            case .reset: .reset
            case .goAway: .goAway
            case .closed: .closed
            case .overloaded: .dropped
            case .protocolError: .protocolError
            }
    }
}
