// A history so small that every way in which an honest relay could have made it can be tried: one card, two tokens, a fault,
// a restart. Instants are milliseconds. What happens in a second: its calls are sent at its begin and answered ten
// milliseconds later, pushes come in its middle, and the relay is killed near its end.

import Basics

/// What the relay was told, what was done to it, and what it pushed.
struct Tiny: Sendable, Hashable {
    /// Of one state, in order.
    struct Push: Sendable, Hashable {
        var second: Int
        var state: Int
        var isSecondToken = false
        /// From the begin of its second.
        var offset = 500
        var at: Int { second * 1_000 + offset }
    }

    enum Answer: Sendable, Hashable { case accepted, unavailable, dead }

    static let deadline = 3_000
    static let seconds = 16
    static let end = seconds * 1_000

    /// The second in which each state is told; the last one is the card's end.
    var told: [Int]
    /// The second in which the card's second token is registered.
    var rotated: Int?
    /// From that second on the first token is dead.
    var dies: Int?
    /// Seconds in which APNs answers 503.
    var fault: Range<Int>?
    /// The relay is killed near the end of the one, and ready again near the end of the other.
    var outage: ClosedRange<Int>?
    /// A newer state may stand for an older one.
    var latestWins: Bool
    var pushes: [Push] = []

    var downFrom: Int? { outage.map { $0.lowerBound * 1_000 + 800 } }
    var downUntil: Int? { outage.map { $0.upperBound * 1_000 + 800 } }
    func isDown(_ instant: Int) -> Bool { downFrom.map { $0 <= instant && instant < downUntil! } ?? false }

    func answer(_ push: Push) -> Answer {
        if fault?.contains(push.second) ?? false { return .unavailable }
        return !push.isSecondToken && dies.map { $0 <= push.second } ?? false ? .dead : .accepted
    }
}

extension Tiny: CustomStringConvertible {
    /// As in `told 1 3 4; fault 1..<3; latest wins; pushes 1.5:0A→503 3.5:1A`.
    var description: String {
        var words = ["told " + told.map { "\($0)" }.joined(separator: " ")]
        if let rotated { words.append("second token \(rotated)") }
        if let dies { words.append("dies \(dies)") }
        if let fault { words.append("fault \(fault)") }
        if let outage { words.append("down \(outage)") }
        if latestWins { words.append("latest wins") }
        let list = pushes.map { push in
            let answer = answer(push) == .accepted ? "" : answer(push) == .dead ? "→410" : "→503"
            return "\(Double(push.at) / 1_000):\(push.state)\(push.isSecondToken ? "B" : "A")\(answer)"
        }
        return words.joined(separator: "; ") + "; pushes " + list.joined(separator: " ")
    }
}

/// Chance that can be drawn again.
struct Dice {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func roll(_ count: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int((state >> 16) % UInt64(count))
    }

    mutating func oneIn(_ count: Int) -> Bool { roll(count) == 0 }
}
