// Users whose sessions make malformed requests. Nobody can say what a relay owes to them, nor what it may still send them: they
// are owed nothing, and only that it concerns nobody else is asked.

import Basics
import Conformance
import Metrics
import Planning
import Pushes

struct MalformedUsers {
    private var accounts: Set<UInt32> = []
    private var tokens: Set<TokenHash> = []
    /// Their malformed calls, in the order in which their accounts opened.
    private var calls: [(plannedAt: Instant, place: UInt64, isOmission: Bool)] = []

    /// Of an account that opens: where it makes malformed requests, it has no debts and no tokens from here on.
    mutating func settle(_ account: inout Account, _ context: RunContext) {
        let kinds = context.malformedKinds
        guard !kinds.isEmpty, account.calls.contains(where: { kinds.contains($0.kind) }) else { return }
        accounts.insert(account.number)
        for call in account.calls where kinds.contains(call.kind) {
            calls.append((call.plannedAt, call.place, context.omittingKinds.contains(call.kind)))
        }
        tokens.formUnion(account.rows.map(\.token) + account.tokenCalls.map(\.token))
        (account.rows, account.tokenCalls, account.isMalformed) = ([], [], true)
    }

    /// A token that such a user's phone told.
    mutating func learn(_ token: String) {
        if !token.isEmpty { tokens.insert(TokenHash(token)) }
    }

    /// Whether a push is one that came of such a user's requests: by its marker, or by its token. One that bears no marker and
    /// goes to a token of nobody is, too: a malformed request may have named it. `push.owner` is of another user.
    func takes(_ push: SeenPush, _ plan: Plan, _ context: RunContext) -> Bool {
        guard !accounts.isEmpty else { return false }
        guard push.isMarked else {
            if tokens.contains(push.token) || push.owner == 0 { return true }
            return reaches(push, context)
        }
        guard accounts.contains(plan.account(ofSession: push.session)) else { return false }
        if push.isAccepted { context.malformedPushes.add(push) }
        return true
    }

    /// Whether a push without a marker, to a user who keeps the contract, may be of a malformed request that left the marker
    /// out: of one that was made shortly before. Where some of these leave something out, it is one of them.
    private func reaches(_ push: SeenPush, _ context: RunContext) -> Bool {
        let first = push.arrivedAt - context.circumstances.real(Tolerances.journey)
        let near = calls.filter { first <= $0.plannedAt && $0.plannedAt <= push.arrivedAt }
        guard let call = near.last(where: \.isOmission) ?? near.last else { return false }
        var push = push
        (push.session, push.step) = (UInt32(call.place >> 32), UInt32(truncatingIfNeeded: call.place))
        if push.isAccepted { context.malformedPushes.add(push) }
        return true
    }
}
