// The unit that is judged: one user's sessions, which share secret and device tokens, with all that was planned for
// them, called and pushed. It is open from its first session until nothing of it can come any more; then correlator and
// rules see it once, whole, and it is forgotten. Without a plan (a mock's own journal) it is all the pushes of one token.

package import Basics
package import Pushes

package struct Account: Sendable {
    /// The user's number, or with no plan that of the token.
    package var number: UInt32
    package var rows: [Expectation] = []
    package var calls: [SeenCall] = []
    package var tokenCalls: [TokenCall] = []
    /// In order of arrival.
    package var pushes: [SeenPush] = []
    /// What the user's virtual phones told of their activities; empty where there are none.
    package var cards: [SeenCard] = []
    /// What those heard who listen for the user, in the order of the journal.
    package var tellings: [Telling] = []
    /// What the relay called back about the user, in the order of the journal.
    package var hooks: [Hook] = []
    /// Told by their timestamps, which several calls may have said: which of these it is nobody knows, nor of which the push.
    package var undecided = Undecided()
    /// Its sessions make malformed requests: it is owed nothing.
    package var isMalformed = false
    /// Nothing that belongs here is due later.
    package var endsAt = Instant(nanoseconds: .min)

    package init(number: UInt32) { self.number = number }

    /// Sorts what the rules look things up in. To be called once, before anything is asked. `undelivered`: pushes whose answer
    /// did not reach the relay, and when that was known; of those that get none, when the relay ceased to wait.
    package mutating func settle(late outcomes: [UInt64: Outcome], undelivered: [UInt64: Instant]) {
        for index in pushes.indices where !outcomes.isEmpty || !undelivered.isEmpty {
            if pushes[index].outcome == .stored, let late = outcomes[pushes[index].id] { pushes[index].outcome = late }
            guard let at = undelivered[pushes[index].id] else { continue }
            pushes[index].flags.insert(.isAnswerUndelivered)
            if pushes[index].status == 0 { pushes[index].answeredAt = max(pushes[index].arrivedAt, at) }
        }
        rows.sort { ($0.place, $0.type.rawValue, $0.token.bits) < ($1.place, $1.type.rawValue, $1.token.bits) }
    }

    /// To whom it pushes, or should have.
    package var providers: [Provider] {
        Provider.allCases.filter { provider in
            rows.contains { $0.provider == provider } || pushes.contains { $0.provider == provider }
        }
    }

    /// The same without what goes to other providers.
    package func only(_ provider: Provider) -> Account {
        var account = self
        account.rows.removeAll { $0.provider != provider }
        account.pushes.removeAll { $0.provider != provider }
        return account
    }

    /// Adds a call that no plan has, where it belongs.
    package mutating func insert(_ call: SeenCall) {
        let index = Account.firstIndex(in: calls.count) { calls[$0].place >= call.place }
        if index < calls.count, calls[index].place == call.place { return }
        calls.insert(call, at: index)
    }

    /// The same account with what `planned` says of expectations and tokens. What is known of calls stays.
    package mutating func replan(as planned: Account) {
        rows = planned.rows
        tokenCalls = planned.tokenCalls
        for call in planned.calls { insert(call) }
    }

    /// Calls stand in order of session and step from the beginning.
    package func index(ofCall place: UInt64) -> Int? {
        let index = Account.firstIndex(in: calls.count) { calls[$0].place >= place }
        return index < calls.count && calls[index].place == place ? index : nil
    }

    /// A session's calls up to that step.
    package func calls(of session: UInt32, through step: UInt32) -> ArraySlice<SeenCall> {
        let start = Account.firstIndex(in: calls.count) { calls[$0].session >= session }
        let end = Account.firstIndex(in: calls.count) { calls[$0].place > EventNumber.place(session: session, step: step) }
        return calls[start..<max(start, end)]
    }

    package func call(at place: UInt64) -> SeenCall? { index(ofCall: place).map { calls[$0] } }

    /// The expectations of that step and type, one for each token.
    package func rows(at place: UInt64, _ type: PushType) -> Range<Int> {
        let start = Account.firstIndex(in: rows.count) {
            rows[$0].place > place || rows[$0].place == place && rows[$0].type.rawValue >= type.rawValue
        }
        var end = start
        while end < rows.count, rows[end].place == place, rows[end].type == type { end += 1 }
        return start..<end
    }

    /// The first index for which it holds, where it holds for all that follow.
    static func firstIndex(in count: Int, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
