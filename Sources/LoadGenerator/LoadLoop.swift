// One loop's share of the load: one timer for whatever is due next, never a wait for an answer. Confined to its loop.

import Basics
import EventLoop
import Journal
import Metrics
import Net
import Planning
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
    /// Checked origins of token URLs.
    var tokenTargets: [String: CheckedOrigin] = [:]
    /// Where acts of users go; nil: there are no phones.
    var phones: PhoneMailbox?
    /// Where the relay calls back, and who is told of the secrets that answers give for that.
    var webhook: String?
    var secrets: SecretFeed?
}

/// The last published state of a loop.
final class Published: Sendable {
    let snapshot: Mutex<LoadSnapshot>
    init(_ snapshot: LoadSnapshot) { self.snapshot = Mutex(snapshot) }
}

final class LoadLoop: TurnEndHandler {
    let loop: EventLoop
    let settings: LoadLoopSettings
    let workload: Workload
    let driver: RelayDriver
    var lanes: Lanes
    let journal: JournalWriter
    private let published: Published
    var snapshot = LoadSnapshot()
    var sessions: SessionTable
    /// Nil where no session of the plan captures, reacts or acts.
    var memory: LoadMemory?
    /// Sessions with waiting events whose turn has come in this turn of the loop.
    private var released: [UInt32] = []
    /// Position of the next session to begin, in the shard, and when it begins; nil when all have begun, as far as is known.
    private var nextSession: Int
    private var nextArrival: Interval?
    /// Nil where the load is open.
    private var users: UserPace?
    var window: Window
    /// Those that wait to be tried again.
    var retrying: [ObjectIdentifier: Flight] = [:]
    /// Batches that are not full yet, by call.
    var gathering: [Int: Batch] = [:]
    /// Tokens of which the relay has told that they are dead, by session, where the callers keep them.
    var retired: [UInt32: Set<SessionVariable>] = [:]
    /// Nil where no call needs one.
    let tokens: AccessTokens?
    let answers = CaptureReader()
    private(set) var origin = Instant(nanoseconds: 0)
    private var timer: LoopTimer?
    private(set) var isRunning = false
    /// Nothing more is sent; what is under way goes on.
    private(set) var isEnding = false
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
        tokens =
            workload.profile.tokenSpecs.isEmpty
            ? nil
            : try AccessTokens(
                workload, loop: loop, relay: settings.target, client: settings.client, targets: settings.tokenTargets)
        driver = RelayDriver(
            workload, authority: settings.target.origin.authority, tokens: tokens, webhook: settings.webhook)
        lanes = try Lanes(
            loop: loop, target: settings.target, client: settings.client, order: workload.profile.order)
        journal = try JournalWriter(
            directory: settings.journalDirectory, name: "load-\(settings.index)", time: loop.recordTime)
        nextSession = settings.index
        window = Window(limit: min(settings.window, Int(UInt16.max)))
        let share = (settings.plan.sessionCount - settings.index + settings.stride - 1) / settings.stride
        sessions = SessionTable(capacity: min(max(0, share), 1 << 21), order: workload.profile.order)
        if workload.hasMemory { memory = LoadMemory(workload) }
        snapshot.sessionsPlanned = max(0, share)
        nextArrival = share > 0 ? settings.plan.start(of: nextSession) : nil
        // One loop has all of them, which gives sessions their numbers in the order in which they begin.
        if let closed = workload.scenario.workload.closedUsers {
            users = settings.index == 0 ? UserPace(closed, workload) : nil
            nextArrival = users?.next
        }
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
        guard isRunning, !isEnding else { return }
        var budget = Self.eventsPerTurn
        while budget > 0, let due = nextDue {
            guard origin + due.at <= loop.clockNow() else { break }
            switch due.what {
            case .arrival: beginSession()
            case .event: takeDue()
            case .memory: takeFromMemory()
            }
            budget -= 1
        }
        armTimer()
        if timer == nil { finishIfDone() }
    }

    /// For what is due next, which may be earlier than the timer knows, or nothing any more.
    func armTimer() {
        guard isRunning, !isEnding else { return }
        timer?.cancel()
        timer = nextDue.map { loop.onClock(at: origin + $0.at, tickAction) }
    }

    private enum Due { case arrival, event, memory }

    private var nextDue: (at: Interval, what: Due)? {
        guard let recalled = memory?.nextDue() else { return nextPlanned }
        guard let planned = nextPlanned, planned.at <= recalled else { return (recalled, .memory) }
        return planned
    }

    private var nextPlanned: (at: Interval, what: Due)? {
        guard let event = sessions.nextDue else { return nextArrival.map { ($0, .arrival) } }
        guard let arrival = nextArrival, arrival <= event else { return (event, .event) }
        return (arrival, .arrival)
    }

    private func beginSession() {
        guard users == nil else { return beginUserSession() }
        let plan = settings.plan
        let cursor = plan.cursor(nextSession)
        if let remembered = memory?.begin(cursor.session, script: cursor.script, at: plan.start(of: nextSession)) {
            beginRemembering(remembered, cursor)
        } else {
            sessions.begin(cursor, workload)
        }
        snapshot.sessionsBegun += 1
        nextSession += settings.stride
        nextArrival = nextSession < plan.sessionCount ? plan.start(of: nextSession) : nil
    }

    private func beginUserSession() {
        guard let (session, at) = users?.begin() else { return }
        nextArrival = users?.next
        journal.append(SessionBegunNote(session: session, at: at), at: loop.stamp())
        requestTurnEnd()
        snapshot.sessionsBegun += 1
        let cursor = SessionCursor(session: session, start: at, workload: workload)
        if let remembered = memory?.begin(session, script: cursor.script, at: at) {
            beginRemembering(remembered, cursor)
        } else if sessions.begin(cursor, workload) == nil {
            userIsFree(wasSilent: true)
        }
    }

    /// Of a closed load: a session is over, all its calls are answered, and another begins when its user has thought.
    func userIsFree(wasSilent: Bool = false) {
        guard users != nil, isRunning else { return }
        users?.isFree(at: loop.clockNow() - origin, wasSilent: wasSilent)
        nextArrival = users?.next
        armTimer()
    }

    private func takeDue() {
        snapshot.planned += 1
        guard memory != nil, let row = sessions.nextRow, let at = sessions.nextDue else {
            if let due = sessions.takeDue(workload) { send(due) }
            return
        }
        let due = sessions.takeDue(workload)
        if sessions.isOver(row) { planIsOver(row, at: at) }
        if let due { send(due) }
    }

    /// `context`: what the event may use beyond the plan.
    func send(_ due: DueEvent, _ context: EventContext? = nil) {
        let plannedAt = origin + due.event.at
        let releasedAt = max(plannedAt, due.freeAt)
        let context = context ?? memory?[due.event.session]?.context()
        if let context, let lack = context.missing(for: workload.owing[due.event.call], workload.profile.captures) {
            return withhold(due, lack)
        }
        if let dead = retired[due.event.session], !dead.isDisjoint(with: workload.profile.calls[due.event.call].targets) {
            return withhold(due, "the relay had told that its token is dead", as: .retired)
        }
        guard let flight = window.take({ Flight(self) }) else { return drop(due, releasedAt: releasedAt) }
        flight.begin(script: due.script, context)
        flight.row = due.row
        flight.event = due.event
        flight.plannedAt = plannedAt
        flight.releasedAt = releasedAt
        sessions.sent(due.row)
        if due.isOverlapping { snapshot.overlapped += 1 }
        depart(flight)
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
        let session = memory == nil && retired.isEmpty ? nil : sessions.session(row)
        let hasNext = sessions.settled(row, wasSent: wasSent, at: now)
        if let session, sessions.isIdle(row) { retired[session] = nil }
        if let session, let remembered = memory?[session] {
            if remembered.waiting.isEmpty { forgetIfOver(remembered) } else { return release(row) }
        } else if users != nil, sessions.isIdle(row) {
            userIsFree()
        }
        if hasNext { release(row) }
    }

    func release(_ row: UInt32) {
        released.append(row)
        requestTurnEnd()
    }

    private func sendReleased() {
        var index = 0
        while index < released.count, isRunning, !isEnding {
            let row = released[index]
            if memory == nil || !sendWaitingReaction(row) { send(sessions.takeWaiting(row, workload)) }
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

    func requestTurnEnd() {
        guard !isTurnEndPending else { return }
        isTurnEndPending = true
        loop.atEndOfTurn(self as any TurnEndHandler)
    }

    /// Sends what may leave now, and makes one write for all that was learnt in this turn.
    func turnEnded() {
        guard isTurnEndPending else { return }
        sendReleased()
        isTurnEndPending = false
        // An event that was withheld just now may have been the last.
        finishIfDone()
        guard !journal.commit() else { return }
        snapshot.journalFailure = journal.failure ?? Failure(.run, "the load journal cannot be written")
        stop()
    }

    func finishIfDone() {
        guard isRunning, timer == nil, window.inFlight == 0 else { return }
        guard isEnding || sessions.active == 0 && nextArrival == nil && memory?.isEmpty ?? true else { return }
        isRunning = false
        turnEnded()
        snapshot.isDone = true
        // Whoever waits for the end must not find that hours have passed since; it releases the clock.
        if loop.isStepped { loop.clock?.hold() }
        publish()
    }

    /// Sends nothing more, and is done when what is under way has come to its own end. Idempotent.
    func endEarly() {
        guard isRunning, !isEnding else { return }
        isEnding = true
        timer?.cancel()
        timer = nil
        giveUpWaiting()
        giveUpGathering()
        finishIfDone()
    }

    /// Sends nothing more; what is under way ends as the pool's closing says. Idempotent.
    func stop() {
        timer?.cancel()
        timer = nil
        isRunning = false
        giveUpWaiting()
        giveUpGathering()
        tokens?.close()
        lanes.close()
        window.close()
        turnEnded()
        snapshot.isDone = true
        publish()
    }

    private func publish() {
        snapshot.inFlight = window.inFlight
        snapshot.underWay = window.inFlight - retrying.count - gathering.values.reduce(0) { $0 + $1.flights.count }
        snapshot.activeSessions = sessions.active
        snapshot.peakSessions = sessions.peak
        snapshot.waiting = sessions.waiting + (memory?.waiting ?? 0)
        snapshot.unclaimedPhoneEvents = memory?.unclaimed ?? 0
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
