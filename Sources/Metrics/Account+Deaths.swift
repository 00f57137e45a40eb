// What is owed only where a token is not there: where it was registered, and is dead for all that the relay knows, that is
// owed as if nobody had registered it.

import Basics
import Pushes

extension Account {
    /// Without the expectations that a living token has made void.
    func withDeathsDecided(_ tokens: TokenLife, _ circumstances: Circumstances) -> Account {
        guard rows.contains(where: { $0.unless != nil }) else { return self }
        var account = self
        account.rows = rows.filter { row in
            row.unless.map { isOwed(row, unless: $0, tokens, circumstances) } ?? true
        }
        return account
    }

    /// Where the relay may have learnt of the death before it decided, or behind that, it has shown by its push which it was.
    private func isOwed(
        _ row: Expectation, unless token: TokenHash, _ tokens: TokenLife, _ circumstances: Circumstances
    ) -> Bool {
        let grace = circumstances.inFlightGrace
        let sentAt = call(at: row.place)?.sentAt ?? row.plannedAt
        let deaths = (tokens.deaths[token] ?? []).filter { death in
            !tokens.wasRegistered(token, after: death.arrivedAt, until: sentAt)
        }
        if deaths.contains(where: { !$0.isDoubtful && tokens.wasKnown($0, at: sentAt, grace: grace) }) { return true }
        guard deaths.contains(where: { $0.arrivedAt <= sentAt + row.deadline }) else { return false }
        return pushes.contains { push in
            push.isAccepted && push.isMarked && push.place == row.place && push.type == row.type && push.token == row.token
        }
    }
}
