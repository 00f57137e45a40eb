// What the defects do that is more than leaving a step out. An honest relay never gets here.

import Basics
import Pushes
import TLS

/// What the defects remember.
struct Mischief {
    var events = 0
    var firstEventAt: Instant?
    var activityPushes = 0
    /// Updates since one went to somebody else.
    var updates = 0
    var authorizations = 0
    /// The id that the next push shares.
    var sharedID: String?
    /// An activity that was pushed to lately.
    weak var neighbour: Lane?
    /// The account of the last event whose secret was known.
    weak var lastAccount: Account?
    var otherTeam: ProviderToken?
    /// Tokens that APNs has called dead.
    var buried: Set<String> = []
    /// Sessions that were over when the process before ended.
    var over: [ReplacedRow] = []
    /// Activities that have ended, by their sessions.
    var ended: [ObjectIdentifier: [Lane]] = [:]
    /// Sessions of whatever user, by their ids.
    var shared: [String: SessionReference] = [:]

    static let deadlyEvents = 100
    static let goodTime = Interval.seconds(3)
    static let lateness = Interval.seconds(20)
    static let patience = Interval.seconds(10)
    static let startPatience = Interval.seconds(5)
    static let afterEnd = Interval.seconds(1)
}

extension RelayCore {
    // MARK: - Events

    /// Counts an event; true where it comes to nothing.
    func mistakes(_ event: RelayEvent, _ ticket: EventTicket, now: Moment) -> Bool {
        mischief.events += 1
        if mischief.firstEventAt == nil { mischief.firstEventAt = now.now }
        if let account = registry.accounts[event.secret] { mischief.lastAccount = account }
        if event.type == .background, has(.ignoresBackground) { return true }
        if has(.needsServerID), let content = event.content as? OpenCodeEvent, content.serverID == nil {
            ticket.refusal = .invalidBody
            return true
        }
        if has(.sendsToDeviceToken), lacksToken(event) {
            sendToDevices(event, now: now)
            return true
        }
        guard has(.diesUnderLoad), mischief.events >= Mischief.deadlyEvents else { return false }
        actions.append(.die)
        return true
    }

    /// Defect `sends-to-device-token`.
    private func sendToDevices(_ event: RelayEvent, now: Moment) {
        guard let account = registry.accounts[event.secret], let session = session(event.sessionID, of: account, now: now)
        else { return }
        let state = session.state(after: event)
        let payload = dialect.update(state, stamp: session.stamp(state, now: now.wall))
        for device in account.devices {
            send(
                makePush(
                    .stray(session), event.type, token: device.token, revision: device.revision,
                    bundleID: device.bundleID, isActivity: true, isUrgent: false, payload: payload,
                    environment: device.environment, ticket: nil, isCounted: false, now: now))
        }
    }

    /// Defect `loses-coalesced-values`: the next state builds on what was shown, not on what waits.
    func forgetWaiting(_ session: Session) {
        if session.hasTrailing { session.latest = session.beforeTrailing } else { session.beforeTrailing = session.latest }
    }

    /// Defect `sends-stale-progress`: what the window holds back leaves when it opens, whatever has come meanwhile.
    func keepStale(_ session: Session) {
        guard let stale = session.latest else { return }
        for lane in session.lanes { deadlines.add(.afterEnd(lane, stale), at: session.window.opensAt) }
    }

    /// The starts that keep another one away. Defects `starts-again` and `starts-again-late`.
    func startsThatStand(_ session: Session, now: Moment) -> [StartAttempt] {
        if has(.startsAgain) { return [] }
        guard has(.startsAgainLate) else { return session.starts }
        return session.starts.filter { now.wall - $0.leftAt < Mischief.startPatience }
    }

    /// Defects `ends-for-good` and `ends-unseen-for-good`.
    func isOverForGood(_ session: Session) -> Bool {
        has(.endsForGood) || has(.endsUnseenForGood) && !session.hadLane
    }

    /// Defect `retries-after-goodbye`: nobody tells the push that waits.
    func keepRetrying(_ lane: Lane) {
        guard let push = lane.waiting, let instant = lane.retryAt else { return }
        deadlines.add(.late(push), at: instant)
    }

    /// Defect `ended-for-good-after-restart`: a row without a token says that the session was over.
    func noteOver(_ session: Session) {
        writes.append(.saveReplaced(ReplacedRow(secret: session.account.secret, sessionID: session.id, token: "")))
    }

    func wasOverBefore(_ session: Session) -> Bool {
        mischief.over.contains(ReplacedRow(secret: session.account.secret, sessionID: session.id, token: ""))
    }

    /// Defect `shares-sessions-of-users`.
    func sharedSession(_ id: String) -> Session? { mischief.shared[id]?.session }

    /// Defect `moves-devices`.
    func takeFromOthers(_ token: String, for account: Account) {
        for other in registry.accounts.values where other !== account {
            for device in other.devices where device.token == token { remove(device) }
        }
    }

    /// Defect `refuses-late-goodbyes`; asked before the goodbye is obeyed.
    func refusesGoodbye(_ sessionID: String, of secret: SecretHash) -> Bool {
        guard has(.refusesLateGoodbyes), let session = registry.accounts[secret]?.sessions[sessionID] else { return false }
        return session.phase == .ended || !session.owedUnregisters.isEmpty
    }

    /// Defect `drops-living-rows`.
    func dropRows(of account: Account) { for device in account.devices { writes.append(.deleteDevice(device.id)) } }

    /// Defect `repeats-accepted`: once.
    func repeatAccepted(_ push: Push, now: Moment) {
        guard case .activity(let lane, let state) = push.target, !state.isFinal else { return }
        let again = stray(for: lane, state, payload: push.payload, isUrgent: push.priority == "10", now: now)
        again.apnsID = push.apnsID
        send(again)
    }

    /// Defect `rebuilds-refused-messages`: the message with the time at which it leaves.
    func dated(_ message: [UInt8], at wall: WallTime) -> [UInt8] {
        guard var body = (try? JSONValue(parsing: message.span))?.object, var inner = body["message"]?.object,
            var data = inner["data"]?.object
        else { return message }
        data["madeAt"] = .string(String(wall.milliseconds))
        inner["data"] = .object(data)
        body["message"] = .object(inner)
        return JSONValue.object(body).encoded()
    }

    /// Defect `drops-activities-with-phone`.
    func dropActivities(of account: Account, now: Moment) {
        for session in account.sessions.values {
            for lane in session.lanes { remove(lane, now: now) }
        }
    }

    /// Defect `restarts-dismissed`: to what comes next the session has had no activity.
    func forgetDismissal(_ session: Session) {
        session.hadLane = false
        session.starts = []
        session.unadoptedStarts = 0
    }

    /// Defect `starts-by-first-token`.
    func tokenToStart(_ device: Device) -> String? {
        has(.startsByFirstToken) && device.startToken != nil ? device.firstStartToken : device.startToken
    }

    /// Defect `keeps-ended-row`: activities of the turn before are this one's, too.
    func takeUpEnded(_ session: Session) {
        for lane in session.finishing { lane.finalState = nil }
        session.lanes = session.finishing
        session.finishing = []
    }

    /// Defect `starts-while-active`: the state goes on as it was.
    func startBeside(_ event: RelayEvent, _ session: Session, ticket: EventTicket, now: Moment) {
        let latest = session.latest
        session.latest = nil
        session.starts = []
        start(event, session, ticket: ticket, now: now)
        session.latest = latest
    }

    /// Defects `serves-unknown-secrets` and `takes-any-secret`: whose an event with that secret is taken for.
    func mistakenAccount(for secret: SecretHash) -> Account? {
        let isAnybody = secret == SecretHash(digest: withBytes(of: Self.anybody) { sha256($0) })
        return has(.servesUnknownSecrets) || has(.takesAnySecret) && isAnybody ? mischief.lastAccount : nil
    }

    /// Stands for a secret that is no text.
    static let anybody = "anybody"

    /// Defects `progress-to-one-phone`, `flushes-to-one-phone`, `quiet-after-rotation` and `pushes-to-first-card`.
    func passesOver(_ lane: Lane, _ state: SessionState, isTrailing: Bool) -> Bool {
        if has(.pushesToFirstCard), lane !== lane.session.lanes.first { return true }
        guard state.eventType.isThrottled else { return false }
        if has(.progressToOnePhone) || isTrailing && has(.flushesToOnePhone), lane !== lane.session.lanes.first { return true }
        return has(.quietAfterRotation) && lane.revision > 0
    }

    /// Defects `wakes-without-…`: what a process finds of the one before it.
    func remembered(_ rows: StoredRows) -> StoredRows {
        var rows = rows
        if has(.wakesWithoutStartTokens) { for place in rows.devices.indices { rows.devices[place].startToken = nil } }
        if has(.wakesWithoutStarts) { rows.starts = [] }
        if has(.wakesWithoutActivities) { (rows.activities, rows.dead) = ([], []) }
        if has(.wakesWithoutStates) { rows.held = [] }
        if has(.wakesWithoutWaiting) { rows.waiting = [] }
        if has(.endedForGoodAfterRestart) {
            mischief.over = rows.replaced.filter(\.token.isEmpty)
            rows.replaced.removeAll(where: \.token.isEmpty)
        }
        return rows
    }

    // MARK: - Pushes

    /// Changes a push before its first attempt; true where it leaves in another way, or not at all.
    func diverts(_ push: Push, now: Moment) -> Bool {
        if has(.sharesID) { shareID(of: push) }
        if let began = mischief.firstEventAt, has(.acceptsThenSilent), now.now - began >= real(Mischief.goodTime) {
            return forget(push, now: now)
        }
        if has(.pushesNothing) { return forget(push, now: now) }
        guard push.isActivity else { return false }
        mischief.activityPushes += 1
        if has(.dropsEveryTenth), mischief.activityPushes % 10 == 0 { return forget(push, now: now) }
        if has(.dropsRetries), case .activity(_, let state) = push.target, state.content.stored["status"] == "retry" {
            return forget(push, now: now)
        }
        if case .start(_, _, let device) = push.target {
            if has(.neverStarts) { return forget(push, now: now) }
            if has(.crossesStartTokens) {
                push.address = device.account.devices.lazy.compactMap(\.startToken).first ?? push.token
            }
            if has(.keepsStarts) { return putOff(push, now: now) }
        }
        if case .activity(let lane, let state) = push.target, !state.isFinal { misdirect(push, lane) }
        if has(.risingLate) { return putOff(push, now: now) }
        if has(.sendsTwice), case .activity(let lane, let state) = push.target, !state.isFinal {
            send(stray(for: lane, state, payload: push.payload, isUrgent: push.priority == "10", now: now))
        }
        return false
    }

    /// Defects `asks-sandbox-only` and `asks-production-only`.
    func onlyHost(_ isActivity: Bool) -> PushEnvironment? {
        if has(.asksProductionOnly) { return .production }
        return has(.asksSandboxOnly) && isActivity ? .sandbox : nil
    }

    /// Defects `pushes-to-every-kind` and `alerts-on-message`: to a token that is no card's.
    func pushAstray(_ event: RelayEvent, to token: String, isActivity: Bool, now: Moment) {
        guard let session = registry.accounts[event.secret]?.sessions[event.sessionID] else { return }
        let state = session.state(after: event)
        let payload = isActivity ? dialect.update(state, stamp: now.wall.seconds) : dialect.alert(event)
        send(
            makePush(
                .stray(session), event.type, token: token, revision: 0, bundleID: options.topic, isActivity: isActivity,
                isUrgent: true, payload: payload, environment: .production, ticket: nil, isCounted: false, now: now))
    }

    /// Counts it as sent; it leaves later.
    private func putOff(_ push: Push, now: Moment) -> Bool {
        settle(push, sent: true)
        deadlines.add(.late(push), at: now.now + real(Mischief.lateness))
        return true
    }

    /// Counts it as accepted.
    func forget(_ push: Push, now: Moment) -> Bool {
        inFlight += 1
        answered(push, .accepted, now: now)
        return true
    }

    private func shareID(of push: Push) {
        if let id = mischief.sharedID {
            push.apnsID = id
            mischief.sharedID = nil
        } else {
            mischief.sharedID = push.apnsID
        }
    }

    private func misdirect(_ push: Push, _ lane: Lane) {
        mischief.updates += 1
        if has(.updatesUnknownToken) { push.address = String(push.token.reversed()) }
        guard has(.crossesSessions) else { return }
        if mischief.updates >= 10, let other = mischief.neighbour, other.account !== lane.account {
            mischief.updates = 0
            push.address = other.token
        }
        mischief.neighbour = lane
    }

    /// Defect `starts-by-push`.
    func greet(_ lane: Lane, payload: [UInt8], now: Moment) {
        let state = SessionState(eventType: .start, content: dialect.timedOut(after: nil), sequence: 0)
        send(stray(for: lane, state, payload: payload, isUrgent: true, now: now))
    }

    func stray(
        for lane: Lane, _ state: SessionState, payload: [UInt8], isUrgent: Bool, now: Moment
    ) -> Push {
        makePush(
            .stray(lane.session), state.eventType, token: lane.token, revision: lane.revision, bundleID: lane.bundleID,
            isActivity: true, isUrgent: isUrgent, payload: payload, environment: lane.environment, ticket: nil,
            isCounted: false, now: now)
    }

    /// Defects `update-after-end`, `update-after-error` and `sends-stale-progress`.
    func sendAfterEnd(_ lane: Lane, _ state: SessionState, now: Moment) {
        let stamp = max(now.wall.seconds, lane.session.lastStamp + 1)
        let payload = dialect.update(state, stamp: stamp)
        send(stray(for: lane, state, payload: payload, isUrgent: false, now: now))
    }

    /// Defect `tells-ended`.
    func tellEnded(_ event: RelayEvent, _ session: Session, now: Moment) {
        let lanes = mischief.ended[ObjectIdentifier(session)] ?? []
        guard !lanes.isEmpty else { return }
        let state = session.state(after: event)
        for lane in lanes { sendAfterEnd(lane, state, now: now) }
    }

    // MARK: - Order

    /// Keeps every third progress state, from the second on, for its successor to overtake.
    func holdsBack(_ state: SessionState, of lane: Lane, now: Moment) -> Bool {
        guard state.eventType.isThrottled else { return false }
        lane.progressCount += 1
        guard lane.progressCount % 3 == 2, lane.heldBack == nil else { return false }
        lane.heldBack = state
        deadlines.add(.heldBack(lane, state), at: now.now + real(Mischief.patience))
        return true
    }

    /// Behind its successor, and stamped after it. An end leaves nothing to send.
    func sendHeldBack(_ held: SessionState, to lane: Lane, now: Moment) -> Bool {
        lane.heldBack = nil
        guard lane.isRegistered, lane.finalState == nil else { return false }
        held.stamp = nil
        push(held, to: lane, ticket: nil, isCounted: false, now: now)
        return true
    }

    /// Nothing came in time to overtake it.
    func sendUnovertaken(_ lane: Lane, _ state: SessionState, now: Moment) {
        guard lane.heldBack === state, !lane.isInFlight, lane.retryAt == nil else { return }
        _ = sendHeldBack(state, to: lane, now: now)
    }

    // MARK: - Provider tokens

    /// Defect `mixes-teams`.
    func foreignAuthorization(at wall: WallTime) -> String? {
        guard mischief.otherTeam != nil else { return nil }
        mischief.authorizations += 1
        return mischief.authorizations % 2 == 0 ? mischief.otherTeam?.value(at: wall) : nil
    }

    /// Defect `names-each-attempt`: the app takes it for another activity's.
    func renameAttempt(_ push: Push) {
        guard push.provider == .fcm, case .activity(let lane, let state) = push.target else { return }
        push.payload = dialect.message(state, sessionID: "\(lane.session.id)-\(push.failures)", token: push.token)
    }
}
