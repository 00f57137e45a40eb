// What never reached the relay: calls that never left us, or could not while we held it down.

import Basics
import Pushes

extension Account {
    /// With each state owed to the token that the relay can know of: where the registration of a card's new token never reached
    /// it, to the one before.
    func withTokensDecided(_ circumstances: Circumstances) -> Account {
        let missing = tokenCalls.filter { made in
            made.isRegistration && made.lane.role == .activity && JoinedAccount.isMissing(made.place, self, circumstances)
        }
        guard !missing.isEmpty else { return self }
        var account = self
        for (index, row) in rows.enumerated()
        where missing.contains(where: { $0.token == row.token && $0.place <= row.place }) {
            let known = tokenCalls.last { made in
                made.lane == row.lane && made.place >> 32 == row.place >> 32 && made.place < row.place
                    && !JoinedAccount.isMissing(made.place, self, circumstances)
            }
            if let known, known.isRegistration { account.rows[index].token = known.token }
        }
        return account
    }
}

extension JoinedAccount {
    /// Its event, the registration of its token or that of its user's devices never left us, or could not while we held
    /// the relay down.
    func wasNeverSent(_ row: Expectation, _ circumstances: Circumstances) -> Bool {
        let registration = tokens.registrations[row.token]?.last { $0.place <= row.place || row.flags.contains(.wasHeld) }
        return [row.place, registration?.place].contains { $0.map { Self.isMissing($0, account, circumstances) } ?? false }
            || isOfUnknownUser(row, circumstances)
    }

    static func isMissing(_ place: UInt64, _ account: Account, _ circumstances: Circumstances) -> Bool {
        guard let call = account.call(at: place) else { return false }
        if call.state != .sent { return true }
        guard call.wasAnswered else {
            return circumstances.wasDown(between: call.sentAt, and: call.sentAt + circumstances.real(Tolerances.flight))
        }
        // A relay that was told to end may say that it serves nobody any more.
        return call.status >= 500 && circumstances.wasDown(between: call.sentAt, and: call.answeredAt)
    }

    /// A registration of a device was due by then and never reached the relay, and no device of the user was known to it
    /// otherwise: events of an unknown user reach nobody (R0.30).
    private func isOfUnknownUser(_ row: Expectation, _ circumstances: Circumstances) -> Bool {
        guard missing.contains(.device) else { return false }
        var known: Set<TokenHash> = []
        var isOneMissing = false
        let calls = account.tokenCalls.filter { $0.lane.role == .device }
            .map { (token: $0, plannedAt: account.call(at: $0.place)?.plannedAt ?? .distantFuture) }
            .filter { $0.plannedAt <= row.plannedAt }.sorted { $0.plannedAt < $1.plannedAt }
        for (call, _) in calls {
            if Self.isMissing(call.place, account, circumstances) {
                if call.isRegistration { isOneMissing = true }
            } else if call.isRegistration {
                known.insert(call.token)
            } else {
                known.remove(call.token)
            }
        }
        return isOneMissing && known.isEmpty
    }

    /// The registration of the activity's token that shows this state never reached the relay.
    func lacksRegistration(_ row: Expectation, _ circumstances: Circumstances) -> Bool {
        guard missing.contains(.activity), row.lane.role == .activity else { return false }
        return tokens.registrations[row.token]?.contains { Self.isMissing($0.place, account, circumstances) } ?? false
    }
}
