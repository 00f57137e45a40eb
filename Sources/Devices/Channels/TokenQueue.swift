// Tokens in order of arrival, nobody twice.

import Basics

struct TokenQueue {
    /// What was taken stands before `head` until there is more of it than of the rest.
    private var tokens: [Hash128] = []
    private var head = 0
    private var members: Set<Hash128> = []

    var count: Int { tokens.count - head }

    mutating func append(_ token: Hash128) {
        if members.insert(token).inserted { tokens.append(token) }
    }

    /// Removes and returns the first ones, at most `limit`.
    mutating func take(_ limit: Int) -> [Hash128] {
        let some = Array(tokens[head...].prefix(limit))
        head += some.count
        for token in some { members.remove(token) }
        if 2 * head > tokens.count {
            tokens.removeFirst(head)
            head = 0
        }
        return some
    }
}
