// What owes a webhook, and the deliveries of it that came.

import Basics
import Metrics
import Pushes

/// A webhook that something of an account owes, and the deliveries of it.
struct WebhookDebt {
    var owed: RunContext.OwedHook
    var since: Instant
    var session: UInt32?
    var step: UInt32?
    var cause: String
    /// In the order of the journal.
    var hooks: [Hook]
    /// Nil: of a token that died.
    var call: SeenCall?
    /// Of a call to a session whose activity had ended by then, with its token (R3.19).
    var isOfEnded = false
    /// Of a token that several sessions had: which of them is meant a marker alone says.
    var isShared = false
    /// The same was told anew then: what comes later without an id may be of that.
    var renewedAt: Instant?

    /// What was told twice may be called back twice.
    var wasToldTwice: Bool { call.map { $0.attempts > 1 } ?? false }

    /// The next delivery of the same webhook, or of another one that tells the same.
    func again(behind index: Int) -> Hook? {
        let hook = hooks[index]
        return hooks[(index + 1)...].first { next in
            if let id = hook.delivery, id == next.delivery { return true }
            if next.delivery == nil, let renewedAt, next.at >= renewedAt { return false }
            if wasToldTwice { return false }
            if let one = hook.place, let other = next.place { return one >> 32 == other >> 32 }
            return !isShared
        }
    }

    /// What came instead of a delivery that failed: under its id, where it has one and any did.
    func retry(of index: Int) -> Hook? {
        let later = hooks[(index + 1)...]
        guard let id = hooks[index].delivery else { return later.first }
        return later.first { $0.delivery == id } ?? again(behind: index)
    }

    static func all(_ joined: JoinedAccount, _ run: RunContext) -> [WebhookDebt] {
        guard !run.callHooks.isEmpty || !run.refusalHooks.isEmpty else { return [] }
        let index = HookIndex(joined.account)
        return ofCalls(joined, index, run) + ofDeaths(joined, index, run)
    }

    // MARK: Calls

    private static func ofCalls(_ joined: JoinedAccount, _ index: HookIndex, _ run: RunContext) -> [WebhookDebt] {
        let account = joined.account
        let endings = endings(joined, index, run)
        var debts: [WebhookDebt] = []
        for call in account.calls where isTaken(call) {
            for owed in run.callHooks[call.kind] ?? [] {
                let hooks = index.hooks(of: call, isUnmarked: run.unmarkedKinds.contains(call.kind)).filter {
                    $0.event == owed.event && isInTime($0, for: call, run)
                }
                let next = nextUnmarked(behind: call, account, run)
                var debt = WebhookDebt(
                    owed: owed, since: call.answeredAt, session: call.session, step: call.step,
                    cause: "the call `\(run.kind(call.kind))`", hooks: begun(hooks, until: next))
                (debt.call, debt.renewedAt) = (call, next)
                debt.isOfEnded = endings[call.session]?.contains { death in
                    death < call.answeredAt
                        && !joined.wasToldToken(session: call.session, after: death, until: call.answeredAt)
                } ?? false
                debts.append(debt)
            }
        }
        return debts
    }

    private static func isTaken(_ call: SeenCall) -> Bool { call.wasTaken && !call.wasRefusedAsItMay }

    /// When activities of a session ended with their tokens (R3.19), by its own push or by that of another session whose token
    /// it had as well.
    private static func endings(_ joined: JoinedAccount, _ index: HookIndex, _ run: RunContext) -> [UInt32: [Instant]] {
        var endings: [UInt32: [Instant]] = [:]
        for push in joined.account.pushes where push.reason >= 0 && !push.flags.contains(.isAnswerUndelivered) {
            guard run.refusalHooks[run.word(push)]?.contains(where: \.endsActivity) ?? false,
                !joined.tokens.speaksOfThePast(push, run.circumstances)
            else { continue }
            for session in index.sessions(of: push.token).union(push.isMarked ? [push.session] : []) {
                let isOwn = push.isMarked && push.session == session
                guard isOwn || lastToken(of: session, on: push.token, before: push.arrivedAt, joined) == push.token
                else { continue }
                endings[session, default: []].append(push.arrivedAt)
            }
        }
        return endings
    }

    /// What a session had told last by then, where that token stands or stood.
    private static func lastToken(
        of session: UInt32, on token: TokenHash, before instant: Instant, _ joined: JoinedAccount
    ) -> TokenHash? {
        let account = joined.account
        return account.tokenCalls.last { made in
            made.isRegistration && UInt32(made.place >> 32) == session && made.lane == joined.tokens.lanes[token]
                && account.call(at: made.place).map { $0.sentAt < instant } ?? false
        }?.token
    }

    /// What a call without room for a marker causes has none either, or that of an older call; it comes behind the call.
    private static func isInTime(_ hook: Hook, for call: SeenCall, _ run: RunContext) -> Bool {
        guard run.unmarkedKinds.contains(call.kind) else { return true }
        // Of one that was sent twice the first sending is not on record.
        return hook.at >= (call.attempts > 1 ? call.plannedAt : call.sentAt)
    }

    /// Whether a call that has no room for a marker owes that webhook of its session.
    static func owesUnmarked(_ hook: Hook, _ account: Account, _ index: HookIndex, _ run: RunContext) -> Bool {
        guard !run.unmarkedKinds.isEmpty else { return false }
        return index.sessions(of: hook).contains { session in
            account.calls(of: session, through: .max).contains { call in
                run.unmarkedKinds.contains(call.kind) && isTaken(call) && isInTime(hook, for: call, run)
                    && run.callHooks[call.kind]?.contains { $0.event == hook.event } ?? false
            }
        }
    }

    /// When the session said the same again, as in its next life, where no marker tells the one from the other.
    private static func nextUnmarked(behind call: SeenCall, _ account: Account, _ run: RunContext) -> Instant? {
        guard run.unmarkedKinds.contains(call.kind) else { return nil }
        return account.calls(of: call.session, through: .max).first { next in
            next.kind == call.kind && next.place > call.place && isTaken(next)
        }?.sentAt
    }

    /// Those of webhooks that came first within a time; what has no id may be anything's.
    private static func begun(_ hooks: [Hook], from first: Instant? = nil, until last: Instant?) -> [Hook] {
        guard first != nil || last != nil else { return hooks }
        return hooks.filter { hook in
            guard let id = hook.delivery else { return first.map { $0 <= hook.at } ?? true }
            let begun = hooks.first { $0.delivery == id }?.at ?? hook.at
            return first.map { $0 <= begun } ?? true && last.map { begun < $0 } ?? true
        }
    }

    // MARK: Deaths

    /// A refusal that calls a token dead, and the one before, where the token was registered anew in between.
    private struct Death {
        var push: SeenPush
        var former: Instant?
    }

    private static func ofDeaths(_ joined: JoinedAccount, _ index: HookIndex, _ run: RunContext) -> [WebhookDebt] {
        let deaths = deaths(joined, run)
        return deaths.indices.flatMap { place in
            let next = deaths[(place + 1)...].first { $0.push.token == deaths[place].push.token }
            return debts(of: deaths[place], until: next?.push.arrivedAt, joined, index, run)
        }
    }

    private static func deaths(_ joined: JoinedAccount, _ run: RunContext) -> [Death] {
        var last: [TokenHash: Instant] = [:]
        var deaths: [Death] = []
        for push in joined.account.pushes where push.reason >= 0 && !push.flags.contains(.isAnswerUndelivered) {
            guard run.refusalHooks[run.word(push)]?.isEmpty == false else { continue }
            // It kills nothing (P10), nor what was registered anew while it was on its way (G4): there is nothing to tell.
            if joined.tokens.speaksOfThePast(push, run.circumstances)
                || joined.tokens.wasRegistered(push.token, after: push.arrivedAt, until: push.answeredAt)
            { continue }
            let former = last[push.token]
            if let former, !joined.tokens.wasRegistered(push.token, after: former, until: push.arrivedAt) { continue }
            last[push.token] = push.arrivedAt
            deaths.append(Death(push: push, former: former))
        }
        return deaths
    }

    private static func debts(
        of death: Death, until next: Instant?, _ joined: JoinedAccount, _ index: HookIndex, _ run: RunContext
    ) -> [WebhookDebt] {
        let push = death.push
        return (run.refusalHooks[run.word(push)] ?? []).flatMap { owed -> [WebhookDebt] in
            let holders = holders(death, owed, joined, run)
            guard holders?.isEmpty != true, !livesElsewhere(push, owed, joined.account, run) else { return [] }
            let hooks = begun(
                index.hooks(of: push.token).filter { $0.event == owed.event },
                from: death.former.map { _ in push.arrivedAt }, until: next)
            var debt = WebhookDebt(
                owed: owed, since: push.answeredAt, session: push.isMarked ? push.session : nil,
                step: push.isMarked ? push.step : nil,
                cause: (push.provider == .apns ? "APNs' " : "FCM's ") + run.reason(push), hooks: hooks)
            debt.renewedAt = next
            guard let holders, holders.count > 1 else { return [debt] }
            debt.isShared = true
            // Where activities end with the token, and are told apart, each of them has its own webhook (R3.35).
            let areTold = hooks.contains { hook in hook.place.map { holders.contains(UInt32($0 >> 32)) } ?? false }
            guard owed.endsActivity, areTold else { return [debt] }
            return holders.map { session in
                var own = debt
                own.session = session
                own.step = push.isMarked && push.session == session ? push.step : nil
                own.hooks = hooks.filter { hook in hook.place.map { UInt32($0 >> 32) == session } ?? true }
                return own
            }
        }
    }

    /// Sessions that have the token when its death is told: no call took it back, none put another in its place, and none of
    /// them is over with it. Nil: nobody knows of any that was given it.
    private static func holders(
        _ death: Death, _ owed: RunContext.OwedHook, _ joined: JoinedAccount, _ run: RunContext
    ) -> [UInt32]? {
        let (account, push) = (joined.account, death.push)
        let told = account.tokenCalls.filter { $0.isRegistration && $0.token == push.token }
        guard !told.isEmpty else { return nil }
        let sessions = Set(told.map { UInt32($0.place >> 32) })
        let isOfActivity = owed.endsActivity || joined.tokens.lanes[push.token]?.role == .activity
        return sessions.sorted().filter { session in
            let known = told.compactMap { made -> Instant? in
                guard UInt32(made.place >> 32) == session, let call = account.call(at: made.place), isTaken(call),
                    death.former.map({ $0 < call.sentAt }) ?? true
                else { return nil }
                // Another session's row may have come behind the refusal, if it was not answered by then.
                let isOwn = push.isMarked && push.session == session
                return (isOwn ? call.sentAt : call.answeredAt) <= push.answeredAt ? call.sentAt : nil
            }
            guard let known = known.max() else { return false }
            if isOfActivity {
                let isItsEnd = push.event == .end && (push.isMarked ? push.session == session : sessions.count == 1)
                let isOver = account.calls.contains { call in
                    call.session == session && run.circumstances.finalKinds.contains(call.kind)
                        && mayHaveChanged(call, after: known, until: push.answeredAt)
                }
                if isItsEnd || isOver { return false }
            }
            return !account.tokenCalls.contains { made in
                guard UInt32(made.place >> 32) == session, let call = account.call(at: made.place),
                    mayHaveChanged(call, after: known, until: push.answeredAt)
                else { return false }
                let isTakenBack = !made.isRegistration && made.token == push.token
                let isRotated = made.isRegistration && made.token != push.token
                    && made.lane == joined.tokens.lanes[push.token]
                return isTakenBack || isRotated
            }
        }
    }

    private static func mayHaveChanged(_ call: SeenCall, after first: Instant, until last: Instant) -> Bool {
        call.state == .sent && first < call.sentAt && call.sentAt <= last && (!call.wasAnswered || isTaken(call))
    }

    /// What one host calls bad may live at the other, which is asked next (G3).
    private static func livesElsewhere(
        _ push: SeenPush, _ owed: RunContext.OwedHook, _ account: Account, _ run: RunContext
    ) -> Bool {
        guard run.death(in: push) == .atThisHost else { return false }
        let others = account.pushes.filter { other in
            other.token == push.token && other.environment != push.environment && push.arrivedAt <= other.arrivedAt
                && other.arrivedAt <= push.answeredAt + owed.within
        }
        // Busy or mute, that host has not said yet.
        return others.contains(where: \.isAccepted) || others.last.map { $0.isRefusedForNow || $0.status == 0 } ?? false
    }
}
