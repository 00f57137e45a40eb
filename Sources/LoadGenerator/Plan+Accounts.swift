// What the plan says of one user: the calls that are made, the tokens they register, and the pushes that should arrive.

package import Basics
package import Metrics
import Pushes
import Scenarios

extension Plan {
    /// Users of this shard: sessions that share a secret and device tokens. The last one may have fewer sessions.
    package var accountCount: Int { (sessionCount + workload.sessionsPerUser - 1) / workload.sessionsPerUser }

    /// When the first session of this shard's `index`-th user begins; never falls as `index` grows.
    package func start(ofAccount index: Int) -> Interval { start(of: index * workload.sessionsPerUser) }

    /// The number of the user that a session belongs to, over all shards.
    package func account(ofSession session: UInt32) -> UInt32 { session / UInt32(workload.sessionsPerUser) }

    /// All that is planned for this shard's `index`-th user; `origin` is the instant of the plan's start.
    ///
    /// The last state of a session is its last owed live activity push of a call the profile marks as final.
    package func account(_ index: Int, origin: Instant) -> Account {
        let first = index * workload.sessionsPerUser
        var account = Account(number: self.account(ofSession: sessionNumber(first)))
        for session in first..<min(first + workload.sessionsPerUser, sessionCount) {
            add(session: session, to: &account, origin: origin)
        }
        return account
    }

    private func add(session index: Int, to account: inout Account, origin: Instant) {
        var cursor = cursor(index)
        var owed = OwedPushes(workload)
        let firstRow = account.rows.count
        let tokens = SessionTokens(session: cursor.session, workload)
        while let event = cursor.next(workload) {
            let plannedAt = origin + event.at
            let call = SeenCall(
                session: event.session, step: event.step, kind: UInt16(event.call), plannedAt: plannedAt,
                scriptStep: UInt16(event.scriptStep))
            account.calls.append(call)
            func note(_ variable: SessionVariable, isRegistration: Bool) {
                account.tokenCalls.append(
                    TokenCall(
                        place: call.place, token: tokens[variable], lane: variable.lane, isRegistration: isRegistration))
            }
            for variable in workload.owing[event.call].registers { note(variable, isRegistration: true) }
            for variable in workload.owing[event.call].unregisters { note(variable, isRegistration: false) }
            account.endsAt = max(account.endsAt, plannedAt)
            owed.happen(event) { owed in account.rows.append(row(owed, tokens, origin: origin)) }
        }
        if let last = account.rows[firstRow...].lastIndex(where: \.isFinal) {
            for place in firstRow..<account.rows.count where account.rows[place].place != account.rows[last].place {
                account.rows[place].flags.remove(.isFinal)
            }
        }
        for row in account.rows[firstRow...] { account.endsAt = max(account.endsAt, row.plannedAt + row.deadline) }
    }

    private func row(_ owed: OwedPush, _ tokens: SessionTokens, origin: Instant) -> Expectation {
        var flags: Expectation.Flags = []
        if owed.push.coalesce || owed.isReplaceable { flags.insert(.mayBeSuperseded) }
        if owed.push.coalesce { flags.insert(.isThrottled) }
        if owed.wasHeld { flags.insert(.wasHeld) }
        if workload.owing[owed.event.call].isFinal, owed.push.channel == .liveactivity { flags.insert(.isFinal) }
        return Expectation(
            session: owed.event.session, step: owed.event.step, kind: UInt16(owed.event.call), type: owed.push.channel,
            event: owed.push.event, lane: owed.push.token.lane, flags: flags, plannedAt: origin + owed.event.at,
            deadline: owed.deadline, token: tokens[owed.push.token])
    }
}

/// The hashes of a session's tokens, each made once, when it is asked for.
private final class SessionTokens {
    private let workload: Workload
    private let session: UInt32
    private var hashes = [TokenHash?](repeating: nil, count: SessionVariable.allCases.count)
    private let text = ByteBuffer(capacity: 160)

    init(session: UInt32, _ workload: Workload) {
        self.session = session
        self.workload = workload
    }

    subscript(variable: SessionVariable) -> TokenHash {
        if let known = hashes[variable.place] { return known }
        let text = text
        text.clear()
        workload.append(variable, session: session, into: text)
        let hash = TokenHash(text.bytes)
        hashes[variable.place] = hash
        return hash
    }
}

extension SessionVariable {
    /// Which token of which phone it is.
    package var lane: Lane {
        let role: Lane.Role =
            switch role {
            case .deviceToken: .device
            case .startToken: .start
            case .activityToken: .activity
            default: .other
            }
        return Lane(role: role, phone: UInt8(phone))
    }
}
