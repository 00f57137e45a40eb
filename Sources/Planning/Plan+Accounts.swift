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
    /// The last state of a session is its last owed live activity push of a call the profile marks as final. `reactions`
    /// are what its sessions did beyond the plan, as the journal tells, in order of session and step.
    package func account(_ index: Int, origin: Instant, reactions: [MadeReaction] = []) -> Account {
        let first = index * workload.sessionsPerUser
        var account = Account(number: self.account(ofSession: sessionNumber(first)))
        for session in first..<min(first + workload.sessionsPerUser, sessionCount) {
            let own = reactions.isEmpty ? [] : reactions.filter { $0.session == sessionNumber(session) }
            add(session: session, to: &account, origin: origin, own)
        }
        return account
    }

    private func add(session index: Int, to account: inout Account, origin: Instant, _ reactions: [MadeReaction]) {
        var cursor = cursor(index)
        var owed = OwedPushes(workload)
        let firstRow = account.rows.count
        let tokens = SessionTokens(session: cursor.session, workload)
        func play(_ event: PlannedEvent, _ made: MadeReaction? = nil) {
            let plannedAt = made?.plannedAt ?? origin + event.at
            let call = SeenCall(
                session: event.session, step: event.step, kind: UInt16(event.call), plannedAt: plannedAt,
                scriptStep: UInt16(event.scriptStep))
            account.calls.append(call)
            func note(_ variable: SessionVariable, isRegistration: Bool) {
                account.tokenCalls.append(
                    TokenCall(
                        place: call.place, token: tokens[variable], lane: variable.lane, isRegistration: isRegistration))
            }
            let owing = workload.owing[event.call]
            if let made, owed.isLate(event, made) { return account.endsAt = max(account.endsAt, plannedAt) }
            for variable in owing.registered(by: made?.phone) {
                tokens.set(variable, to: variable.role == .activityToken ? made?.token : nil)
                note(variable, isRegistration: true)
            }
            for variable in owing.unregistered(by: made?.phone) { note(variable, isRegistration: false) }
            account.endsAt = max(account.endsAt, plannedAt)
            owed.happen(event, phone: made?.phone) { owed in account.rows.append(row(owed, tokens, origin: origin)) }
        }
        func play(_ made: MadeReaction) {
            guard let event = event(of: made, script: cursor.script, origin: origin) else { return }
            guard made.isInVain else { return play(event, made) }
            let phone = workload.scripts[Int(cursor.script)].reactions[made.reaction].phone
            owed.giveUp(phone) { owed in account.rows.append(row(owed, tokens, origin: origin)) }
        }
        var next = 0
        while let event = cursor.next(workload) {
            while next < reactions.count, EventNumber.order(reactions[next].step) < EventNumber.order(event.step) {
                play(reactions[next])
                next += 1
            }
            play(event)
        }
        for made in reactions[min(next, reactions.count)...] { play(made) }
        if workload.remembers(cursor.script) {
            account.endsAt = max(
                account.endsAt + workload.listen(cursor.script),
                origin + start(of: index) + workload.longestWait(cursor.script))
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
        if owed.push.dedupes { flags.insert(.mayRepeat) }
        if owed.wasHeld { flags.insert(.wasHeld) }
        if owed.push.held { flags.insert(.mayWait) }
        if owed.isAgain { flags.insert(.isAgain) }
        if owed.isInsteadOfStart { flags.insert(.insteadOfStart) }
        if owed.waitsInVain { flags.insert(.waitsInVain) }
        if workload.owing[owed.event.call].isFinal, owed.push.channel == .liveactivity { flags.insert(.isFinal) }
        var row = Expectation(
            session: owed.event.session, step: owed.event.step, kind: UInt16(owed.event.call), type: owed.push.channel,
            event: owed.push.event, lane: owed.push.token.lane, flags: flags, plannedAt: origin + owed.event.at,
            deadline: owed.deadline, token: tokens[owed.push.token])
        row.provider = owed.push.provider
        row.unless = owed.unless.map { tokens[$0] }
        return row
    }
}

extension Plan {
    /// The same for the user of that number, over all shards; empty for one that is not this shard's.
    package func account(number: UInt32, origin: Instant, reactions: [MadeReaction]) -> Account {
        let first = UInt64(number) * UInt64(workload.sessionsPerUser)
        guard let session = UInt32(exactly: first), let position = position(of: session) else {
            return Account(number: number)
        }
        let sorted = reactions.sorted {
            EventNumber.place(session: $0.session, step: $0.step) < EventNumber.place(session: $1.session, step: $1.step)
        }
        return account(position / workload.sessionsPerUser, origin: origin, reactions: sorted)
    }

    /// The call that a reaction makes, as an account has it; nil for one that the plan's script does not have.
    package func call(_ made: MadeReaction) -> SeenCall? {
        guard position(of: made.session) != nil,
            let event = event(
                of: made, script: SessionCursor(session: made.session, start: .zero, workload: workload).script,
                origin: made.plannedAt)
        else { return nil }
        return SeenCall(
            session: event.session, step: event.step, kind: UInt16(event.call), plannedAt: made.plannedAt,
            scriptStep: UInt16(event.scriptStep))
    }

    /// In words: what a reaction waits for.
    package func words(of made: MadeReaction) -> String {
        let script = workload.scripts[Int(SessionCursor(session: made.session, start: .zero, workload: workload).script)]
        guard script.reactions.indices.contains(made.reaction) else { return "an event" }
        let reaction = script.reactions[made.reaction]
        let within = reaction.within.map { " within \(Interval.seconds($0 / workload.pace))" } ?? ""
        return "`\(reaction.event.word)`\(within) (`\(reaction.kind)` of \(script.name))"
    }


    /// The event that a reaction was, as the plan's own are described; nil for one that the script does not have.
    func event(of made: MadeReaction, script: UInt16, origin: Instant) -> PlannedEvent? {
        let script = workload.scripts[Int(script)]
        guard script.reactions.indices.contains(made.reaction) else { return nil }
        return PlannedEvent(
            session: made.session, step: made.step, at: made.plannedAt - origin, call: script.reactions[made.reaction].call,
            scriptStep: script.steps.count + made.reaction)
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

    /// From now on the variable stands for what a phone told, or with nil for what it does by itself.
    func set(_ variable: SessionVariable, to token: String?) {
        hashes[variable.place] = token.flatMap { $0.isEmpty ? nil : TokenHash($0) }
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
            case .registrationToken: .registration
            case .widgetToken: .widget
            case .controlToken: .control
            case .otherControlToken: .otherControl
            case .broadcastChannel: .channel
            default: .other
            }
        return Lane(role: role, phone: UInt8(phone))
    }
}
