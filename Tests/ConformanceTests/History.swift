// One user's history to judge: an honest session as the house knows it, and knobs to spoil it with.

import Basics
import Journal
import Metrics
import Pushes

@testable import Conformance

/// Seconds since the plan's origin, as an instant.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 1_000_000_000_000) + .seconds(seconds) }

let epoch: Int64 = 1_760_000_000

/// `bearer <JWT>` of a team and key; the signature is not judged.
func bearer(team: String = "TEAM123456", key: String = "KEY1234567", issuedAt: Int64 = epoch) -> String {
    let header = withBytes(of: #"{"alg":"ES256","kid":"\#(key)"}"#) { Base64URL.encode($0) }
    let claims = withBytes(of: #"{"iss":"\#(team)","iat":\#(issuedAt)}"#) { Base64URL.encode($0) }
    return "bearer \(header).\(claims).c2lnbmF0dXJl"
}

/// The profile's calls, in the order of their numbers.
enum Kind: UInt16, CaseIterable {
    case register, registerActivity, start, progress, permission, complete, nonsense, lateUnregister, unregister, stranger, long
}

extension TokenHash {
    static let device = TokenHash("d1")
    static let start = TokenHash("51")
    static let activity = TokenHash("a1")
    static let rotated = TokenHash("a2")
    static let device2 = TokenHash("d2")
    static let activity2 = TokenHash("b1")
    static let stranger = TokenHash("ff")
}

extension Lane {
    static let device = Lane(role: .device)
    static let start = Lane(role: .start)
    static let activity = Lane(role: .activity)
}

struct History {
    /// The session that tests speak of where they say nothing else; its user is number 0.
    static let session: UInt32 = 1

    var rows: [Expectation] = []
    var calls: [SeenCall] = []
    var tokenCalls: [TokenCall] = []
    var pushes: [SeenPush] = []
    var cards: [SeenCard] = []
    var tellings: [Telling] = []
    var hooks: [Hook] = []
    var undelivered: Set<UInt64> = []
    /// Its user makes malformed requests.
    var isMalformed = false
    /// Of this history alone.
    let run: RunContext

    init() {
        run = RunContext()
        run.kinds = Kind.allCases.map { "\($0)" }
        run.urgentKinds = [Kind.permission.rawValue]
        run.alertFirstKinds = [Kind.permission.rawValue, Kind.complete.rawValue]
        run.refusedKinds = [Kind.nonsense.rawValue]
        run.staleKinds = [Kind.lateUnregister.rawValue]
        run.unknownKinds = [Kind.stranger.rawValue]
        run.oversizedKinds = [Kind.long.rawValue]
        run.quietKinds = [Kind.register, .registerActivity, .lateUnregister, .unregister, .stranger, .long].reduce(into: []) {
            $0.insert($1.rawValue)
        }
        run.circumstances.finalKinds = [Kind.complete.rawValue]
        run.circumstances.throttle = .seconds(10)
        run.circumstances.startedAt = WallTime(seconds: epoch)
        run.circumstances.end = at(100_000)
        run.circumstances.isRelayOurs = true
    }

    // MARK: Writing one down

    @discardableResult
    mutating func call(
        _ step: UInt32, _ kind: Kind, at seconds: Double, session: UInt32 = session, status: UInt16 = 200,
        _ turn: (inout SeenCall) -> Void = { _ in }
    ) -> SeenCall {
        var call = SeenCall(session: session, step: step, kind: kind.rawValue, plannedAt: at(seconds))
        call.state = .sent
        call.sentAt = at(seconds)
        call.answeredAt = at(seconds + 0.005)
        call.status = status
        call.wasTaken = (200..<300).contains(status) != run.refusedKinds.contains(kind.rawValue)
        turn(&call)
        calls.append(call)
        return call
    }

    mutating func registers(
        _ step: UInt32, _ token: TokenHash, _ lane: Lane, session: UInt32 = session, isRegistration: Bool = true
    ) {
        let place = EventNumber.place(session: session, step: step)
        tokenCalls.append(TokenCall(place: place, token: token, lane: lane, isRegistration: isRegistration))
    }

    mutating func expect(
        _ step: UInt32, _ kind: Kind, at seconds: Double, _ type: PushType = .liveactivity,
        event: ActivityEvent? = .update, token: TokenHash = .activity, lane: Lane = .activity,
        flags: Expectation.Flags = [], deadline: Double = 5, session: UInt32 = session
    ) {
        rows.append(
            Expectation(
                session: session, step: step, kind: kind.rawValue, type: type,
                event: type == .liveactivity ? event : nil, lane: type == .alert && lane == .activity ? .device : lane,
                flags: flags, plannedAt: at(seconds), deadline: .seconds(deadline),
                token: type == .alert && token == .activity ? .device : token))
    }

    @discardableResult
    mutating func push(
        _ step: UInt32, at seconds: Double, _ type: PushType = .liveactivity, event: ActivityEvent? = .update,
        token: TokenHash = .activity, status: UInt16 = 200, reason: String? = nil, session: UInt32 = session,
        _ turn: (inout SeenPush) -> Void = { _ in }
    ) -> UInt64 {
        let isActivity = type == .liveactivity
        var push = SeenPush(
            id: UInt64(pushes.count + 1), arrivedAt: at(seconds), answeredAt: at(seconds),
            arrivedWall: WallTime(seconds: epoch) + .seconds(seconds),
            token: !isActivity && token == .activity ? .device : token, status: status, type: type)
        push.session = session
        push.step = step
        push.flags = [.isMarked, .gavePriority]
        push.event = isActivity ? event : nil
        push.stamp = isActivity ? epoch + Int64(seconds) : nil
        push.priority = isActivity ? 5 : 10
        push.connection = 1
        push.owner = 1
        // Honest relays sign each 50 minutes.
        push.authorization = text(bearer(issuedAt: epoch + Int64(seconds / 3_000) * 3_000))
        push.topic = text("com.example.app" + (isActivity ? ".push-type.liveactivity" : ""))
        push.reason = reason.map { text($0) } ?? -1
        push.outcome = status == 200 ? (isActivity ? .updated : .shown) : nil
        push.payloadCount = 400
        turn(&push)
        pushes.append(push)
        return push.id
    }

    /// The number of a text; an `authorization` is read on the way.
    func text(_ text: String) -> Int32 {
        let number = run.texts.intern(text)
        if run.signers[number] == nil { run.signers[number] = ProviderTokenClaims(authorization: text) }
        return number
    }

    func with(_ turn: (inout History) -> Void) -> History {
        var copy = self
        turn(&copy)
        return copy
    }

    // MARK: Ready-made

    /// A session that registers, progresses, asks once and completes; nothing is missing, late or too much.
    static var honest: History {
        var history = History()
        history.call(0, .register, at: 0)
        history.registers(0, .device, .device)
        history.registers(0, .start, .start)
        history.call(1, .registerActivity, at: 1)
        history.registers(1, .activity, .activity)
        for (step, seconds) in [(2, 2.0), (3, 13.0), (5, 24.0)] as [(UInt32, Double)] {
            history.call(step, .progress, at: seconds)
            history.expect(step, .progress, at: seconds, flags: [.mayBeSuperseded, .isThrottled])
            history.push(step, at: seconds + 0.02)
        }
        history.call(4, .permission, at: 15)
        history.expect(4, .permission, at: 15, .alert)
        history.expect(4, .permission, at: 15)
        history.push(4, at: 15.01, .alert)
        history.push(4, at: 15.03) { $0.priority = 10 }
        history.call(6, .complete, at: 26)
        history.expect(6, .complete, at: 26, .alert)
        history.expect(6, .complete, at: 26, event: .end, flags: .isFinal)
        history.push(6, at: 26.01, .alert)
        history.push(6, at: 26.03, event: .end) {
            $0.priority = 10
            $0.outcome = .ended
        }
        history.calls.sort { $0.place < $1.place }
        return history
    }

    /// The session's activity is started by a push, which the phone answers with a token.
    static var started: History {
        honest.with { history in
            history.calls[1] = SeenCall(session: session, step: 1, kind: Kind.start.rawValue, plannedAt: at(1))
            history.calls[1].state = .sent
            history.calls[1].sentAt = at(1)
            history.calls[1].answeredAt = at(1.005)
            history.calls[1].status = 200
            history.calls[1].wasTaken = true
            history.tokenCalls.removeLast()
            history.registers(2, .activity, .activity)
            history.expect(1, .start, at: 1, event: .start, token: .start, lane: .start)
            history.push(1, at: 1.02, event: .start, token: .start) {
                $0.flags.insert(.asksForToken)
                $0.outcome = .started
            }
        }
    }

    // MARK: Judging

    /// The account as it is joined: everything in the order in which it comes.
    var joined: JoinedAccount {
        var account = Account(number: 0)
        account.rows = rows
        account.calls = calls.sorted { $0.place < $1.place }
        account.tokenCalls = tokenCalls
        account.pushes = pushes.sorted { $0.arrivedAt < $1.arrivedAt }
        account.cards = cards
        account.tellings = tellings
        account.hooks = hooks
        account.isMalformed = isMalformed
        account.endsAt = account.rows.map { $0.plannedAt + $0.deadline }.max() ?? at(0)
        account.settle(late: [:], undelivered: Dictionary(uniqueKeysWithValues: undelivered.map { ($0, at(0)) }))
        return JoinedAccount(account, run.circumstances, isDeath: run.tellsOfDeath)
    }

    func verdict(of id: String) -> Verdict { verdict(of: RuleBook.rule(named: id)!, Views(joined, run)) }

    /// Of all rules those that it breaks; the history is joined once.
    func brokenRules() -> [(id: String, verdict: Verdict)] {
        let views = Views(joined, run)
        return RuleBook.all.map { ($0.id, verdict(of: $0, views)) }.filter(\.1.isBroken)
    }

    private func verdict(of rule: Rule, _ views: Views) -> Verdict {
        guard rule.binds(run) else { return .notExercised }
        var machine = rule.make()
        guard let joined = views[rule.reach] else { return machine.verdict(run) }
        run.pushCount = joined.account.pushes.count
        if var watcher = machine as? any PushMachine {
            for push in joined.account.pushes { watcher.see(push, run) }
            machine = watcher
        }
        machine.close(joined, run)
        return machine.verdict(run)
    }

    func isKept(_ id: String) -> Bool {
        if case .kept = verdict(of: id) { true } else { false }
    }

    /// How many findings there are; 0 where the rule is kept, nil where nothing put it to the test.
    func findings(_ id: String) -> Int? {
        switch verdict(of: id) {
        case .kept: 0
        case .broken(_, let count): count
        case .notExercised: nil
        }
    }
}
