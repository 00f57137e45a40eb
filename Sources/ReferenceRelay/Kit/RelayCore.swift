// The relay without sockets, files and clocks: calls and answers go in with the time, actions and rows to write
// come out. The pages beside this one hold what it does: registrations, events, activities, answers of APNs,
// timers; and what its defects do wrong.
//
//     /v1/… ──▶ core ──▶ actions: push, renew, answer ──▶ shell ──▶ APNs
//                 ▲ └──▶ writes ──▶ storage                           │
//                 └────────────── answered(push) ◀────────────────────┘

import Basics
import Pushes
import TLS

/// What the shell has to do, in this order.
enum RelayAction {
    /// Send it to `push.environment`, with what `authorization` gives, then call `answered`.
    case push(Push)
    /// The next push to that host goes over a new connection.
    case renewConnection(PushEnvironment)
    /// All first attempts of an event are done, or nobody is to wait for them.
    case answer(EventTicket)
    /// Defect `dies-under-load`.
    case die
    /// A line for the log.
    case tell(String)
}

/// Bounds of what one secret may hold.
enum RelayLimits {
    static let devicesPerSecret = 128
    static let activitiesPerSession = 64
    static let devices = 2_000_000
    static let sessions = 1_000_000
    /// Pushes that wait for their next attempt; beyond it they fail at once.
    static let waiting = 100_000
    static let idCharacters = 255
    /// States of one activity that leave one by one.
    static let queuedStates = 64
}

final class RelayCore {
    enum Deadline {
        case window(Session)
        case retry(Lane)
        case resend(Push)
        /// What is owed is written down.
        case checkpoint
        /// The alerts of an event have had their time.
        case followup(Followup)
        /// The caller of an event has waited long enough.
        case ticket(EventTicket)
        case lifetime(SessionReference, turn: Int)
        case forget(SessionReference, turn: Int)
        /// An activity is to be replaced, and a start for that was not adopted: each where no start has left since.
        case replacement(LaneReference, number: Int)
        case adoption(LaneReference, number: Int)
        /// Defects and plants: an update after the end, a state that nobody has overtaken, a push that leaves late.
        case afterEnd(Lane, SessionState)
        case heldBack(Lane, SessionState)
        case late(Push)
    }

    /// More than jitter on the way: two pushes that leave a window apart must not arrive closer than that.
    private static let jitter = Interval.milliseconds(50)
    /// How long an ended session is remembered, for what comes late.
    static let memory = Interval.seconds(600)
    /// How long an activity's push is worth delivering: an hour, and twelve for an end, the life of a card.
    private static let expiry = Interval.seconds(3_600)

    let options: RelayOptions
    let hasTwoHosts: Bool
    let dialect: any Dialect
    /// Two progress pushes of one session leave at least this far apart.
    let spacing: Interval
    var providerToken: ProviderToken
    var chance: Generator
    var registry = Registry()
    var deadlines = Deadlines<Deadline>()
    var actions: [RelayAction] = []
    /// Is told of each activity whose token was deleted because its provider calls it dead.
    var pruned: ((Lane, _ token: String, Moment) -> Void)?
    /// Is told of each session that was ended for its age.
    var aged: ((Session) -> Void)?
    var writes: [RowChange] = []
    var mischief = Mischief()
    /// Sessions that may owe a state which waits (`watchOwed`).
    var watched: [Session] = []
    /// Questions so far, where every so-many-th is spoilt.
    var questions = 0
    /// Pushes that were handed to the shell and not answered yet, and those that wait for their next attempt.
    var inFlight = 0
    var waiting = 0

    /// `sign` is ES256 over its argument (64 bytes); `chance` must differ from one start of the relay to the next,
    /// for the ids of pushes come from it.
    init(options: RelayOptions, chance: Seed, sign: @escaping (Span<UInt8>) -> [UInt8]) {
        precondition(options.attempts >= 1 && options.throttle >= .zero, "options are in their range")
        self.options = options
        hasTwoHosts = options.production != options.sandbox
        dialect = options.dialect.make(options)
        spacing = options.throttle + Self.jitter * (options.clock?.scale ?? 1)
        providerToken = ProviderToken(
            keyID: options.keyID, teamID: options.teamID,
            lifetime: options.defects.isDisjoint(with: [.signsWhenTold, .signsOnce])
                ? options.tokenLifetime : .seconds(365 * 86_400),
            signsAlways: options.defects.contains(.signsPerPush), sign: sign)
        self.chance = chance.generator()
        if has(.mixesTeams) {
            mischief.otherTeam = ProviderToken(
                keyID: options.keyID, teamID: "OTHERTEAM0", lifetime: options.tokenLifetime, sign: sign)
        }
    }

    /// An account and what is its own hold each other, as do a lane and the push that waits for its next attempt.
    deinit {
        for account in registry.accounts.values { account.close() }
        while let item = deadlines.takeDue(at: .distantFuture) {
            if case .retry(let lane) = item { lane.waiting = nil }
        }
    }

    func has(_ defect: Defect) -> Bool { options.defects.contains(defect) }

    func raisesAlert(_ type: EventType) -> Bool { dialect.policy.alerting.contains(type) }

    /// A wait that concerns the network or a caller, on a clock that may run faster than theirs.
    func real(_ wait: Interval) -> Interval { options.clock.map { wait * $0.scale } ?? wait }

    // MARK: - Pushes

    /// Hands a new push to the shell, unless a defect has other plans for it.
    func launch(_ push: Push, now: Moment) {
        if options.plantEvery != nil, spoils(push, now: now) { return }
        if options.defects.isEmpty || !diverts(push, now: now) { send(push) }
    }

    /// Hands a push to the shell, for its first attempt or a further one.
    func send(_ push: Push) {
        if push.hasLeft, has(.newIDPerTry) { push.apnsID = UUIDBytes(using: &chance).text() }
        if push.hasLeft, has(.namesEachAttempt) { renameAttempt(push) }
        push.hasLeft = true
        inFlight += 1
        actions.append(.push(push))
    }

    /// The `authorization` field of the attempt that leaves now.
    func authorization(for push: Push, at wall: WallTime) -> String {
        if let value = foreignAuthorization(at: wall) { return value }
        let value = providerToken.value(at: wall)
        push.tokenSerial = providerToken.serial
        return value
    }

    /// Takes an answer back. The one entrance from the network's side.
    func answered(_ push: Push, _ outcome: PushOutcome, now: Moment) {
        inFlight -= 1
        forgetSaved(push)
        let verdict = push.provider == .fcm ? PushVerdict(message: outcome) : PushVerdict(outcome)
        if options.plantEvery != nil { watchPlant(push, verdict, now: now) }
        judge(push, outcome, verdict, now: now)
        if verdict != .unprocessed { releaseFollowup(of: push, now: now) }
    }

    func makePush(
        _ target: Push.Target, _ type: EventType, token: String, revision: Int, bundleID: String, isActivity: Bool,
        isUrgent: Bool, payload: [UInt8], environment: PushEnvironment, ticket: EventTicket?, isCounted: Bool,
        now: Moment
    ) -> Push {
        ticket?.outstanding += 1
        if isCounted { ticket?.counted += 1 }
        let hasSuffix = isActivity && !has(.topicWithoutSuffix) && !has(.leavesTopicToCallers)
        let push = Push(
            target: target, eventType: type, token: token, revision: revision,
            topic: hasSuffix ? bundleID + ".push-type.liveactivity" : bundleID,
            pushType: isActivity ? "liveactivity" : has(.leavesOutPushType) ? "" : "alert",
            priority: isUrgent && (isActivity || !has(.alertsAtFive)) ? "10" : "5", payload: payload,
            expiration: isActivity ? expiration(type, now: now.wall) : nil,
            apnsID: UUIDBytes(using: &chance).text(), environment: onlyHost(isActivity) ?? environment, ticket: ticket,
            isCounted: isCounted)
        if isActivity, has(.emptyCollapseID) { push.collapseID = "" }
        if options.collapsesAlerts, case .alert(_, let session) = target { push.collapseID = collapseID(session) }
        return push
    }

    /// APNs takes 64 bytes (P23); the SHA-256 of what is longer has just as many digits.
    private func collapseID(_ session: String) -> String {
        guard session.utf8.count > 64, !has(.sendsLongIDs) else { return session }
        if has(.cutsLongIDs) { return String(decoding: session.utf8.prefix(64), as: UTF8.self) }
        let digest = withBytes(of: session) { sha256($0) }
        return Hex.encode(digest.span)
    }

    private func expiration(_ type: EventType, now: WallTime) -> String {
        if has(.fractionalExpiration) { return "1.5" }
        return String((now + (type.isFinal ? Self.expiry * 12 : Self.expiry)).seconds)
    }

    // MARK: - Tickets

    /// The first attempt of a push is done, or its event is worked through.
    func settle(_ push: Push, sent: Bool) {
        guard let ticket = push.ticket else { return }
        push.ticket = nil
        if push.isCounted, !ticket.isAnswered {
            if sent { ticket.sent += 1 } else { ticket.failed += 1 }
        }
        release(ticket)
    }

    func release(_ ticket: EventTicket) {
        ticket.outstanding -= 1
        if ticket.outstanding == 0 { answer(ticket) }
    }

    func answer(_ ticket: EventTicket) {
        guard !ticket.isAnswered else { return }
        ticket.isAnswered = true
        actions.append(.answer(ticket))
    }

    // MARK: - The delivery log

    /// The last word on a push (R0.32). Activity pushes are told from alerts by the prefix of their kind.
    func log(_ push: Push, sent: Bool, now: Moment) {
        let (secret, sessionID, kind): (SecretHash, String, String)
        switch push.target {
        case .alert(let device, let id):
            (secret, sessionID, kind) = (device.account.secret, id, push.eventType.rawValue)
        case .start(let session, _, _):
            (secret, sessionID, kind) = (session.account.secret, session.id, "activity:start")
        case .activity(let lane, _):
            (secret, sessionID, kind) = (lane.account.secret, lane.session.id, "activity:" + push.eventType.rawValue)
        case .stray: return
        }
        writes.append(
            .log(
                DeliveryRow(
                    secret: secret, eventType: kind, sessionID: sessionID, isSent: sent,
                    error: sent ? nil : push.lastError, createdAt: now.wall)))
    }
}
