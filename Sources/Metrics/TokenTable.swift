// Numbers tokens in order of their first mention.

import Pushes

struct TokenTable: Sendable {
    private var numbers: [TokenHash: Int32] = [:]

    var count: Int { numbers.count }

    /// The token's number; upper and lower case are one token.
    mutating func number(of token: String) -> Int32 {
        let hash = TokenHash(token)
        let next = Int32(numbers.count)
        let number = numbers[hash, default: next]
        if number == next { numbers[hash] = next }
        return number
    }
}
