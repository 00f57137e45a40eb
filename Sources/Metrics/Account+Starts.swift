// A session that is started again before its activity has a token: whether that owes a start depends on what became of the
// one before. Where that was accepted there may be no other (R0.15), and what the further one says is held like any state.

import Basics
import Pushes

extension Account {
    /// Without the expectations that what was accepted has made void.
    func withStartsDecided() -> Account {
        guard rows.contains(where: { $0.flags.contains(.isAgain) }) else { return self }
        var account = self
        account.rows = rows.filter { row in
            if row.flags.contains(.isAgain) { return !wasStarted(before: row) }
            return !row.flags.contains(.insteadOfStart) || wasStarted(before: row)
        }
        return account
    }

    /// An earlier start of the same session was accepted on that phone. Where the relay was not told so, it may start again.
    private func wasStarted(before row: Expectation) -> Bool {
        let all = rows.filter { $0.event == .start && $0.session == row.session && $0.lane.phone == row.lane.phone }
        let own = Set(all.map(\.token))
        let starts = pushes.filter { $0.event == .start && $0.isMarked && $0.session == row.session && own.contains($0.token) }
        let earlier = starts.filter { $0.isAccepted && $0.place < row.place }
        return earlier.contains { !$0.flags.contains(.isAnswerUndelivered) }
            || !earlier.isEmpty && !starts.contains { $0.place == row.place }
    }
}
