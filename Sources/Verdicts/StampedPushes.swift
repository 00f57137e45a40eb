// Which call a push is of that bears nothing of it but the second which the call said: told by token and timestamp, and where
// several calls said one second by their order, as long as each has its push and shows what its call said.

import Basics
import Metrics
import Pushes

/// Of one account. Bounded by its pushes.
struct StampedPushes {
    private struct Saying: Hashable {
        var token: TokenHash
        var stamp: Int64
        var payload: Int
    }

    /// Of each token: the calls that have their push, and those that one push may be of.
    private struct Told {
        var taken: Set<UInt64> = []
        var groups: [Set<UInt64>] = []

        /// Groups with a call in common are one.
        mutating func join(_ group: Set<UInt64>) {
            var group = group
            groups.removeAll { other in
                guard !other.isDisjoint(with: group) else { return false }
                group.formUnion(other)
                return true
            }
            groups.append(group)
        }
    }

    private var places: [Saying: UInt64] = [:]
    private var told: [TokenHash: Told] = [:]

    /// The place of the call that the push is of. `calls`: those of its token, in order, each with the seconds in which it may
    /// have been made.
    mutating func place(
        _ token: TokenHash, stamp: Int64, payload: Int, among calls: [(place: UInt64, seconds: ClosedRange<Int64>)]
    ) -> UInt64? {
        let saying = Saying(token: token, stamp: stamp, payload: payload)
        // Sent again.
        if let known = places[saying] { return known }
        var own = told[token] ?? Told()
        let free = calls.filter { $0.seconds.contains(stamp) && !own.taken.contains($0.place) }.map(\.place)
        guard let first = free.first else { return nil }
        if free.count > 1 { own.join(Set(free)) }
        own.taken.insert(first)
        told[token] = own
        places[saying] = first
        return first
    }

    /// Takes the calls from the pushes of which it is not known whose they are.
    func settle(_ account: inout Account) {
        for (token, own) in told {
            for group in own.groups where !isDecided(group, own.taken, token, account) {
                for place in group { account.undecided.states.insert(Undecided.State(place: place, token: token)) }
                for index in account.pushes.indices
                where account.pushes[index].token == token && account.pushes[index].isMarked
                    && group.contains(account.pushes[index].place)
                {
                    account.pushes[index].flags.remove(.isMarked)
                    account.pushes[index].forgetContent()
                    account.undecided.pushes.insert(account.pushes[index].id)
                }
            }
        }
    }

    /// As many came as were told, and each shows what its call said.
    private func isDecided(_ group: Set<UInt64>, _ taken: Set<UInt64>, _ token: TokenHash, _ account: Account) -> Bool {
        group.isSubset(of: taken)
            && !account.pushes.contains { $0.token == token && group.contains($0.place) && $0.isMarked && $0.alteration >= 0 }
    }
}

extension SeenPush {
    /// What was found by holding it against a call that need not be its own.
    fileprivate mutating func forgetContent() {
        (alteration, lapse, fall, drift, deviation) = (-1, -1, -1, -1, -1)
        flags.subtract([.isDeclared, .isCompared])
    }
}
